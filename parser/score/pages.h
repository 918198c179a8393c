/* Memory for large tables that are read at random. On Linux blocks of 2 MiB and more ask for huge pages: with pages of
   4 KiB nearly every read of a table of 100 MB also misses the TLB. In checked builds the memory starts with rubbish, so
   that nobody takes it for zeroed. */
#ifndef ARCSPEED_PAGES_H
#define ARCSPEED_PAGES_H
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

static void *pages_raw(size_t n) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    void *memory;
    if (n >= HUGE_PAGE) {
        if (posix_memalign(&memory, HUGE_PAGE, n) != 0) return NULL;
        madvise(memory, n / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);   /* a hint: where it fails, pages are small */
        return memory;
    }
#endif
    return malloc(n ? n : 1);
}

/* Handed back with free(). */
static void *pages_malloc(size_t n) {
    void *memory = pages_raw(n);
#ifdef ARCSPEED_CHECKED
    if (memory) memset(memory, 0xA5, n < HUGE_PAGE ? n : HUGE_PAGE);
#endif
    return memory;
}

static void pages_free(void *memory) { free(memory); }
#endif
