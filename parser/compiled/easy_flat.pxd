"""The plan of easy-first as flat arrays: what roles.py says, ready to be run. Immutable."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from cymem.cymem cimport Pool

from parser.compiled.easy_memory cimport easy_asks, easy_keys, easy_line
from parser.feature.extract cimport MAX_NODES, Extractor, PartC

cdef enum:
    WINDOW = 6              # p-2 .. p3
    MOST_SHAPES = 32        # sets of places that begin at one of them
    MOST_BITS = 64          # conditions
    DISTANCES = 32          # products of a distance that are made beforehand; more is as good as this
    PRESENCE = -1           # as in program.py
    MOST_EIGHTS = 64        # of single roles under the keys of a shape


cdef struct RoleC:          # a template of the set at one line of a shape
    uint64_t seed
    uint64_t any_of         # nodes of the moved plan
    uint64_t need
    int32_t first_part      # in the order of the feature key
    int32_t n_parts
    int32_t line            # of the shape


cdef struct KeyC:           # what is remembered under a key: the sum of some roles
    int32_t first_role      # in role_list
    int32_t n_roles


cdef struct AcrossC:        # distances between two elements
    int32_t place[2]
    int32_t node[2]         # relatives of the elements; 0: these themselves
    const uint64_t* product  # by distance: what it adds to each sum; [DISTANCES] of one that there is not


cdef struct KeysC:          # sums of terms: a seed and what the elements contribute
    easy_keys sums
    int32_t with_dependents[WINDOW]     # by place: 1 for what an element contributes with its dependents,
    int32_t at[WINDOW]      # and where that begins: there, or (0) in the record of its word
    int32_t first_across
    int32_t n_across
    uint64_t always         # eights of single roles without conditions,
    uint64_t sometimes      # and with
    const easy_asks* ask[2]     # the first two of those without,
    uint64_t more               # and the others
    int32_t most_rows


cdef struct TermC:
    PartC part              # nodes: relatives of the element
    int32_t stored          # where the record of the node's word has the value
    uint64_t factor


cdef struct ShareC:         # of an element in one sum
    int32_t first_term
    int32_t n_terms


cdef struct NodeOfC:        # a node of the moved plan: where the search for it begins
    int32_t node
    int32_t place           # counted from the first element of the shape


cdef struct StepC:          # a relative: a number in another node
    int32_t node
    int32_t argument
    int32_t field


cdef struct ConditionC:
    uint64_t bit
    int32_t node
    int32_t value           # stored; holds if it is not NONE


cdef struct ShapeC:
    int32_t n_places
    int32_t places[WINDOW]  # counted from the first element
    int32_t n_lines
    int32_t single          # of one place: the first reference to what it adds up to without dependents; -1
    bint has_plain
    bint has_rich
    KeysC plain
    KeysC rich[4]           # by which of its (one or two) places have dependents; of more places: [0] none, [1] any
    int32_t first_row       # its part of an element's rows
    int32_t most_rows
    int32_t first_role      # all roles, in role_list,
    int32_t n_roles
    int32_t n_plain_roles   # the plain ones first
    int32_t first_element   # what making a sum needs
    int32_t n_elements
    int32_t first_step
    int32_t n_steps
    int32_t first_node      # all its nodes, in node_list
    int32_t n_nodes
    int32_t first_condition
    int32_t n_conditions


cdef class EasyFlat:
    cdef readonly object layout
    cdef readonly Extractor extractor
    cdef readonly int32_t n_shapes, n_refs, n_lines, n_rows, most_keys, most_sums, most_shares
    cdef readonly int32_t n_plain, n_bare, n_rich    # contributions of an element
    cdef int32_t n_contributions            # all of them, and the conditions that hold
    cdef ShapeC shapes[MOST_SHAPES]
    cdef KeyC* keys
    cdef uint64_t* seeds
    cdef easy_asks* asks
    cdef AcrossC* across
    cdef uint64_t* needs
    cdef ShareC* shares             # different ones: of plain rules and without dependents, and of the others
    cdef int32_t n_shares[2]
    cdef int32_t* share_of          # of each contribution: plain, bare, rich
    cdef TermC* terms
    cdef RoleC* roles
    cdef PartC* parts
    cdef int32_t* role_list
    cdef NodeOfC* elements
    cdef StepC* steps
    cdef int32_t* node_list
    cdef ConditionC* conditions     # of shapes
    cdef easy_line* lines           # that a pair adds up, in the order of their places
    cdef readonly int32_t n_sources  # rows that they may be made of
    # Shapes that pairs need of an element at any of these places, the first to the last.
    cdef uint32_t needed[WINDOW][WINDOW]
    # Shapes whose sums change with an attachment, by the side on which the dependent left (0: of its head's left) and
    # how many places before the head they begin.
    cdef uint32_t new_plain[2][WINDOW]
    cdef uint32_t new_rich[2][WINDOW]
    cdef int32_t n_relatives        # nodes that are looked at from an element, itself the first
    cdef int32_t n_relative_steps
    cdef StepC relative_steps[2 * MAX_NODES]
    cdef int32_t n_conditions
    cdef ConditionC element_conditions[MOST_BITS]
    cdef dict number_of             # of a role
    cdef dict regions               # what an element contributes, as terms
    cdef dict relative_of           # path -> number
    cdef dict condition_bits        # (relative, value) -> number
    cdef Pool mem                   # owns the arrays above

    cdef void* lines_of(self, size_t n, size_t size) except NULL
    cdef int lay_shape(self, ShapeC* s, shape, filled) except -1
    cdef int lay_nodes(self, ShapeC* s, shape, filled) except -1
    cdef int lay_keys(self, KeysC* k, shape, keys, having, filled) except -1
    cdef int lay_share(self, ShareC* share, terms, filled) except -1
    cdef int lay_across(self, KeysC* k, shape, keys, filled) except -1
    cdef int lay_asked(self, KeysC* k, shape, keys, filled) except -1
    cdef int lay_eight(self, easy_asks* asks, shape, need, roles, filled) except -1
    cdef int lay_roles(self, roles, filled) except -1
