"""The plan of easy-first as flat arrays: what roles.py says, ready to be run. Immutable."""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t

from cymem.cymem cimport Pool

from parser.feature.extract cimport MAX_NODES, Extractor, PartC

cdef enum:
    WINDOW = 6              # p-2 .. p3
    MOST_TERMS = 16
    MOST_DIRECT_TERMS = 8
    MOST_BITS = 8           # nodes whose presence makes a pattern
    MOST_SHAPES = 32        # sets of places that begin at one of them
    MOST_LOCALS = 128       # values of one program that depend on the partial tree
    PRESENCE = -1           # as in program.py


cdef struct TermC:
    uint16_t node           # n_nodes: the locals
    uint16_t slot


cdef struct RoleC:          # a template of the set at one line of a shape
    uint64_t seed
    uint64_t any_of         # nodes of the moved plan
    uint64_t need
    int32_t first_part      # in the order of the feature key
    int32_t n_parts
    int32_t line            # of the shape


cdef struct LookupC:        # a sum under a key: what a group of rules adds up to, in all their roles
    uint64_t seed
    TermC term[MOST_TERMS]  # those behind the last one read the local 0, which is 0
    int32_t first_role      # in role_list
    int32_t n_roles


cdef struct DirectC:        # roles of one sum of terms, each with a feature key of its own
    TermC term[MOST_DIRECT_TERMS]
    int32_t first_role
    int32_t n_roles


cdef struct RefC:           # a sum that a word's record knows
    int32_t node
    int32_t slot
    int32_t lookup


cdef struct LocalC:
    PartC part
    uint64_t factor


cdef struct ProgramC:       # numbers of elements in the arrays
    int32_t first_local
    int32_t n_locals
    int32_t first_ref
    int32_t n_refs
    int32_t first_lookup
    int32_t two             # lookups with at most two terms end here,
    int32_t four            # with at most four,
    int32_t all             # with more
    int32_t first_direct
    int32_t n_directs


cdef struct ChunkC:
    int32_t n_bits
    int32_t bits[MOST_BITS]
    int32_t program[1 << MOST_BITS]     # by the nodes that are there


cdef struct ElementC:       # a node of the list
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
    int32_t first_element
    int32_t n_elements
    int32_t first_step
    int32_t n_steps
    int32_t first_node      # all its nodes, in node_list
    int32_t n_nodes
    int32_t first_line      # among the lines of an element
    int32_t n_lines
    int32_t first_plain     # where the sum of the plain rules alone is kept; -1: nowhere
    int32_t plain           # chunk; -1: none
    int32_t rich
    int32_t first_condition
    int32_t n_conditions
    int32_t first_asked     # conditional roles, in role_list
    int32_t n_asked
    int32_t first_role      # all roles, in role_list
    int32_t n_roles
    int32_t first_row       # its part of an element's rows
    int32_t most_rows


cdef struct LineC:          # that a pair adds up
    int32_t place           # in the window
    int32_t line
    int32_t shape


cdef class EasyFlat:
    cdef readonly object layout
    cdef readonly Extractor extractor
    cdef int32_t n_nodes, n_shapes, n_slots, n_refs, n_lines, n_plain_lines, n_rows, most_keys
    cdef ShapeC shapes[MOST_SHAPES]
    cdef ChunkC* chunks
    cdef ProgramC* programs
    cdef LookupC* lookups
    cdef DirectC* directs
    cdef RefC* refs
    cdef LocalC* locals
    cdef RoleC* roles
    cdef PartC* parts
    cdef int32_t* role_list
    cdef ElementC* elements
    cdef StepC* steps
    cdef int32_t* node_list
    cdef ConditionC* conditions
    cdef LineC* lines               # in the order of their places
    cdef uint32_t needed[WINDOW]    # shapes that a pair needs of the element at each place
    # Shapes whose sums change with an attachment, by the side on which the dependent left (0: of its head's left) and
    # how many places before the head they begin.
    cdef uint32_t new_plain[2][WINDOW]
    cdef uint32_t new_rich[2][WINDOW]
    cdef int32_t* slot_value        # of each slot of a record: the stored value
    cdef uint64_t* slot_factor
    cdef dict number_of             # of a role
    cdef Pool mem                   # owns the arrays above

    cdef int lay_shape(self, ShapeC* s, shape, filled) except -1
    cdef int lay_nodes(self, ShapeC* s, shape, filled) except -1
    cdef int lay_chunk(self, ChunkC* c, number, filled) except -1
    cdef int lay_program(self, ProgramC* p, program, filled) except -1
    cdef int lay_roles(self, roles, filled) except -1
    cdef int lay_terms(self, TermC* out, int32_t room, terms) except -1
