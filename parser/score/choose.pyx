"""From scores to one action: the best, or one drawn by its probability."""

from libc.math cimport log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

import numpy as np

from parser.common cimport CHECK, Rng, rng_seed, rng_unit
from parser.score.spans cimport Spans, spans_of


cdef extern from "parser/score/vector.h":
    int32_t vector_argmax(const float* x, const uint8_t* mask, const uint8_t* but, int32_t n) noexcept nogil
    void vector_exp(float* out, const float* x, const uint8_t* mask, float top, int32_t n) noexcept nogil
    void vector_scale(float* x, float factor, int32_t n) noexcept nogil


cdef int32_t argmax(const float* scores, const uint8_t* mask, int32_t n) noexcept nogil:
    return vector_argmax(scores, mask, NULL, n)


cdef int32_t argmax_but(const float* scores, const uint8_t* mask, const uint8_t* but, int32_t n) noexcept nogil:
    return vector_argmax(scores, mask, but, n)


cdef double softmax(const float* scores, const uint8_t* mask, int32_t n, float* out) noexcept nogil:
    return softmax_below(scores, mask, argmax(scores, mask, n), n, out)


cdef double softmax_below(const float* scores, const uint8_t* mask, int32_t best, int32_t n, float* out) noexcept nogil:
    """The best score is subtracted first, so that nothing overflows; the sum runs in the order of actions.

    What lies outside the spans of the mask is 0, and 0 does not change a sum.
    """
    cdef int32_t i, a, start, m
    cdef double total = 0
    cdef Spans spans
    CHECK(best >= 0)
    spans_of(&spans, mask, n)
    memset(out, 0, n * sizeof(float))
    for i in range(spans.n):
        start, m = spans.start[i], spans.end[i] - spans.start[i]
        vector_exp(out + start, scores + start, mask + start, scores[best], m)
        for a in range(start, start + m):
            total += out[a]
    for i in range(spans.n):
        vector_scale(out + spans.start[i], <float>(1.0 / total), spans.end[i] - spans.start[i])
    return scores[best] + log(total)


cdef int32_t sample(const float* probabilities, int32_t n, Rng* rng) noexcept nogil:
    """Walks along the probabilities up to a uniform point; an action of probability 0 is never drawn."""
    cdef double total = 0
    cdef int32_t a, last = -1
    for a in range(n):
        total += probabilities[a]
    cdef double point = rng_unit(rng) * total
    for a in range(n):
        if probabilities[a] > 0:
            last = a
            point -= probabilities[a]
            if point < 0:
                return a
    return last


# From Python: for tests and the interpreter, not for loops

def probabilities(scores, legal):
    """Softmax over the legal actions (a sequence of action numbers); 0 for the others."""
    mask = np.zeros(len(scores), np.uint8)
    mask[list(legal)] = 1
    if not mask.any():
        raise ValueError("no legal action")
    out = np.zeros(len(scores), np.float32)
    cdef const float[::1] scores_in = np.ascontiguousarray(scores, np.float32)
    cdef const uint8_t[::1] mask_in = mask
    cdef float[::1] result = out
    softmax(&scores_in[0], &mask_in[0], <int32_t>scores_in.shape[0], &result[0])
    return out


def best(scores, legal, but=()):
    """The best of the legal actions that are not among `but`; -1 if there is none."""
    cdef const float[::1] scores_in = np.ascontiguousarray(scores, np.float32)
    masks = np.zeros((2, len(scores)), np.uint8)
    masks[0, list(legal)] = 1
    masks[1, list(but)] = 1
    cdef const uint8_t[:, ::1] mask = masks
    cdef int32_t n = <int32_t>scores_in.shape[0]
    if not len(but):
        return argmax(&scores_in[0], &mask[0, 0], n)
    return argmax_but(&scores_in[0], &mask[0, 0], &mask[1, 0], n)


def spans(mask):
    """[(start, end), ...] of the runs that hold all bytes of a mask that are not 0."""
    cdef const uint8_t[::1] mask_in = np.ascontiguousarray(mask, np.uint8)
    cdef Spans found
    spans_of(&found, &mask_in[0], <int32_t>mask_in.shape[0])
    return [(found.start[i], found.end[i]) for i in range(found.n)]


def draw(probabilities, int count, uint64_t seed):
    """`count` actions drawn with their probabilities."""
    if not len(probabilities) or max(probabilities) <= 0:
        raise ValueError("no action has a probability above 0")
    cdef const float[::1] chances = np.ascontiguousarray(probabilities, np.float32)
    cdef Rng rng
    rng_seed(&rng, seed)
    return [sample(&chances[0], <int32_t>chances.shape[0], &rng) for _ in range(count)]
