"""Weights that are averaged over all visited states: the base of the perceptron and of passive-aggressive updates."""

from libc.stdint cimport int32_t, uint64_t

from parser.common cimport feat_t
from parser.learn.stored cimport Stored
from parser.score.table cimport Row


cdef class Averaged(Stored):
    cdef int change(self, const feat_t* feats, int32_t n, int32_t up, int32_t down, float delta) except -1 nogil
    cdef int change_weight(self, uint64_t cell, int32_t action, float delta) except -1 nogil
