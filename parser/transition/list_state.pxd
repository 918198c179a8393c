"""The configuration of easy-first: a list of partial trees' roots, doubly linked so that a move is O(1).

Layout of a block: ListC, then n + 2 NodeC (node.pxd; on_stack means "in the list"), then n + 2 LinkC, both addressed
from -1 to n. A place in the list is named by its word; the 1-based list index of the papers exists only in the Python
handle. This header is stable: features and searches are written against it.
"""

from libc.stdint cimport int32_t
from libc.stddef cimport size_t
from libc.string cimport memcpy

from parser.transition.block cimport LINE, Blocks
from parser.transition.node cimport NodeC


cdef struct LinkC:          # 16 bytes
    int32_t left            # neighbours in the list, -1: none; kept as they were when the word left the list
    int32_t right
    int32_t first           # the words first..last are the partial tree below this word (ROOT: its dependents' words)
    int32_t last


cdef struct ListC:          # 64 bytes, owned by whoever allocated the block
    int32_t n
    int32_t length          # elements in the list, ROOT included
    int32_t leftmost        # the first element: ROOT (0) until the end, or a word where there is no ROOT
    int32_t arcs
    int32_t roots           # arcs whose head is ROOT
    int32_t place           # a RootPlace: ROOT_FIRST or ROOT_NONE
    int32_t spare[10]


cdef inline NodeC* list_nodes(const ListC* s) noexcept nogil:
    return <NodeC*>(<char*>s + LINE) + 1


cdef inline LinkC* links(const ListC* s) noexcept nogil:
    return <LinkC*>(<char*>s + LINE + sizeof(NodeC) * (<size_t>s.n + 2)) + 1


cdef inline int32_t span_length(const ListC* s, int32_t i) noexcept nogil:
    """Words in the partial tree of i; 0 for a missing word and for ROOT without dependents."""
    return links(s)[i].last - links(s)[i].first + 1


cdef inline size_t list_bytes(int32_t n) noexcept nogil:
    cdef size_t bytes = LINE + (sizeof(NodeC) + sizeof(LinkC)) * (<size_t>n + 2)
    return (bytes + LINE - 1) // LINE * LINE


cdef inline void list_copy(ListC* to, const ListC* source) noexcept nogil:
    memcpy(to, source, list_bytes(source.n))


# place: a RootPlace, ROOT_FIRST or ROOT_NONE
cdef void list_clear(ListC* s, int32_t n, int32_t place) noexcept nogil
# dep, a neighbour of head in the list, becomes its dependent and leaves the list
cdef void list_attach(ListC* s, int32_t head, int32_t dep, int32_t label) noexcept nogil


cdef class ListBlock(Blocks):
    # Room for `count` list states of n words; what they held is lost. Raises MemoryError.
    cdef int reserve(self, int32_t count, int32_t n) except -1 nogil
    cdef ListC* at(self, int32_t i) noexcept nogil
