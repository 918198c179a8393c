"""Weights that stand in the table as they are (hot) and are added up to score: the base of all learners but
AdaGrad-RDA, whose weights are computed when they are read."""

from libc.stdint cimport int32_t, uint16_t

from parser.learn.learner cimport Learner
from parser.score.spans cimport Spans, span_add
from parser.score.table cimport Row, RowTable


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
    cdef void add_rows(self, int32_t n, const Spans* spans, float* out) noexcept nogil:
        cdef int32_t i
        cdef Row* row
        for i in range(n):
            row = self.table.row_in_turn(&self.fired, i, spans, False)
            if row != NULL:
                add_row(self.table, row, spans, out)

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        cdef float* w = self.table.hot(row)
        cdef int32_t k
        for k in range(row.n):
            out[k] = w[k]
