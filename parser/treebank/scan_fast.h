/* The scan of scan.h for processors that have more than SSE2. SCANS lists what this build has, the plain one first. */
#ifndef ARCSPEED_SCAN_FAST_H
#define ARCSPEED_SCAN_FAST_H
#include "parser/treebank/scan.h"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

static int scan_anywhere(void) { return 1; }

#if defined(__x86_64__) && defined(__GNUC__)
#define SCAN_TARGET __attribute__((target("avx2,bmi,popcnt")))
SCAN_TARGET static inline uint64_t scan_equal_avx2(__m256i low, __m256i high, char c) {
    const __m256i x = _mm256_set1_epi8(c);
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, x)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, x)) << 32;
}

SCAN_TARGET static inline scan_masks scan_block_avx2(const char *p) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)p), high = _mm256_loadu_si256((const __m256i *)(p + 32));
    scan_masks m;
    m.tab = scan_equal_avx2(low, high, '\t');
    m.newline = scan_equal_avx2(low, high, '\n');
    m.cr = scan_equal_avx2(low, high, '\r');
    m.nul = scan_equal_avx2(low, high, 0);
    m.equals = scan_equal_avx2(low, high, '=');
    m.b = scan_equal_avx2(low, high, 'b');
    m.high = (uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
    return m;
}

/* Writes `n` positions, and up to seven more that say nothing. */
SCAN_TARGET static inline void scan_put_avx2(uint32_t *out, uint64_t bits, uint32_t n, uint32_t at) {
    const uint64_t end = (uint64_t)1 << 63; /* no harm where a bit is left, and an answer where none is */
    uint32_t i, k;
    for (i = 0; i < n; i += 8)
        for (k = 0; k < 8; k++) {
            out[i + k] = at + (uint32_t)__builtin_ctzll(bits | end);
            bits &= bits - 1;
        }
}
#define SCAN_NAME scan_avx2
#define SCAN_BLOCK scan_block_avx2
#define SCAN_PUT scan_put_avx2
#include "parser/treebank/scan_body.h"
#undef SCAN_TARGET
#undef SCAN_NAME
#undef SCAN_BLOCK
#undef SCAN_PUT

#define SCAN_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,popcnt")))
SCAN_TARGET static inline scan_masks scan_block_avx512(const char *p) {
    const __m512i v = _mm512_loadu_si512((const void *)p);
    scan_masks m;
    m.tab = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\t'));
    m.newline = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n'));
    m.cr = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\r'));
    m.nul = _mm512_testn_epi8_mask(v, v);
    m.equals = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('='));
    m.b = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('b'));
    m.high = _mm512_movepi8_mask(v);
    return m;
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
#define SCAN_NAME scan_avx512
#define SCAN_BLOCK scan_block_avx512
#define SCAN_PUT scan_put_avx512
#include "parser/treebank/scan_body.h"
#undef SCAN_TARGET
#undef SCAN_NAME
#undef SCAN_BLOCK
#undef SCAN_PUT

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
