/* Included by kernel_body.h, once per instruction set: what there is to be seen of a state, its nodes and the values of the
   partial tree. Nodes are found one by one: what has been written number by number and is read as a whole register, or the
   other way round, is waited for. Values are made one by one; or eight at once, where one register has room for all nodes. */

static inline int32_t KERNEL_NAME(number_at)(const char *nodes, int32_t node, int32_t field) {
    return *(const int32_t *)(nodes + (intptr_t)node * KERNEL_NODE_BYTES + field);
}

/* The words that the nodes of a plan mean in a state, -1 where there is none. */
KERNEL_TARGET static inline void KERNEL_NAME(find_nodes)(const kernel_plan *plan, kernel_work *work) {
    kernel_scene *const scene = &work->scene;
    const char *const nodes = scene->nodes;
    const int32_t *const top = scene->top, *const front = scene->front;
    uint64_t *const *const of_word = work->of_word;
    const kernel_step *step = plan->steps, *end = step + plan->on_stack;
    uint64_t missing = 0;
    int32_t found;
#define PUT_NODE() \
    (scene->node[step->node] = found, scene->record[step->node] = of_word[found], \
     missing |= (uint64_t)((uint32_t)found >> 31) << step->node)
    for (; step < end; step++) {
        found = top[-(intptr_t)step->from];
        PUT_NODE();
    }
    for (end = plan->steps + plan->in_buffer; step < end; step++) {
        found = front[step->from];
        PUT_NODE();
    }
    for (end = plan->steps + plan->n_steps; step < end; step++) {
        found = KERNEL_NAME(number_at)(nodes, scene->node[step->from], step->field);
        PUT_NODE();
    }
#undef PUT_NODE
    scene->present = plan->nodes & ~missing; /* the bits above are those of conditions: see present_of */
}

/* The values of the partial tree that the program's keys are made of. */
KERNEL_TARGET static inline void KERNEL_NAME(read_locals)(kernel_work *work) {
    const kernel_program *program = work->program;
    const kernel_scene *scene = &work->scene;
    const kernel_local *v = program->locals, *end = v + program->local_end[KERNEL_NUMBER];
    const char *const nodes = scene->nodes;
    const int32_t root_pos = scene->root_pos;
    uint64_t *value = work->values;
    for (; v < end; v++) {
        const int32_t node = scene->node[v->node], number = KERNEL_NAME(number_at)(nodes, node, v->field);
        *value++ = v->product[((number < v->cap ? number : v->cap) + 1) & ~(node >> 31)];
    }
    for (end = program->locals + program->local_end[KERNEL_DISTANCE]; v < end; v++) {
        const int32_t one = scene->node[v->node], other = scene->node[v->argument];
        const int32_t from = one > 0 ? one : root_pos, to = other > 0 ? other : root_pos;
        const int32_t distance = from < to ? to - from : from - to;
        *value++ = v->product[((distance < v->cap ? distance : v->cap) + 1) & ~((one | other) >> 31)];
    }
    for (end = program->locals + program->local_end[KERNEL_SET]; v < end; v++) {
        const int32_t node = scene->node[v->node];
        const uint64_t set = *(const uint64_t *)(nodes + (intptr_t)node * KERNEL_NODE_BYTES + v->field);
        *value++ = v->factor * (node >= 0 ? feature_set(set) : FEATURE_NONE);
    }
    for (end = program->locals + program->local_end[KERNEL_LEAF]; v < end; v++) {
        const int32_t node = scene->node[v->node];
        const int is_leaf = KERNEL_NAME(number_at)(nodes, node, v->field) == 0 &&
                            KERNEL_NAME(number_at)(nodes, node, v->field + 4) == 0;
        *value++ = v->factor * (node >= 0 ? feature_number(is_leaf) : FEATURE_NONE);
    }
    for (end = program->locals + program->local_end[KERNEL_PRESENCE]; v < end; v++)
        *value++ = v->factor * (1 + (uint64_t)(scene->node[v->node] >= 0));
}

#ifdef KERNEL_COMPRESS
/* Sixteen small numbers */
KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(spread_bytes)(const uint8_t *bytes) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)bytes));
}

/* |one - other|, as positions */
KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(distance)(int32_t root_pos, __m512i one,
                                                                                         __m512i other) {
    const __m512i zero = _mm512_setzero_si512(), root = _mm512_set1_epi64(root_pos);
    one = _mm512_mask_mov_epi64(root, _mm512_cmpgt_epi64_mask(one, zero), one);
    other = _mm512_mask_mov_epi64(root, _mm512_cmpgt_epi64_mask(other, zero), other);
    return _mm512_abs_epi64(_mm512_sub_epi64(one, other));
}

KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(spread)(__m512i z) { /* as feature_spread */
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 32));
    z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)FEATURE_SPREAD_FACTOR));
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 32));
}

/* Eight values of the partial tree. Node and other: their words. */
KERNEL_TARGET static inline __attribute__((always_inline)) __m512i KERNEL_NAME(values)(
    const kernel_values *v, const kernel_scene *scene, __m512i node, __m512i other) {
    const __m512i one = _mm512_set1_epi64(1);
    const __mmask8 counted = v->numbers | v->distances;
    __m512i at = _mm512_add_epi64(_mm512_slli_epi64(node, 6),
                                  _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)v->field)));
    __m512i x = _mm512_i64gather_epi64(at, scene->nodes, 1);
    __mmask8 missing = _mm512_movepi64_mask(node);
    x = _mm512_mask_srai_epi64(x, v->numbers, _mm512_slli_epi64(x, 32), 32);
    if (v->distances) {
        missing |= v->distances & _mm512_movepi64_mask(other);
        x = _mm512_mask_mov_epi64(x, v->distances, KERNEL_NAME(distance)(scene->root_pos, node, other));
    }
    x = _mm512_mask_min_epi64(x, counted, x, _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)v->cap)));
    if (v->coarse) /* as coarse_number */
        x = _mm512_mask2_permutex2var_epi64(_mm512_set_epi64(7, 5, 5, 4, 3, 2, 1, 0), x, v->coarse,
                                            _mm512_set_epi64(0, 0, 0, 0, 0, 10, 7, 7));
    if (v->leaves) x = _mm512_mask_mov_epi64(x, v->leaves, _mm512_maskz_mov_epi64(_mm512_testn_epi64_mask(x, x), one));
    missing |= counted & _mm512_movepi64_mask(x); /* labels are -1 where there is none */
    x = _mm512_add_epi64(x, _mm512_mask_mov_epi64(one, v->sets, _mm512_set1_epi64(FEATURE_SET_SALT)));
    x = _mm512_mask_mullo_epi64(x, ~v->sets, x, _mm512_set1_epi64((long long)FEATURE_NUMBER_FACTOR));
    x = _mm512_mask_mov_epi64(KERNEL_NAME(spread)(x), missing, _mm512_set1_epi64((long long)FEATURE_NONE));
    if (v->presences) x = _mm512_mask_add_epi64(x, v->presences, one, _mm512_maskz_mov_epi64(~missing, one));
    return _mm512_mullo_epi64(x, _mm512_loadu_si512(v->factor));
}

/* All that the program's keys are made of. */
KERNEL_TARGET static inline void KERNEL_NAME(read_by_eights)(kernel_work *work) {
    const kernel_program *const program = work->program;
    const kernel_scene *const scene = &work->scene;
    const __m512i nodes = _mm512_loadu_si512(scene->node);
    const kernel_values *v = program->values;
    uint64_t *out = work->values, *const end = out + program->local_end[KERNEL_PRESENCE];
    for (; out < end; out += KERNEL_KEYS, v++) {
        const __m512i words = _mm512_permutexvar_epi32(KERNEL_NAME(spread_bytes)(v->node), nodes);
        const __m512i node = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(words));
        const __m512i other = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(words, 1));
        _mm512_storeu_si512(out, KERNEL_NAME(values)(v, scene, node, other));
    }
}
#endif

KERNEL_TARGET static inline void KERNEL_NAME(look)(const kernel_plan *plan, const kernel_programs *programs,
                                                   kernel_work *work) {
    KERNEL_NAME(find_nodes)(plan, work);
    work->program = kernel_find_program(programs, kernel_pattern(plan, &work->scene))->program;
}

KERNEL_TARGET static inline void KERNEL_NAME(look_at_tree)(const kernel_plan *plan, kernel_work *work) {
#ifdef KERNEL_COMPRESS
    if (plan->nodes >> KERNEL_WIDE == 0) {
        KERNEL_NAME(read_by_eights)(work);
        return;
    }
#endif
    KERNEL_NAME(read_locals)(work);
}
