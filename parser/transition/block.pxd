"""Memory for states: blocks of one size, aligned to cache lines, kept between sentences."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t

cdef enum:
    LINE = 64               # alignment of blocks


cdef class Blocks:
    """Owns room for `count` blocks; grows only, so a workspace kept between sentences allocates nothing once it has met
    its longest one."""
    cdef char* memory
    cdef size_t bytes       # allocated
    cdef size_t stride      # bytes from one block to the next, set by reserve_blocks()

    # What the blocks held is lost. stride is a multiple of LINE. Raises MemoryError.
    cdef int reserve_blocks(self, int32_t count, size_t stride) except -1 nogil
    cdef char* block(self, int32_t i) noexcept nogil
