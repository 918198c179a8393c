/* Looking up remembered sums, adding up rows, finding the best: the same code compiled for several instruction sets.

   Everything is integer arithmetic without overflow, so all variants give the same bits. A line is 64 bytes, aligned: 32
   numbers of a row. The *head* are the first 58 columns, where nearly all weights are; behind it a row may have a *near*
   line with the next 32 columns, and *far* lines with all others. Six bounds stand at the end of the head and are added up
   like scores: what they add up to says whether anything behind the head, or anything that was lost because sums saturate,
   can matter. The near line has four, one for every eight columns: sums of maxima are too high by less. KERNELS lists the
   variants that this build has, the plain one first. */
#ifndef ARCSPEED_KERNEL_H
#define ARCSPEED_KERNEL_H
#include <stdint.h>
#include <string.h>

#include "parser/compiled/plan.h"
#include "parser/compiled/shared.h"
#include "parser/score/exp.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define KERNEL_FETCH(address) __builtin_prefetch((const void *)(address), 0, 3)

#define KERNEL_LANES 32
#define KERNEL_HEAD 64       /* numbers of a row before its near line, */
#define KERNEL_COLUMNS 58    /* of which so many are columns; */
#define KERNEL_NEAR_BOUND 58 /* no number of the near line's first quarter is above this one: 1 or more if there is that */
                             /* line, else 0. Behind it those of the other quarters, 0 or more; */
#define KERNEL_QUARTERS 4
#define KERNEL_FAR_BOUND 62  /* no number of the far lines is above this one: 1 or more if there are any, else 0; */
#define KERNEL_BOUND 63      /* and no number of the row is above this one, which is 0 or more */
#define KERNEL_PARTS 3       /* of a row: head, near, far */
#define KERNEL_ILLEGAL (-32768)
#define KERNEL_UNKNOWN 0x7FFF /* the bound of what is not known: above all for which 16 bits are enough */
#define KERNEL_WAYS 8
#define KERNEL_FETCHED 768 /* bytes: the better part of a program */
#define KERNEL_HOME 0x9E3779B97F4A7C15ULL

typedef struct { /* a cache line of remembered sums: 42 bits of a key above a reference; 0: empty */
    uint64_t way[KERNEL_WAYS];
} kernel_bucket;

/* A reference to a row: the line of the arena where it starts, never 0. Elsewhere rows are told by bytes. */
#define KERNEL_REF_BITS 22
#define KERNEL_REF ((1U << KERNEL_REF_BITS) - 1)
#define KERNEL_LINE_BITS 6 /* of a row, and of a bucket */
#define KERNEL_LINE (1 << KERNEL_LINE_BITS)
#define KERNEL_KEY_BITS 53 /* so many lower bits of a key are told by its 42 and the bucket where these stand */

/* Has the head of a row on the way. */
#define KERNEL_FETCH_ROW(places, row) \
    do { \
        KERNEL_FETCH((places)->arena + (row)); \
        KERNEL_FETCH((places)->arena + 64 + (row)); \
    } while (0)

typedef struct { /* what is to be added up: the rows that have a part, by part */
    const int16_t **row[KERNEL_PARTS];
    int32_t n[KERNEL_PARTS];
} kernel_rows;

/* A blocked Bloom filter (Putze, Sanders & Singler 2007): two bits of one word, chosen by the lower half of a key. */
typedef struct {
    const uint64_t *words;
    int64_t shift; /* 32 - log2(number of words) */
} kernel_filter;

typedef struct { /* the range of some numbers, 0 among them */
    int32_t least;
    int32_t most;
} kernel_range;

typedef struct { /* of a state: the highest score; the odds against it of all that is legal, and of what belongs to a move; */
    int32_t top;
    float all, of_move;
    int32_t in_doubt; /* is a legal score among those that may be wrong? */
} kernel_chances;

typedef struct { /* scores from `least` to `most` may be wrong; none: most < least */
    int16_t least, most;
} kernel_doubt;

typedef struct { /* where things are found */
    kernel_filter filter;
    int64_t shift; /* 64 - log2(number of buckets); this and the filter's are not last: code reads what is behind, too */
    kernel_bucket *buckets;
    char *arena; /* lines of rows */
} kernel_places;

/* Fibonacci hashing (Knuth 1998, vol. 3, 6.4): a key is mixed once, and then the upper bits tell where it is at home. */
static inline uint64_t kernel_mix(uint64_t key) { return key * KERNEL_HOME; }
static inline uint64_t kernel_unmix(uint64_t key) { return key * 0xF1DE83E19937733DULL; } /* the inverse, modulo 2^64 */

static inline kernel_bucket *kernel_home(const kernel_places *places, uint64_t key) {
    return places->buckets + (key >> places->shift);
}

/* What a bucket says of a key, above the reference; what stands in place of the reference here says nothing. */
static inline uint64_t kernel_told(uint64_t key) { return key << (64 - KERNEL_KEY_BITS); }

/* The key of which that is told, by where its bucket is */
static inline uint64_t kernel_key(const kernel_places *places, uint64_t told, uint64_t home) {
    return told >> (64 - KERNEL_KEY_BITS) | home >> KERNEL_LINE_BITS << places->shift;
}

/* The reference of a way, as bytes */
static inline uint32_t kernel_row(uint64_t way) { return ((uint32_t)way & KERNEL_REF) << KERNEL_LINE_BITS; }

/* The same if it says that of its key; 0: it does not. Another thread may have written to a way since it was compared. */
static inline uint32_t kernel_row_if(uint64_t way, uint64_t told) {
    return (way ^ told) >> KERNEL_REF_BITS ? 0 : kernel_row(way);
}

static inline int32_t kernel_lowest_bit(uint32_t bits) { /* of some */
#if defined(__GNUC__)
    return __builtin_ctz(bits);
#else
    int32_t i = 0;
    while (!(bits >> i & 1)) i++;
    return i;
#endif
}

static inline int16_t kernel_sum(int32_t a, int32_t b) { /* saturates */
    a += b;
    return (int16_t)(a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : a);
}

static inline int32_t kernel_larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* No number of the near line is above this one: of a row, or of the sum of some, whose head that is. */
static inline int32_t kernel_near_bound(const int16_t *head) {
    const int16_t *const bound = head + KERNEL_NEAR_BOUND;
    return kernel_larger(kernel_larger(bound[0], bound[1]), kernel_larger(bound[2], bound[3]));
}

/* Writes the bounds of a row that has a near line. */
static inline void kernel_put_near_bounds(int16_t *row) {
    const int16_t *number = row + KERNEL_HEAD;
    int16_t *const bound = row + KERNEL_NEAR_BOUND;
    int32_t q;
    for (q = 0; q < KERNEL_QUARTERS; q++, number += KERNEL_LANES / KERNEL_QUARTERS) {
#ifdef __SSE2__
        __m128i most = _mm_load_si128((const __m128i *)number); /* zeros are shifted in: it is 0 or more */
        most = _mm_max_epi16(most, _mm_srli_si128(most, 8));
        most = _mm_max_epi16(most, _mm_srli_si128(most, 4));
        bound[q] = (int16_t)_mm_extract_epi16(_mm_max_epi16(most, _mm_srli_si128(most, 2)), 0);
#else
        int32_t i;
        bound[q] = 0;
        for (i = 0; i < KERNEL_LANES / KERNEL_QUARTERS; i++) bound[q] = number[i] > bound[q] ? number[i] : bound[q];
#endif
    }
    bound[0] += bound[0] == 0;
}

typedef struct { /* who writes programs as machine code */
    int (*open)(kernel_code *code); /* 0: the system does not allow it */
    void (*close)(kernel_code *code);
    /* Between begin and end, which take longest, code is made, and none can be run. 0: the system does not allow it. */
    int (*begin)(kernel_code *code);
    /* 0, NULL: there is no room for it. */
    int (*make)(kernel_code *code, kernel_program *program);
    const void *(*make_look)(kernel_code *code, const kernel_plan *plan);
    int (*end)(kernel_code *code);
} kernel_coder;

typedef struct {
    const char *name;
    int (*usable)(void);
    /* Looks a state up and finds its program, if it has been made, */
    void (*look)(const kernel_plan *plan, const kernel_programs *programs, kernel_work *work);
    /* then its rows, 0 where nothing is known. */
    void (*find)(const kernel_plan *plan, const kernel_places *places, kernel_work *work);
    /* Both for n states, and the best of each. Where the program or a row is not known the bound is KERNEL_UNKNOWN. */
    void (*score)(const kernel_plan *plan, kernel_programs *programs, const kernel_places *places,
                  kernel_work *const *works, int32_t n);
    /* The best of a state whose rows are known. */
    void (*best)(const kernel_plan *plan, const kernel_places *places, kernel_work *work);
    /* When `first` is its rank and `top` its score: the lowest rank of the highest score, if the columns of the lines
       from `line` to `end` are looked at as well */
    int32_t (*best_behind)(const kernel_rows *rows, int32_t line, int32_t end, const int16_t *mask, const int16_t *rank,
                           int32_t top, int32_t first);
    /* The same of all columns, with their scores; the mask is set somewhere */
    int32_t (*best_of_all)(const kernel_rows *rows, int32_t lines, const int16_t *mask, const int16_t *rank,
                           int16_t *out);
    /* Has on its way what is added up behind the head of a state of which the best is known, */
    void (*ask_behind)(const kernel_places *places, kernel_work *work, int32_t lines);
    /* and gives the odds of all columns, which stand in so many lines; `unit`: what a score is in logarithms; `score`:
       where the sums go */
    kernel_chances (*chances)(const kernel_plan *plan, const kernel_places *places, const kernel_work *work,
                              int32_t lines, const int16_t *of_move, float unit, kernel_doubt doubt, int16_t *score);
    /* Sums become feature keys; those that pass the filter are moved to the front together with their owners. Gives their
       number. There is room for 8 more of each. */
    int32_t (*filter)(const kernel_filter *filter, uint64_t *key, int32_t *owner, int32_t n);
    /* Numbers become numbers of 16 bits, which saturate: n is a multiple of KERNEL_LANES. Gives their range before. */
    kernel_range (*pack)(const int32_t *number, int32_t n, int16_t *out);
    /* The ways of a bucket that say the same of their key, a bit each */
    uint32_t (*which)(const kernel_bucket *bucket, uint64_t told);
    const kernel_coder *coder; /* NULL: it runs programs step by step */
} kernel_set;

#define KERNEL_NAME(f) f##_plain
#define KERNEL_TARGET
#define KERNEL_BYTES 16
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define KERNEL_ADD(a, b) ((LANES)_mm_adds_epi16((__m128i)(a), (__m128i)(b)))
#endif
#include "parser/compiled/kernel_body.h"
static int usable_plain(void) { return 1; }

/* Only where GCC's names of instruction sets are known to work, and not in checked builds. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(ARCSPEED_CHECKED)
#define ARCSPEED_X86_KERNELS 1
static int usable_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}
static int usable_avx512(void) {
    __builtin_cpu_init();
    return usable_avx2() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#ifdef __linux__
#include "parser/compiled/code.h"
#define KERNEL_CODE
#endif
/* the lowest of eight signed numbers */
__attribute__((target("avx2"))) static inline int16_t kernel_lowest(__m128i v) {
    __m128i sign = _mm_set1_epi16(-32768);
    return (int16_t)(_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(v, sign)), 0) ^ 0x8000);
}
__attribute__((target("avx2"))) static inline int16_t kernel_lowest_of_two(__m256i v) {
    return kernel_lowest(_mm_min_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
}
__attribute__((target("avx2"))) static inline unsigned kernel_which_of_four(const uint64_t *way, uint64_t told) {
    __m256i other = _mm256_xor_si256(_mm256_load_si256((const __m256i *)way), _mm256_set1_epi64x((long long)told));
    __m256i same = _mm256_cmpeq_epi64(_mm256_srli_epi64(other, KERNEL_REF_BITS), _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}
#define KERNEL_NAME(f) f##_avx2
#ifdef KERNEL_CODE
#define KERNEL_DATA_LINES 0 /* code of single keys has its data in itself */
#endif
#define KERNEL_TARGET __attribute__((target("avx2,bmi")))
#define KERNEL_BYTES 32
#define KERNEL_ADD(a, b) ((LANES)_mm256_adds_epi16((__m256i)(a), (__m256i)(b)))
#define KERNEL_LEAST(a, b) ((LANES)_mm256_min_epi16((__m256i)(a), (__m256i)(b)))
#define KERNEL_LOWEST(v) \
    kernel_lowest(_mm_min_epi16(_mm256_castsi256_si128((__m256i)(v)), _mm256_extracti128_si256((__m256i)(v), 1)))
#define KERNEL_WHICH(bucket, told) \
    (kernel_which_of_four((bucket)->way, told) | kernel_which_of_four((bucket)->way + 4, told) << 4)
#include "parser/compiled/kernel_body.h"
#define KERNEL_NAME(f) f##_avx512
#ifdef KERNEL_CODE
#define KERNEL_DATA_LINES 8 /* of what the code of a program reads, the better part */
#endif
#define KERNEL_COMPRESS
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi")))
#define KERNEL_BYTES 64
#define KERNEL_ADD(a, b) ((LANES)_mm512_adds_epi16((__m512i)(a), (__m512i)(b)))
#define KERNEL_LEAST(a, b) ((LANES)_mm512_min_epi16((__m512i)(a), (__m512i)(b)))
#define KERNEL_LOWEST(v) kernel_lowest_of_two(_mm256_min_epi16(_mm512_castsi512_si256((__m512i)(v)), \
                                                               _mm512_extracti64x4_epi64((__m512i)(v), 1)))
#define KERNEL_WHICH(bucket, told) \
    _mm512_testn_epi64_mask(_mm512_xor_si512(_mm512_load_si512(bucket), _mm512_set1_epi64((long long)(told))), \
                            _mm512_set1_epi64(~(long long)KERNEL_REF))
#include "parser/compiled/kernel_body.h"
#endif

#define KERNELS(name, set, score, usable, coder) \
    {name, usable, look_##set, find_##set, score, best_##set, best_behind_##set, best_of_all_##set, \
     ask_behind_##set, chances_##set, \
     filter_##set, pack_##set, which_##set, coder}
static const kernel_set kernel_sets[] = {
    KERNELS("plain", plain, score_plain, usable_plain, NULL),
#ifdef ARCSPEED_X86_KERNELS
    KERNELS("avx2", avx2, score_avx2, usable_avx2, NULL),
#ifdef KERNEL_CODE
    KERNELS("avx2-code", avx2, score_code_avx2, usable_code_avx2, &code_of_scalars),
#endif
    KERNELS("avx512", avx512, score_avx512, usable_avx512, NULL),
#ifdef KERNEL_CODE
    KERNELS("avx512-code", avx512, score_code_avx512, usable_code_avx512, &code_of_vectors),
#endif
#endif
};
#define N_KERNEL_SETS ((int32_t)(sizeof kernel_sets / sizeof *kernel_sets))
#endif
