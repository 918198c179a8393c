/* Keys one by one, for processors without AVX-512: as write_keys, every value's place being known. Included by code.h.

   R10 (CODE_LOCALS) has the values of the partial tree; in the first part R8 has the buckets, R9 what they are told, R14
   their places, R11 what keys are mixed with and RSI the shift; in the second R8 has the filter, R9 what it is asked, R11
   and R14 the factors of feature_key, RSI its shift. RAX: the key; RDX: anything. */
#ifndef ARCSPEED_CODE_SCALARS_H
#define ARCSPEED_CODE_SCALARS_H

/* Where the i-th value of the partial tree is kept. */
static x86_place code_value_at(int32_t i) { return x86_at(CODE_LOCALS, (int32_t)sizeof(uint64_t) * i); }

static void code_begin_scalars(x86_out *out) {
    x86_load_64(out, CODE_LOCALS, code_in_work(offsetof(kernel_work, values)));
}

/* The sum of the k-th key of a block, into RAX. */
static void code_sum(x86_out *out, const code_source *from, const kernel_block *block, int32_t k) {
    int32_t i;
    x86_constant_long(out, X86_RAX, block->seed[k]);
    for (i = 0; i < block->n_terms; i++) {
        const kernel_term *t = block->terms + i;
        const int32_t at = (int32_t)sizeof(uint64_t) * (t->at + t->pick[k] - KERNEL_PICKED);
        if (!(t->keys >> k & 1)) continue;
        x86_add_64(out, X86_RAX,
                   x86_at(t->node == KERNEL_LOCALS ? (int)CODE_LOCALS
                                                   : code_load_record(out, &from->readers, t->node, X86_RDX), at));
    }
}

/* The n-th key of a sum. */
static void code_key(x86_out *out, const code_source *from, const kernel_block *block, int32_t k, int32_t n) {
    code_sum(out, from, block, k);
    x86_times(out, X86_RAX, X86_R11);
    x86_two_long(out, X86_MOVE, X86_RDX, X86_RAX);
    x86_shift_left(out, X86_RDX, 64 - KERNEL_KEY_BITS);
    x86_store_64(out, x86_at(X86_R9, 8 * n), X86_RDX);
    x86_shift_right_by(out, X86_RAX, X86_RSI);
    x86_shift_left(out, X86_RAX, KERNEL_LINE_BITS);
    x86_store_64(out, x86_at(X86_R14, 8 * n), X86_RAX);
    x86_fetch(out, x86_at_byte(X86_R8, X86_RAX, 0));
}

static void code_fold_key(x86_out *out) { /* z ^ z >> 33 */
    x86_two_long(out, X86_MOVE, X86_RDX, X86_RAX);
    x86_shift_right(out, X86_RDX, 33);
    x86_two_long(out, X86_MIX, X86_RAX, X86_RDX);
}

/* A feature key, as feature_key makes it, and what the filter says of it. */
static void code_feature(x86_out *out, const code_source *from, const kernel_block *block, int32_t k, int32_t at) {
    code_sum(out, from, block, k);
    code_fold_key(out);
    x86_times(out, X86_RAX, X86_R11);
    code_fold_key(out);
    x86_times(out, X86_RAX, X86_R14);
    code_fold_key(out);
    x86_one_for_zero(out);
    x86_store_64(out, x86_at(X86_R9, at + 8 * k), X86_RAX);
    x86_two(out, X86_MOVE, X86_RDX, X86_RAX); /* the lower half */
    x86_shift_right_by(out, X86_RDX, X86_RSI);
    x86_load_64(out, X86_RDX, x86_at_long(X86_R8, X86_RDX));
    x86_store_64(out, x86_at(X86_R9, at + 8 * (KERNEL_KEYS + k)), X86_RDX);
}

static void code_by_scalars(x86_out *out, const code_source *from) {
    const kernel_program *const program = from->program;
    int32_t i, k;
    x86_push(out, X86_R14);
    x86_push(out, CODE_PLACES);
    x86_load_64(out, X86_R8, code_in_places(offsetof(kernel_places, buckets)));
    x86_load_64(out, X86_RSI, code_in_places(offsetof(kernel_places, shift)));
    x86_load_64(out, X86_R9, code_in_work(offsetof(kernel_work, told)));
    x86_load_64(out, X86_R14, code_in_work(offsetof(kernel_work, home)));
    x86_constant_long(out, X86_R11, KERNEL_HOME);
    for (i = 0; i < program->n_sums; i++)
        for (k = 0; k < program->blocks[i].n; k++) code_key(out, from, program->blocks + i, k, KERNEL_KEYS * i + k);
    x86_pop(out, CODE_PLACES);
    x86_load_64(out, X86_R8, code_in_places(offsetof(kernel_places, filter.words)));
    x86_load_64(out, X86_RSI, code_in_places(offsetof(kernel_places, filter.shift)));
    x86_load_64(out, X86_R9, code_in_work(offsetof(kernel_work, asked)));
    x86_constant_long(out, X86_R11, FEATURE_KEY_FIRST);
    x86_constant_long(out, X86_R14, FEATURE_KEY_SECOND);
    for (; i < program->n_blocks; i++)
        for (k = 0; k < program->blocks[i].n; k++)
            code_feature(out, from, program->blocks + i, k, 16 * KERNEL_KEYS * (i - program->n_sums));
    x86_pop(out, X86_R14);
}
#endif
