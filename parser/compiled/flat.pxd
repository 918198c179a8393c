"""The programs of a model as flat arrays: what program.py says, ready to be run. Immutable."""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from cymem.cymem cimport Pool

from parser.feature.extract cimport MAX_NODES, Extractor

cdef enum:
    MAX_LOCALS = 192        # values of one program that depend on the partial tree
    SLOTS_KEPT = 64         # sums remembered for elements of the stack
    MAX_CHUNKS = 24
    KIND_BUFFER = 0         # as groups.BUFFER
    KIND_ANCHORED = 1
    KIND_CROSS = 2
    PRESENCE = -1           # as in program.py
    PLACE_BITS = 11         # so that a factor which gathers the bits of a pattern is soon found
    PLACE_SHIFT = 64 - PLACE_BITS


cdef extern from "parser/compiled/kernel.h":
    enum:
        KERNEL_KEYS
    ctypedef struct kernel_term:
        uint16_t node
        uint16_t at
        unsigned char keys
        unsigned char pick[8]
    ctypedef struct kernel_part:
        int32_t local
        int32_t keys
    ctypedef struct kernel_block:
        uint64_t seed[8]
        int32_t owner[8]
        const kernel_term* terms
        const kernel_part* parts
        int32_t n_terms
        int32_t n_parts
        int32_t n
    ctypedef struct kernel_ref:
        int32_t node
        int32_t at
        int32_t lookup
    ctypedef struct kernel_program:
        const kernel_block* blocks
        const kernel_ref* refs
        int32_t n_blocks
        int32_t n_sums
        int32_t n_refs


cdef struct LookupC:        # a sum under a key: one group of templates, or a single template with its feature key
    uint64_t seed
    int32_t slot            # of groups that a record refers to: their key is the seed and this
    int32_t first_rule      # in Engine.rules
    int32_t n_rules


cdef struct LocalC:
    int32_t kind            # a PartKind; PRESENCE
    int32_t node
    int32_t argument        # the other node of a distance
    int32_t cap
    int32_t field           # where the number, or the set, stands in a node
    uint64_t factor
    const uint64_t* product  # [number + 1] of such a number, or a distance; [0] of a missing one


cdef struct ProgramC:       # of a chunk and the nodes that are there
    kernel_program c
    const LocalC* locals
    int32_t n_numbers       # locals that are one of a few numbers of a node end here,
    int32_t n_distances     # distances here,
    int32_t n_sets          # hashes of sets of labels here,
    int32_t n_locals        # and all others


cdef struct ChunkC:
    int32_t kind            # as groups.BUFFER, ANCHORED, CROSS
    int32_t anchor          # a node
    int32_t depth           # of an anchor on the stack, from the top; -1: in the buffer
    int32_t first_kept      # where its sums are kept
    uint64_t bit_mask       # the nodes whose presence makes the pattern
    uint64_t gather
    const ProgramC** programs   # by place of a pattern; see pattern_place
    int32_t first_watched   # in Engine.watched
    int32_t first_key       # its part of the memory's arrays,
    int32_t first_local     # and of that of the locals
    int32_t n_plain         # nodes; those behind are node * 4 + (0 head, 1 outermost left, 2 outermost right)
    int32_t n_watched


cdef struct StepC:          # how a node is found: by an element of the stack or the buffer, or a number in another node
    int32_t node
    int32_t argument        # position; the other node
    int32_t field
    uint64_t bit            # of the node; 0: another step goes on from it


cdef class Flat:
    cdef readonly object layout
    cdef readonly Extractor extractor
    cdef int32_t n_labels
    cdef int32_t n_nodes, n_chunks, n_kept_chunks, n_crossing, n_kept, n_slots, n_refs, sign_length
    cdef int32_t all_lookups, most_lookups      # of a state, of a chunk: room is made for so many
    cdef ChunkC* chunks
    cdef ProgramC* programs
    cdef LookupC* lookups
    cdef int32_t* watched
    cdef StepC steps[2 * MAX_NODES]
    cdef int32_t on_stack, in_buffer, n_steps   # steps of these kinds end here
    cdef uint64_t all_nodes
    cdef int32_t* rules             # places in the extractor
    cdef int32_t* slot_value        # of each slot: the stored value
    cdef uint64_t* slot_factor
    cdef dict products              # of locals that are one of a few numbers
    cdef Pool mem                   # owns the arrays above

    cdef int lay_chunk(self, ChunkC* c, chunk, plan, looked_at, programs, filled) except -1
    cdef int lay_program(self, ProgramC* p, program, place_of, filled) except -1
    cdef int lay_locals(self, ProgramC* p, program, order) except -1
    cdef int lay_block(self, kernel_block* block, lookups, place, place_of, filled) except -1
    cdef int lay_steps(self, plan) except -1
    cdef int lay_local(self, LocalC* v, found) except -1
    cdef const uint64_t* products_of(self, LocalC* v, place) except NULL
    cdef int lay_lookup(self, lookup, int32_t slot, place_of, filled) except -1


cdef inline int32_t pattern_place(const ChunkC* chunk, uint64_t present) noexcept nogil:
    """Which of the chunk's nodes are there, as a small number: the bits gathered by one multiplication."""
    return <int32_t>(((present & chunk.bit_mask) * chunk.gather) >> PLACE_SHIFT)
