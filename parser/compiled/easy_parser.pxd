"""An easy-first parser with compiled weights."""

from libc.stdint cimport int32_t

from parser.compiled.easy cimport EasyEngine
from parser.compiled.easy_memory cimport ListMemoryC
from parser.search.base cimport ResultC
from parser.search.easy cimport EasyParser
from parser.search.workspace cimport Workspace
from parser.transition.list_state cimport ListC


cdef class CompiledEasyParser(EasyParser):
    cdef readonly EasyEngine engine
    cdef readonly object compiled       # the Compiled that it was made of
    cdef double unit                    # a score in the weights' own measure is so much times the integer
    cdef int32_t n_actions

    cdef int decode(self, Workspace work, int32_t n, ResultC* out) except -1 nogil
    cdef int decode_with_chances(self, Workspace work, int32_t n, ResultC* out) except -1 nogil
    cdef int enter(self, Workspace work, const ListC* s, int32_t left) noexcept nogil
    cdef void spread(self, const int32_t* sums, float* out) noexcept nogil
    cdef ListC* begin_list(self, Workspace work, int32_t n) except NULL nogil
    cdef void attach(self, ListMemoryC* list, ListC* s, int32_t left, int32_t* head, int32_t* dep) noexcept nogil
    cdef void sum_up(self, Workspace work, int32_t left) noexcept nogil
