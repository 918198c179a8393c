/* Numbers that several threads read and write at once (C11, 7.17). The structs that have them are known to Cython, which
   has no atomic types: so they are plain there, and touched by these functions alone while others may see them. */
#ifndef ARCSPEED_SHARED_H
#define ARCSPEED_SHARED_H
#include <stdatomic.h>
#include <stdint.h>

static inline uint32_t shared_get_32(const uint32_t *at) {
    return atomic_load_explicit((const _Atomic uint32_t *)at, memory_order_acquire);
}
static inline void shared_put_32(uint32_t *at, uint32_t value) {
    atomic_store_explicit((_Atomic uint32_t *)at, value, memory_order_release);
}
static inline uint64_t shared_get_64(const uint64_t *at) {
    return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire);
}
static inline void shared_put_64(uint64_t *at, uint64_t value) {
    atomic_store_explicit((_Atomic uint64_t *)at, value, memory_order_release);
}
static inline void shared_add_64(uint64_t *at, uint64_t more) {
    atomic_fetch_add_explicit((_Atomic uint64_t *)at, more, memory_order_relaxed);
}
/* Adds where the value is still `before`; 0: it is not. */
static inline int shared_add_32_if(uint32_t *at, uint32_t before, uint32_t more) {
    return atomic_compare_exchange_strong_explicit((_Atomic uint32_t *)at, &before, before + more, memory_order_relaxed,
                                                   memory_order_relaxed);
}
#endif
