"""A 64-bit checksum of any bytes, at the speed of memory.

MurmurHash64A (Appleby) of each MiB, with the checksum so far as its seed; the seed of the first is the total length, so
that a missing tail of zeros is seen too.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from murmurhash.mrmr cimport hash64

cdef enum:
    BLOCK = 1 << 20


cdef uint64_t hashed(const unsigned char* data, uint64_t length, uint64_t h) noexcept nogil:
    """The checksum behind some more bytes, of which only the last ones may be less than a block."""
    cdef uint64_t start = 0
    while start < length:
        h = hash64(<void*>(data + start), <int>min(<uint64_t>BLOCK, length - start), h)
        start += BLOCK
    return h


def checksum(const unsigned char[::1] data not None):
    """The checksum of a contiguous buffer of bytes; the GIL is released meanwhile."""
    cdef uint64_t total = <uint64_t>data.shape[0], h = total
    if total > 0:
        with nogil:
            h = hashed(&data[0], total, h)
    return h


cdef class Checksum:
    """The checksum of `length` bytes that come in pieces of any size."""
    cdef uint64_t h
    cdef uint64_t n_waiting         # bytes of a block that is not full yet
    cdef unsigned char[::1] waiting

    def __init__(self, uint64_t length):
        self.h, self.n_waiting = length, 0
        self.waiting = bytearray(min(length, <uint64_t>BLOCK))

    def add(self, const unsigned char[::1] piece not None):
        cdef uint64_t n = <uint64_t>piece.shape[0], start = 0, more
        while start < n:
            if self.n_waiting == 0 and n - start >= BLOCK:
                more = (n - start) // BLOCK * BLOCK
                self.h = hashed(&piece[start], more, self.h)
            else:
                more = min(n - start, <uint64_t>BLOCK - self.n_waiting)
                memcpy(&self.waiting[self.n_waiting], &piece[start], more)
                self.n_waiting += more
                if self.n_waiting == BLOCK:
                    self.h, self.n_waiting = hashed(&self.waiting[0], BLOCK, self.h), 0
            start += more

    def value(self):
        """When all bytes have come."""
        return hashed(&self.waiting[0], self.n_waiting, self.h) if self.n_waiting else self.h
