"""The configuration of the three stack systems: one block of memory without pointers, copied by memcpy.

Layout of a block: StateC, then n + 2 NodeC (nodes[-1] .. nodes[n], see node.pxd), then PAD ints of -1 and the stack,
with one spare element above a full one.
Every field has one size, so state_bytes(n) is all a caller needs in order to place many states in one allocation.
ROOT is word 0 wherever it is placed; order, distance and "in the buffer" are questions of *position*: pos(i) = i for
words, root_pos for ROOT (0 first or none, n + 1 last). The buffer is the positions front..end-1, so a move changes one
int. This header is stable: features and searches are written against it.
"""

from libc.stdint cimport int32_t
from libc.stddef cimport size_t
from libc.string cimport memcpy

from parser.transition.block cimport LINE, Blocks
from parser.transition.node cimport NodeC, pick

cdef enum:
    PAD = 4                 # S(s, 0) .. S(s, depth + 3) may be read: below the bottom there is -1


cdef enum RootPlace:
    ROOT_FIRST = 0
    ROOT_LAST = 1
    ROOT_NONE = 2


cdef struct StateC:         # 64 bytes, owned by whoever allocated the block (StateBlock below)
    int32_t n               # words 1..n
    int32_t depth           # elements on the stack
    int32_t front           # position of the first buffer element
    int32_t end             # one past the position of the last
    int32_t root_pos        # pos(ROOT)
    int32_t open            # arc-eager only: stack words that have no head, or ROOT for head
    int32_t second          # arc-eager only: the second lowest of these; meaningless while open < 2
    int32_t place           # a RootPlace
    int32_t spare[8]


cdef inline NodeC* nodes(const StateC* s) noexcept nogil:
    return <NodeC*>(<char*>s + LINE) + 1


cdef inline int32_t* stack(const StateC* s) noexcept nogil:
    """stack(s)[0] is the bottom, stack(s)[depth - 1] the top, stack(s)[-PAD..-1] are -1."""
    return <int32_t*>(<char*>s + LINE + sizeof(NodeC) * (<size_t>s.n + 2)) + PAD


cdef inline int32_t pos(const StateC* s, int32_t i) noexcept nogil:
    return i if i != 0 else s.root_pos


cdef inline int32_t S(const StateC* s, int32_t i) noexcept nogil:
    """The i-th stack element from the top, -1 where there is none; i < depth + PAD (any i <= 3 is safe)."""
    return stack(s)[s.depth - 1 - i]


cdef inline int32_t N(const StateC* s, int32_t i) noexcept nogil:
    """The i-th buffer element from the front (0 is ROOT), -1 where there is none; any i >= 0."""
    cdef int32_t p = s.front + i
    if p > s.n:
        return 0 if p < s.end else -1
    return p


cdef inline int32_t n_roots(const StateC* s) noexcept nogil:
    """Words under ROOT."""
    return nodes(s)[0].valency[0] + nodes(s)[0].valency[1]


cdef inline int32_t buffer_length(const StateC* s) noexcept nogil:
    return s.end - s.front


cdef inline bint in_buffer(const StateC* s, int32_t i) noexcept nogil:
    """i is a word or ROOT."""
    return s.front <= pos(s, i) < s.end


cdef inline void push(StateC* s, int32_t i) noexcept nogil:
    stack(s)[s.depth] = i
    s.depth += 1
    nodes(s)[i].on_stack = 1


cdef inline void pop(StateC* s) noexcept nogil:
    s.depth -= 1
    nodes(s)[stack(s)[s.depth]].on_stack = 0


cdef inline void push_or_pop(StateC* s, int32_t pushes, int32_t b, int32_t top) noexcept nogil:
    """pushes: 1 for b, the front of the buffer; 0: top is popped. Without a branch."""
    stack(s)[s.depth] = b       # above the top, where nothing is read, if it is not pushed
    nodes(s)[pick(-pushes, b, top)].on_stack = pushes
    s.depth += 2 * pushes - 1
    s.front += pushes


cdef inline size_t state_bytes(int32_t n) noexcept nogil:
    """Bytes of the block of a state of n words; a multiple of LINE."""
    cdef size_t bytes = LINE + sizeof(NodeC) * (<size_t>n + 2) + sizeof(int32_t) * (<size_t>n + 2 + PAD)
    return (bytes + LINE - 1) // LINE * LINE


cdef inline void state_copy(StateC* to, const StateC* source) noexcept nogil:
    """`to` has room for at least source.n words; the blocks do not overlap."""
    memcpy(to, source, state_bytes(source.n))


# Nothing on the stack, ROOT placed, the whole sentence in the buffer. `s` has state_bytes(n).
cdef void state_clear(StateC* s, int32_t n, RootPlace place) noexcept nogil


cdef class StateBlock(Blocks):
    # Room for `count` states of n words; what the states held is lost. Raises MemoryError.
    cdef int reserve(self, int32_t count, int32_t n) except -1 nogil
    cdef StateC* at(self, int32_t i) noexcept nogil
