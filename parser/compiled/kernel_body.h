/* Included once per instruction set by kernel.h, which defines KERNEL_NAME and KERNEL_TARGET. */

#if defined(__GNUC__)
typedef int16_t KERNEL_NAME(lanes) __attribute__((vector_size(64), may_alias));

/* two blocks at a time, so that the pointers are read half as often */
KERNEL_TARGET static void KERNEL_NAME(sum)(const int16_t *const *rows, int32_t n, int32_t blocks, int16_t *out) {
    typedef KERNEL_NAME(lanes) lanes;
    int32_t b = 0, j;
    for (; b + 2 <= blocks; b += 2) {
        const lanes *row = (const lanes *)rows[0] + b;
        lanes x = row[0], y = row[1];
        for (j = 1; j < n; j++) {
            row = (const lanes *)rows[j] + b;
            x += row[0];
            y += row[1];
        }
        ((lanes *)out)[b] = x;
        ((lanes *)out)[b + 1] = y;
    }
    for (; b < blocks; b++) {
        lanes x = ((const lanes *)rows[0])[b];
        for (j = 1; j < n; j++) x += ((const lanes *)rows[j])[b];
        ((lanes *)out)[b] = x;
    }
}
#else
static void KERNEL_NAME(sum)(const int16_t *const *rows, int32_t n, int32_t blocks, int16_t *out) {
    int32_t i, j;
    memcpy(out, rows[0], (size_t)blocks * KERNEL_LANES * sizeof *out);
    for (j = 1; j < n; j++)
        for (i = 0; i < blocks * KERNEL_LANES; i++) out[i] = (int16_t)(out[i] + rows[j][i]);
}
#endif

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const int16_t *const *rows, int32_t n, int32_t blocks,
                                               const int16_t *mask, const int16_t *rank, int16_t *out) {
    int32_t i, width = blocks * KERNEL_LANES;
    int16_t most = KERNEL_ILLEGAL, lowest = INT16_MAX;
    KERNEL_NAME(sum)(rows, n, blocks, out);
    for (i = 0; i < width; i++) {
        int16_t score = (int16_t)((out[i] & mask[i]) | (KERNEL_ILLEGAL & ~mask[i]));
        most = score > most ? score : most;
    }
    for (i = 0; i < width; i++) {
        int16_t place = (int16_t)((out[i] == most) & (mask[i] != 0) ? rank[i] : INT16_MAX);
        lowest = place < lowest ? place : lowest;
    }
    return lowest;
}
#undef KERNEL_NAME
#undef KERNEL_TARGET
