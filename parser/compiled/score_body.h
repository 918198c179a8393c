/* Included by kernel_body.h, once per instruction set: scoring a state. What is looked at, the keys, their rows, and the
   best of their sum.

   A state goes through it in stages, each of which has on its way what the next one reads; what they hand on stands in
   its kernel_work. */

static inline int32_t KERNEL_NAME(number_at)(const char *nodes, int32_t node, int32_t field) {
    return *(const int32_t *)(nodes + (intptr_t)node * KERNEL_NODE_BYTES + field);
}

/* The words that the nodes of a plan mean in a state, -1 where there is none, and the program for them, which is on its
   way then. */
KERNEL_TARGET static inline void KERNEL_NAME(look)(const kernel_plan *plan, const kernel_programs *programs,
                                                   kernel_work *work) {
    kernel_scene *const scene = &work->scene;
    const char *const nodes = scene->nodes;
    const int32_t *const top = scene->top;
    const int32_t front = scene->front, last = scene->last, behind = scene->end > last + 1 ? 0 : -1;
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
        found = front + step->from;
        found = found <= last ? found : found == last + 1 ? behind : -1;
        PUT_NODE();
    }
    for (end = plan->steps + plan->n_steps; step < end; step++) {
        found = KERNEL_NAME(number_at)(nodes, scene->node[step->from], step->field);
        PUT_NODE();
    }
#undef PUT_NODE
    scene->present = plan->nodes & ~missing; /* the bits above are those of conditions: see present_of */
    work->program = kernel_find_program(programs, kernel_pattern(plan, scene));
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

/* What a state's keys are, and the rows that its words know. Has on its way what is read next. */
KERNEL_TARGET static inline void KERNEL_NAME(begin)(const kernel_places *places, kernel_work *work) {
    const kernel_program *const program = work->program;
    const uint64_t *const *const record = work->scene.record;
    const kernel_ref *ref = program->refs, *const last = ref + program->n_refs;
    const uint64_t *home = work->home, *last_home;
    uint32_t *row = work->rows;
    for (; ref < last; ref++, row++) {
        *row = ((const uint32_t *)record[ref->node])[ref->at];
        KERNEL_FETCH_ROW(places, *row);
    }
    KERNEL_NAME(read_locals)(work);
    KERNEL_NAME(write_keys)(places, work);
    for (last_home = home + program->n_keys; home < last_home; home++) KERNEL_FETCH((char *)places->buckets + *home);
}

/* Which feature keys pass. How many cannot be foreseen, so this waits until the filter has answered for all states. */
KERNEL_TARGET static inline void KERNEL_NAME(pass)(const kernel_places *places, kernel_work *work) {
    const uint64_t *home = work->home + work->program->n_keys, *last;
    KERNEL_NAME(pass_keys)(places, work);
    for (last = work->home + work->n_keys; home < last; home++) KERNEL_FETCH((char *)places->buckets + *home);
}

/* The rows of its keys. */
KERNEL_TARGET static inline void KERNEL_NAME(look_up_rows)(const kernel_places *places, kernel_work *work) {
    const uint64_t *const told = work->told, *const home = work->home;
    const char *const buckets = (const char *)places->buckets;
    uint32_t *row = work->rows + work->program->n_refs;
    int32_t k, n = work->n_keys;
    for (k = 0; k < n; k++) {
        row[k] = KERNEL_NAME(look_up)((const kernel_bucket *)(buckets + home[k]), told[k]);
        KERNEL_FETCH_ROW(places, row[k]);
    }
}

KERNEL_TARGET static void KERNEL_NAME(find)(const kernel_places *places, kernel_work *work) {
    KERNEL_NAME(begin)(places, work);
    KERNEL_NAME(pass)(places, work);
    KERNEL_NAME(look_up_rows)(places, work);
}

KERNEL_TARGET static void KERNEL_NAME(best)(const kernel_plan *plan, const kernel_places *places, kernel_work *work) {
    const uint32_t *row = work->rows, *const last = row + work->program->n_refs + work->n_keys;
    LANES x[HEAD];
    int32_t k;
    for (k = 0; k < HEAD; k++) x[k] = ((const LANES *)plan->bias)[k];
    for (; row < last; row++) KERNEL_NAME(add_row)(places, *row, x);
    for (k = 0; k < HEAD; k++) ((LANES *)work->head)[k] = x[k];
    work->best = KERNEL_NAME(best_in)(x, work->mask, plan->rank);
}

/* Stage by stage, each for all states: while one waits for memory, another can be worked on. A program decides how often
   everything after it is done, so all programs are found before the first is run: branches that were not foreseen are
   known sooner. */
KERNEL_TARGET static void KERNEL_NAME(score)(const kernel_plan *plan, const kernel_programs *programs,
                                             const kernel_places *places, kernel_work *const *works, int32_t n) {
    int32_t i, k;
    for (i = 0; i < n; i++) {
        KERNEL_NAME(look)(plan, programs, works[i]);
        for (k = 0; k < KERNEL_FETCHED; k += 64) KERNEL_FETCH((uintptr_t)works[i]->program + k); /* or of nothing */
    }
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(begin)(places, works[i]);
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(pass)(places, works[i]);
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(look_up_rows)(places, works[i]);
    for (i = 0; i < n; i++) {
        if (works[i]->program != NULL)
            KERNEL_NAME(best)(plan, places, works[i]);
        else
            works[i]->best.bound = KERNEL_UNKNOWN;
    }
}
