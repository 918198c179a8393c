/* One pass over a block of treebank text: where the lines start, where the tabs are, what else is in it.

   All later work (columns, ids, heads, writing) goes by these positions, so every byte is looked at once here. 64 bytes
   are turned into bit masks at a time: by SSE2 where the compiler has it (all x86-64), byte by byte elsewhere, by
   AVX2 or AVX-512 where the processor has that (scan_fast.h); all give the same positions and flags. */
#ifndef ARCSPEED_SCAN_H
#define ARCSPEED_SCAN_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    SCAN_NUL = 1,          /* a NUL byte */
    SCAN_CR = 2,           /* a carriage return */
    SCAN_NON_ASCII = 4,    /* a byte of 0x80 or more: UTF-8 is to be checked */
    SCAN_EMPTY_CELL = 8,   /* a tab at the start of a line, at its end, or behind another tab */
    SCAN_CHANCE = 16       /* `b=`, with which HeadProb= and LabelProb= end: probabilities of an earlier parse, perhaps */
};

/* bytes that may be read (not written) past the end of a block */
#define SCAN_PADDING 64

typedef struct {
    uint64_t tab, newline, cr, nul, high, equals, b;
} scan_masks;

#if defined(__SSE2__)
static inline uint64_t scan_equal(const __m128i v[4], char c) {
    const __m128i x = _mm_set1_epi8(c);
    return (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[0], x)) |
           (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[1], x)) << 16 |
           (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[2], x)) << 32 |
           (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[3], x)) << 48;
}

static inline scan_masks scan_block(const char *p) {
    __m128i v[4];
    scan_masks m;
    int i;
    for (i = 0; i < 4; i++) v[i] = _mm_loadu_si128((const __m128i *)(p + 16 * i));
    m.tab = scan_equal(v, '\t');
    m.newline = scan_equal(v, '\n');
    m.cr = scan_equal(v, '\r');
    m.nul = scan_equal(v, 0);
    m.equals = scan_equal(v, '=');
    m.b = scan_equal(v, 'b');
    m.high = (uint64_t)(uint16_t)_mm_movemask_epi8(v[0]) | (uint64_t)(uint16_t)_mm_movemask_epi8(v[1]) << 16 |
             (uint64_t)(uint16_t)_mm_movemask_epi8(v[2]) << 32 | (uint64_t)(uint16_t)_mm_movemask_epi8(v[3]) << 48;
    return m;
}
#else
static inline uint64_t scan_byte_masks(const char *p, unsigned char c) {
    uint64_t mask = 0;
    int i;
    for (i = 0; i < 64; i++) mask |= (uint64_t)((unsigned char)p[i] == c) << i;
    return mask;
}

static inline scan_masks scan_block(const char *p) {
    scan_masks m;
    int i;
    m.tab = scan_byte_masks(p, '\t');
    m.newline = scan_byte_masks(p, '\n');
    m.cr = scan_byte_masks(p, '\r');
    m.nul = scan_byte_masks(p, 0);
    m.equals = scan_byte_masks(p, '=');
    m.b = scan_byte_masks(p, 'b');
    m.high = 0;
    for (i = 0; i < 64; i++) m.high |= (uint64_t)((unsigned char)p[i] >> 7) << i;
    return m;
}
#endif

typedef struct {
    uint32_t lines, tabs;              /* entries used */
    uint32_t line_capacity, tab_capacity;
    uint32_t *line;                    /* line[r]: offset where line r starts; line[lines]: the end of the last whole line */
    uint32_t *tab0;                    /* tab0[r]: index into tab of the first tab at or behind line r's start */
    uint32_t *tab;                     /* offsets of all tabs */
    uint32_t done;                     /* bytes scanned: a multiple of 64, or the length */
    uint32_t flags;                    /* SCAN_* found so far */
    uint64_t tab_carry, newline_carry, b_carry; /* was the last byte of the previous 64 a tab, a newline (line start), b? */
} scan_index;

static inline void scan_reset(scan_index *x) {
    x->lines = x->tabs = x->done = x->flags = 0;
    x->tab_carry = x->b_carry = 0;
    x->newline_carry = 1;
    if (x->line_capacity) {
        x->line[0] = 0;
        x->tab0[0] = 0;
    }
}

/* What is seen besides lines and tabs, gathered over many blocks: not 0 where there is some */
typedef struct {
    uint64_t cr, nul, high, empty, chance;
} scan_seen;

/* Takes notice of 64 bytes; those that are not `inside` do not count. */
static inline void scan_notice(scan_index *x, scan_masks *m, uint64_t inside, scan_seen *seen) {
    m->tab &= inside, m->newline &= inside;
    seen->cr |= m->cr & inside, seen->nul |= m->nul & inside, seen->high |= m->high & inside;
    seen->empty |= m->tab & ((m->tab << 1) | (m->newline << 1) | x->tab_carry | x->newline_carry);
    seen->empty |= m->newline & ((m->tab << 1) | x->tab_carry);
    seen->chance |= m->equals & inside & ((m->b << 1) | x->b_carry);
    x->tab_carry = m->tab >> 63;
    x->newline_carry = m->newline >> 63;
    x->b_carry = m->b >> 63;
}

static inline uint32_t scan_flags(const scan_seen *seen) {
    return (seen->cr ? SCAN_CR : 0) | (seen->nul ? SCAN_NUL : 0) | (seen->high ? SCAN_NON_ASCII : 0) |
           (seen->empty ? SCAN_EMPTY_CELL : 0) | (seen->chance ? SCAN_CHANCE : 0);
}

static inline uint64_t scan_inside(uint32_t left) { return left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0; }

/* Scans on up to `length`. Returns 0 when done, 1 when an array is full: grow both by at least 64 and call again. */
static inline int scan_plain(scan_index *x, const char *text, uint32_t length) {
    uint32_t *tab = x->tab, *line = x->line, *tab0 = x->tab0;
    uint32_t tabs = x->tabs, lines = x->lines, at = x->done;
    scan_seen seen = {0, 0, 0, 0, 0};
    int full = 0;
    while (at < length) {
        if (tabs + 64 > x->tab_capacity || lines + 65 > x->line_capacity) {
            full = 1;
            break;
        }
        scan_masks m = scan_block(text + at);
        scan_notice(x, &m, scan_inside(length - at), &seen);
        while (m.newline) {
            uint64_t lowest = m.newline & (0 - m.newline);
            uint64_t before = m.tab & (lowest - 1);
            m.tab ^= before;
            while (before) {
                tab[tabs++] = at + (uint32_t)__builtin_ctzll(before);
                before &= before - 1;
            }
            lines++;
            line[lines] = at + (uint32_t)__builtin_ctzll(lowest) + 1;
            tab0[lines] = tabs;
            m.newline ^= lowest;
        }
        while (m.tab) {
            tab[tabs++] = at + (uint32_t)__builtin_ctzll(m.tab);
            m.tab &= m.tab - 1;
        }
        at += length - at < 64 ? length - at : 64;
    }
    x->tabs = tabs, x->lines = lines, x->done = at;
    x->flags |= scan_flags(&seen);
    return full;
}

/* Are all of 64 bytes ASCII? */
static inline int scan_is_ascii(const unsigned char *p) {
#if defined(__SSE2__)
    const __m128i *v = (const __m128i *)p;
    const __m128i all = _mm_or_si128(_mm_or_si128(_mm_loadu_si128(v), _mm_loadu_si128(v + 1)),
                                     _mm_or_si128(_mm_loadu_si128(v + 2), _mm_loadu_si128(v + 3)));
    return _mm_movemask_epi8(all) == 0;
#else
    uint64_t word[8], all = 0;
    int i;
    memcpy(word, p, 64);
    for (i = 0; i < 8; i++) all |= word[i];
    return !(all & 0x8080808080808080ULL);
#endif
}

/* The number of leading bytes of s that are valid UTF-8 (RFC 3629: no surrogates, nothing overlong, up to U+10FFFF). */
static inline size_t utf8_valid_prefix(const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < n) {
        uint64_t eight;
        if (n - i >= 64 && scan_is_ascii(s + i)) {
            i += 64;
            continue;
        }
        if (n - i >= 8) {
            memcpy(&eight, s + i, 8);
            if (!(eight & 0x8080808080808080ULL)) {
                i += 8;
                continue;
            }
        }
        unsigned char a = s[i];
        if (a < 0x80) {
            i++;
        } else if (a < 0xE0) {
            if (a < 0xC2 || n - i < 2 || (s[i + 1] & 0xC0) != 0x80) return i;
            i += 2;
        } else if (a < 0xF0) {
            if (n - i < 3 || (s[i + 1] & 0xC0) != 0x80 || (s[i + 2] & 0xC0) != 0x80) return i;
            if ((a == 0xE0 && s[i + 1] < 0xA0) || (a == 0xED && s[i + 1] > 0x9F)) return i;
            i += 3;
        } else {
            if (a > 0xF4 || n - i < 4 || (s[i + 1] & 0xC0) != 0x80 || (s[i + 2] & 0xC0) != 0x80 ||
                (s[i + 3] & 0xC0) != 0x80)
                return i;
            if ((a == 0xF0 && s[i + 1] < 0x90) || (a == 0xF4 && s[i + 1] > 0x8F)) return i;
            i += 4;
        }
    }
    return n;
}

/* Removes each CR that stands before an LF, in place; returns the new length. */
static inline uint32_t drop_cr_before_lf(char *text, uint32_t length) {
    uint32_t from, to = 0;
    for (from = 0; from < length; from++) {
        if (text[from] == '\r' && from + 1 < length && text[from + 1] == '\n') continue;
        text[to++] = text[from];
    }
    return to;
}
#endif
