/* Included once per instruction set by easy_kernel.h, which defines KERNEL_NAME, KERNEL_TARGET, KERNEL_BYTES, the size of
   its registers, and, where it can: KERNEL_ADD, a sum that saturates; KERNEL_TAKE, numbers of 8
   bits if a bit is set, else 0; KERNEL_LEAST of two registers, KERNEL_LOWEST of all
   numbers in one. */

#if defined(__GNUC__)
#define LANES KERNEL_NAME(lanes)
#define NARROW KERNEL_NAME(narrow)
#define PARTS (2 * EASY_LANES / KERNEL_BYTES)
#define PICK(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))
typedef int16_t LANES __attribute__((vector_size(KERNEL_BYTES), may_alias));
typedef int8_t NARROW __attribute__((vector_size(KERNEL_BYTES / 2), may_alias));

#ifndef KERNEL_ADD
#define KERNEL_ADD(a, b) KERNEL_NAME(add_two)(a, b)
static inline LANES KERNEL_NAME(add_two)(LANES a, LANES b) {
    LANES sum;
    int32_t i;
    for (i = 0; i < KERNEL_BYTES / 2; i++) {
        int32_t x = a[i] + b[i];
        sum[i] = (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
    }
    return sum;
}
#endif
#ifndef KERNEL_LEAST
#define KERNEL_LEAST(a, b) PICK((a) < (b), a, b)
#define KERNEL_LOWEST(v) KERNEL_NAME(lowest_of)(v)
static inline int16_t KERNEL_NAME(lowest_of)(LANES v) {
    int16_t low = v[0];
    int32_t i;
    for (i = 1; i < KERNEL_BYTES / 2; i++) low = v[i] < low ? v[i] : low;
    return low;
}
#endif

#ifndef KERNEL_TAKE
#define KERNEL_TAKE(at, bit) (__builtin_convertvector(*(const NARROW *)(at), LANES) & ((LANES){0} - (int16_t)(bit)))
#endif

/* No branches on which lines there are, which could not be foreseen: a line that is not there is added as 0. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(add_lines)(
    LANES *out, const int32_t n_lines, int32_t first_line, const LANES *first, const uint64_t *row, int32_t n,
    const char *arena) {
    LANES x[EASY_MOVES * PARTS];
    int32_t i, j, k;
    for (k = 0; k < n_lines * PARTS; k++) x[k] = first[k];
    for (i = 0; i < n; i++) {
        uint64_t z = row[i], present = z >> EASY_PRESENT >> first_line;
        const char *at = arena + (z >> EASY_LINE << 6);
        if (z & EASY_WIDE) {
            for (j = 0; j < n_lines; j++, present >>= 1) {
                LANES there = (LANES){0} - (int16_t)(present & 1);
                for (k = 0; k < PARTS; k++) x[j * PARTS + k] = KERNEL_ADD(x[j * PARTS + k], ((const LANES *)at)[k] & there);
                at += (present & 1) * 2 * EASY_LANES;
            }
        } else {
            for (j = 0; j < n_lines; j++, present >>= 1) {
                for (k = 0; k < PARTS; k++)
                    x[j * PARTS + k] = KERNEL_ADD(x[j * PARTS + k], KERNEL_TAKE(at + k * (KERNEL_BYTES / 2), present & 1));
                at += (present & 1) * EASY_LANES;
            }
        }
    }
    for (k = 0; k < n_lines * PARTS; k++) out[k] = x[k];
}

KERNEL_TARGET static void KERNEL_NAME(add)(int16_t *out, int32_t n_lines, int32_t first_line, const int16_t *first,
                                           const uint64_t *row, int32_t n, const char *arena) {
    switch (n_lines) {
        case 1: KERNEL_NAME(add_lines)((LANES *)out, 1, first_line, (const LANES *)first, row, n, arena); break;
        case 2: KERNEL_NAME(add_lines)((LANES *)out, 2, first_line, (const LANES *)first, row, n, arena); break;
        case 3: KERNEL_NAME(add_lines)((LANES *)out, 3, first_line, (const LANES *)first, row, n, arena); break;
        case 4: KERNEL_NAME(add_lines)((LANES *)out, 4, first_line, (const LANES *)first, row, n, arena); break;
        case 5: KERNEL_NAME(add_lines)((LANES *)out, 5, first_line, (const LANES *)first, row, n, arena); break;
        default: KERNEL_NAME(add_lines)((LANES *)out, EASY_MOVES, first_line, (const LANES *)first, row, n, arena);
    }
}

KERNEL_TARGET static void KERNEL_NAME(add_single)(int16_t *out, const uint64_t *row, int32_t n, const char *arena) {
    int32_t i, k;
    for (i = 0; i < n; i++) {
        uint64_t z = row[i];
        const char *at = arena + (z >> EASY_LINE << 6);
        uint32_t present = z >> EASY_PRESENT & 63;
        LANES *x;
        if (!present) continue;
        x = (LANES *)(out + EASY_LANES * kernel_lowest_bit(present));
        if (z & EASY_WIDE)
            for (k = 0; k < PARTS; k++) x[k] = KERNEL_ADD(x[k], ((const LANES *)at)[k]);
        else
            for (k = 0; k < PARTS; k++) x[k] = KERNEL_ADD(x[k], __builtin_convertvector(((const NARROW *)at)[k], LANES));
    }
}

KERNEL_TARGET static void KERNEL_NAME(more)(int16_t *out, const char *at, int32_t n, int32_t wide) {
    int32_t k;
    for (k = 0; k < n * PARTS; k++)
        ((LANES *)out)[k] += wide ? ((const LANES *)at)[k] : __builtin_convertvector(((const NARROW *)at)[k], LANES);
}

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const int16_t *bias, const int16_t *const *lines, const int32_t *at,
                                               const int32_t *n, const int16_t *mask, const int16_t *rank, int16_t *out,
                                               int32_t *top) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES x[PARTS], low;
    int16_t lowest;
    int32_t i, k, p;
    for (k = 0; k < PARTS; k++) x[k] = ((const LANES *)bias)[k];
    for (p = 0; p < EASY_WINDOW; p++)
        for (i = 0; i < n[p]; i++, at++) {
            const LANES *line = (const LANES *)(lines[p] + EASY_LANES * *at);
            for (k = 0; k < PARTS; k++) x[k] = KERNEL_ADD(x[k], line[k]);
        }
    for (k = 0; k < PARTS; k++) ((LANES *)out)[k] = x[k];
    for (k = 0; k < PARTS; k++) x[k] = PICK(legal[k], ~x[k], none); /* turned around: the lowest is the best */
    low = x[0];
    for (k = 1; k < PARTS; k++) low = KERNEL_LEAST(low, x[k]);
    lowest = KERNEL_LOWEST(low);
    *top = ~lowest;
    low = PICK(x[0] == lowest, place[0], none);
    for (k = 1; k < PARTS; k++) {
        LANES y = PICK(x[k] == lowest, place[k], none);
        low = KERNEL_LEAST(low, y);
    }
    return KERNEL_LOWEST(low);
}
#undef PARTS
#undef PICK
#undef NARROW
#undef LANES
#else
static void KERNEL_NAME(add)(int16_t *out, int32_t n_lines, int32_t first_line, const int16_t *first,
                             const uint64_t *row, int32_t n, const char *arena) {
    int32_t i, k, line;
    for (i = 0; i < n_lines * EASY_LANES; i++) out[i] = first[i];
    for (i = 0; i < n; i++) {
        const char *at = arena + (row[i] >> EASY_LINE << 6);
        int wide = (row[i] & EASY_WIDE) != 0;
        for (line = 0; line < n_lines; line++) {
            if (!(row[i] >> (EASY_PRESENT + first_line + line) & 1)) continue;
            for (k = 0; k < EASY_LANES; k++) {
                int32_t x = out[line * EASY_LANES + k] + (wide ? ((const int16_t *)at)[k] : ((const int8_t *)at)[k]);
                out[line * EASY_LANES + k] = (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
            }
            at += EASY_LANES << wide;
        }
    }
}

static void KERNEL_NAME(add_single)(int16_t *out, const uint64_t *row, int32_t n, const char *arena) {
    int32_t i;
    for (i = 0; i < n; i++)
        if (row[i] >> EASY_PRESENT & 63) {
            int32_t line = kernel_lowest_bit(row[i] >> EASY_PRESENT & 63);
            KERNEL_NAME(add)(out + EASY_LANES * line, 1, line, out + EASY_LANES * line, row + i, 1, arena);
        }
}

static void KERNEL_NAME(more)(int16_t *out, const char *at, int32_t n, int32_t wide) {
    int32_t k;
    for (k = 0; k < n * EASY_LANES; k++)
        out[k] = (int16_t)(out[k] + (wide ? ((const int16_t *)at)[k] : ((const int8_t *)at)[k]));
}

static int32_t KERNEL_NAME(best)(const int16_t *bias, const int16_t *const *lines, const int32_t *at, const int32_t *n,
                                 const int16_t *mask, const int16_t *rank, int16_t *out, int32_t *top) {
    int32_t i, k, p, best = -1;
    for (k = 0; k < EASY_LANES; k++) {
        const int32_t *next = at;
        int32_t x = bias[k];
        for (p = 0; p < EASY_WINDOW; p++)
            for (i = 0; i < n[p]; i++, next++) {
                x += lines[p][EASY_LANES * *next + k];
                x = x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x;
            }
        out[k] = (int16_t)x;
        if (mask[k] && (best < 0 || out[k] > out[best] || (out[k] == out[best] && rank[k] < rank[best]))) best = k;
    }
    *top = best < 0 ? EASY_LOWEST : out[best];
    return best < 0 ? INT16_MAX : rank[best];
}
#endif

#ifndef KERNEL_LARGEST
#define KERNEL_LARGEST
KERNEL_TARGET static int32_t KERNEL_NAME(largest)(const int32_t *number, int32_t n) {
    int32_t i, at = 0;
    for (i = 1; i < n; i++)
        if (number[i] > number[at]) at = i;
    return at;
}
#endif

KERNEL_TARGET static int32_t KERNEL_NAME(look_up)(const easy_bucket **bucket, const uint64_t *key, int32_t n,
                                                  uint64_t *row) {
    int32_t i, missing = 0;
    for (i = 0; i < n; i++) {
#ifdef KERNEL_WHICH
        unsigned which = (unsigned)KERNEL_WHICH(bucket[i], key[i]);
        row[i] = which ? bucket[i]->row[__builtin_ctz(which)] : 0;
#else
        int32_t k;
        row[i] = 0;
        for (k = 0; k < EASY_WAYS; k++) row[i] |= bucket[i]->key[k] == key[i] ? bucket[i]->row[k] : 0;
#endif
        missing += row[i] == 0;
    }
    return missing;
}
#undef KERNEL_NAME
#undef KERNEL_TARGET
#undef KERNEL_BYTES
#undef KERNEL_ADD
#undef KERNEL_TAKE
#undef KERNEL_WHICH
#undef KERNEL_LARGEST
#undef KERNEL_LEAST
#undef KERNEL_LOWEST
