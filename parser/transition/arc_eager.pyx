"""Arc-eager (Nivre 2003): ROOT first as in Goldberg & Nivre 2012, or last as in Goldberg & Nivre 2013 (the default).

s is the top of the stack, b the front of the buffer, gh(k) the gold head of k, free(k) says that the word k has no
head.

move      precondition                          effect                  cost: gold arcs lost
SHIFT     b a word                              push b                  [gh(b) on stack] + D(b)
RIGHT_l   b a word, stack not empty             add (s, l, b), push b   [gh(b) != s, on stack or in buffer] + D(b)
LEFT_l    s a word, free(s), buffer not empty   add (b, l, s), pop s    [gh(s) != b, in buffer] + B(s)
REDUCE    s has a head, buffer not empty        pop s                   B(s)

D(b) = gold dependents of b that are on the stack and free; B(s) = gold dependents of s that are in the buffer.
The costs are those of Goldberg & Nivre 2012 (figure 4) with two corrections: free(k) in D(b), added by Goldberg & Nivre
2013; and the reverse arc, which no paper counts: LEFT also loses (s, b), RIGHT also loses (b, s). Both have been
checked by exhaustive search.

ROOT first: initial ([ROOT], [1..n]), final when the buffer is empty; words still headless are then attached to ROOT.
That rescues a headless word whose gold head is ROOT, contrary to Goldberg & Nivre 2012, footnote 4. With attach_aware
the costs know it: LEFT + 1 if gh(s) = ROOT, and SHIFT does not lose (ROOT, b). (Labelled: if the gold label is
root_label.)
ROOT last: initial ([], [1..n, ROOT]), final when the stack is empty and the buffer is [ROOT]; 2n moves, always a
tree.

Single root. Call a stack word *open* if it has no head, or has ROOT for head: at the end each open word is a root word,
and before that only LEFT takes one away. So one word goes under ROOT iff, while the last word n is b,
  SHIFT needs no open word on the stack, RIGHT needs exactly one (none if s = ROOT),
and, with ROOT first, a word attached to ROOT is never REDUCEd: what follows could only go under ROOT too.
The lowest word of the stack is always open and LEFT or REDUCE are legal while another one is, so there is no dead end.
Under this rule three more things lose a gold arc (r: the gold root word; t: the topmost of the last word's gold
ancestors, itself included, that is in the buffer); X below counts them, and a move's cost changes by X after minus X
before:
  1. r is free and on the stack, but not the lowest open word: (ROOT, r) was still to be had, now it is not;
  2. gh(t) is on the stack with two open words at or below it: n cannot end up under it, (gh(t), t) is lost;
  3. ROOT first: a word was attached to ROOT while r is in the buffer.
Exact for every reachable configuration (tests: exhaustive search).
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t

from parser.common cimport cost_t, label_t
from parser.transition.gold cimport GoldC, right_deps_from
from parser.transition.node cimport NodeC, TO_RIGHT, attach_if, pick
from parser.transition.state cimport (ROOT_FIRST, ROOT_LAST, N, S, StateC, n_roots, nodes, push, push_or_pop,
                                      state_clear)
from parser.transition.system cimport ILLEGAL, LEFT, REDUCE, RIGHT, SHIFT, ArcC, MoveC, StackSystem, arc_loss


cdef inline bint waits(const StateC* s, int32_t k) noexcept nogil:
    """k (a word, ROOT, or negative: none) stands in the buffer."""
    return k >= s.front or (k == 0 and s.root_pos >= s.front)


cdef inline bint stacked(const NodeC* node, int32_t k) noexcept nogil:
    return k >= 0 and node[k].on_stack == 1


cdef inline int32_t free_left_deps(const NodeC* node, const GoldC* g, int32_t b) noexcept nogil:
    cdef int32_t k, count = 0
    for k in range(g.node[b].begin, g.node[b].right):
        count += node[g.deps[k]].on_stack == 1 and node[g.deps[k]].head < 0
    return count


cdef inline bint is_second(const StateC* s, int32_t k) noexcept nogil:
    """The stack word k has at least two open words at or below it."""
    return s.open >= 2 and k >= s.second


cdef inline void take(StateC* s, const MoveC* taken) noexcept nogil:
    """Without a branch: see attach_if."""
    cdef int32_t top = S(s, 0), b = N(s, 0), move = taken.move
    cdef NodeC* node = nodes(s)
    cdef int32_t is_odd = move & 1, is_arc = -(move >> 1), is_right = is_arc & -is_odd
    cdef int32_t pushes = ~(move ^ is_arc) & 1, head = pick(is_right, top, b)
    # SHIFT opens a word, LEFT closes one; RIGHT opens one under ROOT, REDUCE closes what ROOT has
    cdef int32_t counts = (is_odd ^ 1) | (pick(is_arc, top, node[top].head) == 0)
    s.second = pick(-(pushes & counts & (s.open == 1)), b, s.second)
    s.open += (2 * pushes - 1) * counts
    attach_if(is_arc, node, head, b ^ top ^ head, taken.label, taken.share, is_right & TO_RIGHT)
    push_or_pop(s, pushes, b, top)


@cython.final
cdef class ArcEager(StackSystem):
    cdef readonly bint attach_aware     # the loss is counted after headless words have been attached to ROOT

    def __init__(self, int32_t place, int32_t n_labels, *, bint single_root, label_t root_label, bint attach_aware):
        StackSystem.__init__(self, "arc-eager", place, n_labels, single_root=single_root, has_reduce=True,
                             root_label=root_label)
        self.attach_aware = attach_aware

    cdef void init(self, StateC* s, int32_t n) noexcept nogil:
        state_clear(s, n, ROOT_FIRST if self.place == ROOT_FIRST else ROOT_LAST)
        if self.place == ROOT_FIRST:
            push(s, 0)
            s.front = 1

    cdef bint is_final(self, const StateC* s) noexcept nogil:
        return s.front > s.n and (s.depth == 0 or self.place == ROOT_FIRST)

    cdef uint32_t legal(self, const StateC* s) noexcept nogil:
        cdef int32_t top = S(s, 0)
        cdef uint32_t moves = 0
        if s.front <= s.n:
            moves = 1 << SHIFT if s.depth == 0 else 1 << SHIFT | 1 << RIGHT
        elif self.place == ROOT_FIRST:
            return 0
        if top > 0:
            # no branch: which of the two is legal is hard to predict
            moves |= <uint32_t>1 << <uint32_t>(LEFT - (nodes(s)[top].head >= 0))
        if self.single_root:
            moves &= self.keeps_one_root(s, top)
        return moves

    cdef uint32_t keeps_one_root(self, const StateC* s, int32_t top) noexcept nogil:
        """The mask of the single-root rule; see the head of this file."""
        cdef uint32_t allowed = 1 << SHIFT | 1 << REDUCE | 1 << LEFT | 1 << RIGHT
        if s.front == s.n and s.open > 0:
            allowed &= ~(1 << SHIFT)
            if s.open > 1:
                allowed &= ~(1 << RIGHT)
        if top > 0 and nodes(s)[top].head == 0:
            allowed &= ~(1 << REDUCE)
        return allowed

    cdef ArcC arc(self, const StateC* s, int32_t move) noexcept nogil:
        if move == LEFT:
            return ArcC(N(s, 0), S(s, 0))
        return ArcC(S(s, 0), N(s, 0)) if move == RIGHT else ArcC(-1, -1)

    cdef void take_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            take(states[i], moves[i])

    cdef int move_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil:
        cdef int32_t top = S(s, 0), b = N(s, 0)
        cdef uint32_t moves = self.legal(s)
        cdef const NodeC* node = nodes(s)
        cdef int32_t lost
        out[SHIFT] = out[REDUCE] = out[LEFT] = out[RIGHT] = ILLEGAL
        if moves & (1 << LEFT | 1 << REDUCE):
            lost = right_deps_from(g, top, s.front)
            if moves & 1 << REDUCE:
                out[REDUCE] = lost * g.head_weight
            else:
                lost += g.node[top].head != b and waits(s, g.node[top].head)
                out[LEFT] = lost * g.head_weight
                if self.attach_aware and g.node[top].head == 0:
                    out[LEFT] += self.rescued(g, top)
        if moves & (1 << SHIFT | 1 << RIGHT):
            lost = free_left_deps(node, g, b)
            if moves & 1 << SHIFT:
                out[SHIFT] = (lost + stacked(node, g.node[b].head)) * g.head_weight
                if self.attach_aware and g.node[b].head == 0:
                    out[SHIFT] -= self.rescued(g, b)
            if moves & 1 << RIGHT:
                lost += g.node[b].head != top and (stacked(node, g.node[b].head) or waits(s, g.node[b].head))
                out[RIGHT] = lost * g.head_weight
        if self.single_root and moves:
            self.correct_costs(s, g, moves, out)
        elif self.roots_compete(g):
            self.add_competition(s, g, moves, out)
        return 0

    cdef inline cost_t rescued(self, const GoldC* g, int32_t d) noexcept nogil:
        """What leaving d headless saves where its gold head is ROOT."""
        return g.head_weight - (0 if g.node[d].label == self.root_label else g.label_weight)

    cdef void correct_costs(self, const StateC* s, const GoldC* g, uint32_t moves, cost_t* out) noexcept nogil:
        """Adds X after each move minus X before it (points 1-3 at the head of this file)."""
        cdef int32_t top = S(s, 0), b = N(s, 0), spine = g.node[b].spine
        cdef bint root_lost, chain_lost, on_spine = b == spine
        cdef cost_t root_loss = self.stacked_root_loss(g)
        if b == 0:
            # ROOT is b: moves are forced
            out[LEFT if moves & 1 << LEFT else REDUCE] = 0
            return
        root_lost = self.loses_root(s, g)
        chain_lost = self.loses_chain(s, g)
        if moves & 1 << SHIFT:
            # b becomes an open word
            if b == g.root and s.open >= 1:
                out[SHIFT] += root_loss
            if on_spine:
                out[SHIFT] += g.head_weight * ((s.open >= 1 and b != g.n) - chain_lost)
            out[SHIFT] += g.head_weight * (self.root_blocked(s, g, b + 1) - self.root_blocked(s, g, b))
        if moves & 1 << RIGHT:
            if on_spine:
                out[RIGHT] += g.head_weight * ((s.open >= 2 and b != g.n) - chain_lost)
            if top == 0:
                out[RIGHT] += g.head_weight * (g.root > b)
            else:
                out[RIGHT] += g.head_weight * (self.root_blocked(s, g, b + 1) - self.root_blocked(s, g, b))
        if moves & 1 << LEFT:
            if root_lost and top == g.root:
                out[LEFT] -= root_loss
            out[LEFT] -= g.head_weight * (chain_lost and g.node[spine].head == top)
        if moves & 1 << REDUCE:
            out[REDUCE] -= g.head_weight * (chain_lost and g.node[spine].head == top)

    cdef inline bint roots_compete(self, const GoldC* g) noexcept nogil:
        """Can it matter whether a gold root word is attached by RIGHT or left headless? See `competition`."""
        return self.attach_aware and g.roots > 1 and g.label_weight > 0

    cdef cost_t competition(self, const StateC* s, const GoldC* g, int32_t shifted, int32_t gone) noexcept nogil:
        """What several gold root words lose beyond their own losses, with `shifted` stacked and `gone` out of play.

        With attach_aware a gold root word without `root_label` loses label_weight if it stays headless, nothing under
        RIGHT from ROOT. But that needs a stack without headless words: those of them that are gold root words, losing
        label_weight at most so far, then lose their heads. It is better for all or for none.
        """
        cdef const NodeC* node = nodes(s)
        cdef int32_t i, d, stacked_roots = 0
        cdef cost_t loss, on_stack = 0, in_buffer = 0
        for i in range(g.node[0].begin, g.node[0].end):
            d = g.deps[i]
            loss = g.head_weight - self.rescued(g, d)
            if d == gone:
                continue
            if d == shifted or (node[d].on_stack == 1 and node[d].head < 0):
                stacked_roots += 1
                on_stack += loss
            elif d >= s.front:
                in_buffer += loss
        return min(on_stack + in_buffer, stacked_roots * g.head_weight) - on_stack

    cdef void add_competition(self, const StateC* s, const GoldC* g, uint32_t moves, cost_t* out) noexcept nogil:
        cdef int32_t top = S(s, 0), b = N(s, 0)
        cdef cost_t before = self.competition(s, g, -1, -1)
        if moves & 1 << SHIFT:
            out[SHIFT] += self.competition(s, g, b, -1) - before
        if moves & 1 << RIGHT:
            out[RIGHT] += self.competition(s, g, -1, b) - before
        if moves & 1 << LEFT:
            out[LEFT] += self.competition(s, g, -1, top) - before

    cdef inline cost_t stacked_root_loss(self, const GoldC* g) noexcept nogil:
        """What point 1 loses: with ROOT first nothing was to be had, unless the loss is counted after attachment."""
        if self.place == ROOT_FIRST:
            return self.rescued(g, g.root) if self.attach_aware else 0
        return g.head_weight

    cdef inline bint loses_root(self, const StateC* s, const GoldC* g) noexcept nogil:
        """Point 1."""
        cdef const NodeC* node = &nodes(s)[g.root]
        return node.on_stack == 1 and node.head < 0 and is_second(s, g.root)

    cdef inline bint loses_chain(self, const StateC* s, const GoldC* g) noexcept nogil:
        """Point 2; the front of the buffer is a word."""
        cdef int32_t k = g.node[g.node[s.front].spine].head
        return k > 0 and nodes(s)[k].on_stack == 1 and is_second(s, k)

    cdef inline bint root_blocked(self, const StateC* s, const GoldC* g, int32_t front) noexcept nogil:
        """Point 3, were the buffer to begin at `front`."""
        return self.place == ROOT_FIRST and n_roots(s) > 0 and g.root >= front

    cdef cost_t best_loss(self, const StateC* s, GoldC* g) except -1 nogil:
        cdef cost_t loss = StackSystem.best_loss(self, s, g)
        if self.single_root:
            if self.loses_root(s, g):
                loss += self.stacked_root_loss(g)
            if s.front <= s.n:
                loss += g.head_weight * (self.loses_chain(s, g) + self.root_blocked(s, g, s.front))
        elif self.roots_compete(g):
            loss += self.competition(s, g, -1, -1)
        return loss

    cdef cost_t word_loss(self, const StateC* s, const GoldC* g, int32_t d) noexcept nogil:
        cdef const NodeC* node = nodes(s)
        cdef int32_t head = g.node[d].head
        if node[d].head >= 0:
            return arc_loss(g, d, node[d].head, node[d].label)
        if waits(s, head) or (d >= s.front and stacked(node, head)):
            return 0
        return g.head_weight - (self.rescued(g, d) if self.attach_aware and head == 0 else 0)

    cdef int32_t static_move(self, const StateC* s, const GoldC* g) noexcept nogil:
        """Goldberg & Nivre 2012, algorithm 1; their k < s taken as "below s on the stack", wherever ROOT is."""
        cdef int32_t top = S(s, 0), b = N(s, 0), k
        cdef const NodeC* node = nodes(s)
        if top >= 0 and g.node[top].head == b:
            return LEFT
        if b == 0:
            return REDUCE
        if top >= 0 and g.node[b].head == top:
            return RIGHT
        if stacked(node, g.node[b].head):
            return REDUCE
        for k in range(g.node[b].begin, g.node[b].right):
            if node[g.deps[k]].on_stack == 1:
                return REDUCE
        return SHIFT
