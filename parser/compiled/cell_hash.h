/* A 64-bit hash of a word's cells: sixteen bytes at a time, folded in by a 128-bit product (as in Wang's wyhash). */
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

/* The first bytes of a cell of fewer than eight, above them zeros; no other byte is read. */
static inline uint64_t cell_short(const char *text, int32_t n) {
    if (n >= 4) return cell_read4(text) | cell_read4(text + n - 4) << (8 * (n - 4));
    if (n == 0) return 0;
    return (uint64_t)(uint8_t)text[0] | (uint64_t)(uint8_t)text[n >> 1] << (8 * (n >> 1)) |
           (uint64_t)(uint8_t)text[n - 1] << (8 * (n - 1));
}

/* Of the first and the last eight bytes, which are all of most cells; of a longer one the others come first. */
static inline uint64_t cell_fold_ends(uint64_t h, const char *text, int32_t n, uint64_t first, uint64_t last) {
    int32_t i;
    for (i = 8; i < n - 8; i += 8) h = cell_fold(h ^ cell_read8(text + i), 0x8EBC6AF09C88C6E3ULL) + h;
    return cell_fold(h ^ first ^ 0x589965CC75374CC3ULL, (last + (uint64_t)(uint32_t)n * 0xA0761D6478BD642FULL) ^
                     0xE7037ED1A0B428DBULL) + h;
}

static inline uint64_t cell_hash(uint64_t h, const char *text, int32_t n) {
    const uint64_t first = n >= 8 ? cell_read8(text) : cell_short(text, n);
    return cell_fold_ends(h, text, n, first, n >= 8 ? cell_read8(text + n - 8) : first);
}

/* The same where eight bytes may be read whatever the length: without branches, since no processor foresees lengths. */
static inline uint64_t cell_hash_padded(uint64_t h, const char *text, int32_t n) {
    static const uint64_t inside[9] = {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF,
                                       0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};
    const uint64_t mask = inside[n < 8 ? n : 8];
    const int32_t beyond = n > 8 ? n - 8 : 0;
    return cell_fold_ends(h, text, n, cell_read8(text) & mask, cell_read8(text + beyond) & mask);
}
#endif
