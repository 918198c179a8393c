/* Included by kernel_body.h, once per instruction set: from scores to probabilities.

   Sums run in sixteen places, which are added up in one order, so all variants give the same bits. */
#define FLOATS KERNEL_NAME(floats)
#define INTS KERNEL_NAME(ints)
#define SHORTS KERNEL_NAME(shorts)
#define PLACES 16
typedef float FLOATS __attribute__((vector_size(4 * PLACES), may_alias));
typedef int32_t INTS __attribute__((vector_size(4 * PLACES), may_alias));
typedef int16_t SHORTS __attribute__((vector_size(2 * PLACES), may_alias));

/* exp_of (parser/score/exp.h) of sixteen numbers, step by step the same. */
#define EXP_OF(out, x) \
    do { \
        const INTS too_low = (x) < -87.0f; \
        const FLOATS bounded = (FLOATS)PICK(too_low, (INTS)((FLOATS){0} - 87.0f), (INTS)(x)); \
        const FLOATS k = (bounded * 1.44269504f + 12582912.0f) - 12582912.0f; \
        const FLOATS r = (bounded - k * 0.693359375f) - k * -2.12194440e-4f; \
        const INTS power = (__builtin_convertvector(k, INTS) + 127) << 23; \
        FLOATS p = r * (1.0f / 5040.0f) + 1.0f / 720.0f; \
        p = p * r + 1.0f / 120.0f; \
        p = p * r + 1.0f / 24.0f; \
        p = p * r + 1.0f / 6.0f; \
        p = p * r + 0.5f; \
        p = p * r + 1.0f; \
        p = p * r + 1.0f; \
        (out) = (FLOATS)((INTS)(p * (FLOATS)power) & ~too_low); \
    } while (0)

static inline float KERNEL_NAME(sum_of_places)(const FLOATS *x) {
    float half[PLACES];
    int32_t i, n;
    memcpy(half, x, sizeof half);
    for (n = PLACES / 2; n > 0; n /= 2)
        for (i = 0; i < n; i++) half[i] += half[i + n];
    return half[0];
}

KERNEL_TARGET static kernel_chances KERNEL_NAME(chances)(const int16_t *score, int32_t lines, const int16_t *mask,
                                                         const int16_t *of_move, float unit) {
    const LANES *x = (const LANES *)score, *legal = (const LANES *)mask, none = (LANES){0} + INT16_MAX;
    LANES low = none;
    FLOATS all = {0}, some = {0}, odds;
    int32_t i, top;
    for (i = 0; i < lines * PER_LINE; i++) { /* turned around, as in best_in */
        LANES y = PICK(legal[i], ~x[i], none);
        low = KERNEL_LEAST(low, y);
    }
    top = ~KERNEL_LOWEST(low);
    for (i = 0; i < lines * KERNEL_LANES; i += PLACES) {
        const INTS in = __builtin_convertvector(*(const SHORTS *)(mask + i), INTS);
        const INTS its = __builtin_convertvector(*(const SHORTS *)(of_move + i), INTS);
        const INTS below = (__builtin_convertvector(*(const SHORTS *)(score + i), INTS) - top) & in;
        const FLOATS difference = __builtin_convertvector(below, FLOATS) * unit;
        EXP_OF(odds, difference);
        all += (FLOATS)((INTS)odds & in);
        some += (FLOATS)((INTS)odds & in & its);
    }
    return (kernel_chances){top, KERNEL_NAME(sum_of_places)(&all), KERNEL_NAME(sum_of_places)(&some)};
}
#undef EXP_OF
#undef FLOATS
#undef INTS
#undef SHORTS
#undef PLACES
