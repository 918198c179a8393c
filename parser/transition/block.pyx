"""Owning the blocks that block.pxd describes."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t
from libc.stdlib cimport free

from parser.common cimport ARCSPEED_IS_CHECKED, CHECK


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil


cdef class Blocks:
    def __cinit__(self):
        self.memory = NULL
        self.bytes = self.stride = 0

    def __dealloc__(self):
        free(self.memory)

    cdef int reserve_blocks(self, int32_t count, size_t stride) except -1 nogil:
        cdef void* memory = NULL
        cdef size_t wanted = stride * <size_t>count
        self.stride = stride
        if wanted <= self.bytes:
            return 0
        if not ARCSPEED_IS_CHECKED:     # there the sanitizer is to see the first byte too far
            wanted += wanted // 2
        if posix_memalign(&memory, LINE, wanted) != 0:
            with gil:
                raise MemoryError(f"no memory for {count} states ({wanted} bytes)")
        free(self.memory)
        self.memory = <char*>memory
        self.bytes = wanted
        return 0

    cdef char* block(self, int32_t i) noexcept nogil:
        CHECK((<size_t>i + 1) * self.stride <= self.bytes)
        return self.memory + <size_t>i * self.stride
