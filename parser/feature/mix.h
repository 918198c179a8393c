/* How values become features: sums of values times one odd factor per place, then a finaliser.

   Values are 64-bit hashes themselves, so a sum of products with odd factors tells tuples apart as well as a hash of
   them would (multilinear hashing: Carter & Wegman 1979), in any order of computation. The finaliser (MurmurHash3's,
   Appleby) makes every bit of the key depend on every bit of the sum; it is a bijection, so it adds no collisions. */
#ifndef ARCSPEED_FEATURE_MIX_H
#define ARCSPEED_FEATURE_MIX_H
#include <stdint.h>

/* Reserved values: a missing node or an absent property, and whatever is asked of ROOT. No string has them. */
#define FEATURE_NONE 0x6E6F6E656E6F6E65ULL
#define FEATURE_ROOT 0x726F6F74726F6F74ULL
#define FEATURE_FACTORS 8
#define FEATURE_NUMBER_FACTOR 0x9E3779B97F4A7C15ULL
#define FEATURE_SPREAD_FACTOR 0xD6E8FEB86659FD93ULL
#define FEATURE_KEY_FIRST 0xFF51AFD7ED558CCDULL
#define FEATURE_KEY_SECOND 0xC4CEB9FE1A85EC53ULL
#define FEATURE_SET_SALT 0x5E75 /* makes the empty set differ from a missing node */

static const uint64_t feature_factor[FEATURE_FACTORS] = {
    0x9E3779B97F4A7C15ULL, 0xC2B2AE3D27D4EB4FULL, 0x165667B19E3779F9ULL, 0xD6E8FEB86659FD93ULL,
    0xA0761D6478BD642FULL, 0xE7037ED1A0B428DBULL, 0x8EBC6AF09C88C6E3ULL, 0x589965CC75374CC3ULL,
};

/* for values, which go through feature_key later */
static inline uint64_t feature_spread(uint64_t z) {
    z ^= z >> 32;
    z *= FEATURE_SPREAD_FACTOR;
    return z ^ (z >> 32);
}

/* 0 is never a key */
static inline uint64_t feature_key(uint64_t z) {
    z ^= z >> 33;
    z *= FEATURE_KEY_FIRST;
    z ^= z >> 33;
    z *= FEATURE_KEY_SECOND;
    z ^= z >> 33;
    return z ? z : 1;
}

/* small numbers: distances, valencies, sizes */
static inline uint64_t feature_number(uint64_t number) {
    return feature_spread((number + 1) * FEATURE_NUMBER_FACTOR);
}

/* hashes of sets of labels */
static inline uint64_t feature_set(uint64_t labels) { return feature_spread(labels + FEATURE_SET_SALT); }
#endif
