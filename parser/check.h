/* CHECK(condition): aborts with the source line where the condition is false, in debug and sanitizer builds only.

   A failed assert in a noexcept function prints a message and goes on; this stops. With Cython's emit_linenums the
   line named is the .pyx line. */
#ifndef ARCSPEED_CHECK_H
#define ARCSPEED_CHECK_H
#include <stdio.h>
#include <stdlib.h>

#ifdef ARCSPEED_CHECKED
static inline void arcspeed_check_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
    fflush(stderr);
    abort();
}
#define CHECK(condition) ((condition) ? (void)0 : arcspeed_check_failed(#condition, __FILE__, __LINE__))
#define ARCSPEED_IS_CHECKED 1
#else
#define CHECK(condition) ((void)0)
#define ARCSPEED_IS_CHECKED 0
#endif
#endif
