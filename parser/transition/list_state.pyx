"""Filling, changing and owning the blocks that list_state.pxd describes."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from parser.common cimport CHECK
from parser.transition.block cimport LINE, Blocks
from parser.transition.node cimport NodeC, TO_LEFT, TO_RIGHT, attach, node_clear
from parser.transition.state cimport ROOT_FIRST


cdef void list_clear(ListC* s, int32_t n, int32_t place) noexcept nogil:
    cdef int32_t i, lowest = 0 if place == ROOT_FIRST else 1
    cdef NodeC* node
    cdef LinkC* link
    # padding, and spare: equal states are equal bytes
    memset(<char*>s + list_bytes(n) - LINE, 0, LINE)
    memset(s, 0, sizeof(ListC))
    s.n = n
    s.leftmost = lowest if lowest <= n else -1
    s.length = n + 1 - lowest
    s.place = place
    node, link = list_nodes(s), links(s)
    for i in range(-1, n + 1):
        node_clear(&node[i])
        node[i].on_stack = i >= lowest
        link[i].left = i - 1 if i > lowest else -1
        link[i].right = i + 1 if lowest <= i < n else -1
        link[i].first = i if i > 0 else 1       # ROOT and the missing word: an empty span
        link[i].last = i if i > 0 else 0


cdef void list_attach(ListC* s, int32_t head, int32_t dep, int32_t label) noexcept nogil:
    cdef LinkC* link = links(s)
    cdef LinkC* d = &link[dep]
    CHECK(dep > 0 and list_nodes(s)[dep].on_stack == 1 and list_nodes(s)[head].on_stack == 1)
    if d.right == head:
        attach(list_nodes(s), head, dep, label, TO_LEFT)
        link[head].first = d.first
    else:
        CHECK(d.left == head)
        attach(list_nodes(s), head, dep, label, TO_RIGHT)
        link[head].last = d.last
    if d.left >= 0:
        link[d.left].right = d.right
    else:
        s.leftmost = d.right
    if d.right >= 0:
        link[d.right].left = d.left
    list_nodes(s)[dep].on_stack = 0
    s.length -= 1
    s.arcs += 1
    s.roots += head == 0


cdef class ListBlock(Blocks):
    cdef int reserve(self, int32_t count, int32_t n) except -1 nogil:
        return self.reserve_blocks(count, list_bytes(n))

    cdef ListC* at(self, int32_t i) noexcept nogil:
        return <ListC*>self.block(i)


def sizes():
    """Bytes of the fixed parts, for tests and benchmarks."""
    return {"ListC": sizeof(ListC), "LinkC": sizeof(LinkC)}


def bytes_of(int32_t n):
    """Bytes of one list state of n words."""
    return list_bytes(n)
