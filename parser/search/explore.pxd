"""Which action training takes next; see options.py for what the numbers mean."""

from libc.stdint cimport int32_t, uint8_t

from parser.common cimport Rng, rng_below, rng_unit

cdef enum:
    EXPLORE_ERRORS = 0
    EXPLORE_SAMPLE = 1


cdef struct ExplorationC:
    int32_t kind
    int32_t k               # exploration begins in iteration k + 1
    double p                # probability of following a wrong prediction
    bint random_fallback


cdef inline bint follows_error(const ExplorationC* e, int32_t iteration, Rng* rng) noexcept nogil:
    """Drawn only after an error, and only where chance decides (Goldberg & Nivre 2013, EXPLORE)."""
    if iteration <= e.k or e.p <= 0:
        return False
    return e.p >= 1 or rng_unit(rng) < e.p


cdef inline int32_t random_member(const uint8_t* mask, int32_t n, Rng* rng) noexcept nogil:
    """A uniformly drawn action among those set in the mask, at least one."""
    cdef int32_t a, count = 0
    for a in range(n):
        count += mask[a]
    count = rng_below(rng, count)
    for a in range(n):
        count -= mask[a]
        if count < 0:
            return a
    return -1
