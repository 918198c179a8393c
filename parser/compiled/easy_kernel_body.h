/* Included once per instruction set by easy_kernel.h, which defines KERNEL_NAME, KERNEL_TARGET, KERNEL_BYTES, the size of
   its registers, and, where it can: KERNEL_ADD, a sum that saturates; KERNEL_LEAST of two registers, KERNEL_LOWEST of
   all numbers in one; KERNEL_SPREAD of numbers of 8 bits; KERNEL_GATHER if rows are told
   by eights, KERNEL_FOURS if by fours. */

#ifdef KERNEL_GATHER
KERNEL_TARGET static inline int32_t KERNEL_NAME(ask_eight)(easy_step *step, const easy_asks *asks, __m512i sum,
                                                           int32_t number, int32_t n) {
    _mm512_storeu_si512(step->asked + n, _mm512_add_epi64(
        _mm512_permutexvar_epi64(_mm512_load_si512(asks->sum), sum), _mm512_load_si512(asks->seed)));
    _mm256_storeu_si256((__m256i *)(step->asked_owner + n), _mm256_or_si256(
        _mm256_set1_epi32(number << EASY_PART), _mm256_load_si256((const __m256i *)asks->owner)));
    return n + asks->n;
}
#endif

KERNEL_TARGET static void KERNEL_NAME(ask)(easy_step *step) {
    int32_t i, n = 0, n_asked = 0;
    for (i = 0; i < step->n_parts; i++) {
#ifdef KERNEL_GATHER
        easy_part *part = &step->part[i];
        const easy_keys *keys = part->keys;
        if (keys->n <= EASY_EIGHT) {
            const uint64_t *const *share = step->share + part->first_share;
            __m512i sum = _mm512_load_si512(keys->seed);
            uint64_t left;
            int32_t k;
            for (k = 0; k < EASY_SHARES; k++)
                sum = _mm512_add_epi64(sum, _mm512_load_si512(share[k]));
            for (k = EASY_SHARES; k < part->n_shares; k++)
                sum = _mm512_add_epi64(sum, _mm512_load_si512(share[k]));
            _mm512_storeu_si512(step->key + n, _mm512_mask_mov_epi64(
                sum, _mm512_testn_epi64_mask(sum, sum), _mm512_set1_epi64(1)));
            _mm256_storeu_si256((__m256i *)(step->owner + n), _mm256_add_epi32(
                _mm256_set1_epi32(i << EASY_PART | keys->first_key), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
            part->first_key = n;
            n += keys->n_kept;
            n_asked = KERNEL_NAME(ask_eight)(step, part->ask[0], sum, i, n_asked);
            n_asked = KERNEL_NAME(ask_eight)(step, part->ask[1], sum, i, n_asked);
            for (left = part->more; left; left &= left - 1)
                n_asked = KERNEL_NAME(ask_eight)(step, keys->asks + easy_lowest_bit(left), sum, i, n_asked);
            continue;
        }
#endif
        step->n = n;
        step->n_asked = n_asked;
        easy_ask_part(step, i);
        n = step->n;
        n_asked = step->n_asked;
    }
    step->n = n;
    step->n_asked = n_asked;
}

KERNEL_TARGET static void KERNEL_NAME(hand_out)(easy_step *step, const char *arena) {
    int32_t i, k;
    easy_begin_rows(step);
    for (i = 0; i < step->n_parts; i++) {
        const easy_part *part = &step->part[i];
        const uint64_t *row = part->known ? part->known : step->row + part->first_key;
#ifdef KERNEL_GATHER
        if (part->n <= EASY_EIGHT) {
            const __mmask8 there = (__mmask8)((1u << part->n) - 1);
            _mm512_mask_storeu_epi64(part->rows, there, _mm512_maskz_loadu_epi64(there, row));
            continue;
        }
#endif
        for (k = 0; k < part->n; k++) part->rows[k] = row[k];
    }
    easy_end_rows(step, arena);
}

#ifdef KERNEL_GATHER
/* Where the rows of a pair have the lines that it adds up. No branches on which lines there are, which could not be
   foreseen. Up to a multiple of four, the line of zeros at the start of the arena follows, so that the end of the loop
   that adds them up is foreseen more often. */
KERNEL_TARGET static void KERNEL_NAME(gather)(easy_pair *pair, const easy_line *line, int32_t n_lines) {
    const __m512i is_wide = _mm512_set1_epi64(EASY_WIDE), start = _mm512_set1_epi64(-64);
    const __m512i nth = _mm512_set1_epi64(((1 << EASY_NTH_BITS) - 1) << 6);
    const easy_line *end = line + n_lines;
    uint64_t *out = pair->source, *wide_out = pair->wide;
    for (; line < end; line++) {
        const uint64_t *row = pair->rows[line->place] + line->row;
        int32_t n = pair->counts[line->place][line->shape].all;
        do { /* seldom more than eight; behind the last are some that have no lines */
            const __m512i z = _mm512_load_si512(row);
            const __mmask8 there = _mm512_test_epi64_mask(z, _mm512_set1_epi64((long long)line->present));
            const __mmask8 wide = _mm512_mask_test_epi64_mask(there, z, is_wide);
            const __mmask8 bytes = _mm512_mask_testn_epi64_mask(there, z, is_wide);
            const __m512i before = _mm512_and_si512(nth, _mm512_srl_epi64(z, _mm_loadl_epi64((const __m128i *)line->shift)));
            const __m512i at = _mm512_add_epi64(before, _mm512_and_si512(start, _mm512_srli_epi64(z, EASY_PLACE)));
            _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(bytes, at));
            _mm512_storeu_si512(wide_out, _mm512_maskz_compress_epi64(wide, at));
            out += __builtin_popcount(bytes);
            wide_out += __builtin_popcount(wide);
            row += EASY_EIGHT;
            n -= EASY_EIGHT;
        } while (n > 0);
    }
    _mm256_storeu_si256((__m256i *)out, _mm256_setzero_si256());
    pair->n = (int32_t)(out - pair->source);
    pair->n_wide = (int32_t)(wide_out - pair->wide);
}
#elif defined(KERNEL_FOURS)
KERNEL_TARGET static void KERNEL_NAME(gather)(easy_pair *pair, const easy_line *line, int32_t n_lines) {
    const __m256i start = _mm256_set1_epi64x(-64), nth = _mm256_set1_epi64x(((1 << EASY_NTH_BITS) - 1) << 6);
    const easy_line *end = line + n_lines;
    uint64_t *out = pair->source, *wide_out = pair->wide;
    for (; line < end; line++) {
        const uint64_t *row = pair->rows[line->place] + line->row;
        const __m128i to_sign = _mm_cvtsi32_si128(63 - EASY_PRESENT - line->line);
        const __m128i shift = _mm_loadl_epi64((const __m128i *)line->shift);
        int32_t n = pair->counts[line->place][line->shape].all;
        do { /* behind the last row are some that have no lines */
            const __m256i z = _mm256_load_si256((const __m256i *)row);
            const int there = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_sll_epi64(z, to_sign)));
            const int wide = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(z, 63 - EASY_PLACE))) & there;
            const int bytes = there ^ wide;
            const __m256i at = _mm256_add_epi64(_mm256_and_si256(nth, _mm256_srl_epi64(z, shift)),
                                                _mm256_and_si256(start, _mm256_srli_epi64(z, EASY_PLACE)));
            _mm256_storeu_si256((__m256i *)out, _mm256_permutevar8x32_epi32(
                at, _mm256_load_si256((const __m256i *)easy_packed[bytes])));
            _mm256_storeu_si256((__m256i *)wide_out, _mm256_permutevar8x32_epi32(
                at, _mm256_load_si256((const __m256i *)easy_packed[wide])));
            out += easy_packed_n[bytes];
            wide_out += easy_packed_n[wide];
            row += 4;
            n -= 4;
        } while (n > 0);
    }
    _mm256_storeu_si256((__m256i *)out, _mm256_setzero_si256());
    pair->n = (int32_t)(out - pair->source);
    pair->n_wide = (int32_t)(wide_out - pair->wide);
}
#else
KERNEL_TARGET static void KERNEL_NAME(gather)(easy_pair *pair, const easy_line *line, int32_t n_lines) {
    const easy_line *end = line + n_lines;
    uint64_t *out = pair->source, *wide_out = pair->wide;
    int32_t k;
    for (; line < end; line++) {
        const uint64_t *row = pair->rows[line->place] + line->row;
        const uint64_t *last = row + pair->counts[line->place][line->shape].all;
        const int32_t by = EASY_PRESENT + line->line, shift = line->line > 0 ? (int32_t)line->shift[0] : 0;
        const uint64_t nth = line->line > 0 ? ((1 << EASY_NTH_BITS) - 1) << 6 : 0;
        for (; row < last; row++) {
            const uint64_t z = *row, there = z >> by & 1, wide = z >> EASY_PLACE & there;
            *out = *wide_out = (z >> EASY_PLACE & ~(uint64_t)63) + (z >> shift & nth);
            out += there ^ wide;
            wide_out += wide;
        }
    }
    for (k = 0; k < 4; k++) out[k] = 0;
    pair->n = (int32_t)(out - pair->source);
    pair->n_wide = (int32_t)(wide_out - pair->wide);
}
#endif

#if defined(__GNUC__)
#define LANES KERNEL_NAME(lanes)
#define NARROW KERNEL_NAME(narrow)
#define PARTS (2 * EASY_LANES / KERNEL_BYTES)
#define SETS (KERNEL_BYTES == 64 ? 2 : 1) /* of sums, so that none waits for the one before */
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
#ifndef KERNEL_SPREAD
#define KERNEL_SPREAD(at) __builtin_convertvector(*(at), LANES)
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

KERNEL_TARGET static void KERNEL_NAME(more)(int16_t *out, const char *at, int32_t n, int32_t wide) {
    int32_t k;
    for (k = 0; k < n * PARTS; k++)
        ((LANES *)out)[k] += wide ? ((const LANES *)at)[k] : KERNEL_SPREAD((const NARROW *)at + k);
}

KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(add_sources)(LANES *out, const easy_pair *pair) {
    LANES x[SETS][PARTS];
    int32_t i, k, n = pair->n, n_wide = pair->n_wide;
    for (k = 0; k < PARTS; k++) x[0][k] = out[k];
    if (SETS > 1)
        for (k = 0; k < PARTS; k++) x[SETS - 1][k] = (LANES){0};
    for (i = 0; i < n; i += 4) {
        int32_t j;
        for (j = 0; j < 4; j++) {
            const NARROW *at = (const NARROW *)(pair->arena + pair->source[i + j]);
            for (k = 0; k < PARTS; k++) x[j % SETS][k] = KERNEL_ADD(x[j % SETS][k], KERNEL_SPREAD(at + k));
        }
    }
    for (i = 0; i < n_wide; i++)
        for (k = 0; k < PARTS; k++) x[0][k] = KERNEL_ADD(x[0][k], ((const LANES *)(pair->arena + pair->wide[i]))[k]);
    for (k = 0; k < PARTS; k++) out[k] = SETS > 1 ? KERNEL_ADD(x[0][k], x[SETS - 1][k]) : x[0][k];
}

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const int16_t *bias, const easy_pair *pair, const int16_t *mask,
                                               const int16_t *rank, int16_t *out, int32_t *top) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES x[PARTS], low;
    int16_t lowest;
    int32_t k;
    for (k = 0; k < PARTS; k++) x[k] = ((const LANES *)bias)[k];
    KERNEL_NAME(add_sources)(x, pair);
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
#undef SETS
#undef PICK
#undef NARROW
#undef LANES
#else
static void KERNEL_NAME(more)(int16_t *out, const char *at, int32_t n, int32_t wide) {
    int32_t k;
    for (k = 0; k < n * EASY_LANES; k++)
        out[k] = (int16_t)(out[k] + (wide ? ((const int16_t *)at)[k] : ((const int8_t *)at)[k]));
}

static int32_t KERNEL_NAME(best)(const int16_t *bias, const easy_pair *pair, const int16_t *mask, const int16_t *rank,
                                 int16_t *out, int32_t *top) {
    int32_t i, k, best = -1, n = pair->n;
    for (k = 0; k < EASY_LANES; k++) {
        int32_t x = bias[k];
        for (i = 0; i < n + pair->n_wide; i++) {
            x += i < n ? ((const int8_t *)(pair->arena + pair->source[i]))[k]
                       : ((const int16_t *)(pair->arena + pair->wide[i - n]))[k];
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

KERNEL_TARGET static int32_t KERNEL_NAME(look_up)(const easy_bucket *first, const easy_bucket **bucket,
                                                  const uint64_t *key, int32_t n, uint64_t *row) {
    int32_t i, missing = 0;
    for (i = 0; i < n; i++) {
#ifdef KERNEL_WHICH
        unsigned which = (unsigned)KERNEL_WHICH(bucket[i], key[i]);
        const easy_bucket *at = bucket[i];
        if (!which) { /* seldom; in the bucket beside it, or new */
            at = first + ((at - first) ^ 1);
            which = (unsigned)KERNEL_WHICH(at, key[i]);
        }
        row[i] = which ? at->row[__builtin_ctz(which)] : 0;
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
#undef KERNEL_GATHER
#undef KERNEL_FOURS
#undef KERNEL_SPREAD
#undef KERNEL_WHICH
#undef KERNEL_LARGEST
#undef KERNEL_LEAST
#undef KERNEL_LOWEST
