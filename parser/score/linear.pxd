"""Finished weights ready for parsing: the score of an action is the sum of its weights over the fired features."""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t

from parser.common cimport feat_t
from parser.score.keymap cimport KeyMap


cdef class LinearModel:
    """Read-only once made: any number of threads may score with one model."""
    cdef readonly int32_t n_actions
    cdef readonly object weights        # the arrays it was made of (parser.score.weights.Weights)
    cdef Pool mem                       # owns the map's arrays and `rows`
    cdef KeyMap map                     # key -> place in rows, in units of 4 bytes
    cdef char* rows                     # packed: number of weights, the weights, their actions (uint16) unless all

    cdef void score(self, const feat_t* feats, int32_t n, float* out) noexcept nogil
    cdef int pack(self) except -1
    cdef void add_row(self, const char* row, float* out) noexcept nogil
