/* Values of the partial tree by machine code: as read_locals (look_body.h), with every table and place known. Keys by
   vectors find them in registers, since what is stored number by number and read as a whole is waited for; keys one by one
   in memory. Included by code.h. */
#ifndef ARCSPEED_CODE_VALUES_H
#define ARCSPEED_CODE_VALUES_H

typedef struct { /* what registers hold while values are written */
    int by_vectors;
    const uint64_t *products; /* RBX */
    int often;                /* the node of which R9 tells where it stands */
    int found;                /* and RAX, behind CODE_TREE; -1: none */
    int32_t cap;              /* RDX; -1: nothing known */
    const kernel_local *distance; /* of which RCX has the number, capped; NULL: none */
} code_known;

/* Is all there that is looked at? Else the value may be that of a missing node, which this code does not know. */
static int code_knows(const kernel_program *program, const kernel_local *v) {
    const uint64_t wanted = (uint64_t)1 << v->node | (v->kind == KERNEL_DISTANCE ? (uint64_t)1 << v->argument : 0);
    return v->kind == KERNEL_PRESENCE || (program->present & wanted) == wanted;
}

static int code_knows_all(const kernel_program *program, int by_vectors) {
    int32_t i;
    for (i = 0; i < program->local_end[KERNEL_PRESENCE]; i++)
        if (!code_knows(program, program->locals + i)) return 0;
    return !by_vectors || i <= CODE_MOST_VALUES;
}

static void code_put(x86_out *out, const code_known *known, int32_t i, int from) {
    if (known->by_vectors)
        x86_put(out, code_pair(i), i & 1, from);
    else
        x86_store_64(out, code_value_at(i), from);
}

static void code_put_from(x86_out *out, code_known *known, int32_t i, x86_place place) {
    if (known->by_vectors) {
        x86_put_from(out, code_pair(i), i & 1, place);
    } else {
        x86_load_64(out, X86_RAX, place);
        x86_store_64(out, code_value_at(i), X86_RAX);
        known->found = -1;
    }
}

/* Of the i-th local: the product of the number in RCX, no higher than the cap. */
static void code_put_product(x86_out *out, code_known *known, const kernel_local *v, int32_t i) {
    const int32_t at = (int32_t)((const char *)(v->product + 1) - (const char *)known->products);
    if (!v->in_range) {
        if (known->cap != v->cap) x86_constant(out, X86_RDX, v->cap);
        x86_two(out, X86_COMPARE, X86_RCX, X86_RDX);
        x86_pair_long(out, X86_IF_ABOVE, X86_RCX, X86_RDX);
        known->cap = v->cap;
    }
    code_put_from(out, known, i, (x86_place){X86_RBX, X86_RCX, at, 3});
}

/* Where the local's number stands. */
static x86_place code_place(x86_out *out, code_known *known, const kernel_local *v) {
    if (v->node == known->often) return x86_at(X86_R9, v->field);
    if (v->node != known->found) {
        x86_load_signed(out, X86_RAX, code_node(v->node));
        x86_shift_left(out, X86_RAX, CODE_NODE_BITS);
        known->found = v->node;
    }
    return x86_at_byte(CODE_TREE, X86_RAX, v->field);
}

static void code_number_of(x86_out *out, code_known *known, const kernel_local *v) { /* into RCX */
    x86_load_signed(out, X86_RCX, code_place(out, known, v));
    known->distance = NULL;
}

static int code_is_same_distance(const kernel_local *one, const kernel_local *other) {
    return one != NULL && one->node == other->node && one->argument == other->argument && one->cap == other->cap;
}

static void code_distance(x86_out *out, code_known *known, const kernel_local *v) { /* into RCX; ROOT has its own place */
    if (code_is_same_distance(known->distance, v)) return;
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
    known->found = known->cap = -1;
    known->distance = v;
}

static void code_spread(x86_out *out) { /* of RAX: z ^ z >> 32 */
    x86_two_long(out, X86_MOVE, X86_RCX, X86_RAX);
    x86_shift_right(out, X86_RCX, 32);
    x86_two_long(out, X86_MIX, X86_RAX, X86_RCX);
}

static void code_times(x86_out *out, uint64_t factor) { /* RAX */
    x86_constant_long(out, X86_RCX, factor);
    x86_times(out, X86_RAX, X86_RCX);
}

static void code_set(x86_out *out, code_known *known, const kernel_local *v) { /* into RAX: feature_set, times the factor */
    x86_load_64(out, X86_RAX, code_place(out, known, v));
    x86_add_to_rax(out, FEATURE_SET_SALT);
    code_spread(out);
    code_times(out, FEATURE_SPREAD_FACTOR);
    code_spread(out);
    code_times(out, v->factor);
}

static void code_leaf(x86_out *out, code_known *known, const kernel_local *v) { /* into RAX */
    x86_load_64(out, X86_RDX, code_place(out, known, v)); /* both valencies */
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

static void code_value(x86_out *out, code_known *known, const kernel_local *v, int32_t i) {
    switch ((kernel_local_kind)v->kind) {
    case KERNEL_NUMBER:
        code_number_of(out, known, v);
        code_put_product(out, known, v, i);
        return;
    case KERNEL_DISTANCE:
        code_distance(out, known, v);
        code_put_product(out, known, v, i);
        return;
    case KERNEL_SET:
        if (known->by_vectors) { /* as it is: see code_sets */
            x86_put_from(out, code_pair(i), i & 1, code_place(out, known, v));
            return;
        }
        code_set(out, known, v);
        break;
    case KERNEL_LEAF: code_leaf(out, known, v); break;
    default: code_presence(out, v);
    }
    code_put(out, known, i, X86_RAX);
    known->found = known->cap = -1;
    known->distance = NULL;
}

/* The node that most values are read of. */
static int code_most_read(const kernel_program *program) {
    const int32_t n = program->local_end[KERNEL_PRESENCE];
    int32_t count[KERNEL_NODES] = {0}, i;
    for (i = 0; i < n; i++)
        if (program->locals[i].kind != KERNEL_DISTANCE && program->locals[i].kind != KERNEL_PRESENCE)
            count[program->locals[i].node]++;
    return code_most(count);
}

static void code_values(x86_out *out, code_source *from) {
    const kernel_program *const program = from->program;
    const int32_t n = program->local_end[KERNEL_PRESENCE];
    code_known known = {from->by_vectors, program->products, code_most_read(program), -1, -1, NULL};
    int32_t i;
    if (n == 0) return;
    x86_constant_long(out, X86_RBX, (uint64_t)(uintptr_t)known.products);
    x86_load_64(out, CODE_TREE, code_in_work(offsetof(kernel_work, scene.nodes)));
    x86_load_signed(out, X86_RAX, code_node(known.often));
    x86_shift_left(out, X86_RAX, CODE_NODE_BITS);
    x86_address(out, X86_R9, x86_at_byte(CODE_TREE, X86_RAX, 0));
    for (i = 0; i < n; i++) {
        code_value(out, &known, program->locals + i, i);
        if (from->by_vectors && (i % KERNEL_KEYS == KERNEL_KEYS - 1 || i == n - 1)) {
            const int values = CODE_VALUES + i / KERNEL_KEYS;
            code_join(out, values, i % KERNEL_KEYS + 1);
            code_sets(out, &from->data, program->values + i / KERNEL_KEYS, values);
        }
    }
}
#endif
