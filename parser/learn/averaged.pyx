"""Weights that are averaged over all visited states.

hot: the weight w; cold: u, the sum of tau * delta over the changes of w, tau being the number of states completed when
the change was made. The mean of w over T states is then w - u / T: nothing is touched but what changes ("lazy"
averaging; Daume 2006, section 2.1.1; Freund & Schapire 1999 for the average itself). With whole-number changes all
sums are exact: w below 2^24 in float32, u below 2^53 in float64.
"""

from libc.stdint cimport int32_t, uint64_t

from parser.common cimport feat_t
from parser.learn.stored cimport Stored
from parser.score.table cimport Row


cdef class Averaged(Stored):
    cdef int change(self, const feat_t* feats, int32_t n, int32_t up, int32_t down, float delta) except -1 nogil:
        """w += delta for action `up`, w -= delta for action `down` (-1: none); one change of every row."""
        cdef int32_t i
        cdef uint64_t cell
        self.table.reserve(n)
        for i in range(n):
            if feats[i] == 0:
                continue
            cell = self.table.claim(feats[i], i, &self.fired)
            if not self.table.is_closed_to(cell):
                self.change_weight(cell, up, delta)
                if down >= 0:
                    self.change_weight(cell, down, -delta)
                self.table.count_update(cell, self.table.row(cell))
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

    def keep_rows(self, keys):
        """The average begins anew: until now the rows that go had their share in every decision."""
        Stored.keep_rows(self, keys)
        self.table.clear_cold()
        self.steps = 0

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        cdef float* w = self.table.hot(row)
        cdef double* u = <double*>self.table.cold(row)
        cdef int32_t k
        for k in range(row.n):
            out[k] = <float>(w[k] - u[k] / max(self.steps, 1))
