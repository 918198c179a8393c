"""Filling and owning the blocks that state.pxd describes."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport ARCSPEED_IS_CHECKED, CHECK
from parser.transition.node cimport NodeC, node_clear


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil


cdef void state_clear(StateC* s, int32_t n, RootPlace place) noexcept nogil:
    cdef int32_t i
    cdef NodeC* node
    # padding after the stack, and spare: equal states are equal bytes
    memset(<char*>s + state_bytes(n) - LINE, 0, LINE)
    memset(s, 0, sizeof(StateC))
    s.n = n
    s.front = 0 if place == ROOT_FIRST else 1
    s.end = n + 2 if place == ROOT_LAST else n + 1
    s.root_pos = n + 1 if place == ROOT_LAST else 0
    s.place = place
    node = nodes(s)
    for i in range(-1, n + 1):
        node_clear(&node[i])
    for i in range(-PAD, n + 2):
        stack(s)[i] = -1


cdef class StateBlock:
    def __cinit__(self):
        self.memory = NULL
        self.bytes = self.stride = 0

    def __dealloc__(self):
        free(self.memory)

    cdef int reserve(self, int32_t count, int32_t n) except -1 nogil:
        cdef void* memory = NULL
        cdef size_t wanted
        self.stride = state_bytes(n)
        wanted = self.stride * <size_t>count
        if wanted <= self.bytes:
            return 0
        if not ARCSPEED_IS_CHECKED:     # there the sanitizer is to see the first byte too far
            wanted += wanted // 2
        if posix_memalign(&memory, LINE, wanted) != 0:
            with gil:
                raise MemoryError(f"no memory for {count} states of {n} words ({wanted} bytes)")
        free(self.memory)
        self.memory = <char*>memory
        self.bytes = wanted
        return 0

    cdef StateC* at(self, int32_t i) noexcept nogil:
        CHECK((<size_t>i + 1) * self.stride <= self.bytes)
        return <StateC*>(self.memory + <size_t>i * self.stride)


def sizes():
    """Bytes of the fixed parts, for tests and benchmarks."""
    return {"StateC": sizeof(StateC), "NodeC": sizeof(NodeC)}


def bytes_of(int32_t n):
    """Bytes of one state of n words."""
    return state_bytes(n)
