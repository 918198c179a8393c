"""The model file: named sections written at once, then read as a read-only map.

A section is an array, strings, or data (what JSON can say). Opening reads the head and the directory only; a section is
checked against its checksum when it is first asked for. Arrays are views of the map: their pages are read when touched
and shared by all processes that have the file open. Equal content gives equal bytes.
"""

import math
import mmap
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from parser.model.atomic import create_beside, whole_file
from parser.model.checksum import Checksum, checksum
from parser.model.content import (
    as_bytes,
    list_strings,
    pack_array,
    pack_strings,
    stored_type,
    unpack_array,
    unpack_data,
    unpack_strings,
)
from parser.model.layout import (
    HEAD,
    INCOMPLETE,
    NAME,
    ModelFileError,
    Section,
    aligned,
    pack_head,
    read_directory,
    read_head,
    to_json,
)
from parser.score.pieces import Pieces


def write_model(
    path: str | os.PathLike,
    *,
    data: Mapping[str, object] | None = None,
    strings: Mapping[str, Sequence[str]] | None = None,
    arrays: Mapping[str, np.ndarray | Pieces] | None = None,
) -> None:
    """Writes a model file, replacing one of that name in one step. Sections are stored in the order of their names.

    ValueError for content that cannot be stored, ModelFileError where the file cannot be written. Pieces are made as
    they are written, so the head, which has their checksums, comes last.
    """
    contents = pack_contents(data or {}, strings or {}, arrays or {})
    with whole_file(path) as stream:
        stream.write(INCOMPLETE)
        stream.seek(len(place_sections([section for section, _ in contents])))
        head = place_sections([write_section(stream, section, pieces) for section, pieces in contents])
        stream.seek(len(INCOMPLETE))
        stream.write(head[len(INCOMPLETE) :])
        stream.flush()
        os.fsync(stream.fileno())  # the magic of a finished file must not reach the disk before the rest
        stream.seek(0)
        stream.write(head[: len(INCOMPLETE)])


def write_section(stream: BinaryIO, section: Section, pieces: Iterable[np.ndarray]) -> Section:
    """The section with its checksum."""
    total, length = Checksum(section.length), 0
    for piece in pieces:
        content = as_bytes(pack_array(piece))
        total.add(content)
        stream.write(content)
        length += len(content)
    if length != section.length:
        raise ValueError(f"section {section.name!r}: {length} bytes, expected {section.length}")
    stream.write(bytes(aligned(length) - length))
    return replace(section, checksum=total.value())


def model_size(
    *,
    data: Mapping[str, object] | None = None,
    strings: Mapping[str, Sequence[str]] | None = None,
    arrays: Mapping[str, np.ndarray | Pieces] | None = None,
) -> int:
    """How many bytes write_model would write."""
    sections = [section for section, _ in pack_contents(data or {}, strings or {}, arrays or {})]
    return len(place_sections(sections)) + sum(aligned(section.length) for section in sections)


def pack_contents(data: Mapping, strings: Mapping, arrays: Mapping) -> list[tuple[Section, Iterable[np.ndarray]]]:
    """Sections by name, without places and checksums, and what stands in them, in pieces."""
    packed = {}
    for kind, group in (("data", data), ("strings", strings), ("array", arrays)):
        for name, value in group.items():
            if name in packed:
                raise ValueError(f"section {name!r} is given twice")
            if not NAME.fullmatch(name):
                raise ValueError(f"section {name!r}: expected ASCII letters, digits and _ . + - with / between")
            type_, shape, length = "", (), 0
            if kind == "array":
                type_, shape, length = form_of(value)
                pieces = value if isinstance(value, Pieces) else [value]
            else:
                text = to_json(value) if kind == "data" else pack_strings(value)
                length, pieces = len(text), [np.frombuffer(text, np.uint8)]
            packed[name] = Section(name, kind, type_, shape, 0, length, 0), pieces
    return [packed[name] for name in sorted(packed)]


def form_of(array: np.ndarray | Pieces) -> tuple[str, tuple[int, ...], int]:
    """(type, shape, number of bytes) of an array in the file."""
    shape = (array.length,) if isinstance(array, Pieces) else array.shape
    dtype = stored_type(np.dtype(array.dtype))
    return dtype.str, shape, math.prod(shape) * dtype.itemsize


def place_sections(sections: Sequence[Section]) -> bytes:
    """Head and directory. Its length depends on the offsets it holds: they grow with it until they fit. It does not
    depend on the checksums."""
    start = 0
    while True:
        placed, end = [], start
        for section in sections:
            placed.append(replace(section, offset=end))
            end = placed[-1].end
        head = pack_head(placed, end)
        if len(head) == start:
            return head
        start = len(head)


def check_output(path: str | os.PathLike) -> None:
    """ModelFileError unless a model file can be written there: to be asked before hours of training."""
    try:
        fd, partial = create_beside(Path(os.path.realpath(path)))
        os.close(fd)
        partial.unlink()
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be written: {error.strerror or error}") from None


class ModelFile:
    """An open model file. `verify=True` checks every byte now, otherwise each section is checked when first used."""

    def __init__(self, path: str | os.PathLike, *, verify: bool = False) -> None:
        self.path = os.fspath(path)
        self._bytes = map_file(self.path)
        self._verified: set[str] = set()
        try:
            length, total = read_head(self._bytes[: HEAD.size].tobytes(), self.size)
            start = self._bytes[: aligned(HEAD.size + length)].tobytes()
            self.sections = {section.name: section for section in read_directory(start, total, self.size)}
        except ModelFileError as error:
            raise ModelFileError(f"{self.path}: {error}") from None
        if verify:
            self.verify()

    @property
    def size(self) -> int:
        return len(self._bytes)

    def verify(self) -> None:
        """Checks what has not been checked yet."""
        for section in self.sections.values():
            self._content(section)

    def array(self, name: str) -> np.ndarray:
        """A read-only view of the file."""
        section = self._find(name, "array")
        return self._unpacked(section, lambda content: unpack_array(content, section.type, section.shape))

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """All arrays `prefix/name`, by name."""
        found = [name for name, section in self.sections.items() if section.kind == "array"]
        return {name[len(prefix) + 1 :]: self.array(name) for name in found if name.startswith(prefix + "/")}

    def strings(self, name: str) -> list[str]:
        return list_strings(*self.packed_strings(name))

    def packed_strings(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """(offsets, UTF-8 bytes) as read-only views: string i is bytes[offsets[i]:offsets[i + 1]]."""
        return self._unpacked(self._find(name, "strings"), unpack_strings)

    def data(self, name: str) -> object:
        return self._unpacked(self._find(name, "data"), unpack_data)

    def contents(self, *, without: Collection[str] = ()) -> dict[str, dict]:
        """What write_model takes to write this file again, without the sections named or below a name (`training`)."""
        kept = [
            section
            for name, section in self.sections.items()
            if not any(name == left_out or name.startswith(left_out + "/") for left_out in without)
        ]
        return {
            "data": {section.name: self.data(section.name) for section in kept if section.kind == "data"},
            "strings": {section.name: self.strings(section.name) for section in kept if section.kind == "strings"},
            "arrays": {section.name: self.array(section.name) for section in kept if section.kind == "array"},
        }

    def _find(self, name: str, kind: str) -> Section:
        section = self.sections.get(name)
        if section is None or section.kind != kind:
            raise ModelFileError(f"{self.path}: has no {kind} {name!r}")
        return section

    def _content(self, section: Section) -> np.ndarray:
        content = self._bytes[section.offset : section.offset + section.length]
        if section.name not in self._verified:
            padding = self._bytes[section.offset + section.length : section.end]
            if checksum(content) != section.checksum or padding.any():
                raise ModelFileError(f"{self.path}: is damaged: the checksum of section {section.name!r} is wrong")
            self._verified.add(section.name)
        return content

    def _unpacked(self, section: Section, unpack):
        try:
            return unpack(self._content(section))
        except ModelFileError:
            raise
        except ValueError as error:
            raise ModelFileError(f"{self.path}: section {section.name!r} cannot be read: {error}") from None

    def __contains__(self, name: str) -> bool:
        return name in self.sections

    def __repr__(self) -> str:
        return f"<ModelFile {self.path}: {len(self.sections)} sections, {self.size:,} bytes>"


def map_file(path: str) -> np.ndarray:
    """The bytes of a file, read-only. The map lives as long as any array made of it."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            raise ModelFileError(f"{path}: is {kind}, expected a model")
        with open(path, "rb") as stream:
            if not os.fstat(stream.fileno()).st_size:
                return np.empty(0, np.uint8)
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}") from None
