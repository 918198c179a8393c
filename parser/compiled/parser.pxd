"""A greedy parser with compiled weights."""

from libc.stdint cimport int16_t, int32_t, uint32_t

from parser.compiled.engine cimport Engine
from parser.search.base cimport ResultC
from parser.search.greedy cimport GreedyParser
from parser.search.workspace cimport Workspace
from parser.transition.state cimport StateC


cdef class CompiledParser(GreedyParser):
    cdef readonly Engine engine
    cdef readonly object compiled       # the Compiled that it was made of
    cdef double unit                    # a score in the weights' own measure is so much times the integer
    cdef int16_t* masks                 # [1 << N_MOVES][width]: -1 where the column's move is among them

    cdef int32_t* actions               # of the columns
    cdef int32_t* by_rank

    cdef int decode(self, Workspace work, int32_t n, ResultC* out) except -1 nogil
    cdef const int16_t* mask_of(self, Workspace work, const StateC* s, uint32_t moves) noexcept nogil
    cdef void spread(self, Workspace work, const int32_t* sums) noexcept nogil
