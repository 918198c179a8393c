"""Probabilities of arcs; see reliability.pxd."""

from libc.stdint cimport int64_t

import numpy as np


cdef class Reliability:
    def __init__(self, heads, labels):
        """As their fields; ValueError if they cannot be."""
        self.heads, self.labels = checked(heads), checked(labels)
        set_curve(&self.head_curve, self.heads)
        set_curve(&self.label_curve, self.labels)

    def arrays(self):
        """What a file keeps, by the names of the constructor's arguments."""
        return {"heads": self.heads, "labels": self.labels}

    cdef void apply(self, float* arcs, float* labelled, int64_t n) noexcept nogil:
        cdef int64_t i
        for i in range(n):
            arcs[i] = on_curve(&self.head_curve, arcs[i])
            labelled[i] = min(arcs[i], on_curve(&self.label_curve, labelled[i]))

    def applied(self, arcs, labelled):
        """The same for arrays, which stay as they are."""
        found = np.array([arcs, labelled], np.float32)
        cdef float[:, ::1] view = found
        if view.shape[1] > 0:
            self.apply(&view[0, 0], &view[1, 0], view.shape[1])
        return found[0], found[1]


cdef int set_curve(CurveC* curve, points) except -1:
    cdef const float[::1] view = points
    curve.n = <int>(view.shape[0] // 2 - 1)
    curve.x, curve.y = &view[0], &view[curve.n + 1]
    curve.certain = view[2 * curve.n + 1]
    return 0


def checked(points):
    """An array that may be a view of a mapped file."""
    if points.dtype != np.float32 or points.ndim != 1 or len(points) < 4 or len(points) % 2:
        raise ValueError("reliability: no curve")
    n = len(points) // 2
    x, y = points[:n], points[n:]
    ascend = (x[: n - 1] <= x[1:]).all() and (y[: n - 2] <= y[1 : n - 1]).all()
    if not (ascend and x[n - 1] == 1 and 0 < x[0] and x[n - 2] < 1 and y.min() >= 0 and y.max() <= 1):
        raise ValueError("reliability: not a curve")
    return points
