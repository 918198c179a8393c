"""Types and two small tools shared by all C-level modules. No other code belongs here."""

from libc.stdint cimport int32_t, uint64_t

ctypedef int32_t id_t       # id of a string in a column's table: 0 missing, 1 unknown, 2 ROOT, 3... strings
ctypedef int32_t label_t    # id of a dependency label inside a system or model, 0-based; -1: no label
ctypedef uint64_t feat_t    # hashed feature value; 0 is never a valid feature
ctypedef float weight_t
ctypedef int32_t cost_t

cdef enum:
    MISSING = 0
    UNKNOWN = 1
    ROOT = 2
    FIRST_ID = 3


cdef extern from "parser/check.h":
    void CHECK(bint condition) noexcept nogil   # aborts with file and line in debug and sanitizer builds
    bint ARCSPEED_IS_CHECKED


# xorshift128+ (Vigna 2014): one struct per run, seeded through splitmix64, so that a seed means the same everywhere.
cdef struct Rng:
    uint64_t s0
    uint64_t s1


cdef inline uint64_t splitmix64(uint64_t* x) noexcept nogil:
    x[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t z = x[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void rng_seed(Rng* rng, uint64_t seed) noexcept nogil:
    rng.s0 = splitmix64(&seed)
    rng.s1 = splitmix64(&seed)


cdef inline uint64_t rng_next(Rng* rng) noexcept nogil:
    cdef uint64_t a = rng.s0, b = rng.s1
    rng.s0 = b
    a ^= a << 23
    rng.s1 = a ^ b ^ (a >> 18) ^ (b >> 5)
    return rng.s1 + b


cdef inline double rng_unit(Rng* rng) noexcept nogil:
    """Uniform in [0, 1) with 53 bits."""
    return (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int32_t rng_below(Rng* rng, int32_t n) noexcept nogil:
    """Uniform in 0..n-1; the bias is below n / 2**53."""
    return <int32_t>(rng_unit(rng) * n)
