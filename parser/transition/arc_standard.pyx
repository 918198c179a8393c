"""Arc-standard (Nivre 2004) with ROOT first; exact costs by the tabular oracle of arc_standard_table.pyx.

s0, s1 are the two top stack elements. Initial ([], [ROOT, 1..n]), final ([ROOT], []); 2n + 1 moves, always a tree.

move      precondition        effect                     cost
SHIFT     buffer not empty    push b                     best(c) - best(after), best being the largest number of gold
LEFT_l    s1 a word           add (s0, l, s1), drop s1   arcs in any tree that can still be built: they cannot be
RIGHT_l   two stack elements  add (s1, l, s0), pop       counted one by one here (two may exclude each other)

Some legal move costs 0, so best(c) is the largest of the successors' and only these are computed; a forced move costs
nothing and needs none.
Single root: RIGHT from ROOT only when the buffer is empty; SHIFT is legal until then, so there is no dead end. Exact
too: the table joins ROOT last.
root_label_only: arcs from ROOT bear root_label and no other arc does (Liu et al. 2015 train their parser so).
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t

from parser.common cimport cost_t, label_t
from parser.transition.arc_standard_table cimport View, is_too_large, table_best
from parser.transition.gold cimport GoldC, right_deps_from
from parser.transition.node cimport NodeC, TO_RIGHT, attach_if, pick
from parser.transition.state cimport ROOT_FIRST, N, S, StateC, nodes, stack, state_clear
from parser.transition.system cimport (ILLEGAL, LEFT, N_MOVES, REDUCE, RIGHT, SHIFT, ArcC, MoveC, StackSystem, arc_loss)


cdef inline View view_after(const StateC* s, int32_t move) noexcept nogil:
    """The configuration that `move` leads to, as the table sees it."""
    cdef View view
    view.shifted = view.dropped = -1
    view.front = s.front
    if move == SHIFT:
        view.shifted = N(s, 0)
        view.front += 1
    else:
        view.dropped = S(s, 1) if move == LEFT else S(s, 0)
    return view


cdef inline void take(StateC* s, const MoveC* taken) noexcept nogil:
    """Without a branch: see attach_if."""
    cdef int32_t top = S(s, 0), below = S(s, 1), b = N(s, 0)
    cdef int32_t is_arc = -(taken.move >> 1), is_right = is_arc & -(taken.move & 1)
    cdef int32_t head = pick(is_right, below, top), dep = top ^ below ^ head
    attach_if(is_arc, nodes(s), head, dep, taken.label, taken.share, is_right & TO_RIGHT)
    stack(s)[s.depth + (is_arc & -2)] = pick(is_arc, head, b)   # in place of both, or on top
    nodes(s)[pick(is_arc, dep, b)].on_stack = is_arc + 1
    s.depth += 1 + 2 * is_arc
    s.front += is_arc + 1


@cython.final
cdef class ArcStandard(StackSystem):
    cdef readonly bint left_late        # the static oracle attaches left dependents last

    def __init__(self, int32_t n_labels, *, bint single_root, label_t root_label, bint root_label_only, bint left_late):
        StackSystem.__init__(self, "arc-standard", ROOT_FIRST, n_labels, single_root=single_root, has_reduce=False,
                             root_label=root_label, root_label_only=root_label_only)
        self.left_late = left_late

    cdef void init(self, StateC* s, int32_t n) noexcept nogil:
        state_clear(s, n, ROOT_FIRST)

    cdef bint is_final(self, const StateC* s) noexcept nogil:
        return s.front > s.n and s.depth == 1

    cdef uint32_t legal(self, const StateC* s) noexcept nogil:
        cdef uint32_t moves = 1 << SHIFT if s.front <= s.n else 0
        if s.depth >= 2:
            if S(s, 1) > 0:
                moves |= 1 << LEFT | 1 << RIGHT
            elif not (self.single_root and s.front <= s.n):
                moves |= 1 << RIGHT
        return moves

    cdef ArcC arc(self, const StateC* s, int32_t move) noexcept nogil:
        if move == LEFT:
            return ArcC(S(s, 0), S(s, 1))
        return ArcC(S(s, 1), S(s, 0)) if move == RIGHT else ArcC(-1, -1)

    cdef void take_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            take(states[i], moves[i])

    cdef int move_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil:
        cdef uint32_t moves = self.legal(s)
        cdef int32_t gold_arcs[4]
        cdef int32_t move, most = -1
        cdef bint near_only = False
        cdef ArcC arc
        out[SHIFT] = out[REDUCE] = out[LEFT] = out[RIGHT] = ILLEGAL
        for move in range(N_MOVES):
            if moves == <uint32_t>1 << move:
                out[move] = 0
                return 0
            if moves >> move & 1:
                near_only |= is_too_large(s, g, view_after(s, move))
        for move in range(N_MOVES):
            if moves >> move & 1:
                arc = self.arc(s, move)
                gold_arcs[move] = table_best(s, g, view_after(s, move), self.single_root, near_only)
                if arc.dep > 0 and g.node[arc.dep].head == arc.head:
                    gold_arcs[move] += 1
                most = max(most, gold_arcs[move])
        for move in range(N_MOVES):
            if moves >> move & 1:
                out[move] = (most - gold_arcs[move]) * g.head_weight
        return 0

    cdef cost_t word_loss(self, const StateC* s, const GoldC* g, int32_t d) noexcept nogil:
        cdef const NodeC* node = nodes(s)
        cdef int32_t head = g.node[d].head
        if node[d].head >= 0:
            return arc_loss(g, d, node[d].head, node[d].label)
        return 0 if node[head].on_stack == 1 or head >= s.front else g.head_weight

    cdef cost_t best_loss(self, const StateC* s, GoldC* g) except -1 nogil:
        cdef const NodeC* node = nodes(s)
        cdef int32_t d, built = 0
        cdef cost_t loss = 0
        cdef View view
        view.front, view.shifted, view.dropped = s.front, -1, -1
        if s.depth == 0:
            # ROOT goes first: forced
            view.front, view.shifted = 1, 0
        for d in range(1, s.n + 1):
            if node[d].head >= 0:
                built += 1
                loss += arc_loss(g, d, node[d].head, node[d].label)
        return loss + g.head_weight * (s.n - built - table_best(s, g, view, self.single_root, is_too_large(s, g, view)))

    cdef int32_t static_move(self, const StateC* s, const GoldC* g) noexcept nogil:
        """LEFT as soon as it is gold (early), or once s0 has its right dependents (late, as in Liu et al. 2015); RIGHT
        once s0 has all its dependents."""
        cdef int32_t top = S(s, 0), below = S(s, 1)
        if s.depth >= 2:
            if g.node[below].head == top and not (self.left_late and right_deps_from(g, top, s.front)):
                return LEFT
            if g.node[top].head == below and right_deps_from(g, top, s.front) == 0:
                return RIGHT
        return SHIFT
