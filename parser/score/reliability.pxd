"""From what the model gave an arc in the state where it was made to how many such arcs are right.

That state may be one in which an earlier mistake has left no right arc to make, so the first number is too high. Which
share of the arcs of a probability is right is found on a development set (train/reliability.py).
"""

from libc.stdint cimport int32_t, int64_t


cdef struct CurveC:         # straight lines from (0, 0) through n points, then level
    const float* x          # probabilities below 1, ascending
    const float* y          # shares, ascending
    int32_t n
    float certain           # the share of those that the model was certain of: 1


cdef class Reliability:
    cdef readonly object heads, labels      # arrays of float32: n probabilities and a 1, then their shares
    cdef CurveC head_curve, label_curve

    # Both of n words; an arc with its label is no likelier than without.
    cdef void apply(self, float* arcs, float* labelled, int64_t n) noexcept nogil


cdef inline float on_curve(const CurveC* c, float p) noexcept nogil:
    cdef int32_t i, after = 0       # the first point above p; counted, since a search cannot be foreseen
    cdef float x = 0, y = 0
    if p >= 1:
        return c.certain
    for i in range(c.n):
        after += c.x[i] <= p
    if after > 0:
        x, y = c.x[after - 1], c.y[after - 1]
    return y if after == c.n else y + (c.y[after] - y) * ((p - x) / (c.x[after] - x))
