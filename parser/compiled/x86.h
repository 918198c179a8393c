/* Writing x86-64 instructions, those that code.h needs: a few moves, and AVX-512 on zmm0 to zmm15 and k1.

   The encodings are those of Intel's Software Developer's Manual, volume 2: legacy instructions with a REX prefix (2.2),
   vectors with an EVEX prefix (2.7). Whoever writes sees to it that there is room. */
#ifndef ARCSPEED_X86_H
#define ARCSPEED_X86_H
#include <stdint.h>
#include <string.h>

/* Registers, by the numbers that instructions know them by */
enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSI = 6, X86_RDI, X86_R8, X86_R9, X86_R10, X86_R11, X86_R14 = 14 };
enum { X86_NONE = -1 };

typedef struct {
    uint8_t *at; /* the next byte */
} x86_out;

typedef struct { /* base + index * 2^scale + disp: any of the registers above but no other, which are written differently */
    int base, index;
    int32_t disp;
    unsigned scale;
} x86_place;

typedef struct { /* an instruction on whole registers of 64 bytes */
    uint8_t map;    /* 1: 0F, 2: 0F 38, 3: 0F 3A, which a byte follows */
    uint8_t prefix; /* 0: none, 1: 66, 2: F3 */
    uint8_t wide;   /* W */
    uint8_t opcode;
    uint8_t unit;   /* bytes that it reads: a displacement is told in these where it fits into a byte */
} x86_vector;

static inline void x86_byte(x86_out *out, unsigned byte) { *out->at++ = (uint8_t)byte; }

static inline void x86_int(x86_out *out, int32_t number) {
    memcpy(out->at, &number, sizeof number);
    out->at += sizeof number;
}

static inline x86_place x86_at(int base, int32_t disp) { return (x86_place){base, X86_NONE, disp, 0}; }
static inline x86_place x86_at_byte(int base, int index, int32_t disp) { return (x86_place){base, index, disp, 0}; }
/* The index counts eight bytes. */
static inline x86_place x86_at_long(int base, int index) { return (x86_place){base, index, 0, 3}; }

/* ModRM, SIB and displacement (2.1.5); a displacement of one byte counts units (2.7.5). */
static inline void x86_operand(x86_out *out, int reg, x86_place place, int32_t unit) {
    const int is_short = place.disp % unit == 0 && place.disp / unit >= -128 && place.disp / unit <= 127;
    const unsigned mod = place.disp == 0 ? 0 : is_short ? 0x40 : 0x80;
    const unsigned rm = place.index == X86_NONE ? (unsigned)place.base & 7 : 4;
    x86_byte(out, mod | (unsigned)(reg & 7) << 3 | rm);
    if (place.index != X86_NONE)
        x86_byte(out, place.scale << 6 | (unsigned)(place.index & 7) << 3 | (unsigned)(place.base & 7));
    if (mod == 0x40) x86_byte(out, (unsigned)(place.disp / unit));
    if (mod == 0x80) x86_int(out, place.disp);
}

static inline void x86_rex(x86_out *out, int wide, int reg, x86_place place) {
    const unsigned index = place.index == X86_NONE ? 0 : (unsigned)place.index;
    const unsigned rex =
        (unsigned)wide << 3 | ((unsigned)reg >> 3 & 1) << 2 | (index >> 3 & 1) << 1 | ((unsigned)place.base >> 3 & 1);
    if (rex) x86_byte(out, 0x40 | rex);
}

static inline void x86_load_64(x86_out *out, int to, x86_place from) { /* mov */
    x86_rex(out, 1, to, from);
    x86_byte(out, 0x8B);
    x86_operand(out, to, from, 1);
}

static inline void x86_load_32(x86_out *out, int to, x86_place from) { /* mov; the upper half becomes 0 */
    x86_rex(out, 0, to, from);
    x86_byte(out, 0x8B);
    x86_operand(out, to, from, 1);
}

static inline void x86_address(x86_out *out, int to, x86_place place) { /* lea */
    x86_rex(out, 1, to, place);
    x86_byte(out, 0x8D);
    x86_operand(out, to, place, 1);
}

static inline void x86_load_signed(x86_out *out, int to, x86_place from) { /* movsxd: 32 bits to 64 */
    x86_rex(out, 1, to, from);
    x86_byte(out, 0x63);
    x86_operand(out, to, from, 1);
}

static inline void x86_store_32(x86_out *out, x86_place to, int from) {
    x86_rex(out, 0, from, to);
    x86_byte(out, 0x89);
    x86_operand(out, from, to, 1);
}

static inline void x86_store_64(x86_out *out, x86_place to, int from) {
    x86_rex(out, 1, from, to);
    x86_byte(out, 0x89);
    x86_operand(out, from, to, 1);
}

static inline void x86_shift_left(x86_out *out, int reg, unsigned by) { /* shl of 64 bits; rax to rdi */
    x86_byte(out, 0x48);
    x86_byte(out, 0xC1);
    x86_byte(out, 0xE0 | (unsigned)reg);
    x86_byte(out, by);
}

static inline void x86_fetch(x86_out *out, x86_place place) { /* prefetcht0 */
    x86_rex(out, 0, 1, place);
    x86_byte(out, 0x0F);
    x86_byte(out, 0x18);
    x86_operand(out, 1, place, 1);
}

/* Two registers from rax to rdi. */
static inline void x86_two(x86_out *out, unsigned opcode, int to, int from) { /* of 32 bits; the upper half becomes 0 */
    x86_byte(out, opcode);
    x86_byte(out, 0xC0 | (unsigned)(from << 3 | to));
}

static inline void x86_two_long(x86_out *out, unsigned opcode, int to, int from) { /* of 64 bits */
    x86_byte(out, 0x48);
    x86_two(out, opcode, to, from);
}
#define X86_OR 0x09
#define X86_SUBTRACT 0x29
#define X86_CLEAR 0x31 /* with itself */
#define X86_MIX 0x31   /* xor */
#define X86_COMPARE 0x39
#define X86_TEST 0x85
#define X86_MOVE 0x89

/* The same where the second opcode tells: a move if what was compared is so, or a product. */
static inline void x86_pair_long(x86_out *out, unsigned opcode, int to, int from) {
    x86_byte(out, 0x48);
    x86_byte(out, 0x0F);
    x86_byte(out, opcode);
    x86_byte(out, 0xC0 | (unsigned)(to << 3 | from));
}
#define X86_IF_ZERO 0x44
#define X86_IF_NEGATIVE 0x48
#define X86_UNLESS_ABOVE 0x4E
#define X86_IF_ABOVE 0x4F
#define X86_TIMES 0xAF

static inline void x86_constant(x86_out *out, int to, int32_t number) { /* the upper half becomes 0 */
    x86_byte(out, 0xB8 | (unsigned)to);
    x86_int(out, number);
}

static inline void x86_constant_long(x86_out *out, int to, uint64_t number) {
    x86_byte(out, 0x48 | (unsigned)(to >> 3));
    x86_byte(out, 0xB8 | (unsigned)(to & 7));
    memcpy(out->at, &number, sizeof number);
    out->at += sizeof number;
}

static inline void x86_add_to_rax(x86_out *out, int32_t number) {
    x86_byte(out, 0x48);
    x86_byte(out, 0x05);
    x86_int(out, number);
}

static inline void x86_negate(x86_out *out, int reg) { /* 64 bits; compares with 0 */
    x86_byte(out, 0x48);
    x86_byte(out, 0xF7);
    x86_byte(out, 0xD8 | (unsigned)reg);
}

static inline void x86_shift_right(x86_out *out, int reg, unsigned by) { /* shr of 64 bits */
    x86_byte(out, 0x48);
    x86_byte(out, 0xC1);
    x86_byte(out, 0xE8 | (unsigned)reg);
    x86_byte(out, by);
}

/* mov between any two of the registers above, 64 bits */
static inline void x86_copy(x86_out *out, int to, int from) {
    x86_byte(out, 0x48 | ((unsigned)from >> 3 & 1) << 2 | ((unsigned)to >> 3 & 1));
    x86_byte(out, 0x89);
    x86_byte(out, 0xC0 | (unsigned)((from & 7) << 3 | (to & 7)));
}

/* These bits where a number of 32 bits is below 0, else none: sar, and. */
static inline void x86_sign(x86_out *out, int reg, int32_t bits) {
    x86_byte(out, 0xC1);
    x86_byte(out, 0xF8 | (unsigned)reg);
    x86_byte(out, 31);
    x86_byte(out, 0x81);
    x86_byte(out, 0xE0 | (unsigned)reg);
    x86_int(out, bits);
}

static inline void x86_stack(x86_out *out, unsigned opcode, int reg) {
    if (reg > 7) x86_byte(out, 0x41);
    x86_byte(out, opcode | (unsigned)(reg & 7));
}
static inline void x86_push(x86_out *out, int reg) { x86_stack(out, 0x50, reg); }
static inline void x86_pop(x86_out *out, int reg) { x86_stack(out, 0x58, reg); }

static inline void x86_add_64(x86_out *out, int to, x86_place from) {
    x86_rex(out, 1, to, from);
    x86_byte(out, 0x03);
    x86_operand(out, to, from, 1);
}

static inline void x86_times(x86_out *out, int to, int from) { /* imul of any two registers, 64 bits */
    x86_byte(out, 0x48 | (unsigned)(to >> 3) << 2 | (unsigned)(from >> 3));
    x86_byte(out, 0x0F);
    x86_byte(out, X86_TIMES);
    x86_byte(out, 0xC0 | (unsigned)((to & 7) << 3 | (from & 7)));
}

static inline void x86_one_for_zero(x86_out *out) { /* cmp rax, 1; adc rax, 0 */
    static const uint8_t bytes[] = {0x48, 0x83, 0xF8, 1, 0x48, 0x83, 0xD0, 0};
    memcpy(out->at, bytes, sizeof bytes);
    out->at += sizeof bytes;
}

static inline void x86_shift_right_by(x86_out *out, int reg, int by) { /* shrx of 64 bits (BMI2); rax to rdi */
    x86_byte(out, 0xC4);
    x86_byte(out, 0xE2);
    x86_byte(out, 0x83 | (~(unsigned)by & 15) << 3);
    x86_byte(out, 0xF7);
    x86_byte(out, 0xC0 | (unsigned)(reg << 3 | reg));
}

static inline void x86_call(x86_out *out, const uint8_t *code) { /* no further away than 2 GB */
    x86_byte(out, 0xE8);
    x86_int(out, (int32_t)(code - (out->at + 4)));
}

static inline void x86_return(x86_out *out) { x86_byte(out, 0xC3); }

static inline void x86_evex(x86_out *out, x86_vector v, int reg, int other, int base, int index, int mask) {
    x86_byte(out, 0x62);
    x86_byte(out, (unsigned)!(reg >> 3 & 1) << 7 | (unsigned)!(index >> 3 & 1) << 6 | (unsigned)!(base >> 3 & 1) << 5 |
                      0x10 | v.map);
    x86_byte(out, (unsigned)v.wide << 7 | (~(unsigned)other & 15) << 3 | 4 | v.prefix);
    x86_byte(out, 0x48 | (unsigned)mask); /* 512 bits; what is not in the mask stays as it is */
    x86_byte(out, v.opcode);
}

/* reg = v(other, from); registers alone: other is 0 where there is none. */
static inline void x86_register_masked(x86_out *out, x86_vector v, int reg, int other, int from, int mask) {
    x86_evex(out, v, reg, other, from, 0, mask);
    x86_byte(out, 0xC0 | (unsigned)(reg & 7) << 3 | (unsigned)(from & 7));
}

static inline void x86_register(x86_out *out, x86_vector v, int reg, int other, int from) {
    x86_register_masked(out, v, reg, other, from, 0);
}

static inline void x86_memory_masked(x86_out *out, x86_vector v, int reg, int other, x86_place from, int mask) {
    x86_evex(out, v, reg, other, from.base, from.index == X86_NONE ? 0 : from.index, mask);
    x86_operand(out, reg, from, v.unit);
}

static inline void x86_memory(x86_out *out, x86_vector v, int reg, int other, x86_place from) {
    x86_memory_masked(out, v, reg, other, from, 0);
}

/* vpsrlq and vpsllq by a constant: `which` is 2 to the right and 6 to the left. */
static inline void x86_shift_all(x86_out *out, int which, int to, int from, unsigned by) {
    static const x86_vector v = {1, 1, 1, 0x73, 64};
    x86_evex(out, v, which, to, from, 0, 0);
    x86_byte(out, 0xC0 | (unsigned)which << 3 | (unsigned)(from & 7));
    x86_byte(out, by);
}
/* Instructions on parts of registers, with a VEX prefix (2.3). */
static inline void x86_vex(x86_out *out, unsigned map, int wide, int half, unsigned opcode, int reg, int other, int base,
                           int index) {
    x86_byte(out, 0xC4);
    x86_byte(out, (unsigned)!(reg >> 3 & 1) << 7 | (unsigned)!(index >> 3 & 1) << 6 | (unsigned)!(base >> 3 & 1) << 5 | map);
    x86_byte(out, (unsigned)wide << 7 | (~(unsigned)other & 15) << 3 | (unsigned)half << 2 | 1);
    x86_byte(out, opcode);
}

static inline void x86_load_mask(x86_out *out, int mask, x86_place from) { /* kmovb */
    x86_vex(out, 1, 0, 0, 0x90, mask, 0, from.base, from.index == X86_NONE ? 0 : from.index);
    x86_operand(out, mask, from, 1);
}

/* The first or the second of eight numbers; the first clears the others. */
static inline void x86_put_from(x86_out *out, int reg, int second, x86_place from) { /* vmovq, vpinsrq */
    const int index = from.index == X86_NONE ? 0 : from.index;
    x86_vex(out, second ? 3 : 1, 1, 0, second ? 0x22 : 0x6E, reg, second ? reg : 0, from.base, index);
    x86_operand(out, reg, from, 1);
    if (second) x86_byte(out, 1);
}

static inline void x86_put(x86_out *out, int reg, int second, int from) {
    x86_vex(out, second ? 3 : 1, 1, 0, second ? 0x22 : 0x6E, reg, second ? reg : 0, from, 0);
    x86_byte(out, 0xC0 | (unsigned)(reg & 7) << 3 | (unsigned)(from & 7));
    if (second) x86_byte(out, 1);
}

/* vinserti128: the lower two of another as its third and fourth number; */
static inline void x86_join_two(x86_out *out, int reg, int other) {
    x86_vex(out, 3, 0, 1, 0x38, reg, reg, other, 0);
    x86_byte(out, 0xC0 | (unsigned)(reg & 7) << 3 | (unsigned)(other & 7));
    x86_byte(out, 1);
}

/* vinserti64x4: the lower four as its upper four. */
static inline void x86_join_four(x86_out *out, int reg, int other) {
    static const x86_vector v = {3, 1, 1, 0x3A, 32};
    x86_register(out, v, reg, reg, other);
    x86_byte(out, 1);
}
#define X86_RIGHT 2
#define X86_LEFT 6

static const x86_vector X86_LOAD = {1, 1, 1, 0x6F, 64};    /* vmovdqa64 */
static const x86_vector X86_LOAD_ANY = {1, 2, 1, 0x6F, 64}; /* vmovdqu64 */
static const x86_vector X86_STORE = {1, 1, 1, 0x7F, 64};
static const x86_vector X86_ADD = {1, 1, 1, 0xD4, 64};     /* vpaddq */
static const x86_vector X86_AND = {1, 1, 1, 0xDB, 64};     /* vpandq */
static const x86_vector X86_XOR = {1, 1, 1, 0xEF, 64};     /* vpxorq */
static const x86_vector X86_MULTIPLY = {2, 1, 1, 0x40, 64}; /* vpmullq */
static const x86_vector X86_SHIFT_RIGHT = {1, 1, 1, 0xD3, 16}; /* vpsrlq, by a number in memory or a register */
static const x86_vector X86_SPREAD = {2, 1, 0, 0x32, 8};   /* vpmovzxbq: eight bytes to eight numbers */
static const x86_vector X86_PICK = {2, 1, 1, 0x76, 64};    /* vpermi2q: numbers of two registers, the second may be memory */
static const x86_vector X86_IS_ZERO = {2, 2, 1, 0x27, 64}; /* vptestnmq, into a mask */
#endif
