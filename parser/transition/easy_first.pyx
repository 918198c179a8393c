"""Easy-first (Goldberg & Elhadad 2010; costs: Goldberg & Nivre 2013), with ROOT at the head of the list or absent.

The list begins as ROOT, 1..n; neighbours i, j in it (i left of j) allow
move      precondition    effect                         cost: gold arcs lost
LEFT_l    i a word        add (j, l, i), drop i          d = i, h = j in [gh(d) in the list and != h]
RIGHT_l   always          add (i, l, j), drop j          d = j, h = i    + gold dependents of d in the list
until one element is left: n moves. A gold arc can still be built iff both ends are in the list. The count is exact.
Goldberg & Nivre number a move by the list index of its head, Goldberg & Elhadad by that of the left neighbour.

Single root: RIGHT from ROOT only when two elements are left. The costs stay exact. Without ROOT (n - 1 moves; the last
word is the root) they are those of a ROOT that is always in the list.
"""

cimport cython
from libc.stdint cimport int32_t

from parser.common cimport CHECK, cost_t, label_t
from parser.transition.gold cimport GoldC
from parser.transition.list_state cimport LinkC, ListC, links, list_attach, list_clear, list_nodes
from parser.transition.node cimport NodeC
from parser.transition.state cimport ROOT_NONE
from parser.transition.system cimport ILLEGAL, arc_loss


cdef inline int32_t listed_deps(const NodeC* node, const GoldC* g, int32_t d) noexcept nogil:
    cdef int32_t i, count = 0
    for i in range(g.node[d].begin, g.node[d].end):
        count += node[g.deps[i]].on_stack
    return count


cdef inline cost_t root_loss(EasyFirst system, const GoldC* g) noexcept nogil:
    """What is lost with ROOT's gold arc; where there is no ROOT its label is not predicted."""
    if system.place == ROOT_NONE and g.node[g.root].label != system.root_label:
        return g.head_weight - g.label_weight
    return g.head_weight


@cython.final
cdef class EasyFirst:
    def __init__(self, int32_t place, int32_t n_labels, *, bint single_root, label_t root_label):
        self.name = "easy-first"
        self.place = place
        self.single_root = single_root or place == ROOT_NONE
        self.n_labels = n_labels
        self.root_label = root_label

    cdef void init(self, ListC* s, int32_t n) noexcept nogil:
        list_clear(s, n, self.place)

    cdef bint is_final(self, const ListC* s) noexcept nogil:
        return s.length == 1

    cdef bint is_legal(self, const ListC* s, int32_t head, int32_t dep) noexcept nogil:
        return dep > 0 and not (self.single_root and head == 0 and s.length > 2)

    cdef void apply(self, ListC* s, int32_t head, int32_t dep, label_t label) noexcept nogil:
        CHECK(self.is_legal(s, head, dep))
        list_attach(s, head, dep, label)

    cdef cost_t cost(self, const ListC* s, const GoldC* g, int32_t head, int32_t dep) noexcept nogil:
        cdef const NodeC* node = list_nodes(s)
        cdef int32_t gold = g.node[dep].head
        cdef cost_t lost = listed_deps(node, g, dep) * g.head_weight
        if gold == head:
            return lost
        if gold == 0 and self.place == ROOT_NONE:
            return lost + root_loss(self, g)
        return lost + node[gold].on_stack * g.head_weight

    cdef void costs(self, const ListC* s, const GoldC* g, cost_t* to_left, cost_t* to_right) noexcept nogil:
        cdef const NodeC* node = list_nodes(s)
        cdef const LinkC* link = links(s)
        cdef int32_t d = s.leftmost, gold
        cdef cost_t root_cost = root_loss(self, g) if self.place == ROOT_NONE else g.head_weight
        while d >= 0:                       # to_left counts the gold dependents in the list
            to_left[d] = 0
            d = link[d].right
        to_left[0] = 0
        d = s.leftmost
        while d >= 0:
            gold = g.node[d].head
            if gold >= 0 and node[gold].on_stack == 1:
                to_left[gold] += g.head_weight
            d = link[d].right
        d = s.leftmost
        while d >= 0:
            gold = g.node[d].head
            to_right[d] = to_left[d]
            if gold == 0:
                to_right[d] += root_cost
                to_left[d] += root_cost if link[d].left != 0 else 0
            elif gold > 0 and node[gold].on_stack == 1:
                to_right[d] += g.head_weight if link[d].right != gold else 0
                to_left[d] += g.head_weight if link[d].left != gold else 0
            if link[d].right < 0 or d == 0:
                to_right[d] = ILLEGAL
            if link[d].left < 0 or not self.is_legal(s, link[d].left, d):
                to_left[d] = ILLEGAL
            d = link[d].right

    cdef bint is_correct(self, const ListC* s, const GoldC* g, int32_t head, int32_t dep) noexcept nogil:
        return g.node[dep].head == head and listed_deps(list_nodes(s), g, dep) == 0

    cdef cost_t word_loss(self, const ListC* s, const GoldC* g, int32_t d) noexcept nogil:
        cdef const NodeC* node = list_nodes(s)
        cdef int32_t gold = g.node[d].head
        if node[d].head >= 0:
            return arc_loss(g, d, node[d].head, node[d].label)
        if gold == 0 and self.place == ROOT_NONE:
            return g.head_weight - root_loss(self, g)
        return 0 if node[gold].on_stack == 1 else g.head_weight

    cdef cost_t best_loss(self, const ListC* s, const GoldC* g) noexcept nogil:
        cdef int32_t d
        cdef cost_t loss = 0
        for d in range(1, s.n + 1):
            loss += self.word_loss(s, g, d)
        return loss

    cdef void finish(self, const ListC* s, int32_t* heads, label_t* labels) noexcept nogil:
        cdef const NodeC* node = list_nodes(s)
        cdef int32_t i
        for i in range(1, s.n + 1):
            heads[i - 1] = node[i].head
            labels[i - 1] = node[i].label
            if node[i].head < 0:
                heads[i - 1] = 0
                labels[i - 1] = self.root_label
