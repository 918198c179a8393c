/* Keys by vectors of eight, and what values they are made of (AVX-512). Seeds, picks and factors stand in front of the code.
   Included by code.h. */
#ifndef ARCSPEED_CODE_VECTORS_H
#define ARCSPEED_CODE_VECTORS_H

static x86_place code_keep_line(code_data *data, const uint64_t *numbers) {
    const size_t at = data->lines;
    memcpy(data->start + at, numbers, KERNEL_LINE);
    data->lines += KERNEL_LINE;
    return x86_at(CODE_DATA, (int32_t)at);
}

static x86_place code_keep_eight(code_data *data, const uint8_t *bytes) {
    const size_t at = data->eights;
    memcpy(data->start + at, bytes, KERNEL_KEYS);
    data->eights += KERNEL_KEYS;
    return x86_at(CODE_DATA, (int32_t)at);
}

enum { CODE_PAIRS = 4 }; /* zmm4 to zmm6 take two values each, before they join those of zmm8 to zmm14 */
enum { CODE_MOST_VALUES = KERNEL_KEYS * (CODE_ZERO - CODE_VALUES) };

/* The register of the i-th value and the one before or behind it. */
static int code_pair(int32_t i) {
    const int32_t k = i % KERNEL_KEYS;
    return k < 2 ? CODE_VALUES + i / KERNEL_KEYS : CODE_PAIRS - 1 + k / 2;
}

/* The values of one register, n of them. */
static void code_join(x86_out *out, int values, int32_t n) {
    if (n > 2) x86_join_two(out, values, CODE_PAIRS);
    if (n > 6) x86_join_two(out, CODE_PAIRS + 1, CODE_PAIRS + 2);
    if (n > 4) x86_join_four(out, values, CODE_PAIRS + 1);
}

static void code_fold(x86_out *out, int values) { /* z ^ z >> 32 */
    x86_shift_all(out, X86_RIGHT, CODE_SPARE, values, 32);
    x86_register_masked(out, X86_XOR, values, values, CODE_SPARE, CODE_K1);
}

/* Sets become what feature_set makes of them, times their factors: all of one register at once. */
static void code_sets(x86_out *out, code_data *data, const kernel_values *of, int values) {
    const uint8_t sets[KERNEL_KEYS] = {of->sets};
    if (of->sets == 0) return;
    x86_load_mask(out, CODE_K1, code_keep_eight(data, sets));
    x86_memory_masked(out, X86_ADD, values, values, code_number(offsetof(code_constants, salt)), CODE_K1);
    code_fold(out, values);
    x86_memory_masked(out, X86_MULTIPLY, values, values, code_number(offsetof(code_constants, spread)), CODE_K1);
    code_fold(out, values);
    x86_memory_masked(out, X86_MULTIPLY, values, values, code_keep_line(data, of->factor), CODE_K1);
}

/* The sums of a block: seed and terms. */
static void code_sums(x86_out *out, code_source *from, const kernel_block *block) {
    int32_t i;
    x86_memory(out, X86_LOAD, CODE_KEYS, 0, code_keep_line(&from->data, block->seed));
    for (i = 0; i < block->n_terms; i++) {
        const kernel_term *t = block->terms + i;
        x86_memory(out, X86_SPREAD, CODE_SPARE, 0, code_keep_eight(&from->data, t->pick)); /* see KERNEL_PICKED */
        if (t->node == KERNEL_LOCALS && from->program->reads_tree) {
            x86_register(out, X86_PICK, CODE_SPARE, CODE_ZERO, CODE_VALUES + t->at / KERNEL_KEYS);
        } else {
            const int record = code_load_record(out, &from->readers, t->node, X86_RAX);
            x86_memory(out, X86_PICK, CODE_SPARE, CODE_ZERO, x86_at(record, 8 * t->at));
        }
        x86_register(out, X86_ADD, CODE_KEYS, CODE_KEYS, CODE_SPARE);
    }
}

/* What is done with the sums of a block is the same in all programs, and written once for each number of keys: so programs
   are a quarter shorter, and more of them are at hand.

   Of sums' keys: what buckets say of them, and where these are; they are on their way. R8: buckets, R9: told, RDX: home;
   the last two move on. */
static void code_keys(x86_out *out, int32_t n) {
    int32_t k;
    x86_memory(out, X86_MULTIPLY, CODE_KEYS, CODE_KEYS, code_number(offsetof(code_constants, mix)));
    x86_memory(out, X86_SHIFT_RIGHT, CODE_SPARE, CODE_KEYS, code_in_places(offsetof(kernel_places, shift)));
    x86_shift_all(out, X86_LEFT, CODE_KEYS, CODE_KEYS, 64 - KERNEL_KEY_BITS);
    x86_shift_all(out, X86_LEFT, CODE_SPARE, CODE_SPARE, KERNEL_LINE_BITS);
    x86_memory(out, X86_STORE, CODE_KEYS, 0, x86_at(X86_R9, 0));
    x86_memory(out, X86_STORE, CODE_SPARE, 0, x86_at(X86_RDX, 0));
    for (k = 0; k < n; k++) {
        x86_load_64(out, X86_RAX, x86_at(X86_RDX, 8 * k));
        x86_fetch(out, x86_at_byte(X86_R8, X86_RAX, 0));
    }
    x86_address(out, X86_R9, x86_at(X86_R9, 8 * KERNEL_KEYS));
    x86_address(out, X86_RDX, x86_at(X86_RDX, 8 * KERNEL_KEYS));
    x86_return(out);
}

static void code_stir(x86_out *out) {
    x86_shift_all(out, X86_RIGHT, CODE_SPARE, CODE_KEYS, 33);
    x86_register(out, X86_XOR, CODE_KEYS, CODE_KEYS, CODE_SPARE);
}

/* Of feature keys, as feature_key makes them, and what the filter says of them. R8: the filter, R9: where in asked, which
   moves on. */
static void code_features(x86_out *out, int32_t n) {
    const int32_t words = 8 * KERNEL_KEYS;
    int32_t k;
    code_stir(out);
    x86_memory(out, X86_MULTIPLY, CODE_KEYS, CODE_KEYS, code_number(offsetof(code_constants, first)));
    code_stir(out);
    x86_memory(out, X86_MULTIPLY, CODE_KEYS, CODE_KEYS, code_number(offsetof(code_constants, second)));
    code_stir(out);
    x86_register(out, X86_IS_ZERO, CODE_K1, CODE_KEYS, CODE_KEYS);
    x86_memory_masked(out, X86_LOAD, CODE_KEYS, 0, code_number(offsetof(code_constants, one)), CODE_K1);
    x86_memory(out, X86_STORE, CODE_KEYS, 0, x86_at(X86_R9, 0));
    x86_memory(out, X86_AND, CODE_KEYS, CODE_KEYS, code_number(offsetof(code_constants, low)));
    x86_memory(out, X86_SHIFT_RIGHT, CODE_KEYS, CODE_KEYS, code_in_places(offsetof(kernel_places, filter.shift)));
    x86_memory(out, X86_STORE, CODE_KEYS, 0, x86_at(X86_R9, words));
    for (k = 0; k < n; k++) { /* one by one, which takes half as long as a gather */
        x86_load_64(out, X86_RAX, x86_at(X86_R9, words + 8 * k));
        x86_load_64(out, X86_RAX, x86_at_long(X86_R8, X86_RAX));
        x86_store_64(out, x86_at(X86_R9, words + 8 * k), X86_RAX);
    }
    x86_address(out, X86_R9, x86_at(X86_R9, 2 * words));
    x86_return(out);
}

static int32_t code_eights(int32_t n) { return (n + KERNEL_KEYS - 1) / KERNEL_KEYS; }

/* Lines and eights of a program: seeds and factors of sets; picks and which are sets. */
static size_t code_data_bytes(const kernel_program *program, code_data *data) {
    const int32_t n_values = code_eights(program->local_end[KERNEL_PRESENCE]);
    size_t lines = (size_t)(program->n_blocks + n_values), eights = (size_t)n_values;
    int32_t i;
    for (i = 0; i < program->n_blocks; i++) eights += (size_t)program->blocks[i].n_terms;
    data->lines = 0;
    data->eights = KERNEL_LINE * lines;
    return KERNEL_LINE * (lines + (KERNEL_KEYS * eights + KERNEL_LINE - 1) / KERNEL_LINE);
}

static void code_begin_vectors(x86_out *out) {
    x86_copy(out, CODE_DATA, X86_RDX);
    x86_copy(out, CODE_CONSTANTS, X86_RCX);
}

static void code_by_vectors(x86_out *out, code_source *from) {
    const kernel_program *const program = from->program;
    int32_t i;
    x86_register(out, X86_XOR, CODE_ZERO, CODE_ZERO, CODE_ZERO);
    x86_load_64(out, X86_R8, code_in_places(offsetof(kernel_places, buckets)));
    x86_load_64(out, X86_R9, code_in_work(offsetof(kernel_work, told)));
    x86_load_64(out, X86_RDX, code_in_work(offsetof(kernel_work, home)));
    for (i = 0; i < program->n_sums; i++) {
        code_sums(out, from, program->blocks + i);
        x86_call(out, from->code->keys[program->blocks[i].n]);
    }
    x86_load_64(out, X86_R8, code_in_places(offsetof(kernel_places, filter.words)));
    x86_load_64(out, X86_R9, code_in_work(offsetof(kernel_work, asked)));
    for (; i < program->n_blocks; i++) {
        code_sums(out, from, program->blocks + i);
        x86_call(out, from->code->features[program->blocks[i].n]);
    }
}
#endif
