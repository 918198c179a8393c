"""The checksum against MurmurHash64A written out, block by block."""

import numpy as np
import pytest

from parser.model.checksum import Checksum, checksum

BLOCK = 1 << 20
M, MASK = 0xC6A4A7935BD1E995, (1 << 64) - 1


def murmur64a(data: bytes, seed: int) -> int:
    h = seed ^ (len(data) * M & MASK)
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(data[i : i + 8], "little") * M & MASK
        k = (k ^ k >> 47) * M & MASK
        h = (h ^ k) * M & MASK
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * M & MASK
    h = (h ^ h >> 47) * M & MASK
    return h ^ h >> 47


def slow(data: bytes) -> int:
    h = len(data)
    for start in range(0, len(data), BLOCK):
        h = murmur64a(data[start : start + BLOCK], h)
    return h


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 13])
def test_agrees_with_the_slow_one(n):
    data = np.random.default_rng(n).integers(0, 256, n, np.uint8).tobytes()
    assert checksum(data) == slow(data)


@pytest.mark.parametrize("n", [0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 13])
@pytest.mark.parametrize("step", [999, BLOCK // 2, BLOCK, BLOCK + 1, 4 * BLOCK])
def test_pieces_of_any_size_are_as_the_whole(n, step):
    data = np.random.default_rng(n).integers(0, 256, n, np.uint8)
    found = Checksum(n)
    for start in range(0, n, step):
        found.add(data[start : start + step])
    assert found.value() == checksum(data)


def test_every_bit_counts():
    flipped = (bytes(i) + bytes([1 << bit]) + bytes(299 - i) for i in range(300) for bit in range(8))
    assert len({checksum(bytes(300)), *map(checksum, flipped)}) == 2401


def test_the_length_counts_and_zeros_are_not_nothing():
    assert len({checksum(bytes(n)) for n in [*range(100), BLOCK, BLOCK + 1, 2 * BLOCK]}) == 103


def test_only_contiguous_bytes():
    with pytest.raises(ValueError, match="contiguous"):
        checksum(np.zeros(10, np.uint8)[::2])
    with pytest.raises(ValueError, match="mismatch"):
        checksum(np.zeros(10, np.int32))
    with pytest.raises(TypeError):
        checksum(None)
