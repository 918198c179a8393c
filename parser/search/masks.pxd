"""From moves to labelled actions, once per state: which actions are legal, and which of them cost nothing."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from parser.common cimport cost_t, label_t
from parser.transition.gold cimport GoldC
from parser.transition.state cimport StateC
from parser.transition.system cimport LEFT, N_MOVES, REDUCE, RIGHT, SHIFT, ArcC, StackSystem, action_id


cdef inline int32_t forced_action(StackSystem system, const StateC* s, uint32_t moves,
                                  label_t under_root) noexcept nogil:
    """The action if there is just one legal one, else -1: a state with nothing to score.

    under_root: the label of all words under ROOT; -1: they may have any.
    """
    cdef int32_t move = SHIFT
    cdef label_t label
    if moves & (moves - 1):
        return -1
    while not moves >> move & 1:
        move += 1
    if move < LEFT or system.n_labels == 1:
        return action_id(system, move, 0)
    if system.root_label_only:
        under_root = system.root_label
    if under_root >= 0 and system.arc(s, move).head == 0:
        return action_id(system, move, under_root)
    if system.root_label_only and system.n_labels == 2:
        label = 1 - system.root_label
        return action_id(system, move, label)
    return -1


cdef inline void mask_legal(StackSystem system, const StateC* s, uint32_t moves, uint8_t* legal) noexcept nogil:
    if system.root_label_only:
        system.set_legal(s, legal)
        return
    legal[SHIFT] = moves >> SHIFT & 1
    if system.has_reduce:
        legal[REDUCE] = moves >> REDUCE & 1
    memset(legal + system.first_left, moves >> LEFT & 1, system.n_labels)
    memset(legal + system.first_right, moves >> RIGHT & 1, system.n_labels)


cdef inline void mask_zero_labels(StackSystem system, const StateC* s, const GoldC* g, int32_t move,
                                  uint8_t* zero) noexcept nogil:
    """The labels of a move that costs nothing: the gold one where the arc is gold, else all of them.

    A wrong arc without cost was lost before, and its label cannot make that worse.
    """
    cdef ArcC arc = system.arc(s, move)
    cdef label_t label
    if g.node[arc.dep].head == arc.head and g.label_weight > 0:
        memset(zero, 0, system.n_labels)
        if g.node[arc.dep].label >= 0:
            zero[g.node[arc.dep].label] = 1
        return
    memset(zero, 1, system.n_labels)
    if system.root_label_only:
        for label in range(system.n_labels):
            zero[label] = system.label_fits(arc.head, label)


cdef inline int mask_zero(StackSystem system, const StateC* s, GoldC* g, uint8_t* zero) except -1 nogil:
    """The dynamic oracle (Goldberg & Nivre 2012, 2013): the actions of cost 0. Nothing but legal ones cost 0."""
    cdef cost_t costs[N_MOVES]
    cdef int32_t move, first
    system.move_costs(s, g, costs)
    zero[SHIFT] = costs[SHIFT] == 0
    if system.has_reduce:
        zero[REDUCE] = costs[REDUCE] == 0
    for move in range(LEFT, RIGHT + 1):
        first = system.first_left if move == LEFT else system.first_right
        if costs[move] == 0:
            mask_zero_labels(system, s, g, move, zero + first)
        else:
            memset(zero + first, 0, system.n_labels)
    return 0
