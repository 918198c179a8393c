"""How a model file begins: 64 bytes of head, then the directory of its sections. docs/model-file.md shows all of it.

    16 bytes  magic; another one while the file is being written (a habit of KenLM, Heafield 2011)
     4        format version
     4        0
     8        length of the directory
     8        length of the file
     8        checksum of the head (this field taken as 0) and the directory
    16        0

All numbers are little-endian. The directory is JSON. Behind it come the sections, in its order, up to the end of the
file; each starts at a multiple of 64 bytes, with zeros in between.
"""

import json
import re
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from parser.errors import UserError
from parser.model.checksum import checksum

VERSION = 1
MAGIC = b"arcspeed model\r\n"
INCOMPLETE = b"arcspeed part \r\n"
HEAD = struct.Struct("<16sIIQQQ16s")
ALIGNMENT = 64
KINDS = ("array", "data", "strings")
TYPES = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
NAME = re.compile(r"[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)*", re.ASCII)
assert HEAD.size == ALIGNMENT == len(MAGIC) * 4 == len(INCOMPLETE) * 4


class ModelFileError(UserError):
    """A model file that cannot be read or written; `str(error)` is the one line to show."""


@dataclass(frozen=True)
class Section:
    """One entry of the directory. `type` and `shape` are those of an array, empty for the other kinds."""

    name: str
    kind: str
    type: str
    shape: tuple[int, ...]
    offset: int
    length: int
    checksum: int

    @property
    def end(self) -> int:
        """Where the next section starts."""
        return aligned(self.offset + self.length)


def aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT


def to_json(value: object) -> bytes:
    """The one JSON text of a value: keys sorted, no spaces. ValueError for what would not come back equal."""
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except TypeError as error:
        raise ValueError(f"cannot be said in JSON: {error}") from None
    if from_json(text.encode()) != value:
        raise ValueError("JSON does not give the same value back: expected dicts with text keys, no tuples")
    return text.encode()


def from_json(text: bytes) -> object:
    """ValueError for anything that is not JSON, however it fails."""
    try:
        return json.loads(text.decode(), parse_constant=not_a_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def not_a_number(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def pack_head(sections: Sequence[Section], file_length: int) -> bytes:
    """Head and directory of a finished file, with the zeros behind them."""
    directory = directory_text(sections)
    head = HEAD.pack(MAGIC, VERSION, 0, len(directory), file_length, 0, bytes(16))
    total = checksum(head + directory)
    head = HEAD.pack(MAGIC, VERSION, 0, len(directory), file_length, total, bytes(16))
    return (head + directory).ljust(aligned(HEAD.size + len(directory)), b"\0")


def directory_text(sections: Sequence[Section]) -> bytes:
    rows = [asdict(section) for section in sections]
    for row in rows:
        row.update(shape=list(row["shape"]), checksum=f"{row['checksum']:016x}")
    return to_json(rows)


def read_head(start: bytes, size: int) -> tuple[int, int]:
    """(length of the directory, checksum) from the first 64 bytes (or fewer) of a file of `size` bytes."""
    if not size:
        raise ModelFileError("is empty, expected a model")
    if start[:16] == INCOMPLETE:
        raise ModelFileError("was never written to its end: the program that wrote it was interrupted")
    if not MAGIC.startswith(start[:16]):
        raise ModelFileError("is not an arcspeed model")
    if len(start) < HEAD.size:
        raise ModelFileError(f"is cut off after {size} bytes")
    _, version, reserved, length, file_length, total, rest = HEAD.unpack(start)
    if version != VERSION:
        age = "newer" if version > VERSION else "older"
        raise ModelFileError(f"has format version {version}, {age} than the one this arcspeed reads ({VERSION})")
    if file_length > size:
        raise ModelFileError(f"is cut off: {size} of {file_length} bytes")
    if file_length < size:
        raise ModelFileError(f"has {size - file_length} bytes too many behind its end")
    if reserved or any(rest) or aligned(HEAD.size + length) > size:
        raise ModelFileError("is damaged: its head makes no sense")
    return length, total


def read_directory(start: bytes, total: int, size: int) -> tuple[Section, ...]:
    """The sections, from head and directory with the zeros behind them."""
    length = HEAD.unpack_from(start)[3]
    unsigned = start[:40] + bytes(8) + start[48 : HEAD.size + length]
    if checksum(unsigned) != total or any(start[HEAD.size + length :]):
        raise ModelFileError("is damaged: the checksum of its directory is wrong")
    try:
        rows = from_json(start[HEAD.size : HEAD.size + length])
        sections = tuple(read_section(row) for row in rows)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ModelFileError("is damaged: its directory cannot be read") from None
    end = len(start)
    for section in sections:
        if section.offset != end:
            raise ModelFileError(f"is damaged: section {section.name!r} is not where it should be")
        end = section.end
    if end != size or len({section.name for section in sections}) != len(sections):
        raise ModelFileError("is damaged: its sections do not fill it")
    return sections


def read_section(row: dict) -> Section:
    """ValueError, TypeError or KeyError unless the row of the directory is one that pack_head writes."""
    section = Section(
        **(row | {"shape": tuple(row["shape"]), "checksum": int(row["checksum"], 16)})  # a field too many: TypeError
    )
    numbers = (section.offset, section.length, section.checksum, *section.shape)
    if any(type(number) is not int or not 0 <= number < 1 << 64 for number in numbers):
        raise ValueError("not a size")
    if section.kind not in KINDS or not NAME.fullmatch(section.name):
        raise ValueError("not a section")
    if section.kind == "array":
        n_bytes = int(section.type[2:]) if section.type in TYPES else -1
        for n in section.shape:
            n_bytes *= n
        if n_bytes != section.length or len(section.shape) > 8:
            raise ValueError("not an array")
    elif section.type or section.shape:
        raise ValueError("not an array, but a type")
    return section
