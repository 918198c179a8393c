/* Included by kernel_body.h, once per instruction set: scoring a state. What is looked at (look_body.h), the keys, their
   rows, and the best of their sum.

   A state goes through it in stages, each of which has on its way what the next one reads; what they hand on stands in
   its kernel_work. */

/* What a state's keys are, and the rows that its words know. Has on its way what is read next. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(begin)(
    const kernel_plan *plan, const kernel_places *places, kernel_work *work) {
    const kernel_program *const program = work->program;
    const uint64_t *const *const record = work->scene.record;
    const kernel_ref *ref = program->refs, *const last = ref + program->n_refs;
    uint32_t *row = work->rows;
    for (; ref < last; ref++, row++) {
        *row = ((const uint32_t *)record[ref->node])[ref->at];
        KERNEL_FETCH_ROW(places, *row);
    }
    KERNEL_NAME(look_at_tree)(plan, work);
    KERNEL_NAME(write_keys)(places, work);
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

KERNEL_TARGET static void KERNEL_NAME(find)(const kernel_plan *plan, const kernel_places *places, kernel_work *work) {
    KERNEL_NAME(begin)(plan, places, work);
    KERNEL_NAME(pass_keys)(places, work);
    KERNEL_NAME(look_up_rows)(places, work);
}

KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(find_best)(
    const kernel_plan *plan, const kernel_places *places, kernel_work *work) {
    const uint32_t *row = work->rows, *const last = row + work->program->n_refs + work->n_keys;
    LANES x[HEAD];
    int32_t k;
    for (k = 0; k < HEAD; k++) x[k] = ((const LANES *)plan->bias)[k];
    for (; row < last; row++) KERNEL_NAME(add_row)(places, *row, x);
    for (k = 0; k < HEAD; k++) ((LANES *)work->head)[k] = x[k];
    work->best = KERNEL_NAME(best_in)(x, work->head, work->mask, plan->rank);
}

KERNEL_TARGET static void KERNEL_NAME(best)(const kernel_plan *plan, const kernel_places *places, kernel_work *work) {
    KERNEL_NAME(find_best)(plan, places, work);
}

static inline __attribute__((always_inline)) void KERNEL_NAME(fetch_program)(
    const kernel_program *program) { /* or nothing */
    int32_t k;
    for (k = 0; k < KERNEL_FETCHED; k += KERNEL_LINE) KERNEL_FETCH((uintptr_t)program + (uintptr_t)k);
}

/* Stage by stage, each for all states: while one waits for memory, another can be worked on. A program decides how often
   everything after it is done, so all programs are found before the first is run: branches that were not foreseen are
   known sooner. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(look_all)(
    const kernel_plan *plan, const kernel_programs *programs, kernel_work *const *works, int32_t n) {
    int32_t i;
    for (i = 0; i < n; i++) {
        KERNEL_NAME(look)(plan, programs, works[i]);
        KERNEL_NAME(fetch_program)(works[i]->program);
    }
}

KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(score_keys)(
    const kernel_plan *plan, const kernel_places *places, kernel_work *const *works, int32_t n) {
    int32_t i;
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(pass_keys)(places, works[i]);
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(look_up_rows)(places, works[i]);
    for (i = 0; i < n; i++) {
        if (works[i]->program != NULL)
            KERNEL_NAME(find_best)(plan, places, works[i]);
        else
            works[i]->best.bound = KERNEL_UNKNOWN;
    }
}

KERNEL_TARGET static void KERNEL_NAME(score)(const kernel_plan *plan, kernel_programs *programs,
                                             const kernel_places *places, kernel_work *const *works, int32_t n) {
    int32_t i;
    KERNEL_NAME(look_all)(plan, programs, works, n);
    for (i = 0; i < n; i++)
        if (works[i]->program != NULL) KERNEL_NAME(begin)(plan, places, works[i]);
    KERNEL_NAME(score_keys)(plan, places, works, n);
}

#ifdef KERNEL_DATA_LINES
/* The same, with programs as machine code where there is room for it. */
KERNEL_TARGET static inline __attribute__((always_inline)) void KERNEL_NAME(look_code)(
    const kernel_plan *plan, const kernel_programs *programs, kernel_work *work) {
    const kernel_program_place *place;
    int32_t k;
    work->scene.present = plan->nodes & ~(uint64_t)((code_of_look)programs->look)(work);
    place = kernel_find_program(programs, kernel_pattern(plan, &work->scene));
    work->program = place->program;
    KERNEL_FETCH(place->program);
    for (k = 0; k < KERNEL_DATA_LINES; k++) KERNEL_FETCH((uintptr_t)place->read + (uintptr_t)(k * KERNEL_LINE));
}

KERNEL_TARGET static void KERNEL_NAME(score_code)(const kernel_plan *plan, kernel_programs *programs,
                                                  const kernel_places *places, kernel_work *const *works, int32_t n) {
    int32_t i;
    if (programs->look != NULL)
        for (i = 0; i < n; i++) KERNEL_NAME(look_code)(plan, programs, works[i]);
    else
        KERNEL_NAME(look_all)(plan, programs, works, n);
    for (i = 0; i < n; i++) {
        const kernel_program *const program = works[i]->program;
        if (program == NULL) continue;
        if (program->code != NULL) {
            if (!program->reads_tree) KERNEL_NAME(look_at_tree)(plan, works[i]);
            ((code_of_program)program->code)(works[i], places, program->data, &code_numbers);
        } else {
            KERNEL_NAME(begin)(plan, places, works[i]);
            programs->steps++;
        }
    }
    KERNEL_NAME(score_keys)(plan, places, works, n);
}
#endif
