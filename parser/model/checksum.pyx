"""A 64-bit checksum of any bytes, at the speed of memory.

MurmurHash64A (Appleby) of each MiB, with the checksum so far as its seed; the seed of the first is the total length, so
that a missing tail of zeros is seen too.
"""

from libc.stdint cimport uint64_t
from murmurhash.mrmr cimport hash64

cdef enum:
    BLOCK = 1 << 20


def checksum(const unsigned char[::1] data not None):
    """The checksum of a contiguous buffer of bytes; the GIL is released meanwhile."""
    cdef uint64_t total = <uint64_t>data.shape[0], start = 0, h = total
    with nogil:
        while start < total:
            h = hash64(<void*>&data[start], <int>min(<uint64_t>BLOCK, total - start), h)
            start += BLOCK
    return h
