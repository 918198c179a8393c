/* Included once per instruction set by kernel.h, which defines KERNEL_NAME, KERNEL_TARGET, KERNEL_BYTES, the size of its
   registers, and, where it can: KERNEL_WHICH, the keys of a bucket that are the wanted one, as bits; KERNEL_MOST and
   KERNEL_LEAST of two registers, KERNEL_LOWEST of all numbers in one. */

#ifdef KERNEL_COMPRESS
KERNEL_TARGET static int32_t KERNEL_NAME(filter)(const kernel_filter *filter, uint64_t *key, int32_t *owner, int32_t n) {
    const __m512i one = _mm512_set1_epi64(1), low = _mm512_set1_epi64(63);
    int32_t i, found = 0;
    for (i = 0; i < n; i += 8) {
        __mmask8 there = (__mmask8)((1u << (n - i < 8 ? n - i : 8)) - 1), passed;
        __m512i z = _mm512_loadu_si512(key + i), at, wanted;
        z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
        z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)0xFF51AFD7ED558CCDULL));
        z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
        z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)0xC4CEB9FE1A85EC53ULL));
        z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
        z = _mm512_mask_mov_epi64(z, _mm512_testn_epi64_mask(z, z), one);
        at = _mm512_srl_epi64(_mm512_and_si512(z, _mm512_set1_epi64(0xFFFFFFFFLL)), _mm_cvtsi32_si128(filter->shift));
        wanted = _mm512_or_si512(_mm512_sllv_epi64(one, _mm512_and_si512(z, low)),
                                 _mm512_sllv_epi64(one, _mm512_and_si512(_mm512_srli_epi64(z, 6), low)));
        at = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), there, at, filter->words, 8);
        passed = _mm512_mask_cmpeq_epi64_mask(there, _mm512_and_si512(at, wanted), wanted);
        /* what is written too much has been read already */
        _mm512_storeu_si512(key + found, _mm512_maskz_compress_epi64(passed, z));
        _mm256_storeu_si256((__m256i *)(owner + found),
                            _mm256_maskz_compress_epi32(passed, _mm256_loadu_si256((const __m256i *)(owner + i))));
        found += __builtin_popcount(passed);
    }
    return found;
}

KERNEL_TARGET static void KERNEL_NAME(sort)(const uint64_t *row, int32_t n, const char *arena, kernel_rows *rows) {
    __m512i bound = _mm512_setzero_si512(), most = bound;
    int32_t i, n_longs = rows->n_longs, n_shorts = rows->n_shorts, n_tails = rows->n_tails;
    for (i = 0; i < n; i += 8) {
        __mmask8 there = (__mmask8)((1u << (n - i < 8 ? n - i : 8)) - 1), is;
        __m512i z = _mm512_maskz_loadu_epi64(there, row + i);
        __m512i at = _mm512_add_epi64(_mm512_slli_epi64(_mm512_and_si512(z, _mm512_set1_epi64(KERNEL_ROW_LINE)), 2),
                                      _mm512_set1_epi64((long long)(intptr_t)arena));
        bound = _mm512_add_epi64(bound, _mm512_and_si512(_mm512_srli_epi64(z, 32), _mm512_set1_epi64(0xFFFF)));
        most = _mm512_add_epi64(most, _mm512_srli_epi64(z, 48));
        is = _mm512_test_epi64_mask(z, _mm512_set1_epi64(KERNEL_ROW_WIDE));
        _mm512_storeu_si512(rows->longs + n_longs, _mm512_maskz_compress_epi64(is, at));
        n_longs += __builtin_popcount(is);
        is = _mm512_test_epi64_mask(z, _mm512_set1_epi64(KERNEL_ROW_SHORT));
        _mm512_storeu_si512(rows->shorts + n_shorts, _mm512_maskz_compress_epi64(is, at));
        n_shorts += __builtin_popcount(is);
        is = _mm512_test_epi64_mask(z, _mm512_set1_epi64(KERNEL_ROW_TAIL));
        _mm512_storeu_si512(rows->tails + n_tails, _mm512_maskz_compress_epi64(is, at));
        n_tails += __builtin_popcount(is);
    }
    rows->n_longs = n_longs;
    rows->n_shorts = n_shorts;
    rows->n_tails = n_tails;
    rows->bound += (int32_t)_mm512_reduce_add_epi64(bound);
    rows->most += (int32_t)_mm512_reduce_add_epi64(most);
}
#else
KERNEL_TARGET static int32_t KERNEL_NAME(filter)(const kernel_filter *filter, uint64_t *key, int32_t *owner, int32_t n) {
    int32_t i, found = 0;
    for (i = 0; i < n; i++) {
        uint64_t z = kernel_finish(key[i]), wanted = 1ULL << (z & 63) | 1ULL << (z >> 6 & 63);
        key[found] = z;
        owner[found] = owner[i];
        found += (filter->words[(uint32_t)z >> filter->shift] & wanted) == wanted;
    }
    return found;
}

/* No branches, which could not be foreseen: a row is put on all lists and counts on those it belongs to. */
KERNEL_TARGET static void KERNEL_NAME(sort)(const uint64_t *row, int32_t n, const char *arena, kernel_rows *rows) {
    const int16_t **longs = rows->longs + rows->n_longs, **tails = rows->tails + rows->n_tails;
    const int8_t **shorts = rows->shorts + rows->n_shorts;
    uint64_t bound = 0, most = 0;
    int32_t i;
    for (i = 0; i < n; i++) {
        uint64_t z = row[i];
        const char *at = arena + ((z & KERNEL_ROW_LINE) << 2);
        bound += z >> 32 & 0xFFFF;
        most += z >> 48;
        *longs = (const int16_t *)at;
        *tails = (const int16_t *)at;
        *shorts = (const int8_t *)at;
        shorts += z & KERNEL_ROW_SHORT;
        longs += (z & KERNEL_ROW_WIDE) != 0;
        tails += (z & KERNEL_ROW_TAIL) != 0;
    }
    rows->n_longs = (int32_t)(longs - rows->longs);
    rows->n_shorts = (int32_t)(shorts - rows->shorts);
    rows->n_tails = (int32_t)(tails - rows->tails);
    rows->bound += (int32_t)bound;
    rows->most += (int32_t)most;
}
#endif

KERNEL_TARGET static int32_t KERNEL_NAME(find)(const kernel_bucket **bucket, const uint64_t *key, int32_t n,
                                               uint64_t *row) {
    int32_t i, missing = 0;
    for (i = 0; i < n; i++) {
        const kernel_bucket *b = bucket[i];
#ifdef KERNEL_WHICH
        unsigned which = (unsigned)KERNEL_WHICH(b, key[i]);
        row[i] = which ? b->row[__builtin_ctz(which)] : 0;
        missing += which == 0;
#else
        uint64_t found = 0;
        int32_t k;
        for (k = 0; k < KERNEL_WAYS; k++) found |= b->key[k] == key[i] ? b->row[k] : 0;
        row[i] = found;
        missing += found == 0;
#endif
    }
    return missing;
}

#if defined(__GNUC__)
#define LANES KERNEL_NAME(lanes)
#define NARROW KERNEL_NAME(narrow)
#define PER_LINE (2 * KERNEL_LANES / KERNEL_BYTES)
#define HEAD (2 * KERNEL_SHORT / KERNEL_BYTES)
#define PICK(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))
typedef int16_t LANES __attribute__((vector_size(KERNEL_BYTES), may_alias));
typedef int8_t NARROW __attribute__((vector_size(KERNEL_BYTES / 2), may_alias));

#ifndef KERNEL_MOST
#define KERNEL_MOST(a, b) PICK((a) > (b), a, b)
#define KERNEL_LEAST(a, b) PICK((a) < (b), a, b)
#define KERNEL_LOWEST(v) KERNEL_NAME(lowest_of)(v)
static inline int16_t KERNEL_NAME(lowest_of)(LANES v) {
    int16_t low = v[0];
    int32_t i;
    for (i = 1; i < KERNEL_BYTES / 2; i++) low = v[i] < low ? v[i] : low;
    return low;
}
#endif

KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(add_head)(const kernel_rows *rows, LANES *x) {
    const int16_t *const *longs = rows->longs;
    const int8_t *const *shorts = rows->shorts;
    int32_t j, k, n_longs = rows->n_longs, n_shorts = rows->n_shorts;
    for (k = 0; k < HEAD; k++) x[k] = ((const LANES *)longs[0])[k];
    for (j = 1; j < n_longs; j++) {
        const LANES *row = (const LANES *)longs[j];
        for (k = 0; k < HEAD; k++) x[k] += row[k];
    }
    for (j = 0; j < n_shorts; j++) {
        const NARROW *row = (const NARROW *)shorts[j];
        for (k = 0; k < HEAD; k++) x[k] += __builtin_convertvector(row[k], LANES);
    }
}

KERNEL_TARGET static void KERNEL_NAME(sum)(const kernel_rows *rows, int16_t *out) {
    LANES x[HEAD];
    int32_t k;
    KERNEL_NAME(add_head)(rows, x);
    for (k = 0; k < HEAD; k++) ((LANES *)out)[k] = x[k];
}

KERNEL_TARGET static int32_t KERNEL_NAME(best)(const kernel_rows *rows, const int16_t *mask, const int16_t *rank,
                                               int16_t *out, int32_t *top) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES x[HEAD], low;
    int16_t lowest;
    int32_t k;
    KERNEL_NAME(add_head)(rows, x);
    for (k = 0; k < HEAD; k++) ((LANES *)out)[k] = x[k];
    for (k = 0; k < HEAD; k++) x[k] = PICK(legal[k], ~x[k], none); /* turned around: the lowest is the best */
    low = x[0];
    for (k = 1; k < HEAD; k++) low = KERNEL_LEAST(low, x[k]);
    lowest = KERNEL_LOWEST(low);
    *top = ~lowest;
    low = PICK(x[0] == lowest, place[0], none);
    for (k = 1; k < HEAD; k++) {
        LANES y = PICK(x[k] == lowest, place[k], none);
        low = KERNEL_LEAST(low, y);
    }
    return KERNEL_LOWEST(low);
}

KERNEL_TARGET static int32_t KERNEL_NAME(best_of_all)(const kernel_rows *rows, int32_t lines, const int16_t *mask,
                                                      const int16_t *rank, int16_t *out) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES low = none, *score = (LANES *)out;
    int16_t lowest;
    int32_t b, j, all = lines * PER_LINE;
    KERNEL_NAME(sum)(rows, out);
    for (b = HEAD; b < all; b++) {
        LANES x = (LANES){0};
        for (j = 0; j < rows->n_tails; j++) x += ((const LANES *)rows->tails[j])[b];
        score[b] = x;
    }
    for (b = 0; b < all; b++) {
        LANES x = PICK(legal[b], ~score[b], none);
        low = KERNEL_LEAST(low, x);
    }
    lowest = KERNEL_LOWEST(low);
    low = none;
    for (b = 0; b < all; b++) {
        LANES x = PICK((~score[b] == lowest) & legal[b], place[b], none);
        low = KERNEL_LEAST(low, x);
    }
    return KERNEL_LOWEST(low);
}
#undef PER_LINE
#undef HEAD
#undef PICK
#undef NARROW
#undef LANES
#else
static void KERNEL_NAME(add)(const int16_t **rows, int32_t n, int32_t from, int32_t to, int16_t *out) {
    int32_t i, j;
    for (i = from; i < to; i++) out[i] = 0;
    for (j = 0; j < n; j++)
        for (i = from; i < to; i++) out[i] = (int16_t)(out[i] + rows[j][i]);
}

static void KERNEL_NAME(sum)(const kernel_rows *rows, int16_t *out) {
    int32_t i, j;
    KERNEL_NAME(add)(rows->longs, rows->n_longs, 0, KERNEL_SHORT, out);
    for (j = 0; j < rows->n_shorts; j++)
        for (i = 0; i < KERNEL_SHORT; i++) out[i] = (int16_t)(out[i] + rows->shorts[j][i]);
}

static int32_t KERNEL_NAME(pick)(int32_t n, const int16_t *mask, const int16_t *rank, const int16_t *out, int32_t *top) {
    int32_t i, best = -1;
    for (i = 0; i < n; i++)
        if (mask[i] && (best < 0 || out[i] > out[best] || (out[i] == out[best] && rank[i] < rank[best]))) best = i;
    *top = best < 0 ? KERNEL_ILLEGAL : out[best];
    return best < 0 ? INT16_MAX : rank[best];
}

static int32_t KERNEL_NAME(best)(const kernel_rows *rows, const int16_t *mask, const int16_t *rank, int16_t *out,
                                 int32_t *top) {
    KERNEL_NAME(sum)(rows, out);
    return KERNEL_NAME(pick)(KERNEL_SHORT, mask, rank, out, top);
}

static int32_t KERNEL_NAME(best_of_all)(const kernel_rows *rows, int32_t lines, const int16_t *mask,
                                        const int16_t *rank, int16_t *out) {
    int32_t top;
    KERNEL_NAME(sum)(rows, out);
    KERNEL_NAME(add)(rows->tails, rows->n_tails, KERNEL_SHORT, lines * KERNEL_LANES, out);
    return KERNEL_NAME(pick)(lines * KERNEL_LANES, mask, rank, out, &top);
}
#endif
#undef KERNEL_NAME
#undef KERNEL_TARGET
#undef KERNEL_BYTES
#undef KERNEL_WHICH
#undef KERNEL_COMPRESS
#undef KERNEL_MOST
#undef KERNEL_LEAST
#undef KERNEL_LOWEST
