/* The exponential, made of what IEEE 754 defines: with -ffp-contract=off the same bits wherever it is compiled, alone or
   as part of a vector. */
#ifndef ARCSPEED_EXP_H
#define ARCSPEED_EXP_H
#include <stdint.h>
#include <string.h>

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
#endif
