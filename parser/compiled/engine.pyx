"""Scoring states with remembered sums; see groups.py and program.py for the plan, engine.pxd for the parts."""

from cython cimport final
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.flat cimport (KIND_ANCHORED, KIND_BUFFER, MAX_LOCALS, PRESENCE, SLOTS_KEPT, ChunkC, LocalC,
                                   ProgramC, StepC, pattern_place)
from parser.compiled.memory cimport (KERNEL_BOUND, KERNEL_COLUMNS, KERNEL_HEAD, KERNEL_TAIL_BOUND, N_KERNEL_SETS,
                                     ROW_LIMIT, ROW_TAIL, Memory, MemoryC, aligned, find_record, kernel_best,
                                     kernel_rows, kernel_sets, kernel_task, lane_of, new_record, row_at, values_key,
                                     values_of)
from parser.compiled.scratch cimport SceneC, Scratch, ScratchC
from parser.compiled.sum_maker cimport SumMaker
from parser.compiled.table cimport Table, add_table_row, find_row
from parser.feature.extract cimport Extractor, set_value
from parser.feature.hashing cimport FEATURE_NONE, feature_key, feature_number
from parser.transition.node cimport NodeC, head, l1, lval, r1, rval
from parser.transition.state cimport N, S, StateC
from parser.transition.state cimport nodes as state_nodes

import numpy as np

from parser.feature.atoms import Atomizer


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
        self.bias = self.rank = NULL

    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of kernel_names(), the best by default."""
        SumMaker.__init__(self, table, extractor, layout, n_labels)
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.kernels = &kernel_sets[<int>kernel_number(kernel)]
        self.kernel = self.kernels.name.decode()
        self.bias, self.rank = <int16_t*>aligned(2 * self.width), <int16_t*>aligned(2 * self.width)
        self.stride = extractor.stride
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        total = np.zeros(self.width, np.int32)
        cdef int32_t[::1] numbers = total
        if row:
            add_table_row(&self.rows_of, row, &numbers[0])
        for i in range(self.n_columns):
            self.bias[lane_of(i)] = <int16_t>numbers[i]     # a single row fits
        self.bias[KERNEL_TAIL_BOUND] = int(total[KERNEL_COLUMNS:].max(initial=0))
        self.bias[KERNEL_BOUND] = int(total.max(initial=0))
        for place, column in enumerate(sorted(range(self.n_columns), key=lambda column: actions[column])):
            self.rank[lane_of(column)] = place

    def __dealloc__(self):
        free(self.bias)
        free(self.rank)

    # Words

    cpdef Scratch new_scratch(self):
        cdef Memory memory = Memory(self, self.width, self.all_lookups, 2 * (self.all_lookups + 1),
                                    self.n_slots, (self.n_refs + 1) // 2, self.stride, self.extractor.n_rules)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        memory.c.places.filter, memory.c.kernels = self.filter, self.kernels
        if self.stride > 0:
            self.write_record(&memory.c, memory.c.none, &rows[0, 0])
            self.write_record(&memory.c, memory.c.root, &rows[1, 0])
        return Scratch(memory, self.all_lookups, self.most_lookups, self.n_kept, self.sign_length,
                       self.n_chunks * MAX_LOCALS)

    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil:
        cdef int32_t i
        cdef feat_t* kept = <feat_t*>values_of(m, record)
        for i in range(self.n_slots):
            record[i] = values[self.slot_value[i]] * self.slot_factor[i]
        for i in range(self.stride):
            kept[i] = values[i]
        return record

    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil:
        cdef uint64_t key = values_key(values, self.stride)
        cdef uint64_t* record = find_record(m, key)
        return record if record != NULL else self.write_record(m, new_record(m, key), values)

    # Scoring

    cdef int32_t choose(self, ScratchC* c, const StateC* s, const int16_t* mask, bint all_scores) noexcept nogil:
        self.look(c, s)
        c.m.spare = 0
        if all_scores:
            return self.choose_of_all(c, mask)
        self.ask(c)
        self.look_up_rows(c)
        return self.choose_of_head(c, mask)

    cdef void ask(self, ScratchC* c) noexcept nogil:
        cdef int32_t i
        c.n_tasks = c.n_sums = 0
        for i in range(self.n_kept_chunks):
            self.begin_kept(c, &self.chunks[i])
        c.n_kept_tasks = c.n_tasks
        if self.n_crossing:
            self.begin_task(c, &self.chunks[self.n_kept_chunks], &c.tasks[c.n_tasks])
            c.n_tasks += 1

    cdef void look_up_rows(self, ScratchC* c) noexcept nogil:
        """All keys first, then all rows, so that memory has time to answer."""
        self.kernels.keys(&c.m.places, c.scene.record, c.tasks, c.n_tasks)
        if self.kernels.find(&c.m.places, c.scene.record, c.tasks, c.n_tasks):
            self.make_rows(c, c.n_tasks)

    cdef int32_t choose_of_head(self, ScratchC* c, const int16_t* mask) noexcept nogil:
        cdef MemoryC* m = c.m
        cdef kernel_rows lists
        cdef kernel_best best
        cdef int32_t i, slot
        for i in range(c.n_kept_tasks):
            self.add_up_kept(c, &c.tasks[i])
        begin(&lists, m)
        for i in range(c.n_sums):
            put_head(&lists, c.kept + <size_t>c.sums[i] * KERNEL_HEAD)
        put_head(&lists, self.bias)
        best = self.kernels.best(&m.places, &c.tasks[c.n_kept_tasks], c.n_tasks - c.n_kept_tasks, &lists, mask,
                                 self.rank)
        if may_be_clipped(best.top, best.bound):
            return self.choose_of_all(c, mask)
        # Nearly always something in the head is better than anything behind it can be
        if best.tail < best.top:
            return best.rank
        for i in range(c.n_sums):
            slot = c.sums[i]
            if c.n_kept_rows[slot] < 0:
                return self.choose_of_all(c, mask)
            put_tails(&lists, m, c.kept_rows + <size_t>slot * c.most_rows, c.n_kept_rows[slot])
        for i in range(c.n_kept_tasks, c.n_tasks):
            put_tails(&lists, m, c.tasks[i].row, n_rows(&c.tasks[i]))
        put_tail(&lists, self.bias)
        m.full += 1
        return self.kernels.best_behind(&lists, self.blocks, mask, self.rank, best.top, best.rank)

    cdef inline void begin_kept(self, ScratchC* c, const ChunkC* chunk) noexcept nogil:
        cdef int32_t kept = chunk.first_kept
        if chunk.kind != KIND_BUFFER and c.scene.node[chunk.anchor] < 0:
            return
        if chunk.depth >= 0:
            kept += (c.scene.state.depth - 1 - chunk.depth) & (SLOTS_KEPT - 1)
        c.sums[c.n_sums] = kept
        c.n_sums += 1
        if self.has_changed(c, chunk, kept):
            self.begin_task(c, chunk, &c.tasks[c.n_tasks])
            c.tasks[c.n_tasks].kept, c.tasks[c.n_tasks].row = kept, c.kept_rows + <size_t>kept * c.most_rows
            c.n_tasks += 1

    cdef inline void add_up_kept(self, ScratchC* c, const kernel_task* task) noexcept nogil:
        cdef int32_t slot = task.kept
        self.kernels.sum(&c.m.places, task, c.kept + <size_t>slot * KERNEL_HEAD)
        # rows that stand behind the arena are gone after this state
        c.n_kept_rows[slot] = n_rows(task) if c.m.spare == 0 else -1

    cdef int32_t choose_of_all(self, ScratchC* c, const int16_t* mask) noexcept nogil:
        """From all rows, tails included, looked up anew."""
        cdef MemoryC* m = c.m
        cdef kernel_rows lists
        cdef int32_t i, k, best, least = 0, n = 0
        for i in range(self.n_chunks):
            if self.chunks[i].kind != KIND_ANCHORED or c.scene.node[self.chunks[i].anchor] >= 0:
                self.begin_task(c, &self.chunks[i], &c.tasks[n])
                n += 1
        c.n_tasks = n
        self.look_up_rows(c)
        m.full += 1
        begin(&lists, m)
        for i in range(n):
            put_tails(&lists, m, c.tasks[i].row, n_rows(&c.tasks[i]))
            for k in range(n_rows(&c.tasks[i])):
                put_head(&lists, row_at(m, c.tasks[i].row[k]))
        put_head(&lists, self.bias)
        put_tail(&lists, self.bias)
        best = self.kernels.best_of_all(&lists, self.blocks, mask, self.rank, m.sums)
        for i in range(self.width):
            least = min(least, <int32_t>m.sums[i])
        if may_be_clipped(least, m.sums[KERNEL_BOUND]):
            return self.choose_wide(c, &lists, mask)
        for i in range(self.n_columns):
            m.scores[i] = m.sums[lane_of(i)]
        return best

    cdef int32_t choose_wide(self, ScratchC* c, const kernel_rows* lists, const int16_t* mask) noexcept nogil:
        """In 32 bits; template by template if there are sums that no row of 16 bits can hold."""
        cdef MemoryC* m = c.m
        cdef const SceneC* scene = &c.scene
        cdef uint64_t present
        cdef uint32_t row
        cdef int32_t i, lane, best = -1, top = 0
        m.wide += 1
        memset(m.scores, 0, self.width * sizeof(int32_t))
        if m.has_wide_rows:
            present = self.present_of(m, scene)
            for i in range(self.n_columns):
                m.scores[i] = self.bias[lane_of(i)]
            for i in range(self.extractor.n_rules):
                row = self.row_of(self.feature_of(m, self.extractor, i, present, scene))
                if row != 0:
                    add_table_row(&self.rows_of, row, m.scores)
        else:
            self.add_wide(m.scores, lists)
        for i in range(self.n_columns):
            lane = lane_of(i)
            if mask[lane] and (best < 0 or m.scores[i] > top or (m.scores[i] == top and self.rank[lane] < best)):
                best, top = self.rank[lane], m.scores[i]
        return best

    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil:
        cdef const int16_t* row
        cdef int32_t i, k, n = self.n_columns, in_head = min(self.n_columns, <int32_t>KERNEL_COLUMNS)
        for k in range(rows.n_heads):
            row = rows.heads[k]
            for i in range(in_head):
                out[i] += row[i]
        for k in range(rows.n_tails):
            row = rows.tails[k] + (KERNEL_HEAD - KERNEL_COLUMNS)    # as lane_of
            for i in range(in_head, n):
                out[i] += row[i]

    cdef inline void look(self, ScratchC* c, const StateC* s) noexcept nogil:
        cdef int32_t i, found, on_stack = self.on_stack, in_buffer = self.in_buffer, n_steps = self.n_steps
        cdef uint64_t missing = 0
        cdef SceneC* scene = &c.scene
        cdef const char* nodes = <const char*>state_nodes(s)
        cdef const StepC* step = self.steps
        for i in range(on_stack):
            missing |= put_node(scene, c.of_word, &step[i], S(s, step[i].argument))
        for i in range(on_stack, in_buffer):
            missing |= put_node(scene, c.of_word, &step[i], N(s, step[i].argument))
        for i in range(in_buffer, n_steps):
            found = number_at(nodes, scene.node[step[i].argument], step[i].field)
            missing |= put_node(scene, c.of_word, &step[i], found)
        scene.state, scene.nodes, scene.present = s, <const NodeC*>nodes, self.all_nodes & ~missing

    cdef inline bint has_changed(self, ScratchC* c, const ChunkC* chunk, int32_t kept) noexcept nogil:
        cdef int32_t* sign = c.signs + kept * self.sign_length
        cdef const SceneC* scene = &c.scene
        cdef const int32_t* looked_at = self.watched + chunk.first_watched
        cdef int32_t i, found, changed = sign[0] ^ c.sentence, n_plain = chunk.n_plain, n = chunk.n_watched
        sign[0] = c.sentence
        for i in range(n_plain):
            found = scene.node[looked_at[i]]
            changed |= sign[i + 1] ^ found
            sign[i + 1] = found
        for i in range(n_plain, n):
            found = watched_node(scene.nodes, scene.node[looked_at[i] >> 2], looked_at[i] & 3)
            changed |= sign[i + 1] ^ found
            sign[i + 1] = found
        return changed != 0

    cdef inline void begin_task(self, ScratchC* c, const ChunkC* chunk, kernel_task* task) noexcept nogil:
        cdef const ProgramC* p = chunk.programs[pattern_place(chunk, c.scene.present)]
        cdef int32_t first = chunk.first_key
        task.program, task.local = &p.c, c.values + chunk.first_local
        task.key, task.owner, task.row = c.keys + first, c.owners + first, c.rows + first
        self.read_locals(p, &c.scene, task.local)

    cdef inline void read_locals(self, const ProgramC* p, const SceneC* scene, uint64_t* value) noexcept nogil:
        cdef const LocalC* v = p.locals
        cdef const char* nodes = <const char*>scene.nodes
        cdef int32_t i, node, n_numbers = p.n_numbers, n_distances = p.n_distances, n_sets = p.n_sets
        for i in range(n_numbers):
            node = scene.node[v[i].node]
            value[i] = v[i].product[(min(number_at(nodes, node, v[i].field), v[i].cap) + 1) & -<int32_t>(node >= 0)]
        for i in range(n_numbers, n_distances):
            value[i] = v[i].product[distance_place(scene, &v[i])]
        for i in range(n_distances, n_sets):
            node = scene.node[v[i].node]
            value[i] = v[i].factor * (set_value(set_at(nodes, node, v[i].field)) if node >= 0 else FEATURE_NONE)
        for i in range(n_sets, p.n_locals):
            value[i] = v[i].factor * local_value(&v[i], scene)


cdef inline bint may_be_clipped(int32_t score, int32_t bound) noexcept nogil:
    """Is a sum of 16 bits, or one above it, perhaps not what its rows add up to? bound: no sum of some of the rows is
    above it.

    What falls below -32768 is kept there, and what is added later, bound at most, makes it too high; nothing is ever
    too low. So a score further up is right, and all scores are where the least is; and where the highest is, so is the
    choice.
    """
    return bound > ROW_LIMIT or score <= bound - 0x8000


cdef inline int32_t n_rows(const kernel_task* task) noexcept nogil:
    return task.program.n_refs + task.n


cdef inline void begin(kernel_rows* lists, MemoryC* m) noexcept nogil:
    lists.heads, lists.tails = m.heads, m.tails
    lists.n_heads = lists.n_tails = 0


cdef inline void put_head(kernel_rows* lists, const int16_t* row) noexcept nogil:
    lists.heads[lists.n_heads] = row
    lists.n_heads += 1


cdef inline void put_tail(kernel_rows* lists, const int16_t* row) noexcept nogil:
    lists.tails[lists.n_tails] = row
    lists.n_tails += 1


cdef inline void put_tails(kernel_rows* lists, const MemoryC* m, const uint32_t* row, int32_t n) noexcept nogil:
    """Those of the rows that go on behind the head."""
    cdef int32_t i
    for i in range(n):
        lists.tails[lists.n_tails] = row_at(m, row[i])
        lists.n_tails += (row[i] & ROW_TAIL) != 0


cdef inline uint64_t put_node(SceneC* scene, uint64_t** of_word, const StepC* step, int32_t found) noexcept nogil:
    """Gives the bit of the node if there is none (and this is where that is decided)."""
    scene.node[step.node] = found
    scene.record[step.node] = of_word[found]
    return step.bit & <uint64_t>(<int64_t>found >> 63)


cdef inline int32_t number_at(const char* nodes, int32_t i, int32_t field) noexcept nogil:
    return (<const int32_t*>(nodes + <Py_ssize_t>i * <Py_ssize_t>sizeof(NodeC) + field))[0]


cdef inline int32_t watched_node(const NodeC* nodes, int32_t i, int32_t side) noexcept nogil:
    return head(nodes, i) if side == 0 else l1(nodes, i) if side == 1 else r1(nodes, i)


cdef inline uint64_t set_at(const char* nodes, int32_t i, int32_t field) noexcept nogil:
    return (<const uint64_t*>(nodes + <Py_ssize_t>i * <Py_ssize_t>sizeof(NodeC) + field))[0]


cdef inline int32_t distance_place(const SceneC* scene, const LocalC* v) noexcept nogil:
    """Among the products of a distance: 0 if one of the nodes is missing."""
    cdef int32_t one = scene.node[v.node], other = scene.node[v.argument], there = -<int32_t>((one | other) >= 0)
    cdef int32_t distance = ((other if other > 0 else scene.state.root_pos)
                             - (one if one > 0 else scene.state.root_pos))
    distance = distance if distance > 0 else -distance
    return (min(distance, v.cap) + 1) & there


cdef inline feat_t local_value(const LocalC* v, const SceneC* scene) noexcept nogil:
    """Of the kinds that are rare; what part_value says."""
    cdef int32_t i = scene.node[v.node]
    if v.kind == PRESENCE:
        return 1 + (i >= 0)
    if i < 0:
        return FEATURE_NONE
    return feature_number(lval(scene.nodes, i) + rval(scene.nodes, i) == 0)     # a leaf
