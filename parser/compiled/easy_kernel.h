/* Adding up lines of easy-first and finding the best of a pair: the same code compiled for several instruction sets.

   A line has EASY_LANES numbers of 16 bits: the scores of the first columns, the head; for groups of the columns behind
   them the largest that any of a group may have; and a bound of the size of all. Sums saturate, so that the bound says whether anything may have been
   lost; where it does not, all variants give the same bits.

   A reference to a row of sums: bit 0 always; EASY_WIDE: its numbers are of 16 bits, not 8; EASY_DENSE: see below; bits
   EASY_PRESENT on: which of the shape's lines it has; bits EASY_TAIL on: for which of them something follows for columns
   behind the head; above them the first of its lines of 64 bytes in memory. What follows is one number for each such
   column, up to a multiple of EASY_LANES, or, where it is not dense, how many numbers there are and then each column and
   its number, all of 16 bits. */
#ifndef ARCSPEED_EASY_KERNEL_H
#define ARCSPEED_EASY_KERNEL_H
#include <stdint.h>

#include "parser/compiled/kernel.h"

#define EASY_WAYS 4
typedef struct { /* a cache line of remembered sums */
    uint64_t key[EASY_WAYS]; /* 0: empty */
    uint64_t row[EASY_WAYS];
} easy_bucket;

static inline easy_bucket *easy_home(const kernel_places *places, uint64_t key) {
    return (easy_bucket *)places->buckets + (kernel_mix(key) >> places->shift);
}

#define EASY_LANES 64
#define EASY_SIZE 63 /* lane of the bound of all */
#define EASY_LOWEST (-32768)
#define EASY_MOVES 6   /* lines of a row, at most */
#define EASY_WIDE 2
#define EASY_DENSE 4
#define EASY_PRESENT 8
#define EASY_TAIL 16
#define EASY_LINE 32

typedef struct {
    const char *name;
    /* out, n_lines lines: what they were at `first` and the rows' lines from first_line on, which must be
       the first that any of the rows has */
    void (*add)(int16_t *out, int32_t n_lines, int32_t first_line, const int16_t *first, const uint64_t *row, int32_t n,
                const char *arena);
    /* adds rows of one line, or none, to `out`, which has room for all */
    void (*add_single)(int16_t *out, const uint64_t *row, int32_t n, const char *arena);
    /* Adds up the bias and lines, those of the element at each place of the window being n[place], the next of `at`;
       gives the lowest rank among the lanes of the highest score where mask is set (0 or -1 each), and that score. */
    int32_t (*best)(const int16_t *bias, const int16_t *const *lines, const int32_t *at, const int32_t *n,
                    const int16_t *mask, const int16_t *rank, int16_t *out, int32_t *top);
    /* adds n times EASY_LANES numbers, of 16 bits or 8 */
    void (*more)(int16_t *out, const char *at, int32_t n, int32_t wide);
    /* place of the first of the largest of n numbers, a multiple of 16 */
    int32_t (*largest)(const int32_t *number, int32_t n);
    /* row[i] = what is remembered under key[i] in its bucket, 0: nothing. Gives the number of those not found. */
    int32_t (*look_up)(const easy_bucket **bucket, const uint64_t *key, int32_t n, uint64_t *row);
} easy_kernel;

#define EASY_WINDOW 6

#define KERNEL_NAME(f) f##_easy_plain
#define KERNEL_TARGET
#define KERNEL_BYTES 16
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define KERNEL_ADD(a, b) ((LANES)_mm_adds_epi16((__m128i)(a), (__m128i)(b)))
#endif
#include "parser/compiled/easy_kernel_body.h"

/* As in kernel.h: where GCC's names of instruction sets are known to work, and not in checked builds. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(ARCSPEED_CHECKED)
#define KERNEL_NAME(f) f##_easy_avx2
#define KERNEL_TARGET __attribute__((target("avx2,bmi")))
#define KERNEL_BYTES 32
#define KERNEL_ADD(a, b) ((LANES)_mm256_adds_epi16((__m256i)(a), (__m256i)(b)))
#define KERNEL_LEAST(a, b) ((LANES)_mm256_min_epi16((__m256i)(a), (__m256i)(b)))
__attribute__((target("avx2"))) static inline int16_t easy_lowest(__m256i v) {
    __m128i low = _mm_min_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (int16_t)(_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(low, _mm_set1_epi16(-32768))), 0) ^ 0x8000);
}
#define KERNEL_LOWEST(v) easy_lowest((__m256i)(v))
#define KERNEL_WHICH(bucket, wanted) \
    _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64( \
        _mm256_load_si256((const __m256i *)(bucket)->key), _mm256_set1_epi64x((long long)(wanted)))))
#define KERNEL_LARGEST
__attribute__((target("avx2,bmi"))) static int32_t largest_easy_avx2(const int32_t *number, int32_t n) {
    __m256i most = _mm256_loadu_si256((const __m256i *)number), top;
    int32_t i;
    unsigned found;
    for (i = 8; i < n; i += 8) most = _mm256_max_epi32(most, _mm256_loadu_si256((const __m256i *)(number + i)));
    top = _mm256_max_epi32(most, _mm256_permute2x128_si256(most, most, 1));
    top = _mm256_max_epi32(top, _mm256_shuffle_epi32(top, 0x4E));
    top = _mm256_max_epi32(top, _mm256_shuffle_epi32(top, 0xB1));
    for (i = 0;; i += 8) {
        found = (unsigned)_mm256_movemask_ps(
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(number + i)), top)));
        if (found) return i + __builtin_ctz(found);
    }
}
#include "parser/compiled/easy_kernel_body.h"
#define KERNEL_NAME(f) f##_easy_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi")))
#define KERNEL_BYTES 64
#define KERNEL_TAKE(at, bit) \
    ((LANES)_mm512_maskz_cvtepi8_epi16((__mmask32)(0 - (uint32_t)(bit)), _mm256_loadu_si256((const __m256i *)(at))))
#define KERNEL_ADD(a, b) ((LANES)_mm512_adds_epi16((__m512i)(a), (__m512i)(b)))
#define KERNEL_LEAST(a, b) ((LANES)_mm512_min_epi16((__m512i)(a), (__m512i)(b)))
#define KERNEL_LOWEST(v) easy_lowest(_mm256_min_epi16(_mm512_castsi512_si256((__m512i)(v)), \
                                                      _mm512_extracti64x4_epi64((__m512i)(v), 1)))
#define KERNEL_WHICH(bucket, wanted) \
    _mm256_cmpeq_epi64_mask(_mm256_load_si256((const __m256i *)(bucket)->key), _mm256_set1_epi64x((long long)(wanted)))
#define KERNEL_LARGEST
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi"))) static int32_t largest_easy_avx512(
    const int32_t *number, int32_t n) {
    __m512i most = _mm512_loadu_si512(number);
    __mmask16 found;
    int32_t i;
    for (i = 16; i < n; i += 16) most = _mm512_max_epi32(most, _mm512_loadu_si512(number + i));
    most = _mm512_set1_epi32(_mm512_reduce_max_epi32(most));
    for (i = 0;; i += 16) {
        found = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(number + i), most);
        if (found) return i + __builtin_ctz(found);
    }
}
#include "parser/compiled/easy_kernel_body.h"
#endif

static const easy_kernel easy_kernels[] = {
    {"plain", add_easy_plain, add_single_easy_plain, best_easy_plain, more_easy_plain, largest_easy_plain, look_up_easy_plain},
#if defined(__GNUC__) && defined(__x86_64__) && !defined(ARCSPEED_CHECKED)
    {"avx2", add_easy_avx2, add_single_easy_avx2, best_easy_avx2, more_easy_avx2, largest_easy_avx2, look_up_easy_avx2},
    {"avx512", add_easy_avx512, add_single_easy_avx512, best_easy_avx512, more_easy_avx512, largest_easy_avx512, look_up_easy_avx512},
#endif
};
#define N_EASY_KERNELS ((int32_t)(sizeof easy_kernels / sizeof *easy_kernels))
#endif
