"""An easy-first parser with compiled weights."""

from libc.stdint cimport int32_t

from parser.compiled.easy cimport EasyEngine
from parser.compiled.easy_memory cimport ListMemoryC
from parser.search.base cimport ResultC
from parser.search.easy cimport EasyParser
from parser.search.workspace cimport Workspace


cdef class CompiledEasyParser(EasyParser):
    cdef readonly EasyEngine engine
    cdef readonly object compiled       # the Compiled that it was made of
    cdef double unit                    # a score in the weights' own measure is so much times the integer
    cdef int32_t n_actions

    # A free lane for a sentence of n words; parses on with the others until there is one.
    cdef ListMemoryC* lane_for(self, Workspace work, int32_t n) except NULL nogil
    # The sentence whose words are in the lane.
    cdef int put_list(self, Workspace work, ListMemoryC* list, int32_t n, const ResultC* out) except -1 nogil
    cdef int begin_list(self, Workspace work, ListMemoryC* list, int32_t n) except -1 nogil
    cdef int step(self, Workspace work) except -1 nogil
    # Scores all pairs of the one list.
    cdef void score_all(self, Workspace work, ListMemoryC* list) noexcept nogil
    cdef int decode_with_chances(self, Workspace work, ListMemoryC* list, int32_t n) except -1 nogil
    cdef int enter(self, Workspace work, ListMemoryC* list, int32_t left) noexcept nogil
    cdef void spread(self, const int32_t* sums, float* out) noexcept nogil
    cdef void attach(self, ListMemoryC* list, int32_t left, int32_t* head, int32_t* dep) noexcept nogil
    cdef void sum_up(self, Workspace work, int32_t left) noexcept nogil
