"""A compiled template set: a configuration and the values of its words -> feature keys."""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from parser.common cimport feat_t
from parser.transition.list_state cimport LinkC, ListC
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC

cdef enum:
    MAX_NODES = 40              # as in plan.py
    MAX_PARTS = 512
    MAX_RULE_PARTS = 8


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
    cdef feat_t part_value(self, const PartC* part, const int32_t* node, const NodeC* nodes, const LinkC* links,
                           int32_t root_pos) noexcept nogil
    cdef int32_t apply_rules(self, uint64_t present, const feat_t* value, feat_t* out) noexcept nogil
