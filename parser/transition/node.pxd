"""One word (or ROOT) of a partial tree: head, label, outermost dependents, valencies and label sets.

Both kinds of state (state.pxd, list_state.pxd) hold an array of n + 2 nodes and address it from nodes[-1] to nodes[n]:
nodes[0] is ROOT wherever it is placed, nodes[1..n] are the words, nodes[-1] is a node that is never written. -1 is "no
such word" everywhere, so chains such as head(head(s0)) need no test on the way: what is missing stays missing.

Dependents on one side of a head are always attached from the nearest to the farthest, in every transition system here:
the newest is the outermost, and the second outermost (Zhang & Nivre 2011: a sibling, not a grandchild) one link away.
This header is stable: features and searches are written against it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from parser.common cimport label_t


cdef enum:
    TO_LEFT = 0             # sides: index of what NodeC keeps twice
    TO_RIGHT = 1


cdef struct NodeC:          # 64 bytes: one cache line; owned by the block of the state it lies in
    int32_t head            # -1: none
    label_t label           # of the arc to the head; -1: none
    int32_t outer[2]        # leftmost and rightmost dependent, -1: none
    int32_t valency[2]      # number of left and of right dependents
    int32_t sib             # the next sibling on the same side of the head, one nearer to it; -1: none
    int32_t on_stack        # 1 on the stack (in the list, for easy-first), else 0
    uint64_t set[2]         # hash of the *set* of labels of the dependents on that side; 0: empty
    int32_t newest[2]       # the last dependent that brought a label new to that set, -1: none
    int32_t next_new        # the one before it: the chain lists the set exactly
    uint16_t mask[2]        # bit (label mod 16) of each member: a clear bit proves a label new without a walk


cdef inline void node_clear(NodeC* node) noexcept nogil:
    node.head = node.label = node.outer[0] = node.outer[1] = node.sib = -1
    node.valency[0] = node.valency[1] = node.on_stack = 0
    node.set[0] = node.set[1] = 0
    node.newest[0] = node.newest[1] = node.next_new = -1
    node.mask[0] = node.mask[1] = 0


cdef inline uint64_t label_hash(label_t label) noexcept nogil:
    """One label's share of a set's hash, which is the xor of its members' shares."""
    cdef uint64_t z = (<uint64_t>label + 1) * <uint64_t>0x9E3779B97F4A7C15
    z = (z ^ (z >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return z ^ (z >> 32)


cdef inline bint chain_has(const NodeC* nodes, int32_t newest, label_t label) noexcept nogil:
    while newest >= 0:
        if nodes[newest].label == label:
            return True
        newest = nodes[newest].next_new
    return False


cdef inline int32_t pick(int32_t yes, int32_t one, int32_t other) noexcept nogil:
    """One where yes is -1, other where it is 0, and no branch."""
    return other ^ ((one ^ other) & yes)


cdef inline NodeC* node_if(int32_t yes, NodeC* one, NodeC* other) noexcept nogil:
    """As pick."""
    return <NodeC*>(<size_t>other ^ ((<size_t>one ^ <size_t>other) & <size_t>yes))


cdef inline void attach_if(int32_t yes, NodeC* nodes, int32_t head, int32_t dep, label_t label, uint64_t share,
                           int32_t side) noexcept nogil:
    """attach where yes is -1, nothing where it is 0: no branch, because what a parser does next is hard to foresee.

    share: label_hash(label)
    """
    cdef NodeC nobody       # gets what is not to be done
    cdef NodeC* h = node_if(yes, &nodes[head], &nobody)
    cdef NodeC* d = node_if(yes, &nodes[dep], &nobody)
    cdef uint16_t bit = <uint16_t>((1 << (label & 15)) & yes)
    cdef int32_t is_new = ~(label >> 31), newest
    nobody.mask[side] = 0
    newest = h.newest[side]
    if h.mask[side] & bit and chain_has(nodes, newest, label):      # seldom
        is_new = 0
    d.head, d.label = head, label
    d.sib, h.outer[side] = h.outer[side], dep
    h.valency[side] += 1
    h.mask[side] |= <uint16_t>(bit & is_new)
    h.set[side] ^= share & <uint64_t><int64_t>is_new
    d.next_new = pick(is_new, newest, d.next_new)
    h.newest[side] = pick(is_new, dep, newest)


cdef inline void attach(NodeC* nodes, int32_t head, int32_t dep, label_t label, int32_t side) noexcept nogil:
    """dep becomes the outermost dependent of head on that side: TO_LEFT if dep stands left of head."""
    attach_if(-1, nodes, head, dep, label, label_hash(label), side)


# What features read: always through these. i is a word, 0 (ROOT) or -1 (missing); of a missing word everything is -1,
# and counts and sets are 0.
cdef inline int32_t head(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].head


cdef inline label_t label(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].label


cdef inline int32_t l1(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].outer[0]


cdef inline int32_t l2(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[nodes[i].outer[0]].sib


cdef inline int32_t r1(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].outer[1]


cdef inline int32_t r2(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[nodes[i].outer[1]].sib


cdef inline int32_t lval(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].valency[0]


cdef inline int32_t rval(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].valency[1]


cdef inline uint64_t lset(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].set[0]


cdef inline uint64_t rset(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].set[1]
