/* Adding up lines of easy-first and finding the best of a pair: the same code compiled for several instruction sets.

   A line has EASY_LANES numbers of 16 bits: the scores of the first columns, the head; for groups of the columns behind
   them the largest that any of a group may have; and a bound of the size of all. Sums saturate, so that the bound says whether anything may have been
   lost; where it does not, all variants give the same bits.

   A reference to a row of sums: bits EASY_PRESENT on: which of the shape's lines it has; bits EASY_TAIL on: for which of
   them something follows for columns behind the head; EASY_NTH_BITS for each line but the first from bit EASY_NTH on: how
   many times 64 bytes it stands behind the row's first line; EASY_WIDE: its numbers are of 16 bits, not 8; EASY_DENSE: see
   below; from bit EASY_LINE on the first of its 64 bytes in memory, never 0. What follows is one number for each such
   column, up to a multiple of EASY_LANES, or, where it is not dense, how many numbers there are and then each column and
   its number, all of 16 bits. */
#ifndef ARCSPEED_EASY_KERNEL_H
#define ARCSPEED_EASY_KERNEL_H
#include <stdint.h>
#include <string.h>

#include "parser/compiled/kernel.h"
#include "parser/score/vector.h"

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
#define EASY_PRESENT 0
#define EASY_TAIL 6
#define EASY_NTH 12
#define EASY_NTH_BITS 4
#define EASY_PLACE 32 /* bits from here on are a place in memory, but for the lowest six of them */
#define EASY_WIDE (1ULL << 32)
#define EASY_DENSE (1ULL << 33)
#define EASY_LINE 38

typedef struct { /* that a pair adds up, of the element at a place of its window */
    int32_t place;
    int32_t line;  /* of its shape */
    int32_t row;   /* where the rows of the shape are, among those of an element */
    int32_t shape;
    uint64_t present;  /* its bit in a reference, */
    uint64_t shift[2]; /* and how far to the right it says there where the line is, times 64 bytes */
} easy_line;

typedef struct { /* rows of an element in a shape */
    uint16_t plain; /* those of plain rules; they come first */
    uint16_t all;
} easy_count;

typedef struct { /* the six elements around a pair, by place */
    const uint64_t *rows[6];
    const easy_count *counts[6];
    const char *arena;
    uint64_t *source; /* where lines of bytes are in the arena, room for those of all rows and EASY_SPARE more, */
    uint64_t *wide;   /* and the wide ones */
    int32_t n;
    int32_t n_wide;
} easy_pair;
#define EASY_SPARE 16

#define EASY_EIGHT 8
#if defined(__GNUC__)
#define EASY_ALIGNED __attribute__((aligned(64)))
#else
#define EASY_ALIGNED
#endif
typedef struct { /* up to eight roles that are asked for by themselves */
    uint64_t seed[EASY_EIGHT];
    uint64_t sum[EASY_EIGHT]; /* which of the sums it is added to */
    int32_t owner[EASY_EIGHT];
    int32_t n; /* what is written for those that are not there does no harm */
    int32_t need; /* where its conditions are, -1: it has none */
    uint64_t none[3]; /* whole cache lines */
} easy_asks;
static const easy_asks easy_no_asks EASY_ALIGNED = {{0}, {0}, {0}, 0, -1, {0}};

#define EASY_SHARES 3 /* of most parts, and at least: others have some of zeros */
static const uint64_t easy_no_share[EASY_EIGHT] EASY_ALIGNED = {0};

typedef struct { /* sums of terms: a seed and what elements and distances contribute */
    const uint64_t *seed;
    const easy_asks *asks;
    int32_t n;
    int32_t n_kept;    /* the first are keys of what is remembered */
    int32_t first_key; /* the owner of the first */
    int32_t n_asks;
} easy_keys;

typedef struct { /* what is being made of an element in a shape: its rows of plain rules, or the others */
    const easy_keys *keys;
    const uint64_t *known; /* the rows, if its word knows them; else NULL */
    easy_count *count;
    uint64_t *rows;
    const easy_asks *ask[2]; /* the first two eights that are asked for */
    uint64_t more;           /* and which others */
    void *list;    /* of the element */
    int32_t first_share;
    int32_t n_shares;
    int32_t n;         /* rows, without those of single roles, */
    int32_t n_single;  /* and these */
    int32_t first_key; /* among those of the step */
    int32_t place;     /* of the next row */
    int32_t slot;
    int32_t shape;
    int32_t plain;
} easy_part;

typedef struct { /* all that is looked for in a step; an owner: the number of its part, EASY_ROLE, and which key or role */
    easy_part *part;
    const uint64_t **share; /* what parts add up */
    uint64_t *key;          /* those of single roles behind the others */
    uint64_t *row;
    const easy_bucket **home;
    int32_t *owner;
    uint64_t *asked; /* keys of single roles, before the filter */
    int32_t *asked_owner;
    uint64_t *sum; /* room for those of a part */
    int32_t n_parts;
    int32_t n_shares;
    int32_t n;
    int32_t n_asked;
} easy_step;
#define EASY_PART 16
#define EASY_ROLE 0x8000

typedef struct {
    const char *name;
    /* Writes the keys of all parts. */
    void (*ask)(easy_step *step);
    /* Gives the parts their rows, and has these on the way. */
    void (*hand_out)(easy_step *step, const char *arena);
    /* Finds the lines of a pair. */
    void (*gather)(easy_pair *pair, const easy_line *line, int32_t n_lines);
    /* Adds up the bias and these lines; gives the lowest rank among the lanes of the highest score where mask is
       set (0 or -1 each), and that score. */
    int32_t (*best)(const int16_t *bias, const easy_pair *pair, const int16_t *mask, const int16_t *rank, int16_t *out,
                    int32_t *top);
    /* adds n times EASY_LANES numbers, of 16 bits or 8 */
    void (*more)(int16_t *out, const char *at, int32_t n, int32_t wide);
    /* place of the first of the largest of n numbers, a multiple of 16 */
    int32_t (*largest)(const int32_t *number, int32_t n);
    /* row[i] = what is remembered under key[i] in its bucket, or (with vectors) the one beside
       it, of those from `first` on; 0: nothing. Gives the number of those not found. */
    int32_t (*look_up)(const easy_bucket *first, const easy_bucket **bucket, const uint64_t *key, int32_t n,
                       uint64_t *row);
} easy_kernel;

static inline int32_t easy_lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int32_t i = 0;
    while (!(bits >> i & 1)) i++;
    return i;
#endif
}

/* Where a reference says where a line is; of the first one nothing is left of it. */
static inline int32_t easy_nth(int32_t line) { return line > 0 ? EASY_NTH + EASY_NTH_BITS * (line - 1) : 64 + 6; }

static inline void easy_ask_eight(easy_step *step, const easy_asks *asks, int32_t number) {
    int32_t k;
    for (k = 0; k < asks->n; k++) {
        step->asked[step->n_asked] = step->sum[asks->sum[k]] + asks->seed[k];
        step->asked_owner[step->n_asked++] = number << EASY_PART | asks->owner[k];
    }
}

/* The keys of a part, one by one. */
static inline void easy_ask_part(easy_step *step, int32_t number) {
    easy_part *part = &step->part[number];
    const easy_keys *keys = part->keys;
    const uint64_t *const *share = step->share + part->first_share;
    uint64_t *sum = step->sum, left;
    int32_t i, k;
    for (k = 0; k < keys->n; k++) sum[k] = keys->seed[k];
    for (i = 0; i < part->n_shares; i++)
        for (k = 0; k < keys->n; k++) sum[k] += share[i][k];
    for (k = 0; k < keys->n_kept; k++) {
        step->key[step->n + k] = sum[k] | (sum[k] == 0);
        step->owner[step->n + k] = number << EASY_PART | (keys->first_key + k);
    }
    part->first_key = step->n;
    step->n += keys->n_kept;
    for (i = 0; i < 2; i++) easy_ask_eight(step, part->ask[i], number);
    for (left = part->more; left; left &= left - 1) easy_ask_eight(step, keys->asks + easy_lowest_bit(left), number);
}

/* Where rows go, those of single roles behind the others, and behind them eight that are none. */
static inline void easy_begin_rows(easy_step *step) {
    const int32_t *single = step->owner + step->n;
    int32_t i;
    for (i = 0; i < step->n_asked; i++) step->part[single[i] >> EASY_PART].n_single++;
    for (i = 0; i < step->n_parts; i++) {
        easy_part *part = &step->part[i];
        const int32_t start = part->plain ? 0 : part->count->plain, end = start + part->n + part->n_single;
        memset(part->rows + end, 0, EASY_EIGHT * sizeof(uint64_t));
        part->rows += start;
        part->place = part->n;
        part->count->all = (uint16_t)end;
        part->count->plain = (uint16_t)(part->plain ? end : start);
    }
}

/* Single roles' rows; and all are on the way then, or the first four lines of them. */
static inline void easy_end_rows(easy_step *step, const char *arena) {
    const int32_t *single = step->owner + step->n;
    int32_t i;
    for (i = 0; i < step->n_asked; i++) {
        easy_part *part = &step->part[single[i] >> EASY_PART];
        part->rows[part->place++] = step->row[step->n + i];
    }
    for (i = 0; i < step->n + step->n_asked; i++) {
        const char *at = arena + (step->row[i] >> EASY_LINE << 6);
        const int32_t wide = (int32_t)(step->row[i] >> EASY_PLACE & 1) << 7;
        ARCSPEED_PREFETCH(at);
        ARCSPEED_PREFETCH(at + 64);
        ARCSPEED_PREFETCH(at + wide);
        ARCSPEED_PREFETCH(at + wide + 64);
    }
}

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
/* The numbers of 64 bits that a mask tells, one behind the other; and how many they are. */
static const int32_t easy_packed[16][8] EASY_ALIGNED = {
    {0, 0, 0, 0, 0, 0, 0, 0},
    {0, 1, 0, 0, 0, 0, 0, 0},
    {2, 3, 0, 0, 0, 0, 0, 0},
    {0, 1, 2, 3, 0, 0, 0, 0},
    {4, 5, 0, 0, 0, 0, 0, 0},
    {0, 1, 4, 5, 0, 0, 0, 0},
    {2, 3, 4, 5, 0, 0, 0, 0},
    {0, 1, 2, 3, 4, 5, 0, 0},
    {6, 7, 0, 0, 0, 0, 0, 0},
    {0, 1, 6, 7, 0, 0, 0, 0},
    {2, 3, 6, 7, 0, 0, 0, 0},
    {0, 1, 2, 3, 6, 7, 0, 0},
    {4, 5, 6, 7, 0, 0, 0, 0},
    {0, 1, 4, 5, 6, 7, 0, 0},
    {2, 3, 4, 5, 6, 7, 0, 0},
    {0, 1, 2, 3, 4, 5, 6, 7}};
static const uint8_t easy_packed_n[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
#define KERNEL_NAME(f) f##_easy_avx2
#define KERNEL_FOURS
#define KERNEL_TARGET __attribute__((target("avx2,bmi")))
#define KERNEL_BYTES 32
#define KERNEL_SPREAD(at) ((LANES)_mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)(at))))
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
#define KERNEL_GATHER
#define KERNEL_SPREAD(at) ((LANES)_mm512_cvtepi8_epi16(_mm256_load_si256((const __m256i *)(at))))
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
    {"plain", ask_easy_plain, hand_out_easy_plain, gather_easy_plain, best_easy_plain, more_easy_plain, largest_easy_plain, look_up_easy_plain},
#if defined(__GNUC__) && defined(__x86_64__) && !defined(ARCSPEED_CHECKED)
    {"avx2", ask_easy_avx2, hand_out_easy_avx2, gather_easy_avx2, best_easy_avx2, more_easy_avx2, largest_easy_avx2, look_up_easy_avx2},
    {"avx512", ask_easy_avx512, hand_out_easy_avx512, gather_easy_avx512, best_easy_avx512, more_easy_avx512, largest_easy_avx512, look_up_easy_avx512},
#endif
};
#define N_EASY_KERNELS ((int32_t)(sizeof easy_kernels / sizeof *easy_kernels))
#endif
