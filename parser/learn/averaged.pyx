"""Weights that are averaged over all visited states.

hot: the weight w; cold: u, the sum of tau * delta over the changes of w, tau being the number of states completed when
the change was made. The mean of w over T states is then w - u / T: nothing is touched but what changes ("lazy"
averaging; Daume 2006, section 2.1.1; Freund & Schapire 1999 for the average itself). With whole-number changes all
sums are exact: w below 2^24 in float32, u below 2^53 in float64.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from parser.common cimport feat_t
from parser.learn.learner cimport Learner
from parser.score.keymap cimport NO_ROW
from parser.score.table cimport MAX_FIRED, Row


cdef extern from "parser/score/vector.h":
    void vector_add(float* sum, const float* x, int32_t n) noexcept nogil


cdef class Averaged(Learner):
    cdef void score(self, const feat_t* feats, int32_t n, float* out) noexcept nogil:
        """About 72 to 180 features, three of four known, 2 to 8 weights in most rows and one per action in the rest."""
        cdef int32_t i, m, start = 0
        memset(out, 0, self.n_actions * sizeof(float))
        while start < n:
            m = min(n - start, MAX_FIRED)
            self.table.look_up(feats + start, m, &self.fired)
            for i in range(m):
                if self.table.map.values[self.fired.cells[i]] != NO_ROW:
                    self.add_row_to(self.table.row(self.fired.cells[i]), out)
            start += m
        if n > MAX_FIRED:
            self.fired.n = 0

    cdef inline void add_row_to(self, Row* row, float* out) noexcept nogil:
        if row.updates < <uint32_t>self.min_updates:
            return
        if self.table.is_dense(row):
            vector_add(out, self.table.hot(row), self.n_actions)
            return
        cdef float* w = self.table.hot(row)
        cdef uint16_t* ids = self.table.ids(row)
        cdef int32_t k
        for k in range(row.n):
            out[ids[k]] += w[k]

    cdef int change(self, const feat_t* feats, int32_t n, int32_t up, int32_t down, float delta) except -1 nogil:
        """w += delta for action `up`, w -= delta for action `down` (-1: none); one change of every row."""
        cdef int32_t i
        cdef uint64_t cell
        self.table.reserve(n)
        for i in range(n):
            if feats[i] != 0:
                cell = self.table.claim(feats[i], i, &self.fired)
                self.change_weight(cell, up, delta)
                if down >= 0:
                    self.change_weight(cell, down, -delta)
                self.table.row(cell).updates += 1
        return 0

    cdef int change_weight(self, uint64_t cell, int32_t action, float delta) except -1 nogil:
        cdef int32_t k = self.table.entry(cell, action)
        cdef Row* row = self.table.row(cell)
        self.table.hot(row)[k] += delta
        (<double*>self.table.cold(row))[k] += <double>self.steps * delta
        return 0

    cdef int add(self, const feat_t* feats, int32_t n, int32_t action, float delta) except -1 nogil:
        return self.change(feats, n, action, -1, delta)

    cdef int add_all(self, const feat_t* feats, int32_t n, const float* delta) except -1 nogil:
        cdef int32_t action
        for action in range(self.n_actions):
            if delta[action] != 0:
                self.change(feats, n, action, -1, delta[action])
        return 0

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        cdef float* w = self.table.hot(row)
        cdef double* u = <double*>self.table.cold(row)
        cdef int32_t k
        for k in range(row.n):
            out[k] = <float>(w[k] - u[k] / max(self.steps, 1))
