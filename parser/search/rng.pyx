"""The random stream of a run as a Python object; see parser/common.pxd for the generator."""

from libc.stdint cimport int32_t, uint64_t

import numpy as np

from parser.common cimport rng_below, rng_seed, rng_unit


cdef class Random:
    def __init__(self, uint64_t seed):
        rng_seed(&self.c, seed)

    @property
    def state(self):
        """Two numbers; set them in another stream and it goes on from here."""
        return int(self.c.s0), int(self.c.s1)

    @state.setter
    def state(self, value):
        s0, s1 = value
        if s0 == 0 and s1 == 0:
            raise ValueError("the state of a random stream cannot be 0, 0")
        self.c.s0, self.c.s1 = s0, s1

    def unit(self):
        """Uniform in [0, 1)."""
        return rng_unit(&self.c)

    def order(self, int32_t n):
        """0..n-1 in random order (Fisher & Yates), as int32."""
        order = np.arange(n, dtype=np.int32)
        cdef int32_t[::1] view = order
        cdef int32_t i, j
        for i in range(n - 1, 0, -1):
            j = rng_below(&self.c, i + 1)
            view[i], view[j] = view[j], view[i]
        return order
