/* Adding up rows of 16-bit numbers, and finding the best: the same code compiled for several instruction sets.

   Everything is integer arithmetic modulo 2**16, so all variants give the same bits. A line is 32 numbers, aligned
   to 64 bytes. KERNELS lists the variants that this build has, the plain one first. */
#ifndef ARCSPEED_KERNEL_H
#define ARCSPEED_KERNEL_H
#include <stdint.h>
#include <string.h>

/* Large tables are read at random: with pages of 2 MiB most reads need no walk through the page tables. A wish only. */
#if defined(__linux__)
#include <sys/mman.h>
#ifdef MADV_HUGEPAGE
#define ARCSPEED_ADVISE_HUGE(memory, bytes) ((void)madvise(memory, bytes, MADV_HUGEPAGE))
#endif
#endif
#ifndef ARCSPEED_ADVISE_HUGE
#define ARCSPEED_ADVISE_HUGE(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#define KERNEL_LANES 32
#define KERNEL_SHORT 2 /* lines of a short row; a long one has all */
#define KERNEL_ILLEGAL (-32768)

typedef struct {
    const char *name;
    int (*usable)(void);
    /* out = sum of n rows, the first n_long (at least 1) of them long */
    void (*sum)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks, int16_t *out);
    /* the same; gives the lowest rank among the columns of the highest score where mask is set (0 or -1 per column) */
    int32_t (*best)(const int16_t *const *rows, int32_t n_long, int32_t n, int32_t blocks, const int16_t *mask,
                    const int16_t *rank, int16_t *out);
} kernel_set;

#define KERNEL_NAME(f) f##_plain
#define KERNEL_TARGET
#define KERNEL_BYTES 16
#include "parser/compiled/kernel_body.h"
static int usable_plain(void) { return 1; }

/* Only where GCC's names of instruction sets are known to work, and not in checked builds. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(ARCSPEED_CHECKED)
#define ARCSPEED_X86_KERNELS 1
#define KERNEL_NAME(f) f##_avx2
#define KERNEL_TARGET __attribute__((target("avx2")))
#define KERNEL_BYTES 32
#include "parser/compiled/kernel_body.h"
#define KERNEL_NAME(f) f##_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx2")))
#define KERNEL_BYTES 64
#include "parser/compiled/kernel_body.h"
static int usable_avx2(void) { __builtin_cpu_init(); return __builtin_cpu_supports("avx2") != 0; }
static int usable_avx512(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

static const kernel_set kernel_sets[] = {
    {"plain", usable_plain, sum_plain, best_plain},
#ifdef ARCSPEED_X86_KERNELS
    {"avx2", usable_avx2, sum_avx2, best_avx2},
    {"avx512", usable_avx512, sum_avx512, best_avx512},
#endif
};
#define N_KERNEL_SETS ((int32_t)(sizeof kernel_sets / sizeof *kernel_sets))
#endif
