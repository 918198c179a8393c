"""The engine: scores of a state from remembered sums.

`Engine` is the program of a model and read-only; a Memory belongs to one session and remembers what groups of templates
added up to. Every remembered sum was made by the plain way of scoring.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.flat cimport ChunkC, ProgramC
from parser.compiled.memory cimport MemoryC, kernel_filter, kernel_rows, kernel_set, kernel_task
from parser.compiled.scratch cimport SceneC, Scratch, ScratchC
from parser.compiled.sum_maker cimport SumMaker
from parser.transition.state cimport StateC


cdef class Engine(SumMaker):
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef kernel_filter filter
    cdef int32_t stride
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
