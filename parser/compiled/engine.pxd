"""The engine: scores of a state from remembered sums.

`Engine` is the program of a model and read-only; a Memory belongs to one session and remembers what groups of templates
added up to. Every remembered sum was made by the plain way of scoring.
"""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.flat cimport ChunkC, Flat, LookupC, ProgramC, kernel_ref
from parser.compiled.memory cimport MemoryC, kernel_filter, kernel_rows, kernel_set, kernel_task
from parser.compiled.scratch cimport SceneC, Scratch, ScratchC
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport Extractor
from parser.transition.state cimport StateC


cdef class Engine(Flat):
    cdef readonly Table table
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef TableC rows_of
    cdef kernel_filter filter
    cdef int32_t n_columns, blocks, width, stride
    cdef int16_t* bias          # by lane, as in rows; see lane_of
    cdef int16_t* rank          # by lane

    cpdef Scratch new_scratch(self)
    # The record of a word from its stored values.
    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil
    # The same for a word of which only the values are known.
    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil

    # Scores a state: gives the rank of the best column where mask is set. c.m.scores has all of them, if they are asked
    # for.
    cdef int32_t choose(self, ScratchC* c, const StateC* s, const int16_t* mask, bint all_scores) noexcept nogil
    cdef void look(self, ScratchC* c, const StateC* s) noexcept nogil
    # What has to be looked up,
    cdef void ask(self, ScratchC* c) noexcept nogil
    # which rows that is,
    cdef void look_up_rows(self, ScratchC* c) noexcept nogil
    # and what they add up to, where the head of the columns decides.
    cdef int32_t choose_of_head(self, ScratchC* c, const int16_t* mask) noexcept nogil
    # A chunk whose sum is kept: where, and a task if it has to be made anew.
    cdef void begin_kept(self, ScratchC* c, const ChunkC* chunk) noexcept nogil
    # Does a chunk look at anything else than when its sum was kept? Notes what it looks at now.
    cdef bint has_changed(self, ScratchC* c, const ChunkC* chunk, int32_t kept) noexcept nogil
    cdef void begin_task(self, ScratchC* c, const ChunkC* chunk, kernel_task* task) noexcept nogil
    cdef void read_locals(self, const ProgramC* p, const SceneC* scene, uint64_t* value) noexcept nogil
    cdef void add_up_kept(self, ScratchC* c, const kernel_task* task) noexcept nogil
    # The same with all columns; where a sum could leave 16 bits, with 32.
    cdef int32_t choose_of_all(self, ScratchC* c, const int16_t* mask) noexcept nogil
    cdef int32_t choose_wide(self, ScratchC* c, const kernel_rows* lists, const int16_t* mask) noexcept nogil
    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil

    # Rows that are not known yet
    cdef void make_rows(self, ScratchC* c, int32_t n_tasks) noexcept nogil
    # What the k-th row of a task is made by.
    cdef const LookupC* lookup_of(self, const kernel_task* task, int32_t k) noexcept nogil
    cdef uint32_t fill_ref(self, MemoryC* m, const kernel_ref* ref, const SceneC* scene,
                           const feat_t* features) noexcept nogil
    cdef uint32_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const feat_t* features) noexcept nogil
    cdef int32_t write_features(self, MemoryC* m, const LookupC* lookup, uint64_t present, const SceneC* scene,
                                int32_t n) noexcept nogil
    cdef uint64_t present_of(self, const MemoryC* m, const SceneC* scene) noexcept nogil
    cdef feat_t feature_of(self, const MemoryC* m, Extractor e, int32_t place, uint64_t present,
                           const SceneC* scene) noexcept nogil
    # Where the row of a feature stands in the table; 0: it has none.
    cdef uint32_t row_of(self, feat_t feature) noexcept nogil
