"""Scoring states with remembered sums; see groups.py and program.py for the plan, engine.pxd for the parts."""

from cython cimport final
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.flat cimport kernel_best, kernel_pattern, kernel_scene, kernel_work
from parser.compiled.memory cimport (FIRST_LINE, HEAD_LINES, KERNEL_BOUND, KERNEL_COLUMNS, KERNEL_FAR_BOUND,
                                     KERNEL_HEAD, KERNEL_LANES, KERNEL_NEAR_BOUND, KERNEL_PARTS, KERNEL_QUARTERS,
                                     KERNEL_UNKNOWN, NEAR_LINES, N_KERNEL_SETS, ROW_LIMIT, Memory, MemoryC, aligned,
                                     find_record, is_kept, kernel_chances, kernel_doubt, kernel_rows, kernel_sets,
                                     lane_of, new_record, row_at, values_of)
from parser.compiled.programs cimport MANY_STEPS
from parser.compiled.scratch cimport LANES, LaneC, Scratch, show
from parser.compiled.sum_maker cimport SumMaker, key_of_template
from parser.compiled.sums cimport Store, shared_get_32
from parser.compiled.table cimport Table, add_table_row, find_row
from parser.feature.atoms cimport values_key
from parser.feature.extract cimport Extractor
from parser.feature.hashing cimport feature_key

import numpy as np

from parser.feature.atoms import Atomizer


cdef enum:
    NOTHING = 24    # odds of e to the minus so many, of hundreds of columns, do not change a float of 1 or more


HEAD_COLUMNS = KERNEL_COLUMNS   # those behind so many share bounds


def kernel_names():
    """Instruction sets that this build has code for and this machine can run, the best last."""
    return [kernel_sets[i].name.decode() for i in range(N_KERNEL_SETS) if kernel_sets[i].usable()]


def kernel_number(str name):
    """Of the code for an instruction set, by default the best that this machine can run."""
    usable = kernel_names()
    name = name or usable[len(usable) - 1]
    if name not in usable:
        raise ValueError(f"no code for {name!r} here, expected one of {', '.join(usable)}")
    return [kernel_sets[i].name.decode() for i in range(N_KERNEL_SETS)].index(name)


@final
cdef class Engine(SumMaker):
    def __cinit__(self):
        self.plan.bias = self.plan.rank = NULL

    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of kernel_names(), the best by default."""
        SumMaker.__init__(self, table, extractor, layout, n_labels)
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.kernels = &kernel_sets[<int>kernel_number(kernel)]
        self.kernel = self.kernels.name.decode()
        self.plan.bias = <int16_t*>aligned(2 * self.width)
        self.plan.rank = <int16_t*>aligned(2 * self.width)
        self.stride = extractor.stride
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        total = np.zeros(self.width, np.int32)
        cdef int32_t[::1] numbers = total
        if row:
            add_table_row(&self.rows_of, row, &numbers[0])
        for i in range(self.n_columns):
            self.plan.bias[lane_of(i)] = <int16_t>numbers[i]     # a single row fits
        far = KERNEL_COLUMNS + KERNEL_LANES
        for i in range(KERNEL_QUARTERS):
            first = KERNEL_COLUMNS + i * KERNEL_LANES // KERNEL_QUARTERS
            quarter = total[first:first + KERNEL_LANES // KERNEL_QUARTERS]
            self.plan.bias[KERNEL_NEAR_BOUND + i] = int(quarter.max(initial=0))
        self.plan.bias[KERNEL_FAR_BOUND] = int(total[far:].max(initial=0))
        self.plan.bias[KERNEL_BOUND] = int(total.max(initial=0))
        for place, column in enumerate(sorted(range(self.n_columns), key=lambda column: actions[column])):
            self.plan.rank[lane_of(column)] = place
        # what is not known is a row of zeros with a bound above all others
        self.store = Store((self.all_lookups + 1) * self.width * sizeof(int16_t), FIRST_LINE, KERNEL_BOUND,
                           KERNEL_UNKNOWN)

    def __dealloc__(self):
        free(self.plan.bias)
        free(self.plan.rank)

    # Words

    cpdef Scratch new_scratch(self):
        cdef Memory memory = Memory(self, self.store, self.width, self.all_lookups, self.n_slots,
                                    (self.n_refs + 1) // 2, self.stride)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        memory.c.places.filter, memory.c.kernels = self.filter, self.kernels
        if self.stride > 0:
            self.write_record(&memory.c, memory.c.none, &rows[0, 0])
            self.write_record(&memory.c, memory.c.root, &rows[1, 0])
        return Scratch(memory, self, self.width, self.extractor.n_rules)

    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil:
        cdef int32_t i
        cdef feat_t* kept = <feat_t*>values_of(m, record)
        for i in range(self.n_slots):
            record[i] = values[self.slot_value[i]] * self.slot_factor[i]
        for i in range(self.stride):
            kept[i] = values[i]
        return record

    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil:
        return self.record_under(m, values_key(values, self.stride), values)

    cdef uint64_t* record_under(self, MemoryC* m, uint64_t key, const feat_t* values) noexcept nogil:
        cdef uint64_t* record = find_record(m, key)
        return record if record != NULL else self.write_record(m, new_record(m, key), values)

    # Scoring

    cdef int choose(self, Scratch scratch, int32_t n) except -1 nogil:
        cdef bint in_doubt = False
        cdef int32_t i
        self.kernels.score(&self.plan, &scratch.programs.c, &scratch.m.places, <kernel_work**>scratch.busy, n)
        if scratch.programs.c.steps >= MANY_STEPS:
            scratch.programs.write_new()
        for i in range(n):
            in_doubt |= is_in_doubt(&scratch.busy[i].work.best)
        if in_doubt:
            self.prepare(scratch, n)
            for i in range(n):
                if is_in_doubt(&scratch.busy[i].work.best):
                    self.decide(scratch, scratch.busy[i])
        return 0

    cdef int prepare(self, Scratch scratch, int32_t n) except -1 nogil:
        cdef kernel_work* wanting[LANES]
        cdef kernel_work* work
        cdef int32_t i, n_wanting = 0
        for i in range(n):
            work = &scratch.busy[i].work
            if work.best.bound == KERNEL_UNKNOWN:
                self.find_program(scratch, work)
                self.ask(scratch.m, work)
                wanting[n_wanting] = work
                n_wanting += 1
        for i in range(n_wanting):
            self.find(scratch.m, wanting[i])
        return 0

    cdef int find_program(self, Scratch scratch, kernel_work* work) except -1 nogil:
        if work.program == NULL:
            work.program = scratch.programs.make(kernel_pattern(&self.plan, &work.scene))
            self.kernels.find(&self.plan, &scratch.m.places, work)
        return 0

    cdef int decide(self, Scratch scratch, LaneC* lane) except -1 nogil:
        cdef kernel_best* best = &lane.work.best
        if may_be_clipped(best):
            if best.bound == KERNEL_UNKNOWN:
                scratch.m.spare = 0
                self.make_rows(scratch.m, &lane.work)
                self.kernels.best(&self.plan, &scratch.m.places, &lane.work)
            if may_be_clipped(best):
                best.rank = self.choose_of_all(scratch, lane)
                return 0
        if may_be_behind(best):
            best.rank = self.choose_behind(scratch.m, &lane.work)
        return 0

    cdef int32_t choose_behind(self, MemoryC* m, const kernel_work* work) noexcept nogil:
        """Only those lines are looked at where something may be better."""
        cdef const kernel_best* best = &work.best
        cdef bint far = best.far >= best.top
        cdef int32_t line = HEAD_LINES if best.near >= best.top else NEAR_LINES
        cdef int32_t end = self.blocks if far else min(self.blocks, <int32_t>NEAR_LINES)
        cdef kernel_rows rows
        begin(&rows, m, self.plan.bias)
        put_parts(&rows, m, work, far)
        m.full += 1
        return self.kernels.best_behind(&rows, line, end, work.mask, self.plan.rank, best.top, best.rank)

    cdef void ask_behind(self, const MemoryC* m, LaneC* lane) noexcept nogil:
        self.kernels.ask_behind(&m.places, &lane.work, self.blocks)

    cdef bint chances(self, Scratch scratch, LaneC* lane, const int16_t* of_move, float unit,
                      kernel_chances* out) except -1 nogil:
        """What may have been clipped has no odds worth mentioning, or 16 bits are not enough: see may_be_clipped."""
        cdef MemoryC* m = scratch.m
        cdef kernel_work* work = &lane.work
        cdef int32_t nothing = work.best.top - <int32_t>min(<float>NOTHING / unit, <float>0x10000)
        cdef kernel_doubt doubt = kernel_doubt(<int16_t>max(nothing, -0x8000), <int16_t>(work.best.bound - 0x8000))
        if work.best.bound > ROW_LIMIT:
            return False
        if has_spare_rows(m, work):     # they are another lane's by now
            self.make_state(scratch, lane)
            self.ask_behind(m, lane)
        out[0] = self.kernels.chances(&self.plan, &m.places, work, self.blocks, of_move, unit, doubt, m.sums)
        return not out.in_doubt

    cdef int make_state(self, Scratch scratch, LaneC* lane) except -1 nogil:
        cdef MemoryC* m = scratch.m
        cdef kernel_work* work = &lane.work
        show(lane)
        self.kernels.look(&self.plan, &scratch.programs.c, work)
        if work.program != NULL:
            self.kernels.find(&self.plan, &m.places, work)
        self.find_program(scratch, work)
        self.ask(m, work)
        self.find(m, work)
        m.spare = 0
        self.make_rows(m, work)
        return 0

    cdef int32_t choose_of_all(self, Scratch scratch, LaneC* lane) except -1 nogil:
        cdef MemoryC* m = scratch.m
        cdef kernel_work* work = &lane.work
        cdef kernel_rows rows
        cdef kernel_best extremes
        cdef int32_t i, best
        self.make_state(scratch, lane)
        m.full += 1
        begin(&rows, m, self.plan.bias)
        put_heads(&rows, m, work)
        put_parts(&rows, m, work, True)
        best = self.kernels.best_of_all(&rows, self.blocks, work.mask, self.plan.rank, m.sums)
        extremes.top, extremes.bound = 0, m.sums[KERNEL_BOUND]
        for i in range(self.width):
            extremes.top = min(extremes.top, <int32_t>m.sums[i])
        if may_be_clipped(&extremes):
            return self.choose_wide(m, work, &rows)
        for i in range(self.n_columns):
            m.scores[i] = m.sums[lane_of(i)]
        return best

    cdef int32_t choose_wide(self, MemoryC* m, const kernel_work* work, const kernel_rows* rows) noexcept nogil:
        """In 32 bits; template by template if there are sums that no row of 16 bits can hold."""
        cdef const kernel_scene* scene = &work.scene
        cdef uint64_t present
        cdef uint32_t row
        cdef const int16_t* rank = self.plan.rank
        cdef int32_t i, lane, best = -1, top = 0
        m.wide += 1
        memset(m.scores, 0, self.width * sizeof(int32_t))
        if shared_get_32(&m.shared.has_wide_rows):
            present = self.present_of(m, scene)
            for i in range(self.n_columns):
                m.scores[i] = self.plan.bias[lane_of(i)]
            for i in range(self.extractor.n_rules):
                row = self.row_of(key_of_template(m, self.extractor, i, present, scene))
                if row != 0:
                    add_table_row(&self.rows_of, row, m.scores)
        else:
            self.add_wide(m.scores, rows)
        for i in range(self.n_columns):
            lane = lane_of(i)
            if work.mask[lane] and (best < 0 or m.scores[i] > top or (m.scores[i] == top and rank[lane] < best)):
                best, top = rank[lane], m.scores[i]
        return best

    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil:
        cdef const int16_t* row
        cdef int32_t part, i, k, first = 0, end = min(self.n_columns, <int32_t>KERNEL_COLUMNS)
        for part in range(KERNEL_PARTS):
            for k in range(rows.n[part]):
                row = rows.row[part][k] + (0 if part == 0 else KERNEL_HEAD - KERNEL_COLUMNS)    # as lane_of
                for i in range(first, end):
                    out[i] += row[i]
            first, end = end, self.n_columns if part > 0 else min(self.n_columns, end + <int32_t>KERNEL_LANES)


# No branches in these: nearly always something in the head is better than anything behind it can be.
cdef inline bint is_in_doubt(const kernel_best* best) noexcept nogil:
    return may_be_behind(best) | may_be_clipped(best)


cdef inline bint may_be_behind(const kernel_best* best) noexcept nogil:
    """May something behind the head be as good as the best of the head, or better?"""
    return (best.near >= best.top) | (best.far >= best.top)


cdef inline bint may_be_clipped(const kernel_best* best) noexcept nogil:
    """Is a sum of 16 bits, or one above it, perhaps not what its rows add up to?

    What falls below -32768 is kept there, and what is added later, the bound at most, makes it too high; nothing is
    ever too low. So a score further up is right, and all scores are where the least is; and where the highest is, so is
    the choice.
    """
    return (best.bound > ROW_LIMIT) | (best.top <= best.bound - 0x8000)


cdef inline int32_t n_rows(const kernel_work* work) noexcept nogil:
    return work.program.n_refs + work.n_keys


cdef inline bint has_spare_rows(const MemoryC* m, const kernel_work* work) noexcept nogil:
    cdef uint32_t last = 0
    cdef int32_t i
    for i in range(n_rows(work)):
        last = max(last, work.rows[i])
    return not is_kept(last)


cdef inline void begin(kernel_rows* rows, const MemoryC* m, const int16_t* bias) noexcept nogil:
    """The bias has all parts."""
    cdef int32_t part
    for part in range(KERNEL_PARTS):
        rows.row[part], rows.n[part] = m.lists + part * m.listed, 0
        put(rows, part, bias)


cdef inline void put(kernel_rows* rows, int32_t part, const int16_t* row) noexcept nogil:
    rows.row[part][rows.n[part]] = row
    rows.n[part] += 1


cdef inline void put_heads(kernel_rows* rows, const MemoryC* m, const kernel_work* work) noexcept nogil:
    cdef int32_t i
    for i in range(n_rows(work)):
        put(rows, 0, row_at(m, work.rows[i]))


cdef inline void put_parts(kernel_rows* rows, const MemoryC* m, const kernel_work* work, bint far) noexcept nogil:
    """What goes on behind the head of a state's rows. Without a branch: which do is hard to predict."""
    cdef const int16_t* row
    cdef int32_t i
    for i in range(n_rows(work)):
        row = row_at(m, work.rows[i])
        rows.row[1][rows.n[1]] = rows.row[2][rows.n[2]] = row
        rows.n[1] += row[KERNEL_NEAR_BOUND] != 0
        rows.n[2] += far and row[KERNEL_FAR_BOUND] != 0
