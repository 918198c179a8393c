"""The engine: scores of a state from remembered sums.

`Engine` is the program of a model and read-only; a Memory belongs to one session and remembers what groups of templates
added up to. Every remembered sum was made by the plain way of scoring.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.flat cimport kernel_work
from parser.compiled.memory cimport MemoryC, kernel_chances, kernel_filter, kernel_rows, kernel_set
from parser.compiled.scratch cimport LaneC, Scratch
from parser.compiled.sum_maker cimport SumMaker
from parser.compiled.sums cimport Store


cdef class Engine(SumMaker):
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef kernel_filter filter
    cdef int32_t stride
    cdef Store store            # what all sessions remember

    cpdef Scratch new_scratch(self)
    # The record of a word from its stored values.
    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil
    # The same for a word of which only the values are known.
    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil
    # The same where the key of its values (values_key) is at hand.
    cdef uint64_t* record_under(self, MemoryC* m, uint64_t key, const feat_t* values) noexcept nogil

    # Scores the states of the first n busy lanes: work.best.rank is the rank of the best column where work.mask is set.
    cdef int choose(self, Scratch scratch, int32_t n) except -1 nogil
    # The same for a lane; the memory's `scores` has the scores of all columns then.
    cdef int32_t choose_of_all(self, Scratch scratch, LaneC* lane) except -1 nogil
    # What chances needs of such a state is on its way.
    cdef void ask_behind(self, const MemoryC* m, LaneC* lane) noexcept nogil
    # The odds of a state that `choose` has seen. False: they need more than 16 bits.
    cdef bint chances(self, Scratch scratch, LaneC* lane, const int16_t* of_move, float unit,
                      kernel_chances* out) except -1 nogil
    # What to do where the head may not be right, or not decide.
    cdef int decide(self, Scratch scratch, LaneC* lane) except -1 nogil
    # What the rows of these lanes are to be made of, where they are not known; all asked for, then all read.
    cdef int prepare(self, Scratch scratch, int32_t n) except -1 nogil
    # Has all rows of the state of one lane at hand, until those of another are made.
    cdef int make_state(self, Scratch scratch, LaneC* lane) except -1 nogil
    # Makes the program of a state, if there is none yet.
    cdef int find_program(self, Scratch scratch, kernel_work* work) except -1 nogil
    # The best of what stands behind the head, too.
    cdef int32_t choose_behind(self, MemoryC* m, const kernel_work* work) noexcept nogil
    # In 32 bits.
    cdef int32_t choose_wide(self, MemoryC* m, const kernel_work* work, const kernel_rows* rows) noexcept nogil
    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil
