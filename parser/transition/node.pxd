"""One word (or ROOT) of a partial tree: head, label, outermost dependents, valencies and label sets.

Both kinds of state (state.pxd, list_state.pxd) hold an array of n + 2 nodes and address it from nodes[-1] to nodes[n]:
nodes[0] is ROOT wherever it is placed, nodes[1..n] are the words, nodes[-1] is a node that is never written. -1 is "no
such word" everywhere, so chains such as head(head(s0)) need no test on the way: what is missing stays missing.

Dependents on one side of a head are always attached from the nearest to the farthest, in every transition system here.
So the newest is the outermost, and the second outermost (Zhang & Nivre 2011: a sibling, not a grandchild) is one link away.
This header is stable: features and searches are written against it.
"""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from parser.common cimport label_t


cdef struct NodeC:          # 64 bytes: one cache line; owned by the block of the state it lies in
    int32_t head            # -1: none
    label_t label           # of the arc to the head; -1: none
    int32_t l1              # leftmost dependent, -1: none
    int32_t r1              # rightmost dependent, -1: none
    int32_t sib             # the next sibling on the same side of the head, one nearer to it; -1: none
    int32_t lval            # number of left dependents
    int32_t rval            # number of right dependents
    int32_t on_stack        # 1 on the stack (in the list, for easy-first), else 0
    uint64_t lset           # hash of the *set* of labels of the left dependents; 0: empty
    uint64_t rset           # the same on the right
    int32_t lnew            # the last left dependent that brought a label new to the set, -1: none
    int32_t rnew
    int32_t next_new        # the one before it: the chain lists the set exactly
    uint16_t lmask          # bit (label mod 16) of each member: a clear bit proves the label new without a walk
    uint16_t rmask


cdef inline void node_clear(NodeC* node) noexcept nogil:
    node.head = node.label = node.l1 = node.r1 = node.sib = -1
    node.lval = node.rval = node.on_stack = 0
    node.lset = node.rset = 0
    node.lnew = node.rnew = node.next_new = -1
    node.lmask = node.rmask = 0


cdef inline uint64_t label_hash(label_t label) noexcept nogil:
    """One label's share of a set's hash; the hash of a set is the xor of its members' (64-bit finaliser of splitmix)."""
    cdef uint64_t z = (<uint64_t>label + 1) * <uint64_t>0x9E3779B97F4A7C15
    z = (z ^ (z >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return z ^ (z >> 32)


cdef inline bint chain_has(const NodeC* nodes, int32_t newest, label_t label) noexcept nogil:
    while newest >= 0:
        if nodes[newest].label == label:
            return True
        newest = nodes[newest].next_new
    return False


cdef inline void attach_left(NodeC* nodes, int32_t head, int32_t dep, label_t label) noexcept nogil:
    """dep, left of head, becomes its leftmost dependent."""
    cdef NodeC* h = &nodes[head]
    cdef NodeC* d = &nodes[dep]
    cdef uint16_t bit = <uint16_t>(1 << (label & 15))
    d.head = head
    d.label = label
    d.sib = h.l1
    h.l1 = dep
    h.lval += 1
    if label < 0 or (h.lmask & bit and chain_has(nodes, h.lnew, label)):
        return
    h.lmask |= bit
    h.lset ^= label_hash(label)
    d.next_new = h.lnew
    h.lnew = dep


cdef inline void attach_right(NodeC* nodes, int32_t head, int32_t dep, label_t label) noexcept nogil:
    """dep, right of head, becomes its rightmost dependent."""
    cdef NodeC* h = &nodes[head]
    cdef NodeC* d = &nodes[dep]
    cdef uint16_t bit = <uint16_t>(1 << (label & 15))
    d.head = head
    d.label = label
    d.sib = h.r1
    h.r1 = dep
    h.rval += 1
    if label < 0 or (h.rmask & bit and chain_has(nodes, h.rnew, label)):
        return
    h.rmask |= bit
    h.rset ^= label_hash(label)
    d.next_new = h.rnew
    h.rnew = dep


# What features read. i is a word, 0 (ROOT) or -1 (missing); the answer for a missing word is -1, or 0 for counts and sets.
cdef inline int32_t head(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].head


cdef inline label_t label(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].label


cdef inline int32_t l1(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].l1


cdef inline int32_t l2(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[nodes[i].l1].sib


cdef inline int32_t r1(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].r1


cdef inline int32_t r2(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[nodes[i].r1].sib


cdef inline int32_t lval(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].lval


cdef inline int32_t rval(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].rval


cdef inline uint64_t lset(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].lset


cdef inline uint64_t rset(const NodeC* nodes, int32_t i) noexcept nogil:
    return nodes[i].rset
