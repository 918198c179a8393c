"""Scratch memory of one search at a time: grows, never shrinks, so sentence after sentence allocates nothing."""

from libc.stdint cimport int32_t, uint8_t

from parser.common cimport feat_t
from parser.search.agenda cimport Agenda
from parser.transition.gold cimport GoldBlock
from parser.transition.list_state cimport ListBlock
from parser.transition.state cimport StateBlock


cdef class Workspace:
    cdef StateBlock states
    cdef ListBlock lists
    cdef GoldBlock gold
    cdef Agenda agenda          # easy-first alone; else None
    cdef char* memory           # owns the arrays below
    cdef feat_t* feats          # [max_features]
    cdef float* scores          # [n_actions]
    cdef float* chances         # [n_actions] probabilities
    cdef uint8_t* legal         # [n_actions]
    cdef uint8_t* zero          # [n_actions]
    cdef int32_t n_actions
    cdef readonly object own             # what else a parser keeps here; else None
    cdef void* own_c            # its C part

    cdef int prepare(self, int32_t n_actions, int32_t max_features) except -1
