"""A compiled template set: a configuration and the values of its words -> feature keys."""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from parser.common cimport feat_t
from parser.feature.hashing cimport FEATURE_NONE, feature_number, feature_set
from parser.transition.list_state cimport LinkC, ListC
from parser.transition.node cimport NodeC, head, l1, l2, label, label_hash, lset, lval, r1, r2, rset, rval
from parser.transition.state cimport N, S, StateC
from parser.transition.state cimport nodes as state_nodes

cdef enum:
    MAX_NODES = 40              # as in plan.py
    MAX_PARTS = 512
    MAX_RULE_PARTS = 8

cdef enum Step:                 # as plan.STEPS
    STACK = 0
    BUFFER = 1
    PAIR = 2
    HEAD = 3
    LEFTMOST = 4
    LEFTMOST2 = 5
    RIGHTMOST = 6
    RIGHTMOST2 = 7

cdef enum PartKind:             # as plan.KINDS
    STORED = 0
    LABEL = 1
    LEFT_VALENCY = 2
    RIGHT_VALENCY = 3
    LEFT_SET = 4
    RIGHT_SET = 5
    DISTANCE = 6
    SPAN = 7
    LEAF = 8


cdef struct StepC:              # how a node is found
    int32_t kind                # a Step
    int32_t argument            # position (stack, buffer, pair) or the node it starts from


cdef struct StoredC:            # a value of a word that was made beforehand
    int32_t node
    int32_t value


cdef struct PartC:              # a value that depends on the partial tree
    int32_t kind                # a PartKind
    int32_t node
    int32_t other
    int32_t cap


cdef struct RuleC:              # 48 bytes
    uint64_t seed
    uint64_t any_of             # fires if one of these nodes is there
    uint64_t need               # and all of these conditions hold
    uint16_t parts[MAX_RULE_PARTS]
    int32_t n_parts
    int32_t number              # of the template in the set


cdef inline int32_t relative(int32_t step, const NodeC* nodes, int32_t i) noexcept nogil:
    if step == LEFTMOST:
        return l1(nodes, i)
    if step == RIGHTMOST:
        return r1(nodes, i)
    if step == LEFTMOST2:
        return l2(nodes, i)
    if step == RIGHTMOST2:
        return r2(nodes, i)
    return head(nodes, i)


cdef inline void find_nodes(const StepC* steps, int32_t n, const StateC* s, int32_t* node) noexcept nogil:
    """The words that the nodes of a set mean in a state; -1 where there is none."""
    cdef const NodeC* all_nodes = state_nodes(s)
    cdef int32_t i
    for i in range(n):
        if steps[i].kind == STACK:
            node[i] = S(s, steps[i].argument)
        elif steps[i].kind == BUFFER:
            node[i] = N(s, steps[i].argument)
        else:
            node[i] = relative(steps[i].kind, all_nodes, node[steps[i].argument])


cdef inline feat_t distance_value(int32_t distance, int32_t cap) noexcept nogil:
    """cap 0: 1, 2, 3, 4, 5-6, 7-9, 10 and more."""
    distance = distance if distance > 0 else -distance
    return feature_number(min(distance, cap)) if cap > 0 else coarse_number(distance)


cdef inline feat_t coarse_number(int32_t n) noexcept nogil:
    """1, 2, 3, 4, 5-6, 7-9, 10 and more."""
    return feature_number(n if n <= 4 else 5 if n <= 6 else 7 if n <= 9 else 10)


cdef inline feat_t part_value(const PartC* part, const int32_t* node, const NodeC* nodes, const LinkC* links,
                              int32_t root_pos) noexcept nogil:
    cdef int32_t i = node[part.node], other, distance
    if i < 0:
        return FEATURE_NONE
    if part.kind == LABEL:
        return label_hash(label(nodes, i)) if label(nodes, i) >= 0 else FEATURE_NONE
    if part.kind == LEFT_VALENCY:
        return feature_number(min(lval(nodes, i), part.cap))
    if part.kind == RIGHT_VALENCY:
        return feature_number(min(rval(nodes, i), part.cap))
    if part.kind == LEFT_SET:
        return feature_set(lset(nodes, i))
    if part.kind == RIGHT_SET:
        return feature_set(rset(nodes, i))
    if part.kind == DISTANCE:
        other = node[part.other]
        if other < 0:
            return FEATURE_NONE
        distance = (other if other > 0 else root_pos) - (i if i > 0 else root_pos)
        return distance_value(distance, part.cap)
    if part.kind == SPAN:
        return coarse_number(links[i].last - links[i].first + 1)
    return feature_number(lval(nodes, i) + rval(nodes, i) == 0)


cdef class Extractor:
    """Immutable: any number of threads may use one."""
    cdef readonly object templates          # the TemplateSet
    cdef readonly object plan
    cdef readonly str pos                   # the column that `p` stands for
    cdef readonly bint for_lists            # made for easy-first; else for the stack systems
    cdef readonly int32_t stride            # values per word (atoms.pxd)
    cdef readonly int32_t max_features      # room that a call of extract needs
    cdef int32_t n_nodes, n_stored, n_parts, n_rules, n_conditions
    cdef int32_t n_short[4]                 # rules with 1, 2, 3 parts end here; [0] is 0
    cdef StepC steps[MAX_NODES]
    cdef StoredC stored[MAX_PARTS]
    cdef PartC parts[MAX_PARTS]             # their values stand behind the stored ones
    cdef StoredC conditions[20]
    cdef RuleC* rules                       # owned; in order of their number of parts

    # Keys of what fires in a state, all different, none of them 0; the first is the bias. `words` is the row of ROOT
    # of the sentence's values (atoms.pxd), `out` has room for max_features. Returns their number.
    cdef int32_t extract(self, const StateC* s, const feat_t* words, feat_t* out) noexcept nogil
    # The same for the pair of list neighbours whose left one is `left`.
    cdef int32_t extract_pair(self, const ListC* s, const feat_t* words, int32_t left, feat_t* out) noexcept nogil

    cdef int32_t run(self, const int32_t* node, const NodeC* nodes, const LinkC* links, int32_t root_pos,
                     const feat_t* words, feat_t* out) noexcept nogil
    cdef int32_t apply_rules(self, uint64_t present, const feat_t* value, feat_t* out) noexcept nogil
