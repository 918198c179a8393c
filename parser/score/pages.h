/* Memory for large tables that are read at random. On Linux blocks of 2 MiB and more ask for huge pages: with pages of
   4 KiB nearly every read of a table of 100 MB also misses the TLB. */
#ifndef ARCSPEED_PAGES_H
#define ARCSPEED_PAGES_H
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

/* Handed back with free(). */
static void *pages_malloc(size_t n) {
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

static void pages_free(void *memory) { free(memory); }
#endif
