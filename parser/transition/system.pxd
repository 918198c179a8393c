"""What every stack system is to a search and to a learner: moves, actions, legality, effect, cost.

A *move* is one of SHIFT, REDUCE, LEFT, RIGHT; an *action* is a move with its label, a dense int in the fixed order
SHIFT < REDUCE (where the system has it) < LEFT with label 0, 1, ... < RIGHT with label 0, 1, ... Ties go to the lowest.
Legality and cost are answered per move, once per state (virtual methods); labels are spread afterwards by the plain
methods at the end. This header is stable: searches are written against it.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from parser.common cimport cost_t, label_t
from parser.transition.gold cimport GoldC
from parser.transition.node cimport label_hash
from parser.transition.state cimport StateC


cdef enum:
    SHIFT = 0
    REDUCE = 1
    LEFT = 2
    RIGHT = 3
    N_MOVES = 4
    ILLEGAL = 1 << 28       # the cost of what is not legal: more than any sum of real ones


cdef struct ArcC:
    int32_t head            # -1: the move adds no arc
    int32_t dep


cdef struct MoveC:          # an action
    int32_t move
    label_t label           # ignored by SHIFT and REDUCE
    uint64_t share          # label_hash(label)


cdef class StackSystem:
    cdef readonly str name              # "arc-eager", ...
    cdef readonly int32_t place         # a RootPlace
    cdef readonly bint single_root      # every complete derivation has one word under ROOT
    cdef readonly bint has_reduce
    cdef readonly int32_t n_labels
    cdef readonly int32_t n_actions
    cdef readonly int32_t first_left    # action id of LEFT with label 0
    cdef readonly int32_t first_right   # action id of RIGHT with label 0
    cdef readonly label_t root_label    # for words that no move attaches to ROOT; -1: the system needs none
    cdef readonly bint root_label_only  # arcs from ROOT bear root_label and no others do

    # ---- one implementation per system ----
    # The initial configuration of n words; `s` has state_bytes(n).
    cdef void init(self, StateC* s, int32_t n) noexcept nogil
    cdef bint is_final(self, const StateC* s) noexcept nogil
    # Bit 1 << move for each legal move; 0 exactly in final configurations.
    cdef uint32_t legal(self, const StateC* s) noexcept nogil
    # Legal moves of n states, made in all of them.
    cdef void take_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil
    cdef ArcC arc(self, const StateC* s, int32_t move) noexcept nogil
    # out[move] = rise of the least possible loss, labels apart; ILLEGAL where not legal. Some legal move costs 0.
    cdef int move_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil
    # Loss of word d's gold arc taken alone: 0 if it is built or can still be, else what is lost.
    cdef cost_t word_loss(self, const StateC* s, const GoldC* g, int32_t d) noexcept nogil
    # The loss of the best tree that can still be built; the sum of word_loss unless the system knows better.
    cdef cost_t best_loss(self, const StateC* s, GoldC* g) except -1 nogil
    # The static oracle's move; meant for states on its own path (C-level callers follow it from the start).
    cdef int32_t static_move(self, const StateC* s, const GoldC* g) noexcept nogil

    # ---- the same for all ----
    # A legal move; label is ignored by SHIFT and REDUCE and may be -1 (unlabelled).
    cdef void apply(self, StateC* s, int32_t move, label_t label) noexcept nogil
    # The same for n states, and what is legal in them.
    cdef void apply_all(self, StateC** states, const MoveC** moves, int32_t n) noexcept nogil
    cdef void legal_all(self, StateC** states, uint32_t* moves, int32_t n) noexcept nogil
    # valid[action] = 1 or 0, n_actions of them.
    cdef void set_legal(self, const StateC* s, uint8_t* valid) noexcept nogil
    # out[action], n_actions of them: the move's cost, plus label_weight where the arc is gold and the label is not.
    cdef int action_costs(self, const StateC* s, GoldC* g, cost_t* out) except -1 nogil
    cdef int32_t static_action(self, const StateC* s, const GoldC* g) noexcept nogil
    # The tree of a final state: heads[i - 1], labels[i - 1], words left without a head attached to ROOT.
    cdef void finish(self, const StateC* s, int32_t* heads, label_t* labels) noexcept nogil
    cdef bint label_fits(self, int32_t head, label_t label) noexcept nogil


cdef inline MoveC move_of(int32_t move, label_t label) noexcept nogil:
    return MoveC(move, label, label_hash(label))


cdef inline int32_t action_move(StackSystem system, int32_t action) noexcept nogil:
    if action >= system.first_right:
        return RIGHT
    return LEFT if action >= system.first_left else action


cdef inline label_t action_label(StackSystem system, int32_t action) noexcept nogil:
    if action >= system.first_right:
        return action - system.first_right
    return action - system.first_left if action >= system.first_left else -1


cdef inline int32_t action_id(StackSystem system, int32_t move, label_t label) noexcept nogil:
    if move == RIGHT:
        return system.first_right + label
    return system.first_left + label if move == LEFT else move


# Loss of word d's arc as it was built: 0, label_weight or head_weight.
cdef inline cost_t arc_loss(const GoldC* g, int32_t d, int32_t head, label_t label) noexcept nogil:
    if g.node[d].head != head:
        return g.head_weight
    return g.label_weight if g.node[d].label != label else 0
