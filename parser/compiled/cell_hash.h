/* A 64-bit hash of a word's cells: eight bytes at a time, each folded in by a 128-bit product (as in Wang's wyhash).
   No byte beyond a cell is read. */
#ifndef ARCSPEED_CELL_HASH_H
#define ARCSPEED_CELL_HASH_H
#include <stdint.h>
#include <string.h>

static inline uint64_t cell_fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b, high = (a >> 32) * (b >> 32);
    uint64_t x = (a >> 32) * (uint32_t)b, y = (uint64_t)(uint32_t)a * (b >> 32);
    uint64_t middle = (low >> 32) + (uint32_t)x + (uint32_t)y;
    return ((middle << 32) | (uint32_t)low) ^ (high + (x >> 32) + (y >> 32) + (middle >> 32));
#endif
}

static inline uint64_t cell_read8(const char *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline uint64_t cell_read4(const char *p) { uint32_t v; memcpy(&v, p, 4); return v; }

static inline uint64_t cell_hash(uint64_t h, const char *text, int32_t n) {
    uint64_t last;
    h += (uint64_t)(uint32_t)n * 0xA0761D6478BD642FULL;
    if (n >= 8) {
        const char *end = text + n - 8;
        for (; text < end; text += 8)
            h = cell_fold(h ^ cell_read8(text) ^ 0xE7037ED1A0B428DBULL, 0x8EBC6AF09C88C6E3ULL);
        last = cell_read8(end);
    } else if (n >= 4)
        last = cell_read4(text) | cell_read4(text + n - 4) << 32;
    else if (n > 0)
        last = (uint64_t)(uint8_t)text[0] | (uint64_t)(uint8_t)text[n >> 1] << 8 | (uint64_t)(uint8_t)text[n - 1] << 16;
    else
        last = 0;
    return cell_fold(h ^ last ^ 0x589965CC75374CC3ULL, 0x9E3779B97F4A7C15ULL) + h;
}
#endif
