"""The base class of the stack systems: labels spread over moves, and the finished tree."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from parser.common cimport CHECK, cost_t, label_t
from parser.transition.gold cimport GoldC
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC, nodes


cdef class StackSystem:
    """Not used itself: a system overrides the first group of methods."""

    def __init__(self, str name, int32_t place, int32_t n_labels, *, bint single_root, bint has_reduce,
                 label_t root_label, bint root_label_only=False):
        self.name = name
        self.place = place
        self.single_root = single_root
        self.has_reduce = has_reduce
        self.n_labels = n_labels
        self.first_left = 2 if has_reduce else 1
        self.first_right = self.first_left + n_labels
        self.n_actions = self.first_right + n_labels
        self.root_label = root_label
        self.root_label_only = root_label_only

    cdef void init(self, StateC* s, int32_t n) noexcept nogil:
        CHECK(False)

    cdef bint is_final(self, const StateC* s) noexcept nogil:
        CHECK(False)
        return True

    cdef uint32_t legal(self, const StateC* s) noexcept nogil:
        CHECK(False)
        return 0

    cdef void take_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil:
        CHECK(False)

    cdef ArcC arc(self, const StateC* s, int32_t move) noexcept nogil:
        CHECK(False)
        return ArcC(-1, -1)

    cdef int move_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil:
        CHECK(False)
        return 0

    cdef cost_t word_loss(self, const StateC* s, const GoldC* g, int32_t d) noexcept nogil:
        CHECK(False)
        return 0

    cdef cost_t best_loss(self, const StateC* s, GoldC* g) except -1 nogil:
        cdef int32_t d
        cdef cost_t loss = 0
        for d in range(1, s.n + 1):
            loss += self.word_loss(s, g, d)
        return loss

    cdef int32_t static_move(self, const StateC* s, const GoldC* g) noexcept nogil:
        CHECK(False)
        return SHIFT

    cdef void apply(self, StateC* s, int32_t move, label_t label) noexcept nogil:
        cdef MoveC taken = move_of(move, label)
        cdef const MoveC* one = &taken
        self.apply_all(&s, &one, 1)

    cdef void apply_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            CHECK(self.legal(states[i]) >> moves[i].move & 1)
        self.take_all(states, moves, n)

    cdef void legal_all(self, StateC** states, uint32_t* moves, int32_t n) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            moves[i] = self.legal(states[i])

    cdef bint label_fits(self, int32_t head, label_t label) noexcept nogil:
        return not self.root_label_only or (head == 0) == (label == self.root_label)

    cdef void set_legal(self, const StateC* s, uint8_t* valid) noexcept nogil:
        cdef uint32_t moves = self.legal(s)
        cdef int32_t move, label, first
        valid[SHIFT] = moves >> SHIFT & 1
        if self.has_reduce:
            valid[REDUCE] = moves >> REDUCE & 1
        for move in range(LEFT, RIGHT + 1):
            first = self.first_left if move == LEFT else self.first_right
            memset(valid + first, moves >> move & 1, self.n_labels)
            if self.root_label_only and moves >> move & 1:
                for label in range(self.n_labels):
                    valid[first + label] = self.label_fits(self.arc(s, move).head, label)

    cdef int action_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil:
        cdef cost_t costs[N_MOVES]
        cdef int32_t move, label, first
        cdef cost_t wrong
        cdef ArcC arc
        self.move_costs(s, g, costs)
        CHECK(costs[SHIFT] == 0 or costs[REDUCE] == 0 or costs[LEFT] == 0 or costs[RIGHT] == 0 or self.legal(s) == 0)
        out[SHIFT] = costs[SHIFT]
        if self.has_reduce:
            out[REDUCE] = costs[REDUCE]
        for move in range(LEFT, RIGHT + 1):
            first = self.first_left if move == LEFT else self.first_right
            if costs[move] == ILLEGAL:
                for label in range(self.n_labels):
                    out[first + label] = ILLEGAL
                continue
            arc = self.arc(s, move)
            wrong = costs[move] + (g.label_weight if g.node[arc.dep].head == arc.head else 0)
            for label in range(self.n_labels):
                out[first + label] = wrong if self.label_fits(arc.head, label) else ILLEGAL
            if g.node[arc.dep].head == arc.head and g.node[arc.dep].label >= 0:
                out[first + g.node[arc.dep].label] = costs[move]
        return 0

    cdef int32_t static_action(self, const StateC* s, const GoldC* g) noexcept nogil:
        cdef int32_t move = self.static_move(s, g)
        return action_id(self, move, g.node[self.arc(s, move).dep].label if move >= LEFT else -1)

    cdef void finish(self, const StateC* s, int32_t* heads, label_t* labels) noexcept nogil:
        cdef int32_t i
        cdef const NodeC* node = nodes(s)
        for i in range(1, s.n + 1):
            heads[i - 1] = node[i].head
            labels[i - 1] = node[i].label
            if node[i].head < 0:        # arc-eager with ROOT first; the last word of a system without ROOT
                heads[i - 1] = 0
                labels[i - 1] = self.root_label
