"""The plan of a model as flat arrays: what program.py says, ready to be put together. Immutable."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t

from cymem.cymem cimport Pool

from parser.feature.extract cimport Extractor

cdef enum:
    PLACE_BITS = 11         # so that a factor which gathers the bits of a pattern is soon found
    LOCAL_TERM = -1         # as program.LOCAL


cdef extern from "parser/compiled/plan.h":
    enum:
        KERNEL_KEYS
        KERNEL_PICKED
        KERNEL_NODES
        KERNEL_LOCALS
        KERNEL_BEYOND
        KERNEL_NODE_BYTES
        KERNEL_NUMBER
        KERNEL_DISTANCE
        KERNEL_SET
        KERNEL_LEAF
        KERNEL_PRESENCE
        KERNEL_LOCAL_KINDS
    ctypedef struct kernel_term:
        unsigned char pick[8]
        uint16_t node
        uint16_t at
        uint16_t keys
        uint16_t unused
    ctypedef struct kernel_block:
        uint64_t seed[8]
        int32_t owner[8]
        const kernel_term* terms
        int32_t n_terms
        unsigned char n
        unsigned char all
    ctypedef struct kernel_ref:
        uint16_t node
        uint16_t at
        int32_t lookup
    ctypedef struct kernel_local:
        const uint64_t* product
        uint64_t factor
        int16_t kind
        int16_t node
        int16_t argument
        unsigned char coarse
        unsigned char in_range
        int32_t field
        int32_t cap
    ctypedef struct kernel_values:
        uint64_t factor[8]
        int32_t cap[8]
        unsigned char node[8]
        unsigned char other[8]
        unsigned char field[8]
        unsigned char numbers
        unsigned char distances
        unsigned char coarse
        unsigned char sets
        unsigned char leaves
        unsigned char presences
    ctypedef struct kernel_program:
        const void* code
        const void* data
        const kernel_block* blocks
        int32_t n_blocks
        int32_t n_sums
        int32_t n_keys
        int32_t n_features
        int32_t n_refs
        int32_t reads_tree
        const kernel_ref* refs
        const kernel_values* values
        const kernel_local* locals
        const uint64_t* products
        uint64_t present
        int32_t local_end[5]
    ctypedef struct kernel_code:
        unsigned char* start
        size_t size
        size_t used
        size_t kept
    ctypedef struct kernel_program_place:
        uint64_t present
        const kernel_program* program
        const void* read
    ctypedef struct kernel_programs:
        kernel_program_place* places
        const void* look
        int64_t steps
        int32_t bits
    ctypedef struct kernel_step:
        uint16_t node
        uint16_t from_ "from"
        int32_t field
    ctypedef struct kernel_plan:
        const kernel_step* steps
        int32_t on_stack
        int32_t in_buffer
        int32_t n_steps
        uint64_t nodes
        uint64_t asked
        uint64_t always
        int16_t* bias
        int16_t* rank
    ctypedef struct kernel_scene:
        const char* nodes
        const int32_t* top
        const int32_t* front
        int32_t root_pos
        uint64_t present
        const uint64_t* record[41]
        int32_t node[40]
    ctypedef struct kernel_best:
        int32_t rank
        int32_t top
        int32_t near
        int32_t far
        int32_t bound
    ctypedef struct kernel_work:
        uint64_t** of_word
        int32_t* waiting
        const int16_t* mask
        uint64_t* values
        uint64_t* told
        uint64_t* home
        uint64_t* asked
        unsigned int* rows
        int32_t n_keys
        int32_t* unknown
        uint64_t* features
        int32_t n_unknown
        int32_t n_features
        int16_t* head
        uint32_t* near
        uint32_t* far
        const kernel_program* program
        kernel_best best
        kernel_scene scene
    uint64_t kernel_pattern(const kernel_plan* plan, const kernel_scene* scene) noexcept nogil
    unsigned int kernel_program_home(const kernel_programs* programs, uint64_t present) noexcept nogil


cdef struct TermC:          # of a key
    int32_t node            # LOCAL_TERM: a value of the partial tree, by its number in the piece
    int32_t slot


cdef struct LookupC:        # a sum under a key: one group of templates, or a single template with its feature key
    uint64_t seed
    const TermC* terms
    int32_t n_terms
    int32_t slot            # of groups that a record refers to: their key is the seed and this
    int32_t first_rule      # in Flat.rules
    int32_t n_rules


cdef struct PieceC:         # what a chunk looks up where some of its nodes are there
    const kernel_ref* refs
    const kernel_local* locals
    int32_t n_refs
    int32_t n_locals
    int32_t first_sum       # lookups of sums,
    int32_t first_direct    # those with feature keys, of one template each,
    int32_t end             # and the end of both


cdef struct ChunkC:
    int32_t anchor          # a node without which nothing is looked up; -1, groups.CROSS: there is none
    uint64_t bit_mask       # the nodes whose presence makes the pattern
    uint64_t gather
    const PieceC** pieces   # by place of a pattern; see pattern_place


cdef class Flat:
    cdef readonly object layout
    cdef readonly Extractor extractor
    cdef int32_t n_labels
    cdef kernel_plan plan           # bias and rank are the engine's
    cdef int32_t n_chunks
    cdef int32_t n_slots, n_refs    # of a record
    cdef int32_t all_lookups, all_locals    # of a state: room is made for so many
    cdef ChunkC* chunks
    cdef PieceC* pieces
    cdef LookupC* lookups
    cdef int32_t* rules             # places in the extractor
    cdef int32_t* slot_value        # of each slot: the stored value
    cdef uint64_t* slot_factor
    cdef uint64_t* products         # of locals that are one of a few numbers: a table for each kind and factor,
    cdef dict product_at            # and where it starts
    cdef Pool mem                   # owns the arrays above

    cdef int lay_chunk(self, ChunkC* c, chunk, plan) except -1
    cdef int lay_piece(self, PieceC* p, program, place_of, filled) except -1
    cdef int lay_local(self, kernel_local* v, found) except -1
    cdef size_t lay_product(self, uint64_t* product, int32_t kind, int32_t cap, uint64_t factor) except 0
    cdef int32_t cap_of(self, int32_t kind, int32_t cap) noexcept
    cdef int lay_lookup(self, lookup, int32_t slot, place_of, filled) except -1


cdef inline int32_t pattern_place(const ChunkC* chunk, uint64_t present) noexcept nogil:
    """Which of the chunk's nodes are there, as a small number: the bits gathered by one multiplication."""
    return <int32_t>(((present & chunk.bit_mask) * chunk.gather) >> (64 - PLACE_BITS))
