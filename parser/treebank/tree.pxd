"""Dependency trees as arrays: heads[i - 1] is the head of word i (1..n), 0 is ROOT, -1 is no head."""

from libc.stdint cimport int32_t

cpdef enum TreeProblem:
    OK = 0
    HEAD_OUT_OF_RANGE = 1
    OWN_HEAD = 2
    CYCLE = 3
    NO_ROOT = 4
    SEVERAL_ROOTS = 5
    NO_HEAD = 6


cdef struct TreeCheck:
    TreeProblem problem
    int32_t word            # the first word concerned, 1-based; for SEVERAL_ROOTS the second root word
    int32_t roots           # number of words under ROOT


# scratch: at least 6 * (n + 1) int32, owned by the caller
cdef TreeCheck tree_check(const int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil
cdef bint tree_is_projective(const int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil
cdef int32_t tree_nonprojective(const int32_t* heads, int32_t n, int32_t* scratch, int32_t* words) noexcept nogil
cdef int32_t tree_lift(int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil
