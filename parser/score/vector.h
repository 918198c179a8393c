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

/* exp(x) for x <= 0, within 2 units of the last place; 0 below -87 (the smallest normal float is exp(-87.3)).
   x = k ln 2 + r, |r| <= ln 2 / 2, with ln 2 in two parts (Cody & Waite 1980) and Taylor's series to r^7 / 7!,
   whose remainder is below 6e-9. */
static inline float exp_of(float x) {
    float bounded = x < -87.0f ? -87.0f : x;
    float shifted = bounded * 1.44269504f + 12582912.0f;    /* 1.5 * 2^23: the sum is rounded to an integer */
    float k = shifted - 12582912.0f;
    float r = (bounded - k * 0.693359375f) - k * -2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    int32_t bits = ((int32_t)k + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : p * power;
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
#endif
