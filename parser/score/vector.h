/* Loops over the actions of one state, written so that a compiler vectorises them.

   Every loop is elementwise, sums run in a fixed order, and the exponential is our own: with -ffp-contract=off the
   results are the same bits for every instruction set, so choosing a variant at load time (target_clones) is free. */
#ifndef ARCSPEED_VECTOR_H
#define ARCSPEED_VECTOR_H
#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* The weight of AdaGrad-RDA: step / (sqrt(G) + ridge) * soft threshold of g (Duchi, Hazan & Singer 2011, eq. 24). */
static inline float rda_weight(float g, float G, float threshold, float step, float ridge) {
    float size = fabsf(g) - threshold;
    size = size > 0.0f ? size : 0.0f;
    return step / (sqrtf(G) + ridge) * copysignf(size, g);
}

/* The same with the ridge under the root: sqrt(G + ridge). */
static inline float rda_weight_inside(float g, float G, float threshold, float step, float ridge) {
    return rda_weight(g, G + ridge, threshold, step, 0.0f);
}

ARCSPEED_CLONES static void rda_weights(float *restrict w, const float *restrict g, const float *restrict G, int32_t n,
                                        float threshold, float step, float ridge) {
    for (int32_t i = 0; i < n; i++) w[i] = rda_weight(g[i], G[i], threshold, step, ridge);
}

ARCSPEED_CLONES static void rda_weights_inside(float *restrict w, const float *restrict g, const float *restrict G,
                                               int32_t n, float threshold, float step, float ridge) {
    for (int32_t i = 0; i < n; i++) w[i] = rda_weight_inside(g[i], G[i], threshold, step, ridge);
}

ARCSPEED_CLONES static void rda_add(float *restrict sum, const float *restrict g, const float *restrict G, int32_t n,
                                    float threshold, float step, float ridge) {
    for (int32_t i = 0; i < n; i++) sum[i] += rda_weight(g[i], G[i], threshold, step, ridge);
}

ARCSPEED_CLONES static void rda_add_inside(float *restrict sum, const float *restrict g, const float *restrict G,
                                           int32_t n, float threshold, float step, float ridge) {
    for (int32_t i = 0; i < n; i++) sum[i] += rda_weight_inside(g[i], G[i], threshold, step, ridge);
}

/* g += d, G += d^2. */
ARCSPEED_CLONES static void rda_update(float *restrict g, float *restrict G, const float *restrict d, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        g[i] += d[i];
        G[i] += d[i] * d[i];
    }
}
#endif
