"""Memory for one sentence that did not come in a batch: its cells, and its tree before Python has it."""

from libc.stdint cimport int32_t

from parser.search.base cimport ResultC
from parser.treebank.batch cimport CellC


cdef class Room:
    cdef CellC* cells           # [word * N_COLUMNS + column]; owned, as is what the other pointers point to
    cdef ResultC tree           # all four arrays are there
    cdef int32_t* scratch       # what Restorer.restore needs
    cdef int32_t n              # words that fit

    cdef int reserve(self, int32_t n) except -1 nogil
