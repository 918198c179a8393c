/* Loops over the actions of one state, written so that a compiler vectorises them.

   Every loop is elementwise, sums run in a fixed order, and the exponential is our own: with -ffp-contract=off the
   results are the same bits for every instruction set, so choosing a variant at load time (target_clones) is free. */
#ifndef ARCSPEED_VECTOR_H
#define ARCSPEED_VECTOR_H
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "parser/score/exp.h"

/* ifunc needs glibc; the sanitizers are not up when it runs. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 \
    && !defined(__clang__) && !defined(ARCSPEED_CHECKED)
#define ARCSPEED_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline, unused))
#else
#define ARCSPEED_CLONES __attribute__((unused))
#endif

#define ARCSPEED_PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)

ARCSPEED_CLONES static void vector_add(float *restrict sum, const float *restrict x, int32_t n) {
    for (int32_t i = 0; i < n; i++) sum[i] += x[i];
}

/* The parts of a row that a state is about: whole blocks of actions, ascending, outside of which a mask has none. Where
   words that have a head already cannot get another one, that is half of all actions. */
#define SPAN_BLOCK 16
#define MAX_SPANS 8

typedef struct {
    int32_t n, start[MAX_SPANS], end[MAX_SPANS];
} Spans;

static inline void spans_all(Spans *spans, int32_t n) {
    spans->n = 1;
    spans->start[0] = 0;
    spans->end[0] = n;
}

/* More than MAX_SPANS: the last one takes the rest. */
static inline void spans_of(Spans *spans, const uint8_t *mask, int32_t n) {
    int32_t count = 0, open = 0;
    for (int32_t start = 0; start < n; start += SPAN_BLOCK) {
        int32_t end = start + SPAN_BLOCK < n ? start + SPAN_BLOCK : n, any = 0;
        if (end - start == SPAN_BLOCK) {
            uint64_t halves[2];
            memcpy(halves, mask + start, SPAN_BLOCK);
            any = (halves[0] | halves[1]) != 0;
        } else {
            for (int32_t i = start; i < end; i++) any |= mask[i];
        }
        if (any && (open || count == MAX_SPANS)) {
            spans->end[count - 1] = end;
        } else if (any) {
            spans->start[count] = start;
            spans->end[count++] = end;
        }
        open = any;
    }
    spans->n = count;
}

static inline void spans_in(Spans *spans, const uint8_t *mask, int32_t n) {
    if (mask) spans_of(spans, mask, n);
    else spans_all(spans, n);
}

static inline void span_add(float *restrict sum, const float *restrict x, const Spans *spans) {
    for (int32_t i = 0; i < spans->n; i++)
        vector_add(sum + spans->start[i], x + spans->start[i], spans->end[i] - spans->start[i]);
}

/* Numbers as integers of the same order (-0 and 0 alike), for which a compiler knows a vector's maximum. */
static inline int32_t order_of(float x) {
    int32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 & INT32_MAX);
}

/* The same where the mask is set and `but` (if there is one) is not, else less than that of any number. By bits, since
   a compiler that sees a condition makes a branch of it. */
static inline int32_t order_within(float x, uint8_t mask, uint8_t but) {
    int32_t in = -((mask != 0) & (but == 0));
    return (order_of(x) & in) | (INT32_MIN & ~in);
}

/* The lowest place of the largest number of that order: first the number, then its place. but: NULL for none. */
static inline int32_t place_of_top(const float *restrict x, const uint8_t *restrict mask, const uint8_t *restrict but,
                                   int32_t n) {
    int32_t top = INT32_MIN, at = n;
    for (int32_t i = 0; i < n; i++) {
        int32_t order = order_within(x[i], mask[i], but ? but[i] : 0);
        top = order > top ? order : top;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t other = -(order_within(x[i], mask[i], but ? but[i] : 0) != top);
        int32_t place = (i & ~other) | (n & other);
        at = place < at ? place : at;
    }
    return top == INT32_MIN ? -1 : at;
}

ARCSPEED_CLONES static int32_t place_in_mask(const float *x, const uint8_t *mask, int32_t n) {
    return place_of_top(x, mask, NULL, n);
}

ARCSPEED_CLONES static int32_t place_in_rest(const float *x, const uint8_t *mask, const uint8_t *but, int32_t n) {
    return place_of_top(x, mask, but, n);
}

/* The place of the largest number where the mask is set and `but` (if not NULL) is not, the lowest on ties; else -1. */
static inline int32_t vector_argmax(const float *x, const uint8_t *mask, const uint8_t *but, int32_t n) {
    int32_t best = -1;
    Spans spans;
    spans_of(&spans, mask, n);
    for (int32_t i = 0; i < spans.n; i++) {
        int32_t start = spans.start[i], m = spans.end[i] - start;
        int32_t at = but ? place_in_rest(x + start, mask + start, but + start, m)
                         : place_in_mask(x + start, mask + start, m);
        if (at >= 0 && (best < 0 || x[start + at] > x[best])) best = start + at;
    }
    return best;
}

/* out[i] = exp(x[i] - top) where the mask is set, else 0; x[i] <= top wherever it is set. */
ARCSPEED_CLONES static void vector_exp(float *restrict out, const float *restrict x, const uint8_t *restrict mask,
                                       float top, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        float difference = x[i] - top;
        float value = exp_of(difference > 0.0f ? 0.0f : difference);
        out[i] = mask[i] ? value : 0.0f;
    }
}

ARCSPEED_CLONES static void vector_scale(float *restrict x, float factor, int32_t n) {
    for (int32_t i = 0; i < n; i++) x[i] *= factor;
}

/* How AdaGrad-RDA turns its sums into a weight (Duchi, Hazan & Singer 2011, section 5.1):
   rate / (sqrt(G + inside) + outside) * soft threshold of g. One of the two ridges is 0. */
typedef struct {
    float threshold, rate, inside, outside;
} RdaRule;

static inline float rda_weight(float g, float G, const RdaRule *rule) {
    float size = fabsf(g) - rule->threshold;
    size = size > 0.0f ? size : 0.0f;
    return rule->rate / (sqrtf(G + rule->inside) + rule->outside) * copysignf(size, g);
}

ARCSPEED_CLONES static void rda_add(float *restrict sum, const float *restrict g, const float *restrict G, int32_t n,
                                    const RdaRule *restrict rule) {
    const RdaRule fixed = *rule;
    for (int32_t i = 0; i < n; i++) sum[i] += rda_weight(g[i], G[i], &fixed);
}

static inline void rda_span_add(float *restrict sum, const float *restrict g, const float *restrict G,
                                const Spans *spans, const RdaRule *rule) {
    for (int32_t i = 0; i < spans->n; i++) {
        int32_t start = spans->start[i];
        rda_add(sum + start, g + start, G + start, spans->end[i] - start, rule);
    }
}

/* Four weights at once; 0 is returned where all four are 0. Late in training most numbers lie below the threshold, and
   a block of four such costs a comparison. */
#ifdef __SSE2__
static inline int rda_weights4(float *w, const float *g, const float *G, const RdaRule *rule) {
    const __m128 sign = _mm_set1_ps(-0.0f), zero = _mm_setzero_ps();
    __m128 sums = _mm_loadu_ps(g);
    __m128 size = _mm_sub_ps(_mm_andnot_ps(sign, sums), _mm_set1_ps(rule->threshold));
    if (!_mm_movemask_ps(_mm_cmpgt_ps(size, zero))) return 0;
    size = _mm_or_ps(_mm_max_ps(size, zero), _mm_and_ps(sign, sums));
    __m128 root = _mm_sqrt_ps(_mm_add_ps(_mm_loadu_ps(G), _mm_set1_ps(rule->inside)));
    __m128 rate = _mm_div_ps(_mm_set1_ps(rule->rate), _mm_add_ps(root, _mm_set1_ps(rule->outside)));
    _mm_storeu_ps(w, _mm_mul_ps(rate, size));
    return 1;
}
#else
static inline int rda_weights4(float *w, const float *g, const float *G, const RdaRule *rule) {
    int above = 0;
    for (int i = 0; i < 4; i++) {
        above |= fabsf(g[i]) - rule->threshold > 0.0f;
        w[i] = rda_weight(g[i], G[i], rule);
    }
    return above;
}
#endif

/* sum += weights of a sparse row: n numbers of the actions ids. Reads up to the next multiple of 4, where g is 0. */
static inline void rda_add_sparse(float *restrict sum, const uint16_t *restrict ids, const float *restrict g,
                                  const float *restrict G, int32_t n, const RdaRule *rule) {
    float w[4];
    for (int32_t start = 0; start < n; start += 4)
        if (rda_weights4(w, g + start, G + start, rule))
            for (int32_t i = 0; i < 4; i++) sum[ids[start + i]] += w[i];
}

/* g += d, G += d^2. */
ARCSPEED_CLONES static void rda_update(float *restrict g, float *restrict G, const float *restrict d, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        g[i] += d[i];
        G[i] += d[i] * d[i];
    }
}
static inline void rda_span_update(float *restrict g, float *restrict G, const float *restrict d, const Spans *spans) {
    for (int32_t i = 0; i < spans->n; i++)
        rda_update(g + spans->start[i], G + spans->start[i], d + spans->start[i], spans->end[i] - spans->start[i]);
}

/* large[i]: is |x[i]| at least `least`, and not 0? Gives the largest |x[i]|; the bits of numbers above 0 have their
   order. */
ARCSPEED_CLONES static float vector_sizes(uint8_t *restrict large, const float *restrict x, float least, int32_t n) {
    int32_t top = 0;
    for (int32_t i = 0; i < n; i++) {
        float size = fabsf(x[i]);
        int32_t bits;
        memcpy(&bits, &size, sizeof bits);
        top = bits > top ? bits : top;
        large[i] = (size > 0.0f) & (size >= least);
    }
    float largest;
    memcpy(&largest, &top, sizeof largest);
    return largest;
}
#endif
