from parser.common cimport Rng


cdef class Random:
    """The one source of chance of a training run: shuffling and exploration draw from it, parsing never does."""
    cdef Rng c
