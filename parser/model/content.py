"""What stands in the sections of a model file: arrays as they are, data as JSON, strings as one packed table."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from parser.model.layout import TYPES, from_json


def pack_array(array: np.ndarray) -> np.ndarray:
    """The array in the byte order and layout of the file; no copy where it has them already."""
    return np.asarray(array, dtype=stored_type(array.dtype), order="C")


def stored_type(dtype: np.dtype) -> np.dtype:
    """The type in the byte order of the file."""
    stored = dtype.newbyteorder("<")
    if stored.str not in TYPES:
        raise ValueError(f"an array of {dtype} cannot be stored")
    return stored


def as_bytes(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


def unpack_array(content: np.ndarray, type_: str, shape: tuple[int, ...]) -> np.ndarray:
    """A view of the mapped bytes; a copy only on a machine of the other byte order."""
    array = content.view(type_).reshape(shape)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def pack_strings(strings: Sequence[str]) -> bytes:
    """uint32 number of strings; uint32 start of each, and the end of the last; the strings in UTF-8."""
    encoded = [text.encode() for text in strings]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    if max(len(encoded), offsets[-1]) >= 1 << 32:
        raise ValueError("strings of 4 GiB or more cannot be stored in one section")
    return np.uint32(len(encoded)).astype("<u4").tobytes() + offsets.astype("<u4").tobytes() + b"".join(encoded)


def unpack_strings(content: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(offsets, bytes) as views: string i is bytes[offsets[i]:offsets[i + 1]]. ValueError where not UTF-8."""
    if len(content) < 8:
        raise ValueError("no room for the number of strings")
    n = int(content[:4].view("<u4")[0])
    if 8 + 4 * n > len(content):
        raise ValueError("no room for the offsets")
    offsets = unpack_array(content[4 : 8 + 4 * n], "<u4", (n + 1,))
    text = content[8 + 4 * n :]
    if offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any() or offsets[-1] != len(text):
        raise ValueError("the offsets do not lead from string to string")
    text.tobytes().decode()
    starts = offsets[offsets < len(text)]
    if ((text[starts] & 0xC0) == 0x80).any():
        raise ValueError("a string starts in the middle of a character")
    return offsets, text


def list_strings(offsets: np.ndarray, text: np.ndarray) -> list[str]:
    encoded, ends = text.tobytes(), offsets.tolist()
    return [encoded[start:end].decode() for start, end in pairwise(ends)]


def unpack_data(content: np.ndarray) -> object:
    return from_json(content.tobytes())
