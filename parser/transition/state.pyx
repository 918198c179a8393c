"""Filling and owning the blocks that state.pxd describes."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from parser.transition.block cimport LINE, Blocks
from parser.transition.node cimport NodeC, node_clear


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


cdef class StateBlock(Blocks):
    cdef int reserve(self, int32_t count, int32_t n) except -1 nogil:
        return self.reserve_blocks(count, state_bytes(n))

    cdef StateC* at(self, int32_t i) noexcept nogil:
        return <StateC*>self.block(i)


def sizes():
    """Bytes of the fixed parts, for tests and benchmarks."""
    return {"StateC": sizeof(StateC), "NodeC": sizeof(NodeC)}


def bytes_of(int32_t n):
    """Bytes of one state of n words."""
    return state_bytes(n)
