"""The engine: scores of a state from remembered sums.

`Engine` is the program of a model and read-only; a Memory belongs to one session and remembers what groups of templates
added up to. Every remembered sum was made by the plain way of scoring.
"""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport feat_t
from parser.compiled.memory cimport Memory, MemoryC, kernel_bucket, kernel_filter, kernel_rows, kernel_set
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport MAX_NODES, Extractor
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC

cdef enum:
    MAX_TERMS = 16
    MAX_LOCALS = 192        # values of one program that depend on the partial tree
    SLOTS_KEPT = 64         # sums remembered for elements of the stack


cdef struct TermC:
    uint16_t node           # n_nodes: the locals
    uint16_t slot


cdef struct LookupC:        # a sum under a key: one group of templates, or a single template with its feature key
    uint64_t seed
    TermC term[MAX_TERMS]   # those behind the last one read the local 0, which is 0
    int32_t first_rule      # in Engine.rules
    int32_t n_rules


cdef struct RefC:           # a sum that a word's record knows
    int32_t node
    int32_t slot
    int32_t lookup          # what it is made by; its terms are the record's


cdef struct LocalC:
    int32_t kind            # a PartKind; PRESENCE
    int32_t node
    int32_t argument        # the other node of a distance
    int32_t cap
    int32_t field           # where the number stands in a node; -1: it is not one of a few
    uint64_t factor
    const uint64_t* product # [number + 1] of such a value; [0] of a missing one


cdef struct ProgramC:       # of a chunk and the nodes that are there; numbers of elements in the engine's arrays
    int32_t first_local
    int32_t n_numbers       # locals that are one of a few numbers of a node; the others follow
    int32_t n_locals
    int32_t first_ref
    int32_t n_refs
    int32_t first_lookup
    int32_t two             # lookups with at most two terms end here,
    int32_t four            # with at most four,
    int32_t all             # with more,
    int32_t direct          # and the direct ones


cdef struct ChunkC:
    int32_t kind            # as groups.BUFFER, ANCHORED, CROSS
    int32_t anchor          # a node
    int32_t depth           # of an anchor on the stack, from the top; -1: in the buffer
    int32_t first_kept      # where its sums are kept
    uint64_t bit_mask       # the nodes whose presence makes the pattern
    uint64_t gather
    int32_t first_pattern   # in Engine.program_of
    int32_t first_watched   # in Engine.watched
    int32_t first_key       # its part of the memory's arrays
    int32_t n_plain         # nodes; those behind are node * 4 + (0 head, 1 outermost left, 2 outermost right)
    int32_t n_watched


cdef struct TaskC:          # a chunk whose sum is to be made
    const ChunkC* chunk
    const ProgramC* program
    uint64_t* value         # its locals
    uint64_t* keys          # its part of the memory's arrays
    int32_t* owners
    const kernel_bucket** homes
    int32_t n               # keys
    int32_t kept            # where the sum is kept


cdef struct ListsC:         # rows to be added up
    kernel_rows rows
    int32_t bound           # no score behind the head is above it
    int32_t spare           # rows that are not remembered


cdef struct StepC:          # how a node is found: by an element of the stack or the buffer, or a number in another node
    int32_t node
    int32_t argument        # position; the other node
    int32_t field


cdef struct SceneC:         # a state, looked up once
    const StateC* state
    const NodeC* nodes
    uint64_t present        # bit i: node i is there
    int32_t node[MAX_NODES]
    const uint64_t* record[MAX_NODES + 1]   # of the nodes' words, and the locals


cdef class Engine:
    cdef readonly Table table
    cdef readonly Extractor extractor
    cdef readonly object layout
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef TableC rows_of
    cdef kernel_filter filter
    cdef int32_t n_columns, blocks, width, stride, n_nodes, n_chunks, n_kept_chunks, n_kept, n_slots, n_refs
    cdef int32_t all_lookups, sign_length
    cdef ChunkC* chunks
    cdef ProgramC* programs
    cdef LookupC* lookups
    cdef RefC* refs
    cdef LocalC* locals
    cdef int32_t* watched
    cdef int32_t* program_of
    cdef StepC steps[2 * MAX_NODES]
    cdef int32_t on_stack, in_buffer, n_steps    # steps of these kinds end here
    cdef int32_t* rules             # places in the extractor
    cdef int32_t* slot_value        # of each slot: the stored value
    cdef uint64_t* slot_factor
    cdef int32_t n_labels
    cdef dict products              # of locals that are one of a few numbers
    cdef Pool mem                   # owns the arrays above
    cdef int16_t* bias
    cdef int32_t bias_bound
    cdef int16_t* rank
    cdef int16_t* zeros

    cdef int lay_chunk(self, ChunkC* c, chunk, plan, looked_at, programs, filled) except -1
    cdef int lay_program(self, ProgramC* p, program, place_of, filled) except -1
    cdef int lay_steps(self, plan) except -1
    cdef int lay_local(self, LocalC* v, found) except -1
    cdef int lay_lookup(self, lookup, place, place_of, filled) except -1

    cpdef Memory new_memory(self)
    # The record of a word from its stored values.
    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil
    # The same for a word of which only the values are known.
    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil
    # Scores a state of the sentence in m.of_word; gives the rank of the best column where mask is set. m.scores then has
    # the head's scores; all of them if asked for.
    cdef int32_t choose(self, MemoryC* m, const StateC* s, const int16_t* mask, bint all_scores) noexcept nogil
    cdef int32_t choose_of_all(self, MemoryC* m, SceneC* scene, const int16_t* mask) noexcept nogil
    cdef void look(self, MemoryC* m, const StateC* s, SceneC* scene) noexcept nogil
    cdef bint has_changed(self, MemoryC* m, const ChunkC* chunk, const SceneC* scene, int32_t kept) noexcept nogil
    # Has everything that a chunk's sum needs on the way: the first half of the work.
    cdef void begin_task(self, MemoryC* m, const ChunkC* chunk, SceneC* scene, TaskC* task) noexcept nogil
    # Puts the rows of a chunk on the lists: the second half.
    cdef void collect(self, MemoryC* m, ListsC* lists, const TaskC* task, SceneC* scene) noexcept nogil
    cdef void read_locals(self, const ProgramC* p, const SceneC* scene, uint64_t* value) noexcept nogil
    cdef int32_t write_keys(self, MemoryC* m, TaskC* task, const SceneC* scene) noexcept nogil
    # Those of the direct lookups that may have weights are put behind the first n.
    cdef int32_t write_direct(self, MemoryC* m, TaskC* task, const SceneC* scene, int32_t n) noexcept nogil
    cdef uint64_t fill_ref(self, MemoryC* m, const LookupC* lookup, const SceneC* scene, uint64_t* known,
                           ListsC* lists) noexcept nogil
    cdef uint64_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const SceneC* scene,
                       ListsC* lists) noexcept nogil
    # What a lookup's templates add up to, one by one, into m.found.
    cdef void add_up(self, MemoryC* m, const LookupC* lookup, Extractor e, const SceneC* scene) noexcept nogil
