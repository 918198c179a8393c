/* Included once per instruction set by kernel.h, which defines KERNEL_NAME, KERNEL_TARGET and KERNEL_BYTES, the size of
   its registers. */

#if defined(__GNUC__)
#define LANES KERNEL_NAME(lanes)
#define PER_LINE (2 * KERNEL_LANES / KERNEL_BYTES)
#define PICK(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))
typedef int16_t LANES __attribute__((vector_size(KERNEL_BYTES), may_alias));

KERNEL_TARGET static inline int16_t KERNEL_NAME(lowest_of)(const LANES *v) {
#if defined(__clang__)
    const int16_t *x = (const int16_t *)v;
    int16_t low = x[0];
    int32_t i;
    for (i = 1; i < KERNEL_BYTES / 2; i++) low = x[i] < low ? x[i] : low;
    return low;
#else
    LANES x = *v, place, y;
    int32_t step, i;
    for (step = KERNEL_BYTES / 4; step > 0; step /= 2) {
        for (i = 0; i < KERNEL_BYTES / 2; i++) place[i] = (int16_t)(i ^ step);
        y = __builtin_shuffle(x, place);
        x = PICK(x < y, x, y);
    }
    return x[0];
#endif
}

/* Registers from..to-1 of all rows, four at a time so that the pointers are read less often. */
KERNEL_TARGET static inline void KERNEL_NAME(sum_part)(const int16_t *const *rows, int32_t n, int32_t from, int32_t to,
                                                       LANES *out) {
    int32_t b = from, j;
    for (; b + 4 <= to; b += 4) {
        const LANES *row = (const LANES *)rows[0] + b;
        LANES x = row[0], y = row[1], z = row[2], w = row[3];
        for (j = 1; j < n; j++) {
            row = (const LANES *)rows[j] + b;
            x += row[0];
            y += row[1];
            z += row[2];
            w += row[3];
        }
        out[b] = x;
        out[b + 1] = y;
        out[b + 2] = z;
        out[b + 3] = w;
    }
    for (; b + 2 <= to; b += 2) {
        const LANES *row = (const LANES *)rows[0] + b;
        LANES x = row[0], y = row[1];
        for (j = 1; j < n; j++) {
            row = (const LANES *)rows[j] + b;
            x += row[0];
            y += row[1];
        }
        out[b] = x;
        out[b + 1] = y;
    }
    for (; b < to; b++) {
        LANES x = ((const LANES *)rows[0])[b];
        for (j = 1; j < n; j++) x += ((const LANES *)rows[j])[b];
        out[b] = x;
    }
}

KERNEL_TARGET static void KERNEL_NAME(sum)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks,
                                           int16_t *out) {
    int32_t shared = (blocks < KERNEL_SHORT ? blocks : KERNEL_SHORT) * PER_LINE;
    KERNEL_NAME(sum_part)(rows, n, 0, shared, (LANES *)out);
    KERNEL_NAME(sum_part)(rows, n_long, shared, blocks * PER_LINE, (LANES *)out);
}

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks,
                                               const int16_t *mask, const int16_t *rank, int16_t *out) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, *score = (const LANES *)out;
    LANES most, low;
    int16_t top;
    int32_t b;
    KERNEL_NAME(sum)(rows, n_long, n, blocks, out);
    most = (LANES){0} + KERNEL_ILLEGAL;
    for (b = 0; b < blocks * PER_LINE; b++) {
        LANES x = PICK(legal[b], score[b], (LANES){0} + KERNEL_ILLEGAL);
        most = PICK(x > most, x, most);
    }
    most = ~most; /* turns the order around */
    top = (int16_t)~KERNEL_NAME(lowest_of)(&most);
    low = (LANES){0} + INT16_MAX;
    for (b = 0; b < blocks * PER_LINE; b++) {
        LANES x = PICK((score[b] == top) & legal[b], place[b], (LANES){0} + INT16_MAX);
        low = PICK(x < low, x, low);
    }
    return KERNEL_NAME(lowest_of)(&low);
}
#undef PER_LINE
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
#undef KERNEL_BYTES
