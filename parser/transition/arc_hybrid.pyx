"""Arc-hybrid (Kuhlmann, Gomez-Rodriguez & Satta 2011; Goldberg & Nivre 2013), ROOT first, last or absent.

s0, s1 are the two top stack elements, b the front of the buffer, gh(k) the gold head of k.

move      precondition                        effect                cost: gold arcs lost (Goldberg & Nivre 2013)
SHIFT     b exists; not ROOT placed last      push b                [gh(b) on stack, != s0] + D(b)
LEFT_l    s0 a word, b exists                 add (b, l, s0), pop   [gh(s0) = s1, or in buffer and != b] + B(s0)
RIGHT_l   two stack elements                  add (s1, l, s0), pop  [gh(s0) in buffer] + B(s0)

D(b) = gold dependents of b on the stack, B(s0) = gold dependents of s0 in the buffer.

ROOT first: initial ([], [ROOT, 1..n]), final ([ROOT], []); 2n + 1 moves. ROOT last: initial ([], [1..n, ROOT]), final
([], [ROOT]); 2n moves. No ROOT: initial ([], [1..n]), final when one word is left, which is the root; 2n - 1 moves.
Without ROOT the costs are those of a stack with ROOT *below* its lowest word: LEFT of that word loses (ROOT, s0), SHIFT
onto a stack that is not empty loses (ROOT, b).

Single root, ROOT first: RIGHT from ROOT only when the buffer is empty; the costs above stay exact.
ROOT last: LEFT with b = ROOT only for a single stack word, so ROOT can only get the lowest word of the stack: the costs
are those without ROOT, and 0 once b is ROOT (moves are forced). Without ROOT there is one root word by nature.
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t

from parser.common cimport cost_t, label_t
from parser.transition.gold cimport GoldC, right_deps_from
from parser.transition.node cimport NodeC, TO_RIGHT, attach_if, pick
from parser.transition.state cimport (ROOT_LAST, ROOT_NONE, N, S, RootPlace, StateC, nodes, push_or_pop, stack,
                                      state_clear)
from parser.transition.system cimport ILLEGAL, LEFT, REDUCE, RIGHT, SHIFT, ArcC, MoveC, StackSystem, arc_loss


cdef inline int32_t stacked_left_deps(const NodeC* node, const GoldC* g, int32_t b) noexcept nogil:
    cdef int32_t k, count = 0
    for k in range(g.node[b].begin, g.node[b].right):
        count += node[g.deps[k]].on_stack
    return count


cdef inline void take(StateC* s, const MoveC* taken) noexcept nogil:
    """Without a branch: see attach_if."""
    cdef int32_t top = S(s, 0), b = N(s, 0), is_arc = -(taken.move >> 1), is_right = is_arc & -(taken.move & 1)
    attach_if(is_arc, nodes(s), pick(is_right, S(s, 1), b), top, taken.label, taken.share, is_right & TO_RIGHT)
    push_or_pop(s, is_arc + 1, b, top)


@cython.final
cdef class ArcHybrid(StackSystem):
    def __init__(self, int32_t place, int32_t n_labels, *, bint single_root, label_t root_label):
        StackSystem.__init__(self, "arc-hybrid", place, n_labels, single_root=single_root or place == ROOT_NONE,
                             has_reduce=False, root_label=root_label)

    cdef void init(self, StateC* s, int32_t n) noexcept nogil:
        state_clear(s, n, <RootPlace>self.place)

    cdef bint is_final(self, const StateC* s) noexcept nogil:
        return s.front > s.n and s.depth == (0 if self.place == ROOT_LAST else 1)

    cdef uint32_t legal(self, const StateC* s) noexcept nogil:
        cdef int32_t top = S(s, 0)
        cdef uint32_t moves = 0
        if s.front <= s.n:
            moves |= 1 << SHIFT
        if s.front < s.end and top > 0:
            moves |= 1 << LEFT
        if s.depth >= 2:
            moves |= 1 << RIGHT
        if self.single_root:
            if s.front <= s.n and S(s, 1) == 0:
                moves &= ~(1 << RIGHT)
            if s.front > s.n and s.depth > 1:
                moves &= ~(1 << LEFT)
        return moves

    cdef ArcC arc(self, const StateC* s, int32_t move) noexcept nogil:
        if move == LEFT:
            return ArcC(N(s, 0), S(s, 0))
        return ArcC(S(s, 1), S(s, 0)) if move == RIGHT else ArcC(-1, -1)

    cdef void take_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            take(states[i], moves[i])

    cdef inline bint root_below(self) noexcept nogil:
        """ROOT counts as the element below the lowest word of the stack."""
        return self.place == ROOT_NONE or (self.single_root and self.place == ROOT_LAST)

    cdef inline cost_t root_loss(self, const GoldC* g) noexcept nogil:
        """What (ROOT, r) is worth where ROOT is below the stack; without ROOT its label is not predicted."""
        if self.place == ROOT_NONE and g.node[g.root].label != self.root_label:
            return g.head_weight - g.label_weight
        return g.head_weight

    cdef inline bint waits(self, const StateC* s, int32_t k) noexcept nogil:
        """k (a word, ROOT, or negative: none) stands in the buffer."""
        return k >= s.front or (k == 0 and s.root_pos >= s.front and not self.root_below())

    cdef int move_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil:
        cdef int32_t top = S(s, 0), b = N(s, 0), head
        cdef uint32_t moves = self.legal(s)
        cdef const NodeC* node = nodes(s)
        cdef int32_t lost
        cdef bint below = self.root_below()
        out[SHIFT] = out[REDUCE] = out[LEFT] = out[RIGHT] = ILLEGAL
        if below and s.front > s.n:
            # moves are forced
            if moves:
                out[LEFT if moves & 1 << LEFT else RIGHT] = 0
            return 0
        if moves & (1 << LEFT | 1 << RIGHT):
            head = g.node[top].head
            lost = right_deps_from(g, top, s.front)
            if moves & 1 << RIGHT:
                out[RIGHT] = (lost + self.waits(s, head)) * g.head_weight
            if moves & 1 << LEFT:
                out[LEFT] = (lost + ((s.depth >= 2 and head == S(s, 1)) or (head != b and self.waits(s, head)))) \
                    * g.head_weight
                if below and s.depth == 1 and head == 0:
                    out[LEFT] += self.root_loss(g)
        if moves & 1 << SHIFT:
            head = g.node[b].head
            lost = stacked_left_deps(node, g, b) + (head >= 0 and head != top and node[head].on_stack == 1)
            out[SHIFT] = lost * g.head_weight
            if below and s.depth >= 1 and head == 0:
                out[SHIFT] += self.root_loss(g)
        return 0

    cdef cost_t word_loss(self, const StateC* s, const GoldC* g, int32_t d) noexcept nogil:
        cdef const NodeC* node = nodes(s)
        if node[d].head >= 0:
            return arc_loss(g, d, node[d].head, node[d].label)
        if not self.reachable(s, g.node[d].head, d):
            return g.head_weight
        return g.head_weight - self.root_loss(g) if g.node[d].head == 0 else 0

    cdef bint reachable(self, const StateC* s, int32_t head, int32_t d) noexcept nogil:
        """Can the headless d still get this head? Yes: one of them is in the buffer, the other there or on the stack;
        d is directly above head on the stack."""
        cdef const NodeC* node = nodes(s)
        cdef bint stacked = node[head].on_stack == 1
        cdef int32_t i
        if head == 0 and self.root_below():
            return d >= s.front or stack(s)[0] == d
        if d >= s.front:
            return stacked or self.waits(s, head)
        if self.waits(s, head):
            return True
        if not stacked:
            return False
        for i in range(s.depth - 1, 0, -1):
            if stack(s)[i] == d:
                return stack(s)[i - 1] == head
        return False

    cdef int32_t static_move(self, const StateC* s, const GoldC* g) noexcept nogil:
        """LEFT as soon as it is gold; RIGHT once s0 has all its dependents (Goldberg & Nivre 2013)."""
        cdef int32_t top = S(s, 0)
        if top > 0:
            if s.front < s.end and g.node[top].head == N(s, 0):
                return LEFT
            if s.depth >= 2 and g.node[top].head == S(s, 1) and right_deps_from(g, top, s.front) == 0:
                return RIGHT
        return SHIFT
