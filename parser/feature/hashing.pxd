"""Values, keys and their mixing; see mix.h."""

from libc.stdint cimport int32_t, uint64_t

from parser.common cimport feat_t


cdef extern from "parser/feature/mix.h":
    enum:
        FEATURE_FACTORS
    const feat_t FEATURE_NONE
    const feat_t FEATURE_ROOT
    const feat_t feature_factor[8]
    feat_t feature_spread(feat_t z) noexcept nogil
    feat_t feature_key(feat_t z) noexcept nogil
    feat_t feature_number(uint64_t number) noexcept nogil
    feat_t feature_set(uint64_t labels) noexcept nogil


# The value of a string; seed tells the attributes apart. Never one of the reserved values.
cdef feat_t string_value(const char* text, int32_t length, uint64_t seed) noexcept nogil
