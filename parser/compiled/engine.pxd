"""The engine: scores of a state from remembered sums.

`Engine` is the program of a model and read-only; a Memory belongs to one session and remembers what groups of templates
added up to. Every remembered sum was made by the plain way of scoring.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.flat cimport ChunkC, Flat, LookupC, ProgramC
from parser.compiled.memory cimport Memory, MemoryC, kernel_bucket, kernel_filter, kernel_rows, kernel_set
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport MAX_NODES, Extractor
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC


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
    int32_t spare           # rows that are not remembered


cdef struct SceneC:         # a state, looked up once
    const StateC* state
    const NodeC* nodes
    uint64_t present        # bit i: node i is there
    int32_t node[MAX_NODES]
    const uint64_t* record[MAX_NODES + 1]   # of the nodes' words, and the locals


cdef class Engine(Flat):
    cdef readonly Table table
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef TableC rows_of
    cdef kernel_filter filter
    cdef int32_t n_columns, blocks, width, stride
    cdef int16_t* bias
    cdef int32_t bias_bound, bias_most
    cdef int16_t* rank
    cdef int16_t* zeros

    cpdef Memory new_memory(self)
    # The record of a word from its stored values.
    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil
    # The same for a word of which only the values are known.
    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil
    # Scores a state of the sentence in m.of_word: gives the rank of the best column where mask is set. m.scores has
    # all of them, if they are asked for.
    cdef int32_t choose(self, MemoryC* m, const StateC* s, const int16_t* mask, bint all_scores) noexcept nogil
    # The same with all columns; where a sum could leave 16 bits, with 32.
    cdef int32_t choose_of_all(self, MemoryC* m, SceneC* scene, const int16_t* mask) noexcept nogil
    cdef int32_t choose_wide(self, MemoryC* m, ListsC* lists, SceneC* scene, const int16_t* mask) noexcept nogil
    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil
    cdef void look(self, MemoryC* m, const StateC* s, SceneC* scene) noexcept nogil
    # Does a chunk look at anything else than when its sum was kept? Notes what it looks at now.
    cdef bint has_changed(self, MemoryC* m, const ChunkC* chunk, const SceneC* scene,
                          int32_t kept) noexcept nogil
    # Has everything that a chunk's sum needs on the way: the first half of the work.
    cdef void begin_task(self, MemoryC* m, const ChunkC* chunk, SceneC* scene, TaskC* task) noexcept nogil
    # Puts the rows of a chunk on the lists: the second half.
    cdef void collect(self, MemoryC* m, ListsC* lists, const TaskC* task, SceneC* scene) noexcept nogil
    cdef void read_locals(self, const ProgramC* p, const SceneC* scene, uint64_t* value) noexcept nogil
    cdef int32_t write_keys(self, const MemoryC* m, TaskC* task, const SceneC* scene) noexcept nogil
    # Those of the direct lookups that may have weights are put behind the first n.
    cdef int32_t write_direct(self, const MemoryC* m, TaskC* task, const SceneC* scene, int32_t n) noexcept nogil
    cdef uint64_t fill_ref(self, MemoryC* m, const LookupC* lookup, const SceneC* scene, uint64_t* known,
                           ListsC* lists) noexcept nogil
    cdef uint64_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const SceneC* scene,
                       ListsC* lists) noexcept nogil
    cdef uint64_t present_of(self, const MemoryC* m, const SceneC* scene) noexcept nogil
    # Adds a template's row to the numbers.
    cdef void add_rule(self, const MemoryC* m, Extractor e, int32_t place, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil
    # What a lookup's templates add up to, one by one, into m.found.
    cdef void add_up(self, MemoryC* m, const LookupC* lookup, const SceneC* scene) noexcept nogil
