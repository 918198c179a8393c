"""Scratch memory of one search at a time."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free

from parser.common cimport feat_t
from parser.transition.gold cimport GoldBlock
from parser.transition.list_state cimport ListBlock
from parser.transition.state cimport StateBlock


cdef class Workspace:
    def __cinit__(self):
        self.memory = NULL
        self.own_c = NULL

    def __init__(self):
        self.states, self.lists, self.gold = StateBlock(), ListBlock(), GoldBlock()

    def __dealloc__(self):
        free(self.memory)

    cdef int prepare(self, int32_t n_actions, int32_t max_features) except -1:
        cdef size_t bytes = max_features * sizeof(feat_t) + n_actions * (2 * sizeof(float) + 2 * sizeof(uint8_t))
        free(self.memory)
        self.memory = <char*>calloc(bytes, 1)
        if self.memory == NULL:
            raise MemoryError(f"no memory for {n_actions} actions and {max_features} features")
        self.n_actions = n_actions
        self.feats = <feat_t*>self.memory
        self.scores = <float*>(self.feats + max_features)
        self.chances = self.scores + n_actions
        self.legal = <uint8_t*>(self.chances + n_actions)
        self.zero = self.legal + n_actions
        return 0
