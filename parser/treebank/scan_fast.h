/* The scan of scan.h for processors that have more than SSE2. SCANS lists what this build has, the plain one first. */
#ifndef ARCSPEED_SCAN_FAST_H
#define ARCSPEED_SCAN_FAST_H
#include "parser/treebank/scan.h"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

static int scan_anywhere(void) { return 1; }

#if defined(__x86_64__) && defined(__GNUC__)
static inline uint32_t scan_pair(char before, char c) {
    const int empty = (c == '\t' && (before == '\t' || before == '\n')) || (c == '\n' && before == '\t');
    return (empty ? SCAN_EMPTY_CELL : 0) | (before == 'b' && c == '=' ? SCAN_CHANCE : 0);
}

typedef struct {
    uint64_t tab, newline;
} scan_marks;

#define SCAN_TARGET __attribute__((target("avx2,bmi,popcnt")))
SCAN_TARGET static inline uint64_t scan_equal_avx2(__m256i low, __m256i high, char c) {
    const __m256i x = _mm256_set1_epi8(c);
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, x)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, x)) << 32;
}

typedef struct { /* of all bytes seen: their upper bits, the least, the least difference to a CR; and of pairs of bytes */
    __m256i high, least, cr, chance;
    uint64_t empty;
} scan_seen_avx2;

SCAN_TARGET static inline scan_seen_avx2 scan_begin_avx2(void) {
    const __m256i none = _mm256_set1_epi8(' ');
    const scan_seen_avx2 seen = {none, none, none, _mm256_setzero_si256(), 0};
    return seen;
}

/* The bytes at p, to which p[64] may be the next. */
SCAN_TARGET static inline scan_marks scan_block_avx2(const char *p, scan_seen_avx2 *seen) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)p), high = _mm256_loadu_si256((const __m256i *)(p + 32));
    const __m256i next_low = _mm256_loadu_si256((const __m256i *)(p + 1));
    const __m256i next_high = _mm256_loadu_si256((const __m256i *)(p + 33));
    const __m256i cr = _mm256_set1_epi8('\r'), b = _mm256_set1_epi8('b'), equals = _mm256_set1_epi8('=');
    scan_marks m;
    m.tab = scan_equal_avx2(low, high, '\t');
    m.newline = scan_equal_avx2(low, high, '\n');
    const uint64_t next_tab = scan_equal_avx2(next_low, next_high, '\t');
    seen->empty |= (m.tab & (next_tab | scan_equal_avx2(next_low, next_high, '\n'))) | (m.newline & next_tab);
    seen->chance = _mm256_or_si256(
        seen->chance, _mm256_or_si256(_mm256_and_si256(_mm256_cmpeq_epi8(low, b), _mm256_cmpeq_epi8(next_low, equals)),
                                      _mm256_and_si256(_mm256_cmpeq_epi8(high, b), _mm256_cmpeq_epi8(next_high, equals))));
    seen->high = _mm256_or_si256(seen->high, _mm256_or_si256(low, high));
    seen->least = _mm256_min_epu8(seen->least, _mm256_min_epu8(low, high));
    seen->cr = _mm256_min_epu8(seen->cr, _mm256_min_epu8(_mm256_xor_si256(low, cr), _mm256_xor_si256(high, cr)));
    return m;
}

SCAN_TARGET static inline uint32_t scan_end_avx2(const scan_seen_avx2 *seen) {
    const __m256i zero = _mm256_setzero_si256();
    return (_mm256_movemask_epi8(seen->high) ? SCAN_NON_ASCII : 0) |
           (_mm256_movemask_epi8(_mm256_cmpeq_epi8(seen->least, zero)) ? SCAN_NUL : 0) |
           (_mm256_movemask_epi8(_mm256_cmpeq_epi8(seen->cr, zero)) ? SCAN_CR : 0) |
           (_mm256_movemask_epi8(seen->chance) ? SCAN_CHANCE : 0) | (seen->empty ? SCAN_EMPTY_CELL : 0);
}

/* Writes `n` positions, and up to seven more that say nothing. */
SCAN_TARGET static inline void scan_put_avx2(uint32_t *out, uint64_t bits, uint32_t n, uint32_t at) {
    uint32_t i, k;
    for (i = 0; i < n; i += 8)
        for (k = 0; k < 8; k++) {
            out[i + k] = at + (uint32_t)_tzcnt_u64(bits); /* 64 where there is none */
            bits &= bits - 1;
        }
}
#define SCAN_AS(name) name##_avx2
#include "parser/treebank/scan_body.h"

#define SCAN_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,popcnt")))
typedef struct {
    __m512i high, least, cr;
    __mmask64 empty, chance;
} scan_seen_avx512;

SCAN_TARGET static inline scan_seen_avx512 scan_begin_avx512(void) {
    const __m512i none = _mm512_set1_epi8(' ');
    const scan_seen_avx512 seen = {none, none, none, 0, 0};
    return seen;
}

SCAN_TARGET static inline scan_marks scan_block_avx512(const char *p, scan_seen_avx512 *seen) {
    const __m512i v = _mm512_loadu_si512((const void *)p), next = _mm512_loadu_si512((const void *)(p + 1));
    const __m512i tab = _mm512_set1_epi8('\t'), newline = _mm512_set1_epi8('\n');
    const __mmask64 at_tab = _mm512_cmpeq_epi8_mask(v, tab), at_newline = _mm512_cmpeq_epi8_mask(v, newline);
    const __mmask64 b = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('b'));
    const scan_marks m = {_cvtmask64_u64(at_tab), _cvtmask64_u64(at_newline)};
    seen->empty = _kor_mask64(seen->empty, _mm512_mask_cmpeq_epi8_mask(at_tab, next, newline));
    seen->empty = _kor_mask64(seen->empty, _mm512_mask_cmpeq_epi8_mask(_kor_mask64(at_tab, at_newline), next, tab));
    seen->chance = _kor_mask64(seen->chance, _mm512_mask_cmpeq_epi8_mask(b, next, _mm512_set1_epi8('=')));
    seen->high = _mm512_or_si512(seen->high, v);
    seen->least = _mm512_min_epu8(seen->least, v);
    seen->cr = _mm512_min_epu8(seen->cr, _mm512_xor_si512(v, _mm512_set1_epi8('\r')));
    return m;
}

SCAN_TARGET static inline uint32_t scan_end_avx512(const scan_seen_avx512 *seen) {
    return (_mm512_movepi8_mask(seen->high) ? SCAN_NON_ASCII : 0) |
           (_mm512_testn_epi8_mask(seen->least, seen->least) ? SCAN_NUL : 0) |
           (_mm512_testn_epi8_mask(seen->cr, seen->cr) ? SCAN_CR : 0) | (seen->chance ? SCAN_CHANCE : 0) |
           (seen->empty ? SCAN_EMPTY_CELL : 0);
}

/* Writes `n` positions, and up to fifteen more that say nothing. */
SCAN_TARGET static inline void scan_put_avx512(uint32_t *out, uint64_t bits, uint32_t n, uint32_t at) {
    static const uint8_t count[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i base = _mm512_set1_epi32((int32_t)at);
    __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512((const void *)count));
    uint32_t i;
    for (i = 0; i < n; i += 16) {
        _mm512_storeu_si512((void *)(out + i),
                            _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
        places = _mm512_shuffle_i64x2(places, places, 0x39); /* the next sixteen in front */
    }
}
#define SCAN_AS(name) name##_avx512
#include "parser/treebank/scan_body.h"

static int scan_usable_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
static int scan_usable_avx512(void) {
    return scan_usable_avx2() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

typedef int (*scan_function)(scan_index *x, const char *text, uint32_t length);

typedef struct {
    const char *name;
    int (*usable)(void);
    scan_function scan;
} scan_variant;

static const scan_variant SCANS[] = {
    {"plain", scan_anywhere, scan_plain},
#if defined(__x86_64__) && defined(__GNUC__)
    {"avx2", scan_usable_avx2, scan_avx2},
    {"avx512", scan_usable_avx512, scan_avx512},
#endif
};
enum { N_SCANS = sizeof(SCANS) / sizeof(SCANS[0]) };
#endif
