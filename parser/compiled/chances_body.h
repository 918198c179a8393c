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

/* Which of a state's rows go on behind the head; has them on their way. Without a branch: which do is hard to foresee. */
KERNEL_TARGET static void KERNEL_NAME(ask_behind)(const kernel_places *places, kernel_work *work, int32_t lines) {
    const uint32_t *row = work->rows, *const last = row + work->program->n_refs + work->n_keys;
    int32_t k, n_near = 0, n_far = 0;
    for (; row < last; row++) {
        const int16_t *const numbers = (const int16_t *)(places->arena + *row);
        const int has_near = numbers[KERNEL_NEAR_BOUND] != 0, has_far = numbers[KERNEL_FAR_BOUND] != 0;
        work->near[n_near] = work->far[n_far] = *row;
        n_near += has_near;
        n_far += has_far;
        KERNEL_FETCH(numbers + KERNEL_HEAD * has_near);
        for (k = KERNEL_HEAD / KERNEL_LANES + 1; k < lines; k++) KERNEL_FETCH(numbers + KERNEL_LANES * k * has_far);
    }
    work->n_near = n_near;
    work->n_far = n_far;
}

/* All scores: those of the head are known. */
KERNEL_TARGET static void KERNEL_NAME(sum_up)(const kernel_plan *plan, const kernel_places *places,
                                              const kernel_work *work, int32_t lines, int16_t *out) {
    int32_t b, i;
    memcpy(out, work->head, 2 * KERNEL_HEAD);
    for (b = HEAD; b < lines * PER_LINE; b++) {
        const uint32_t *const row = PART(b) == 1 ? work->near : work->far;
        const int32_t n = PART(b) == 1 ? work->n_near : work->n_far;
        LANES x = ((const LANES *)plan->bias)[b];
        for (i = 0; i < n; i++) x = KERNEL_ADD(x, ((const LANES *)(places->arena + row[i]))[b]);
        ((LANES *)out)[b] = x;
    }
}

KERNEL_TARGET static kernel_chances KERNEL_NAME(chances)(const kernel_plan *plan, const kernel_places *places,
                                                         const kernel_work *work, int32_t lines,
                                                         const int16_t *of_move, float unit, kernel_doubt doubt,
                                                         int16_t *score) {
    const int16_t *const mask = work->mask;
    const LANES *x = (const LANES *)score, *legal = (const LANES *)mask, none = (LANES){0} + INT16_MAX;
    LANES low = none, doubted = {0};
    FLOATS all = {0}, some = {0}, odds;
    int32_t i, top;
    KERNEL_NAME(sum_up)(plan, places, work, lines, score);
    for (i = 0; i < lines * PER_LINE; i++) { /* turned around, as in best_in */
        LANES y = PICK(legal[i], ~x[i], none);
        low = KERNEL_LEAST(low, y);
        doubted |= (x[i] >= doubt.least) & (x[i] <= doubt.most) & legal[i];
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
    return (kernel_chances){top, KERNEL_NAME(sum_of_places)(&all), KERNEL_NAME(sum_of_places)(&some),
                            KERNEL_LOWEST(doubted) < 0};
}
#undef EXP_OF
#undef FLOATS
#undef INTS
#undef SHORTS
#undef PLACES
