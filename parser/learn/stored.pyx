"""Weights that stand in the table as they are (hot) and are added up to score: the base of all learners but
AdaGrad-RDA, whose weights are computed when they are read."""

from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.string cimport memset

from parser.common cimport feat_t
from parser.learn.learner cimport Learner
from parser.score.spans cimport Spans, span_add, spans_in
from parser.score.table cimport MAX_FIRED, Row, RowTable


cdef inline void add_row(RowTable table, Row* row, const Spans* spans, float* out) noexcept nogil:
    cdef float* w = table.hot(row)
    cdef uint16_t* ids = table.ids(row)
    cdef int32_t k
    if table.is_dense(row):
        span_add(out, w, spans)
        return
    for k in range(row.n):
        out[ids[k]] += w[k]


cdef class Stored(Learner):
    cdef void score(self, const feat_t* feats, int32_t n, const uint8_t* legal, float* out) noexcept nogil:
        """About 72 to 180 features, three of four known, 2 to 8 weights in most rows and one per action in the rest."""
        cdef int32_t i, m, start = 0
        cdef Row* row
        cdef Spans spans
        spans_in(&spans, legal, self.n_actions)
        memset(out, 0, self.n_actions * sizeof(float))
        while start < n:
            m = min(n - start, MAX_FIRED)
            self.table.look_up(feats + start, m, &self.fired)
            for i in range(m):
                self.table.fetch_dense(&self.fired, i, &spans, False)
                row = self.fired.rows[i]
                if row != NULL:
                    add_row(self.table, row, &spans, out)
            start += m
        if n > MAX_FIRED:
            self.fired.n = 0

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        cdef float* w = self.table.hot(row)
        cdef int32_t k
        for k in range(row.n):
            out[k] = w[k]
