/* Included once per instruction set by kernel.h, which defines KERNEL_NAME and KERNEL_TARGET. */

#if defined(__GNUC__)
#define LANES KERNEL_NAME(lanes)
typedef int16_t LANES __attribute__((vector_size(64), may_alias));
typedef int16_t KERNEL_NAME(half) __attribute__((vector_size(32), may_alias));
typedef int16_t KERNEL_NAME(quarter) __attribute__((vector_size(16), may_alias));

#define PICK(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))

KERNEL_TARGET static inline int16_t KERNEL_NAME(lowest_of)(LANES v) {
    union { LANES v; KERNEL_NAME(half) h[2]; } a;
    union { KERNEL_NAME(half) h; KERNEL_NAME(quarter) q[2]; } b;
    union { KERNEL_NAME(quarter) q; int16_t x[8]; } c;
    int32_t i;
    int16_t low;
    a.v = v;
    b.h = PICK(a.h[0] < a.h[1], a.h[0], a.h[1]);
    c.q = PICK(b.q[0] < b.q[1], b.q[0], b.q[1]);
    low = c.x[0];
    for (i = 1; i < 8; i++) low = c.x[i] < low ? c.x[i] : low;
    return low;
}

/* The first `lines` of all rows, two at a time so that the pointers are read half as often. */
KERNEL_TARGET static inline void KERNEL_NAME(sum_lines)(const int16_t *const *rows, int32_t n, int32_t from, int32_t to,
                                                        int16_t *out) {
    int32_t b = from, j;
    for (; b + 2 <= to; b += 2) {
        const LANES *row = (const LANES *)rows[0] + b;
        LANES x = row[0], y = row[1];
        for (j = 1; j < n; j++) {
            row = (const LANES *)rows[j] + b;
            x += row[0];
            y += row[1];
        }
        ((LANES *)out)[b] = x;
        ((LANES *)out)[b + 1] = y;
    }
    for (; b < to; b++) {
        LANES x = ((const LANES *)rows[0])[b];
        for (j = 1; j < n; j++) x += ((const LANES *)rows[j])[b];
        ((LANES *)out)[b] = x;
    }
}

KERNEL_TARGET static void KERNEL_NAME(sum)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks,
                                           int16_t *out) {
    int32_t shared = blocks < KERNEL_SHORT ? blocks : KERNEL_SHORT;
    KERNEL_NAME(sum_lines)(rows, n, 0, shared, out);
    KERNEL_NAME(sum_lines)(rows, n_long, shared, blocks, out);
}

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks,
                                               const int16_t *mask, const int16_t *rank, int16_t *out) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, *score = (const LANES *)out;
    LANES most, low;
    int16_t top;
    int32_t b;
    KERNEL_NAME(sum)(rows, n_long, n, blocks, out);
    most = (LANES){0} + KERNEL_ILLEGAL;
    for (b = 0; b < blocks; b++) {
        LANES x = PICK(legal[b], score[b], (LANES){0} + KERNEL_ILLEGAL);
        most = PICK(x > most, x, most);
    }
    top = (int16_t)~KERNEL_NAME(lowest_of)(~most); /* ~ turns the order around */
    low = (LANES){0} + INT16_MAX;
    for (b = 0; b < blocks; b++) {
        LANES x = PICK((score[b] == top) & legal[b], place[b], (LANES){0} + INT16_MAX);
        low = PICK(x < low, x, low);
    }
    return KERNEL_NAME(lowest_of)(low);
}
#undef PICK
#undef LANES
#else
static void KERNEL_NAME(sum)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks, int16_t *out) {
    int32_t i, j, shared = (blocks < KERNEL_SHORT ? blocks : KERNEL_SHORT) * KERNEL_LANES;
    for (i = 0; i < blocks * KERNEL_LANES; i++) out[i] = 0;
    for (j = 0; j < n; j++)
        for (i = 0; i < (j < n_long ? blocks * KERNEL_LANES : shared); i++) out[i] = (int16_t)(out[i] + rows[j][i]);
}

static int32_t KERNEL_NAME(best)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks,
                                 const int16_t *mask, const int16_t *rank, int16_t *out) {
    int32_t i, best = -1;
    KERNEL_NAME(sum)(rows, n_long, n, blocks, out);
    for (i = 0; i < blocks * KERNEL_LANES; i++)
        if (mask[i] && (best < 0 || out[i] > out[best] || (out[i] == out[best] && rank[i] < rank[best]))) best = i;
    return rank[best];
}
#endif
#undef KERNEL_NAME
#undef KERNEL_TARGET
