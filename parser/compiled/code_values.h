/* Values of the partial tree by machine code: as read_locals (look_body.h), with every table and place known. They are put
   together in registers, since what is stored number by number and read at once is waited for. Included by code.h. */
#ifndef ARCSPEED_CODE_VALUES_H
#define ARCSPEED_CODE_VALUES_H

enum { CODE_FIRST_VALUES = 4 }; /* zmm4 to zmm7 take two values each */

/* Is all there that is looked at? Else the value may be that of a missing node, which this code does not know. */
static int code_knows(const kernel_program *program, const kernel_local *v) {
    const uint64_t wanted = (uint64_t)1 << v->node | (v->kind == KERNEL_DISTANCE ? (uint64_t)1 << v->argument : 0);
    return v->kind == KERNEL_PRESENCE || (program->present & wanted) == wanted;
}

static int code_knows_all(const kernel_program *program) {
    int32_t i;
    for (i = 0; i < program->local_end[KERNEL_PRESENCE]; i++)
        if (!code_knows(program, program->locals + i)) return 0;
    return 1;
}

static void code_put(x86_out *out, int32_t i, int from) {
    x86_put(out, CODE_FIRST_VALUES + i % KERNEL_KEYS / 2, i & 1, from);
}

/* Of the i-th local: the product of the number in RCX, no higher than the cap. */
static void code_put_product(x86_out *out, const kernel_local *v, int32_t i) {
    x86_constant(out, X86_RDX, v->cap);
    x86_two_long(out, X86_COMPARE, X86_RCX, X86_RDX);
    x86_pair_long(out, X86_IF_ABOVE, X86_RCX, X86_RDX);
    x86_constant_long(out, X86_RAX, (uint64_t)(uintptr_t)v->product);
    x86_put_from(out, CODE_FIRST_VALUES + i % KERNEL_KEYS / 2, i & 1, (x86_place){X86_RAX, X86_RCX, sizeof(uint64_t), 3});
}

/* Where the local's node stands: RAX behind CODE_TREE. */
static void code_find(x86_out *out, const kernel_local *v) {
    x86_load_signed(out, X86_RAX, code_node(v->node));
    x86_shift_left(out, X86_RAX, CODE_NODE_BITS);
}

static void code_distance(x86_out *out, const kernel_local *v) { /* into RCX; ROOT has a place of its own */
    x86_load_signed(out, X86_RAX, code_node(v->node));
    x86_load_signed(out, X86_RCX, code_node(v->argument));
    x86_load_signed(out, X86_RDX, code_in_work(offsetof(kernel_work, scene.root_pos)));
    x86_two_long(out, X86_TEST, X86_RAX, X86_RAX);
    x86_pair_long(out, X86_UNLESS_ABOVE, X86_RAX, X86_RDX);
    x86_two_long(out, X86_TEST, X86_RCX, X86_RCX);
    x86_pair_long(out, X86_UNLESS_ABOVE, X86_RCX, X86_RDX);
    x86_two_long(out, X86_SUBTRACT, X86_RCX, X86_RAX);
    x86_two_long(out, X86_MOVE, X86_RAX, X86_RCX);
    x86_negate(out, X86_RAX);
    x86_pair_long(out, X86_IF_ABOVE, X86_RCX, X86_RAX);
}

static void code_spread(x86_out *out) { /* of RAX: z ^ z >> 32 */
    x86_two_long(out, X86_MOVE, X86_RCX, X86_RAX);
    x86_shift_right(out, X86_RCX, 32);
    x86_two_long(out, X86_MIX, X86_RAX, X86_RCX);
}

static void code_times(x86_out *out, uint64_t factor) { /* RAX */
    x86_constant_long(out, X86_RCX, factor);
    x86_pair_long(out, X86_TIMES, X86_RAX, X86_RCX);
}

static void code_set(x86_out *out, const kernel_local *v) { /* into RAX: feature_set, times the factor */
    code_find(out, v);
    x86_load_64(out, X86_RAX, x86_at_byte(CODE_TREE, X86_RAX, v->field));
    x86_add_to_rax(out, FEATURE_SET_SALT);
    code_spread(out);
    code_times(out, FEATURE_SPREAD_FACTOR);
    code_spread(out);
    code_times(out, v->factor);
}

static void code_leaf(x86_out *out, const kernel_local *v) { /* into RAX */
    code_find(out, v);
    x86_load_64(out, X86_RDX, x86_at_byte(CODE_TREE, X86_RAX, v->field)); /* both valencies */
    x86_constant_long(out, X86_RAX, v->factor * feature_number(0));
    x86_constant_long(out, X86_RCX, v->factor * feature_number(1));
    x86_two_long(out, X86_TEST, X86_RDX, X86_RDX);
    x86_pair_long(out, X86_IF_ZERO, X86_RAX, X86_RCX);
}

static void code_presence(x86_out *out, const kernel_local *v) { /* into RAX */
    x86_load_signed(out, X86_RDX, code_node(v->node));
    x86_constant_long(out, X86_RAX, v->factor * 2);
    x86_constant_long(out, X86_RCX, v->factor);
    x86_two_long(out, X86_TEST, X86_RDX, X86_RDX);
    x86_pair_long(out, X86_IF_NEGATIVE, X86_RAX, X86_RCX);
}

static void code_value(x86_out *out, const kernel_local *v, int32_t i) {
    switch ((kernel_local_kind)v->kind) {
    case KERNEL_NUMBER:
        code_find(out, v);
        x86_load_signed(out, X86_RCX, x86_at_byte(CODE_TREE, X86_RAX, v->field));
        code_put_product(out, v, i);
        return;
    case KERNEL_DISTANCE:
        code_distance(out, v);
        code_put_product(out, v, i);
        return;
    case KERNEL_SET: code_set(out, v); break;
    case KERNEL_LEAF: code_leaf(out, v); break;
    default: code_presence(out, v);
    }
    code_put(out, i, X86_RAX);
}

/* Those of one register, n of them, to their place among all. */
static void code_join(x86_out *out, int32_t at, int32_t n) {
    if (n > 2) x86_join_two(out, CODE_FIRST_VALUES, CODE_FIRST_VALUES + 1);
    if (n > 6) x86_join_two(out, CODE_FIRST_VALUES + 2, CODE_FIRST_VALUES + 3);
    if (n > 4) x86_join_four(out, CODE_FIRST_VALUES, CODE_FIRST_VALUES + 2);
    x86_load_64(out, X86_RAX, code_in_work(offsetof(kernel_work, values)));
    x86_memory(out, X86_STORE, CODE_FIRST_VALUES, 0, x86_at(X86_RAX, (int32_t)sizeof(uint64_t) * at));
}

static void code_values(x86_out *out, const kernel_program *program) {
    const int32_t n = program->local_end[KERNEL_PRESENCE];
    int32_t i;
    if (n > 0) x86_load_64(out, CODE_TREE, code_in_work(offsetof(kernel_work, scene.nodes)));
    for (i = 0; i < n; i++) {
        code_value(out, program->locals + i, i);
        if (i % KERNEL_KEYS == KERNEL_KEYS - 1 || i == n - 1)
            code_join(out, i / KERNEL_KEYS * KERNEL_KEYS, i % KERNEL_KEYS + 1);
    }
}
#endif
