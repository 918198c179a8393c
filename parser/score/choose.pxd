"""From scores to one action: the best, or one drawn by its probability. mask: one byte per action."""

from libc.stdint cimport int32_t, uint8_t

from parser.common cimport Rng

# the action of the highest score where the mask is set, the lowest on ties; -1 where no action is
cdef int32_t argmax(const float* scores, const uint8_t* mask, int32_t n) noexcept nogil
# the same where mask is set and `but` is not
cdef int32_t argmax_but(const float* scores, const uint8_t* mask, const uint8_t* but, int32_t n) noexcept nogil
# probabilities exp(s_a) / sum over the mask, 0 outside; gives log of the normaliser. At least one action must be set
cdef double softmax(const float* scores, const uint8_t* mask, int32_t n, float* out) noexcept nogil
# the same where the best action of the mask is known
cdef double softmax_below(const float* scores, const uint8_t* mask, int32_t best, int32_t n, float* out) noexcept nogil
# an action drawn from probabilities (which need not add up to 1 exactly)
cdef int32_t sample(const float* probabilities, int32_t n, Rng* rng) noexcept nogil
