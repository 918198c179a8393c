"""Finished weights ready for parsing.

The rows are packed one after the other, each in one or two cache lines, behind a hash map built when the model is
made. Weights are added in the order of the features, so scores are the same bits on every machine.
"""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from parser.common cimport feat_t
from parser.score.keymap cimport NO_ROW, PREFETCH, keymap_cell, keymap_home, keymap_init, keymap_insert


cdef extern from "parser/score/vector.h":
    void vector_add(float* total, const float* x, int32_t n) noexcept nogil

cdef enum:
    BATCH = 256             # features whose rows are fetched ahead of their use


cdef class LinearModel:
    def __init__(self, weights):
        weights.check()
        self.weights = weights
        self.n_actions = weights.n_actions
        self.mem = Pool()
        self.pack()

    cdef int pack(self) except -1:
        cdef const feat_t[::1] keys = self.weights.keys
        cdef const int64_t[::1] offsets = self.weights.offsets
        cdef const uint16_t[::1] actions = self.weights.actions
        cdef const float[::1] values = self.weights.weights
        cdef int64_t i, n
        cdef uint64_t at = 1, room = 1 + keys.shape[0] + values.shape[0] + (values.shape[0] + keys.shape[0]) // 2
        if room >> 32:
            raise MemoryError("linear model: more than 16 GiB of weights")
        keymap_init(self.mem, &self.map, keys.shape[0])
        self.rows = <char*>self.mem.alloc(room, 4)
        for i in range(keys.shape[0]):
            n = offsets[i + 1] - offsets[i]
            self.map.cells[keymap_insert(&self.map, keys[i])].value = <uint32_t>at
            (<uint32_t*>(self.rows + 4 * at))[0] = <uint32_t>n
            memcpy(self.rows + 4 * (at + 1), &values[offsets[i]], n * sizeof(float))
            at += 1 + n
            if n < self.n_actions:      # a full row needs no actions: they ascend
                memcpy(self.rows + 4 * at, &actions[offsets[i]], n * sizeof(uint16_t))
                at += (n + 1) // 2
        return 0

    cdef void score(self, const feat_t* feats, int32_t n, float* out) noexcept nogil:
        """Scores of all actions. 72 features or more; half of them have a row; most rows hold 2 to 8 weights."""
        cdef uint32_t refs[BATCH]
        cdef uint64_t cell
        cdef int32_t i, m, start = 0
        memset(out, 0, self.n_actions * sizeof(float))
        while start < n:
            m = min(n - start, BATCH)
            for i in range(m):
                cell = keymap_home(&self.map, feats[start + i])
                PREFETCH(&self.map.cells[cell])
            for i in range(m):
                refs[i] = self.map.cells[keymap_cell(&self.map, feats[start + i])].value
                PREFETCH(self.rows + 4 * <uint64_t>refs[i])
            for i in range(m):
                if refs[i] != NO_ROW:
                    self.add_row(self.rows + 4 * <uint64_t>refs[i], out)
            start += m

    cdef inline void add_row(self, const char* row, float* out) noexcept nogil:
        cdef int32_t k, n = (<const int32_t*>row)[0]
        cdef const float* w = <const float*>(row + 4)
        cdef const uint16_t* ids = <const uint16_t*>(row + 4 + 4 * n)
        if n == self.n_actions:
            vector_add(out, w, n)
            return
        for k in range(n):
            out[ids[k]] += w[k]

    def scores(self, feats):
        """Scores of all actions for a list of feature keys: for tests and the interpreter, not for loops."""
        keys = np.ascontiguousarray(feats, np.uint64)
        out = np.zeros(self.n_actions, np.float32)
        cdef const feat_t[::1] keys_in = keys
        cdef float[::1] result = out
        self.score(&keys_in[0] if keys_in.shape[0] else NULL, <int32_t>keys_in.shape[0], &result[0])
        return out
