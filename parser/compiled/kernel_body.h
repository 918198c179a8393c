/* Included once per instruction set by kernel.h, which defines KERNEL_NAME, KERNEL_TARGET, KERNEL_BYTES, the size of its
   registers, and, where it can: KERNEL_WHICH, which ways of a bucket have the wanted key, as bits; KERNEL_ADD, which
   saturates, and KERNEL_LEAST of two registers, KERNEL_LOWEST of all numbers in one. */

/* Has eight buckets on the way. Always eight: where a loop over just those that are needed ends is hard to foresee. */
static inline __attribute__((always_inline)) void KERNEL_NAME(fetch_eight)(const kernel_places *places,
                                                                           const uint64_t *home) {
    const char *const buckets = (const char *)places->buckets;
    KERNEL_FETCH(buckets + home[0]);
    KERNEL_FETCH(buckets + home[1]);
    KERNEL_FETCH(buckets + home[2]);
    KERNEL_FETCH(buckets + home[3]);
    KERNEL_FETCH(buckets + home[4]);
    KERNEL_FETCH(buckets + home[5]);
    KERNEL_FETCH(buckets + home[6]);
    KERNEL_FETCH(buckets + home[7]);
}

#ifdef KERNEL_COMPRESS
KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(sums)(
    const kernel_block *block, const uint64_t *const *record) {
    __m512i z = _mm512_loadu_si512(block->seed);
    const kernel_term *t = block->terms, *last = t + block->n_terms;
    for (; t < last; t++) {
        __m512i pick = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)t->pick));
        __m512i values = _mm512_loadu_si512(record[t->node] + t->at);
        z = _mm512_add_epi64(z, _mm512_maskz_permutexvar_epi64((__mmask8)t->keys, pick, values));
    }
    return z;
}

KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(finish)(__m512i z) { /* as feature_key */
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
    z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)FEATURE_KEY_FIRST));
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
    z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)FEATURE_KEY_SECOND));
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 33));
    return _mm512_mask_mov_epi64(z, _mm512_testn_epi64_mask(z, z), _mm512_set1_epi64(1));
}

KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(filter_words)(
    const kernel_filter *filter, __m512i z, __mmask8 there) {
    __m512i at = _mm512_srl_epi64(_mm512_and_si512(z, _mm512_set1_epi64(0xFFFFFFFFLL)), _mm_cvtsi32_si128(filter->shift));
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), there, at, filter->words, 8);
}

/* Which of these keys have both their bits in their words: rotations count modulo 64 by themselves. */
KERNEL_TARGET static inline __attribute__((always_inline)) __mmask8 KERNEL_NAME(passing)(__m512i z, __m512i words,
                                                                                         __mmask8 there) {
    const __m512i first = _mm512_rorv_epi64(words, z), second = _mm512_rorv_epi64(words, _mm512_srli_epi64(z, 6));
    return _mm512_mask_test_epi64_mask(there, _mm512_and_si512(first, second), _mm512_set1_epi64(1));
}

/* Eight keys, mixed. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(put_keys)(__m128i shift, uint64_t *told,
                                                                                      uint64_t *home, __m512i key) {
    _mm512_storeu_si512(told, _mm512_slli_epi64(key, 64 - KERNEL_KEY_BITS));
    _mm512_storeu_si512(home, _mm512_slli_epi64(_mm512_srl_epi64(key, shift), KERNEL_LINE_BITS));
}

/* Writes the keys of a state's sums, whose buckets are on their way then; asks the filter for its feature keys. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(write_keys)(const kernel_places *places,
                                                                                        kernel_work *work) {
    const __m512i mix = _mm512_set1_epi64((long long)KERNEL_HOME);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)places->shift);
    const kernel_program *const program = work->program;
    const kernel_block *block = program->blocks, *last = block + program->n_sums;
    const uint64_t *const *const record = work->scene.record;
    uint64_t *asked = work->asked;
    int32_t n = 0;
    for (; block < last; block++, n += KERNEL_KEYS) {
        KERNEL_NAME(put_keys)(shift, work->told + n, work->home + n,
                              _mm512_mullo_epi64(KERNEL_NAME(sums)(block, record), mix));
        KERNEL_NAME(fetch_eight)(places, work->home + n);
    }
    for (last = program->blocks + program->n_blocks; block < last; block++, asked += 2 * KERNEL_KEYS) {
        __m512i z = KERNEL_NAME(finish)(KERNEL_NAME(sums)(block, record));
        _mm512_storeu_si512(asked, z);
        _mm512_storeu_si512(asked + KERNEL_KEYS,
                            KERNEL_NAME(filter_words)(&places->filter, z, block->all));
    }
}

/* Puts the feature keys that pass the filter behind those of sums; their buckets are on their way then. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(pass_keys)(const kernel_places *places,
                                                                                       kernel_work *work) {
    const __m512i mix = _mm512_set1_epi64((long long)KERNEL_HOME);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)places->shift);
    const kernel_program *const program = work->program;
    const uint64_t *asked = work->asked;
    uint64_t *const told = work->told, *const home = work->home;
    int32_t k, n = program->n_keys, left = program->n_features;
    for (; left > 0; left -= KERNEL_KEYS, asked += 2 * KERNEL_KEYS) {
        const __m512i z = _mm512_loadu_si512(asked);
        const __mmask8 all = (__mmask8)((1U << (left < KERNEL_KEYS ? left : KERNEL_KEYS)) - 1);
        const __mmask8 there = KERNEL_NAME(passing)(z, _mm512_loadu_si512(asked + KERNEL_KEYS), all);
        KERNEL_NAME(put_keys)(shift, told + n, home + n, _mm512_maskz_compress_epi64(there, _mm512_mullo_epi64(z, mix)));
        n += __builtin_popcount(there);
    }
    for (k = program->n_keys; k < n; k += KERNEL_KEYS) KERNEL_NAME(fetch_eight)(places, home + k);
    work->n_keys = n;
}

KERNEL_TARGET static int32_t KERNEL_NAME(filter)(const kernel_filter *filter, uint64_t *key, int32_t *owner, int32_t n) {
    int32_t i, found = 0;
    for (i = 0; i < n; i += 8) {
        __mmask8 there = (__mmask8)((1u << (n - i < 8 ? n - i : 8)) - 1);
        __m512i z = KERNEL_NAME(finish)(_mm512_loadu_si512(key + i));
        there = KERNEL_NAME(passing)(z, KERNEL_NAME(filter_words)(filter, z, there), there);
        /* what is written too much has been read already */
        _mm512_storeu_si512(key + found, _mm512_maskz_compress_epi64(there, z));
        _mm256_storeu_si256((__m256i *)(owner + found), _mm256_maskz_compress_epi32(
            there, _mm256_loadu_si256((const __m256i *)(owner + i))));
        found += __builtin_popcount(there);
    }
    return found;
}
#else
KERNEL_TARGET static inline void KERNEL_NAME(sums)(const kernel_block *block, const uint64_t *const *record,
                                                   uint64_t *sum) {
    int32_t i, k;
    unsigned left;
    memcpy(sum, block->seed, sizeof block->seed);
    for (i = 0; i < block->n_terms; i++) {
        const kernel_term *t = block->terms + i;
        const uint64_t *values = record[t->node] + t->at;
        for (left = t->keys; left; left &= left - 1) {
            k = __builtin_ctz(left);
            sum[k] += values[t->pick[k] - KERNEL_PICKED];
        }
    }
}

/* The n-th key, mixed. */
KERNEL_TARGET static inline void KERNEL_NAME(put_key)(const kernel_places *places, kernel_work *work, int32_t n,
                                                      uint64_t key) {
    work->told[n] = kernel_told(key);
    work->home[n] = key >> places->shift << KERNEL_LINE_BITS;
}

/* Writes the keys of a state's sums, whose buckets are on their way then; asks the filter for its feature keys. */
KERNEL_TARGET static inline void KERNEL_NAME(write_keys)(const kernel_places *places, kernel_work *work) {
    const kernel_program *const program = work->program;
    const kernel_block *block = program->blocks, *last = block + program->n_sums;
    const uint64_t *const *const record = work->scene.record;
    uint64_t *asked = work->asked, key[KERNEL_KEYS];
    int32_t k, n = 0;
    for (; block < last; block++, n += KERNEL_KEYS) {
        KERNEL_NAME(sums)(block, record, key);
        for (k = 0; k < KERNEL_KEYS; k++) KERNEL_NAME(put_key)(places, work, n + k, kernel_mix(key[k]));
        KERNEL_NAME(fetch_eight)(places, work->home + n);
    }
    for (last = program->blocks + program->n_blocks; block < last; block++, asked += 2 * KERNEL_KEYS) {
        KERNEL_NAME(sums)(block, record, asked);
        for (k = 0; k < block->n; k++) {
            const uint64_t z = feature_key(asked[k]);
            asked[k] = z;
            asked[KERNEL_KEYS + k] = places->filter.words[(uint32_t)z >> places->filter.shift];
        }
    }
}

/* Puts the feature keys that pass the filter behind those of sums; their buckets are on their way then. */
KERNEL_TARGET static inline void KERNEL_NAME(pass_keys)(const kernel_places *places, kernel_work *work) {
    const kernel_program *const program = work->program;
    const uint64_t *asked = work->asked;
    int32_t k, n = program->n_keys, left = program->n_features;
    for (; left > 0; left -= KERNEL_KEYS, asked += 2 * KERNEL_KEYS) {
        for (k = 0; k < (left < KERNEL_KEYS ? left : KERNEL_KEYS); k++) {
            const uint64_t z = asked[k], wanted = 1ULL << (z & 63) | 1ULL << (z >> 6 & 63);
            KERNEL_NAME(put_key)(places, work, n, kernel_mix(z));
            n += (asked[KERNEL_KEYS + k] & wanted) == wanted;
        }
    }
    for (k = program->n_keys; k < n; k++) KERNEL_FETCH((char *)places->buckets + work->home[k]);
    work->n_keys = n;
}

KERNEL_TARGET static int32_t KERNEL_NAME(filter)(const kernel_filter *filter, uint64_t *key, int32_t *owner, int32_t n) {
    int32_t i, found = 0;
    for (i = 0; i < n; i++) {
        uint64_t z = feature_key(key[i]), wanted = 1ULL << (z & 63) | 1ULL << (z >> 6 & 63);
        key[found] = z;
        owner[found] = owner[i];
        found += (filter->words[(uint32_t)z >> filter->shift] & wanted) == wanted;
    }
    return found;
}
#endif

/* The row that is remembered under a key; 0: nothing. Every way is read once: another thread may write to the bucket, where a
   key may stand twice, too. */
KERNEL_TARGET static inline __attribute__((always_inline)) uint32_t KERNEL_NAME(look_up)(const kernel_bucket *bucket,
                                                                                         uint64_t told) {
#if defined(KERNEL_COMPRESS)
    __m512i ways = _mm512_load_si512(bucket);
    __asm__("" : "+v"(ways)); /* stays in its register */
    __mmask8 which = _mm512_testn_epi64_mask(_mm512_xor_si512(ways, _mm512_set1_epi64((long long)told)),
                                             _mm512_set1_epi64(~(long long)KERNEL_REF));
    return kernel_row((uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_maskz_compress_epi64(which, ways))));
#elif defined(KERNEL_WHICH)
    unsigned which = (unsigned)KERNEL_WHICH(bucket, told);
    return which ? kernel_row_if(shared_get_64(&bucket->way[__builtin_ctz(which)]), told) : 0;
#else
    uint32_t found = 0;
    int32_t k;
    for (k = 0; k < KERNEL_WAYS; k++) {
        const uint32_t row = kernel_row_if(shared_get_64(&bucket->way[k]), told);
        found = row ? row : found;
    }
    return found;
#endif
}

#define LANES KERNEL_NAME(lanes)
#define PER_LINE (2 * KERNEL_LANES / KERNEL_BYTES)
#define HEAD (2 * KERNEL_HEAD / KERNEL_BYTES)
#define PART(b) (((b) >= HEAD) + ((b) >= HEAD + PER_LINE))
#define PICK(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))
typedef int16_t LANES __attribute__((vector_size(KERNEL_BYTES), may_alias));

#ifndef KERNEL_ADD
#define KERNEL_ADD(a, b) KERNEL_NAME(sum_of)(a, b)
static inline LANES KERNEL_NAME(sum_of)(LANES a, LANES b) {
    int32_t i;
    for (i = 0; i < KERNEL_BYTES / 2; i++) a[i] = kernel_sum(a[i], b[i]);
    return a;
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

KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(add_row)(const kernel_places *places,
                                                                                     uint32_t row, LANES *x) {
    const LANES *head = (const LANES *)(places->arena + row);
    int32_t k;
    for (k = 0; k < HEAD; k++) x[k] = KERNEL_ADD(x[k], head[k]);
}

#ifdef KERNEL_COMPRESS
/* The best of a head, whose numbers have been written to `head`. Turned around, and without a sign, the lowest is the best:
   there is an instruction for that. Which one it is can be told from its place, since ties are rare. */
KERNEL_TARGET static inline __attribute__((always_inline)) kernel_best KERNEL_NAME(best_in)(
    LANES *x, const int16_t *head, const int16_t *mask, const int16_t *rank) {
    const __m512i turn = _mm512_set1_epi16(0x7FFF), *legal = (const __m512i *)mask;
    enum { TURN_OR_ILLEGAL = 0x7B }; /* (a ^ c) | ~b */
    const __m512i one = _mm512_ternarylogic_epi64((__m512i)x[0], legal[0], turn, TURN_OR_ILLEGAL);
    const __m512i two = _mm512_ternarylogic_epi64((__m512i)x[1], legal[1], turn, TURN_OR_ILLEGAL);
    const __m512i both = _mm512_min_epu16(one, two);
    const __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
    const __m128i least = _mm_minpos_epu16(_mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
    const __m512i lowest = _mm512_broadcastw_epi16(least);
    uint64_t where = _cvtmask32_u32(_mm512_cmpeq_epi16_mask(one, lowest)) |
                     (uint64_t)_cvtmask32_u32(_mm512_cmpeq_epi16_mask(two, lowest)) << KERNEL_LANES;
    kernel_best found;
    found.top = (int16_t)(_mm_cvtsi128_si32(least) ^ 0x7FFF);
    found.near = kernel_near_bound(head);
    found.far = head[KERNEL_FAR_BOUND];
    found.bound = head[KERNEL_BOUND];
    found.rank = rank[__builtin_ctzll(where)];
    while ((where &= where - 1) != 0) {
        const int16_t other = rank[__builtin_ctzll(where)];
        found.rank = other < found.rank ? other : found.rank;
    }
    return found;
}
#else
/* The best of a head, whose numbers have been written to `head`. */
KERNEL_TARGET static inline __attribute__((always_inline)) kernel_best KERNEL_NAME(best_in)(
    LANES *x, const int16_t *head, const int16_t *mask, const int16_t *rank) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES low;
    int16_t lowest;
    int32_t k;
    kernel_best found;
    found.near = kernel_near_bound(head);
    found.far = head[KERNEL_FAR_BOUND];
    found.bound = head[KERNEL_BOUND];
    for (k = 0; k < HEAD; k++) x[k] = PICK(legal[k], ~x[k], none); /* turned around: the lowest is the best */
    low = x[0];
    for (k = 1; k < HEAD; k++) low = KERNEL_LEAST(low, x[k]);
    lowest = KERNEL_LOWEST(low);
    found.top = ~lowest;
    low = PICK(x[0] == lowest, place[0], none);
    for (k = 1; k < HEAD; k++) {
        LANES y = PICK(x[k] == lowest, place[k], none);
        low = KERNEL_LEAST(low, y);
    }
    found.rank = KERNEL_LOWEST(low);
    return found;
}
#endif

KERNEL_TARGET static int32_t KERNEL_NAME(best_behind)(const kernel_rows *rows, int32_t line, int32_t end,
                                                      const int16_t *mask, const int16_t *rank, int32_t top,
                                                      int32_t first) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES low = (LANES){0} + (int16_t)~top, lowest_place = (LANES){0} + (int16_t)first;
    int16_t lowest;
    int32_t b, j;
    for (b = line * PER_LINE; b < end * PER_LINE; b++) { /* in every lane: the lowest, and the lowest place of such */
        const int16_t *const *added = rows->row[PART(b)];
        const int32_t n = rows->n[PART(b)];
        LANES x = (LANES){0}, here;
        for (j = 0; j < n; j++) x = KERNEL_ADD(x, ((const LANES *)added[j])[b]);
        x = PICK(legal[b], ~x, none);
        here = PICK(legal[b], place[b], none);
        here = PICK(x > low, lowest_place, here);
        lowest_place = PICK(x == low, KERNEL_LEAST(here, lowest_place), here);
        low = KERNEL_LEAST(low, x);
    }
    lowest = KERNEL_LOWEST(low);
    low = PICK(low == lowest, lowest_place, none);
    return KERNEL_LOWEST(low);
}

KERNEL_TARGET static int32_t KERNEL_NAME(best_of_all)(const kernel_rows *rows, int32_t lines, const int16_t *mask,
                                                      const int16_t *rank, int16_t *out) {
    const LANES *legal = (const LANES *)mask, *place = (const LANES *)rank, none = (LANES){0} + INT16_MAX;
    LANES low = none, *score = (LANES *)out;
    int16_t lowest;
    int32_t b, j, all = lines * PER_LINE;
    for (b = 0; b < all; b++) {
        const int16_t *const *added = rows->row[PART(b)];
        const int32_t n = rows->n[PART(b)];
        LANES x = (LANES){0};
        for (j = 0; j < n; j++) x = KERNEL_ADD(x, ((const LANES *)added[j])[b]);
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

KERNEL_TARGET static kernel_range KERNEL_NAME(pack)(const int32_t *number, int32_t n, int16_t *out) {
    int32_t i, least = 0, most = 0;
    for (i = 0; i < n / KERNEL_LANES * KERNEL_LANES; i++) {
        least = number[i] < least ? number[i] : least;
        most = number[i] > most ? number[i] : most;
        out[i] = kernel_sum(number[i], 0);
    }
    return (kernel_range){least, most};
}

KERNEL_TARGET static uint32_t KERNEL_NAME(which)(const kernel_bucket *bucket, uint64_t told) {
#ifdef KERNEL_WHICH
    return (uint32_t)KERNEL_WHICH(bucket, told);
#else
    uint32_t which = 0;
    int32_t k;
    for (k = 0; k < KERNEL_WAYS; k++) which |= (uint32_t)((bucket->way[k] ^ told) >> KERNEL_REF_BITS == 0) << k;
    return which;
#endif
}
#include "parser/compiled/look_body.h"
#include "parser/compiled/score_body.h"
#include "parser/compiled/chances_body.h"
#undef PER_LINE
#undef HEAD
#undef PART
#undef PICK
#undef LANES
#undef KERNEL_NAME
#undef KERNEL_TARGET
#undef KERNEL_BYTES
#undef KERNEL_WHICH
#undef KERNEL_COMPRESS
#undef KERNEL_DATA_LINES
#undef KERNEL_ADD
#undef KERNEL_LEAST
#undef KERNEL_LOWEST
