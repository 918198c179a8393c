/* Programs as machine code: what `begin` does (score_body.h), without a loop and with every address known.

   A program says how often each loop of `begin` runs, and what it reads; hundreds of them are run in turns, so that a
   processor foresees neither. Here a program is a straight line of instructions, written once it has been met: with
   AVX-512 keys are made eight at a time (code_vectors.h), with AVX2 one by one (code_scalars.h). Only where the system lets a
   process write code for itself; the kernels `avx512` and `avx2` do the same step by step, and the tests compare them. */
#ifndef ARCSPEED_CODE_H
#define ARCSPEED_CODE_H
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "parser/compiled/x86.h"

typedef struct { /* what programs multiply by and compare with, eight times each */
    uint64_t mix[KERNEL_KEYS], first[KERNEL_KEYS], second[KERNEL_KEYS], one[KERNEL_KEYS], low[KERNEL_KEYS];
    uint64_t salt[KERNEL_KEYS], spread[KERNEL_KEYS];
} KERNEL_ALIGNED code_constants;

typedef void (*code_of_program)(kernel_work *work, const kernel_places *places, const void *data,
                                const code_constants *constants);

/* Where code keeps what: the first two arguments where the System V ABI hands them over, the others out of the way. */
enum { CODE_WORK = X86_RDI, CODE_PLACES = X86_RSI, CODE_DATA = X86_R10, CODE_LOCALS = X86_R10, CODE_CONSTANTS = X86_R11 };
enum { CODE_ZERO = 15, CODE_KEYS = 0, CODE_SPARE = 1, CODE_VALUES = 8 };
enum { CODE_K1 = 1 };
/* Bytes at most */
enum {
    CODE_OF_STEP = 64,
    CODE_OF_PROGRAM = 256,
    CODE_OF_REF = 48,
    CODE_OF_BLOCK = 512,
    CODE_OF_SCALARS = 1024,
    CODE_OF_TERM = 128,
    CODE_OF_LOCAL = 128
};

#define EIGHT_TIMES(x) {x, x, x, x, x, x, x, x}
static const code_constants code_numbers = {
    EIGHT_TIMES(KERNEL_HOME), EIGHT_TIMES(FEATURE_KEY_FIRST), EIGHT_TIMES(FEATURE_KEY_SECOND), EIGHT_TIMES(1),
    EIGHT_TIMES(0xFFFFFFFFULL), EIGHT_TIMES(FEATURE_SET_SALT), EIGHT_TIMES(FEATURE_SPREAD_FACTOR)};
#undef EIGHT_TIMES

static inline x86_place code_in_work(size_t field) { return x86_at(CODE_WORK, (int32_t)field); }
static inline x86_place code_in_places(size_t field) { return x86_at(CODE_PLACES, (int32_t)field); }
static inline x86_place code_number(size_t field) { return x86_at(CODE_CONSTANTS, (int32_t)field); }
static inline x86_place code_record(int32_t node) {
    return code_in_work(offsetof(kernel_work, scene.record) + sizeof(uint64_t *) * (size_t)node);
}

/* What the code of a program reads, in front of it: whole lines, then eights of bytes. So all of it is on its way soon, and
   can be told by short numbers. */
typedef struct {
    uint8_t *start;
    size_t lines, eights; /* the next free ones, in bytes */
} code_data;

/* The nodes of a plan, as find_nodes finds them: gives those that are missing, a bit each. One by one: what has been
   written as a whole register and is read number by number, or the other way round, is waited for. */
typedef uint32_t (*code_of_look)(kernel_work *work);
enum { CODE_NODE_BITS = 6 }; /* log2(KERNEL_NODE_BYTES) */
enum { CODE_MISSING = X86_RSI, CODE_TREE = X86_R8, CODE_WORDS = X86_R9 };

static x86_place code_node(int32_t node) {
    return code_in_work(offsetof(kernel_work, scene.node) + sizeof(int32_t) * (size_t)node);
}

/* The word that a node means is in RAX: it is noted, and its record. */
static void code_note(x86_out *out, int32_t node) {
    x86_store_32(out, code_node(node), X86_RAX);
    x86_load_64(out, X86_RCX, x86_at_long(CODE_WORDS, X86_RAX));
    x86_store_64(out, code_record(node), X86_RCX);
    x86_sign(out, X86_RAX, (int32_t)(1u << node));
    x86_two(out, X86_OR, CODE_MISSING, X86_RAX);
}

static void code_step(x86_out *out, const kernel_step *step) {
    x86_load_signed(out, X86_RAX, code_node(step->from));
    x86_shift_left(out, X86_RAX, CODE_NODE_BITS);
    x86_load_signed(out, X86_RAX, x86_at_byte(CODE_TREE, X86_RAX, step->field));
    code_note(out, step->node);
}

static void code_look(x86_out *out, const kernel_plan *plan) {
    const kernel_step *step = plan->steps;
    x86_two(out, X86_CLEAR, CODE_MISSING, CODE_MISSING);
    x86_load_64(out, CODE_TREE, code_in_work(offsetof(kernel_work, scene.nodes)));
    x86_load_64(out, CODE_WORDS, code_in_work(offsetof(kernel_work, of_word)));
    x86_load_64(out, X86_RDX, code_in_work(offsetof(kernel_work, scene.top)));
    for (; step < plan->steps + plan->on_stack; step++) {
        x86_load_signed(out, X86_RAX, x86_at(X86_RDX, -4 * step->from));
        code_note(out, step->node);
    }
    x86_load_64(out, X86_RDX, code_in_work(offsetof(kernel_work, scene.front)));
    for (; step < plan->steps + plan->in_buffer; step++) {
        x86_load_signed(out, X86_RAX, x86_at(X86_RDX, 4 * step->from));
        code_note(out, step->node);
    }
    for (; step < plan->steps + plan->n_steps; step++) code_step(out, step);
    x86_two(out, X86_MOVE, X86_RAX, CODE_MISSING);
    x86_return(out);
}

static int code_most(const int32_t *count) { /* the node of which there is most */
    int i, best = 0;
    for (i = 1; i < KERNEL_NODES; i++) best = count[i] > count[best] ? i : best;
    return best;
}

/* Who reads most: a register each for two of the records. */
typedef struct {
    int node[2];
} code_readers;

/* What code of a program is written from. */
typedef struct {
    const kernel_code *code;
    const kernel_program *program;
    int by_vectors;
    code_data data;
    code_readers readers;
} code_source;

/* The rows that words know: they are noted, and on their way. */
static void code_refs(x86_out *out, const kernel_program *program) {
    int32_t i;
    x86_load_64(out, X86_R8, code_in_places(offsetof(kernel_places, arena)));
    x86_load_64(out, X86_R9, code_in_work(offsetof(kernel_work, rows)));
    for (i = 0; i < program->n_refs; i++) {
        const kernel_ref *ref = program->refs + i;
        x86_load_64(out, X86_RAX, code_record(ref->node));
        x86_load_32(out, X86_RAX, x86_at(X86_RAX, 4 * ref->at));
        x86_store_32(out, x86_at(X86_R9, 4 * i), X86_RAX);
        x86_fetch(out, x86_at_byte(X86_R8, X86_RAX, 0));
        x86_fetch(out, x86_at_byte(X86_R8, X86_RAX, 64));
    }
}

static const int code_reader[2] = {X86_RCX, X86_RBX};

static code_readers code_find_readers(x86_out *out, const kernel_program *program) {
    int32_t count[KERNEL_LOCALS + 1] = {0}, i, k;
    code_readers found;
    for (i = 0; i < program->n_blocks; i++)
        for (k = 0; k < program->blocks[i].n_terms; k++) count[program->blocks[i].terms[k].node]++;
    for (i = 0; i < 2; i++) {
        found.node[i] = code_most(count);
        count[found.node[i]] = -1;
        x86_load_64(out, code_reader[i], code_record(found.node[i]));
    }
    return found;
}

/* The register that has a record: it may be loaded into this one. */
static int code_load_record(x86_out *out, const code_readers *readers, int node, int into) {
    int i;
    for (i = 0; i < 2; i++)
        if (readers->node[i] == node) return code_reader[i];
    x86_load_64(out, into, code_record(node));
    return into;
}

#include "parser/compiled/code_vectors.h"
#include "parser/compiled/code_scalars.h"
#include "parser/compiled/code_values.h"

static size_t code_bytes(const kernel_program *program, int by_vectors) {
    size_t n = CODE_OF_PROGRAM + CODE_OF_REF * (size_t)program->n_refs;
    int32_t i;
    n += (by_vectors ? CODE_OF_BLOCK : CODE_OF_SCALARS) * (size_t)program->n_blocks;
    n += CODE_OF_LOCAL * (size_t)program->local_end[KERNEL_PRESENCE];
    for (i = 0; i < program->n_blocks; i++) n += CODE_OF_TERM * (size_t)program->blocks[i].n_terms;
    return n;
}

static void code_write(x86_out *out, code_source *from) {
    const kernel_program *const program = from->program;
    x86_push(out, X86_RBX);
    if (from->by_vectors)
        code_begin_vectors(out);
    else
        code_begin_scalars(out);
    code_refs(out, program);
    if (program->reads_tree) code_values(out, from);
    from->readers = code_find_readers(out, program);
    if (from->by_vectors)
        code_by_vectors(out, from);
    else
        code_by_scalars(out, from);
    x86_pop(out, X86_RBX);
    x86_return(out);
}

/* Memory for code; it can be written or run, never both. The system may not allow that: then there is none. */
static int code_open(kernel_code *code) {
    void *memory = mmap(NULL, KERNEL_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code->size = KERNEL_CODE_BYTES;
    code->used = code->kept = 0;
    code->start = NULL;
    if (memory == MAP_FAILED) return 0;
    if (mprotect(memory, KERNEL_CODE_BYTES, PROT_READ | PROT_EXEC) != 0) {
        munmap(memory, KERNEL_CODE_BYTES);
        return 0;
    }
    code->start = (uint8_t *)memory;
    return 1;
}

static void code_close(kernel_code *code) {
    if (code->start != NULL) munmap(code->start, KERNEL_CODE_BYTES);
    code->start = NULL;
}

static int code_begin(kernel_code *code) {
    return mprotect(code->start, KERNEL_CODE_BYTES, PROT_READ | PROT_WRITE) == 0;
}

static int code_end(kernel_code *code) {
    return mprotect(code->start, KERNEL_CODE_BYTES, PROT_READ | PROT_EXEC) == 0;
}

/* What has been written, `most` bytes at most. */
static const void *code_keep(kernel_code *code, const uint8_t *end, size_t most) {
    const uint8_t *written = code->start + code->used;
    if ((size_t)(end - written) > most) abort(); /* CODE_OF_... are too small */
    code->used = (size_t)(end - code->start + KERNEL_LINE - 1) / KERNEL_LINE * KERNEL_LINE;
    return written;
}

static int code_has_ends(const kernel_code *code) { return code->features[KERNEL_KEYS] != NULL; }

/* What programs have in common; NULL where there is no room. */
static const uint8_t *code_make_end(kernel_code *code, void (*write)(x86_out *out, int32_t n), int32_t n) {
    x86_out out = {code->start + code->used};
    if (code->used + CODE_OF_BLOCK > code->size) return NULL;
    write(&out, n);
    return (const uint8_t *)code_keep(code, out.at, CODE_OF_BLOCK);
}

static void code_make_ends(kernel_code *code) {
    int32_t n;
    for (n = 1; n <= KERNEL_KEYS; n++) {
        code->keys[n] = code_make_end(code, code_keys, n);
        code->features[n] = code_make_end(code, code_features, n);
    }
}

/* Writes the code of a program and its data; 0 where there is no room: then it is run step by step. */
static int code_make(kernel_code *code, kernel_program *program, int by_vectors) {
    code_source from = {code, program, by_vectors, {code->start + code->used, 0, 0}, {{0, 0}}};
    const size_t before = by_vectors ? code_data_bytes(program, &from.data) : 0;
    const size_t most = before + code_bytes(program, by_vectors);
    x86_out out = {code->start + code->used + before};
    if (code->used + most > code->size || (by_vectors && !code_has_ends(code))) return 0;
    program->reads_tree = code_knows_all(program, by_vectors);
    code_write(&out, &from);
    if (from.data.eights > before) abort(); /* as in code_keep */
    program->data = code_keep(code, out.at, most);
    program->code = (const uint8_t *)program->data + before;
    return 1;
}

static int code_make_vectors(kernel_code *code, kernel_program *program) { return code_make(code, program, 1); }
static int code_make_scalars(kernel_code *code, kernel_program *program) { return code_make(code, program, 0); }

/* The same for the nodes of a plan; NULL where there are too many for 32 bits. */
static const void *code_make_look(kernel_code *code, const kernel_plan *plan) {
    const size_t most = CODE_OF_PROGRAM + CODE_OF_STEP * (size_t)plan->n_steps;
    x86_out out = {code->start + code->used};
    if (plan->nodes >> 32 || code->used + most > code->size) return NULL;
    code_look(&out, plan);
    return code_keep(code, out.at, most);
}

static const void *code_make_look_vectors(kernel_code *code, const kernel_plan *plan) {
    const void *const look = code_make_look(code, plan);
    code_make_ends(code); /* where there is little room it is better used for the nodes */
    return look;
}

static const kernel_coder code_of_vectors = {code_open, code_close, code_begin, code_make_vectors, code_make_look_vectors,
                                             code_end};
static const kernel_coder code_of_scalars = {code_open, code_close, code_begin, code_make_scalars, code_make_look, code_end};

static int code_is_allowed(void) {
    kernel_code code;
    if (!code_open(&code)) return 0;
    code_close(&code);
    return 1;
}

static int usable_code_avx512(void) { return usable_avx512() && code_is_allowed(); }
static int usable_code_avx2(void) { return usable_avx2() && __builtin_cpu_supports("bmi2") && code_is_allowed(); }
#endif
