"""The actions that a state is about, as few runs of them: what lies outside need not be scored or changed."""

from libc.stdint cimport int32_t, uint8_t


cdef extern from "parser/score/vector.h":
    enum:
        MAX_SPANS
    ctypedef struct Spans:
        int32_t n
        int32_t start[8]    # MAX_SPANS
        int32_t end[8]
    void spans_all(Spans* spans, int32_t n) noexcept nogil
    void spans_of(Spans* spans, const uint8_t* mask, int32_t n) noexcept nogil
    # all of them if mask is NULL
    void spans_in(Spans* spans, const uint8_t* mask, int32_t n) noexcept nogil
    void span_add(float* total, const float* x, const Spans* spans) noexcept nogil
