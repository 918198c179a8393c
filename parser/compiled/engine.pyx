"""Scoring states with remembered sums; see groups.py and program.py for the plan, engine.pxd for the parts."""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.flat cimport (KIND_ANCHORED, KIND_BUFFER, MAX_CHUNKS, MAX_LOCALS, MAX_TERMS, PRESENCE, SLOTS_KEPT,
                                   ChunkC, Flat, LocalC, LookupC, ProgramC, RefC, StepC, pattern_place)
from parser.compiled.memory cimport (KERNEL_LANES, KERNEL_SHORT, N_KERNEL_SETS, ROW_LIMIT, Memory, MemoryC, aligned,
                                     find_record, home_of, keep_sum, kernel_bucket, kernel_rows, kernel_sets, line_of,
                                     look_beside, new_record, values_of)
from parser.compiled.table cimport Table, add_table_row, find_row, may_have_row
from parser.feature.extract cimport (DISTANCE, LABEL, LEFT_SET, LEFT_VALENCY, MAX_NODES, RIGHT_SET, RIGHT_VALENCY,
                                     Extractor, RuleC, distance_value, set_value)
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key, feature_number
from parser.score.keymap cimport PREFETCH
from parser.transition.node cimport NodeC, head, l1, label, label_hash, lset, lval, r1, rset, rval
from parser.transition.state cimport N, S, StateC
from parser.transition.state cimport nodes as state_nodes

import numpy as np

from parser.feature.atoms import Atomizer


def kernel_names():
    """Instruction sets that this build has code for and this machine can run, the best last."""
    return [kernel_sets[i].name.decode() for i in range(N_KERNEL_SETS) if kernel_sets[i].usable()]


cdef class Engine(Flat):
    def __cinit__(self):
        self.bias = self.rank = self.zeros = NULL

    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of kernel_names(), the best by default."""
        Flat.__init__(self, extractor, layout, n_labels)
        self.table = table
        self.rows_of = table.c
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.n_columns = table.n_columns
        self.blocks = max((self.n_columns + KERNEL_LANES - 1) // KERNEL_LANES, KERNEL_SHORT // KERNEL_LANES)
        self.width = self.blocks * KERNEL_LANES
        self.choose_kernel(kernel)
        self.bias, self.rank = <int16_t*>aligned(2 * self.width), <int16_t*>aligned(2 * self.width)
        self.zeros, self.stride = <int16_t*>aligned(2 * self.width), extractor.stride
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        total = np.zeros(self.width, np.int32)
        cdef int32_t[::1] numbers = total
        if row:
            add_table_row(&self.rows_of, row, &numbers[0])
        for i in range(self.width):
            self.bias[i] = <int16_t>numbers[i]      # a single row fits
        self.bias_most, self.bias_bound = int(np.abs(total).max()), int(total[KERNEL_SHORT:].max(initial=0))
        for place, column in enumerate(sorted(range(self.n_columns), key=lambda column: actions[column])):
            self.rank[column] = place

    def __dealloc__(self):
        free(self.bias)
        free(self.rank)
        free(self.zeros)

    def choose_kernel(self, kernel):
        usable = kernel_names()
        self.kernel = kernel or usable[len(usable) - 1]
        if self.kernel not in usable:
            raise ValueError(f"no code for {self.kernel!r} here, expected one of {', '.join(usable)}")
        for i in range(N_KERNEL_SETS):
            if kernel_sets[i].name.decode() == self.kernel:
                self.kernels = &kernel_sets[i]

    # Words

    cpdef Memory new_memory(self):
        cdef Memory memory = Memory(self, self.width, self.all_lookups, self.n_kept, self.sign_length, self.n_slots,
                                    self.n_refs, self.stride, self.n_chunks * MAX_LOCALS)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        if self.stride > 0:
            self.write_record(&memory.c, memory.c.none, &rows[0, 0])
            self.write_record(&memory.c, memory.c.root, &rows[1, 0])
        return memory

    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil:
        cdef int32_t i
        cdef feat_t* kept = <feat_t*>values_of(m, record)
        for i in range(self.n_slots):
            record[i] = values[self.slot_value[i]] * self.slot_factor[i]
        for i in range(self.stride):
            kept[i] = values[i]
        return record

    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil:
        cdef uint64_t key = 0
        cdef uint64_t* record
        cdef int32_t i
        for i in range(self.stride):
            key = (key ^ values[i]) * feature_factor[0]
            key ^= key >> 32
        key |= key == 0
        record = find_record(m, key)
        return record if record != NULL else self.write_record(m, new_record(m, key), values)

    # Scoring

    cdef int32_t choose(self, MemoryC* m, const StateC* s, const int16_t* mask, bint all_scores) noexcept nogil:
        cdef SceneC scene
        cdef ListsC lists
        cdef TaskC tasks[MAX_CHUNKS]
        cdef TaskC cross
        cdef const ChunkC* chunk
        cdef int32_t sums[MAX_CHUNKS]
        cdef int32_t i, n_sums = 0, n_tasks = 0, kept, bound = self.bias_bound, most = self.bias_most, top
        self.look(m, s, &scene)
        if all_scores:
            return self.choose_of_all(m, &scene, mask)
        for i in range(self.n_kept_chunks):
            chunk = &self.chunks[i]
            if chunk.kind != KIND_BUFFER and scene.node[chunk.anchor] < 0:
                continue
            kept = chunk.first_kept
            if chunk.depth >= 0:
                kept += (s.depth - 1 - chunk.depth) & (SLOTS_KEPT - 1)
            sums[n_sums] = kept
            n_sums += 1
            if self.has_changed(m, chunk, &scene, kept):
                tasks[n_tasks].kept = kept
                self.begin_task(m, chunk, &scene, &tasks[n_tasks])
                n_tasks += 1
        if self.n_kept_chunks < self.n_chunks:
            self.begin_task(m, &self.chunks[self.n_kept_chunks], &scene, &cross)
        for i in range(n_tasks):
            begin(&lists, m)
            self.collect(m, &lists, &tasks[i], &scene)
            if lists.rows.n_longs == 0:
                put_long(&lists, self.zeros)
            self.kernels.sum(&lists.rows, m.kept + <size_t>tasks[i].kept * KERNEL_SHORT)
            m.bounds[2 * tasks[i].kept], m.bounds[2 * tasks[i].kept + 1] = lists.rows.bound, lists.rows.most
        begin(&lists, m)
        if self.n_kept_chunks < self.n_chunks:
            self.collect(m, &lists, &cross, &scene)
        for i in range(n_sums):
            put_long(&lists, m.kept + <size_t>sums[i] * KERNEL_SHORT)
            bound += m.bounds[2 * sums[i]]
            most += m.bounds[2 * sums[i] + 1]
        if most + lists.rows.most > ROW_LIMIT:
            return self.choose_of_all(m, &scene, mask)
        put_long(&lists, self.bias)
        i = self.kernels.best(&lists.rows, mask, self.rank, m.sums, &top)
        # Nearly always something in the head is better than anything behind it can be
        return i if bound + lists.rows.bound < top else self.choose_of_all(m, &scene, mask)

    cdef int32_t choose_of_all(self, MemoryC* m, SceneC* scene, const int16_t* mask) noexcept nogil:
        """The same from all rows, tails included."""
        cdef ListsC lists
        cdef TaskC task
        cdef int32_t i, best
        begin(&lists, m)
        m.full += 1
        for i in range(self.n_chunks):
            if self.chunks[i].kind != KIND_ANCHORED or scene.node[self.chunks[i].anchor] >= 0:
                self.begin_task(m, &self.chunks[i], scene, &task)
                self.collect(m, &lists, &task, scene)
        put_long(&lists, self.bias)
        lists.rows.tails[lists.rows.n_tails] = self.bias
        lists.rows.n_tails += 1
        if lists.rows.most + self.bias_most > ROW_LIMIT:
            return self.choose_wide(m, &lists, scene, mask)
        best = self.kernels.best_of_all(&lists.rows, self.blocks, mask, self.rank, m.sums)
        for i in range(self.width):
            m.scores[i] = m.sums[i]
        return best

    cdef int32_t choose_wide(self, MemoryC* m, ListsC* lists, SceneC* scene, const int16_t* mask) noexcept nogil:
        """In 32 bits; template by template if there are sums that no row of 16 bits can hold."""
        cdef uint64_t present
        cdef int32_t i, best = -1
        m.wide += 1
        memset(m.scores, 0, self.width * sizeof(int32_t))
        if m.has_wide_rows:
            present = self.present_of(m, scene)
            for i in range(self.width):
                m.scores[i] = self.bias[i]
            for i in range(self.extractor.n_rules):
                self.add_rule(m, self.extractor, i, present, scene, m.scores)
        else:
            self.add_wide(m.scores, &lists.rows)
        for i in range(self.width):
            if mask[i] and (best < 0 or m.scores[i] > m.scores[best]
                            or (m.scores[i] == m.scores[best] and self.rank[i] < self.rank[best])):
                best = i
        return self.rank[best]

    cdef void add_wide(self, int32_t* out, const kernel_rows* rows) noexcept nogil:
        cdef const int16_t* row
        cdef const signed char* short_row
        cdef int32_t i, k, width = self.width
        for k in range(rows.n_longs):
            row = rows.longs[k]
            for i in range(KERNEL_SHORT):
                out[i] += row[i]
        for k in range(rows.n_shorts):
            short_row = rows.shorts[k]
            for i in range(KERNEL_SHORT):
                out[i] += short_row[i]
        for k in range(rows.n_tails):
            row = rows.tails[k]
            for i in range(KERNEL_SHORT, width):
                out[i] += row[i]

    cdef inline void look(self, MemoryC* m, const StateC* s, SceneC* scene) noexcept nogil:
        cdef int32_t i, n = self.n_nodes, on_stack = self.on_stack, in_buffer = self.in_buffer, n_steps = self.n_steps
        cdef uint64_t present = 0
        cdef uint64_t** of_word = m.of_word
        cdef const char* nodes = <const char*>state_nodes(s)
        cdef const StepC* step = self.steps
        for i in range(on_stack):
            scene.node[step[i].node] = S(s, step[i].argument)
        for i in range(on_stack, in_buffer):
            scene.node[step[i].node] = N(s, step[i].argument)
        for i in range(in_buffer, n_steps):
            scene.node[step[i].node] = number_at(nodes, scene.node[step[i].argument], step[i].field)
        for i in range(n):
            present |= <uint64_t>(scene.node[i] >= 0) << i
            scene.record[i] = of_word[scene.node[i]]
        scene.state, scene.nodes, scene.present = s, <const NodeC*>nodes, present

    cdef inline bint has_changed(self, MemoryC* m, const ChunkC* chunk, const SceneC* scene,
                                 int32_t kept) noexcept nogil:
        cdef int32_t* sign = m.signs + kept * self.sign_length
        cdef const int32_t* looked_at = self.watched + chunk.first_watched
        cdef int32_t i, found, changed = sign[0] ^ m.sentence, n_plain = chunk.n_plain, n = chunk.n_watched
        sign[0] = m.sentence
        for i in range(n_plain):
            found = scene.node[looked_at[i]]
            changed |= sign[i + 1] ^ found
            sign[i + 1] = found
        for i in range(n_plain, n):
            found = watched_node(scene.nodes, scene.node[looked_at[i] >> 2], looked_at[i] & 3)
            changed |= sign[i + 1] ^ found
            sign[i + 1] = found
        return changed != 0

    cdef void begin_task(self, MemoryC* m, const ChunkC* chunk, SceneC* scene, TaskC* task) noexcept nogil:
        cdef const ProgramC* p = &self.programs[self.program_of[chunk.first_pattern
                                                                + pattern_place(chunk, scene.present)]]
        task.program, task.value = p, m.values + (chunk - self.chunks) * MAX_LOCALS
        task.keys, task.owners = m.keys + chunk.first_key, m.owners + chunk.first_key
        task.homes = m.homes + chunk.first_key
        self.read_locals(p, scene, task.value)
        scene.record[self.n_nodes] = task.value
        task.n = self.write_keys(m, task, scene)
        if p.direct > p.all:
            task.n = self.write_direct(m, task, scene, task.n)

    cdef void collect(self, MemoryC* m, ListsC* lists, const TaskC* task, SceneC* scene) noexcept nogil:
        cdef const RefC* ref = self.refs + task.program.first_ref
        cdef int32_t i, n = task.n, n_refs = task.program.n_refs, refs_at = m.words.refs_at
        cdef uint64_t* known
        cdef uint64_t* rows = m.rows
        scene.record[self.n_nodes] = task.value
        for i in range(n_refs):
            known = <uint64_t*>scene.record[ref[i].node] + refs_at + ref[i].slot
            rows[i] = known[0]
            if rows[i] == 0:
                rows[i] = self.fill_ref(m, &self.lookups[ref[i].lookup], scene, known, lists)
        m.asked += n
        rows += n_refs
        if self.kernels.find(task.homes, task.keys, n, rows):
            for i in range(n):
                if rows[i] == 0:
                    rows[i] = self.make(m, &self.lookups[task.owners[i]], task.keys[i], scene, lists)
        self.kernels.sort(m.rows, n_refs + n, m.arena, &lists.rows)

    cdef inline void read_locals(self, const ProgramC* p, const SceneC* scene, uint64_t* value) noexcept nogil:
        cdef const LocalC* v = self.locals + p.first_local
        cdef const char* nodes = <const char*>scene.nodes
        cdef int32_t i, node, n_numbers = p.n_numbers, n = p.n_locals
        value[0] = 0
        for i in range(n_numbers):
            node = scene.node[v[i].node]
            value[i + 1] = v[i].product[(min(number_at(nodes, node, v[i].field), v[i].cap) + 1) & -<int32_t>(node >= 0)]
        for i in range(n_numbers, n):
            value[i + 1] = v[i].factor * local_value(&v[i], scene)

    cdef inline int32_t write_keys(self, const MemoryC* m, TaskC* task, const SceneC* scene) noexcept nogil:
        """Keys of the lookups."""
        cdef const ProgramC* p = task.program
        cdef const LookupC* found = self.lookups + p.first_lookup
        cdef const uint64_t* const* record = scene.record
        cdef int32_t i, k, first = p.first_lookup, two = p.two - first, four = p.four - first
        cdef int32_t all_of_them = p.all - first
        cdef uint64_t key
        for i in range(two):
            put_key(m, task, i, first + i, found[i].seed + term(record, found + i, 0) + term(record, found + i, 1))
        for i in range(two, four):
            put_key(m, task, i, first + i, found[i].seed + term(record, found + i, 0) + term(record, found + i, 1)
                    + term(record, found + i, 2) + term(record, found + i, 3))
        for i in range(four, all_of_them):
            key = found[i].seed
            for k in range(MAX_TERMS):
                key += term(record, found + i, k)
            put_key(m, task, i, first + i, key)
        return all_of_them

    cdef int32_t write_direct(self, const MemoryC* m, TaskC* task, const SceneC* scene, int32_t n) noexcept nogil:
        """Words together with something else: too many keys to remember, and most of them have no weights."""
        cdef const ProgramC* p = task.program
        cdef const LookupC* found = self.lookups + p.all
        cdef const uint64_t* const* record = scene.record
        cdef uint64_t* keys = task.keys + n
        cdef int32_t* owners = task.owners + n
        cdef int32_t i, count = p.direct - p.all, first = p.all
        for i in range(count):
            keys[i] = (found[i].seed + term(record, found + i, 0) + term(record, found + i, 1)
                       + term(record, found + i, 2) + term(record, found + i, 3))
            owners[i] = first + i
        count = self.kernels.filter(&self.filter, keys, owners, count)
        for i in range(count):
            put_key(m, task, n + i, owners[i], keys[i])
        return n + count

    cdef uint64_t fill_ref(self, MemoryC* m, const LookupC* lookup, const SceneC* scene, uint64_t* known,
                           ListsC* lists) noexcept nogil:
        """What a reference of a record is to be: words that agree in what the templates ask share a row."""
        cdef uint64_t key = lookup.seed, row
        cdef const kernel_bucket* home
        cdef int32_t i
        for i in range(MAX_TERMS):
            key += term(scene.record, lookup, i)
        key |= key == 0
        home = &m.buckets[home_of(key) >> m.shift]
        if self.kernels.find(&home, &key, 1, &row):
            row = self.make(m, lookup, key, scene, lists)
        if line_of(row) < m.n_lines:
            known[0] = row
        return row

    cdef uint64_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const SceneC* scene,
                       ListsC* lists) noexcept nogil:
        cdef uint64_t row = look_beside(m, key)
        if row != 0:
            return row
        m.made += 1
        self.add_up(m, lookup, scene)
        row = keep_sum(m, key, self.width, lists.spare)
        lists.spare += line_of(row) >= m.n_lines
        return row

    cdef void add_up(self, MemoryC* m, const LookupC* lookup, const SceneC* scene) noexcept nogil:
        """The plain way: every template by its feature key."""
        cdef uint64_t present = self.present_of(m, scene)
        cdef int32_t i
        memset(m.found, 0, self.width * sizeof(int32_t))
        for i in range(lookup.first_rule, lookup.first_rule + lookup.n_rules):
            self.add_rule(m, self.extractor, self.rules[i], present, scene, m.found)

    cdef uint64_t present_of(self, const MemoryC* m, const SceneC* scene) noexcept nogil:
        """The nodes that are there, and above them the conditions that hold."""
        cdef uint64_t present = scene.present
        cdef int32_t i
        for i in range(self.extractor.n_conditions):
            if values_of(m, scene.record[self.extractor.conditions[i].node])[self.extractor.conditions[i].value] \
                    != FEATURE_NONE:
                present |= <uint64_t>1 << (MAX_NODES + i)
        return present

    cdef void add_rule(self, const MemoryC* m, Extractor e, int32_t place, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil:
        cdef const RuleC* rule = &e.rules[place]
        cdef feat_t total = rule.seed, value
        cdef int32_t k
        cdef uint32_t row
        if not present & rule.any_of or present & rule.need != rule.need:
            return
        for k in range(rule.n_parts):
            place = rule.parts[k]
            if place < e.n_stored:
                value = values_of(m, scene.record[e.stored[place].node])[e.stored[place].value]
            else:
                value = e.part_value(&e.parts[place - e.n_stored], scene.node, scene.nodes, NULL, scene.state.root_pos)
            total += value * feature_factor[k]
        total = feature_key(total)
        row = find_row(&self.rows_of, total) if may_have_row(&self.rows_of, total) else 0
        if row:
            add_table_row(&self.rows_of, row, out)


cdef inline void begin(ListsC* lists, MemoryC* m) noexcept nogil:
    lists.rows.longs, lists.rows.shorts, lists.rows.tails = m.longs, m.shorts, m.tails
    lists.rows.n_longs = lists.rows.n_shorts = lists.rows.n_tails = 0
    lists.rows.bound = lists.rows.most = lists.spare = 0


cdef inline void put_long(ListsC* lists, int16_t* row) noexcept nogil:
    lists.rows.longs[lists.rows.n_longs] = row
    lists.rows.n_longs += 1


cdef inline uint64_t term(const uint64_t* const* record, const LookupC* lookup, int32_t i) noexcept nogil:
    return record[lookup.term[i].node][lookup.term[i].slot]


cdef inline void put_key(const MemoryC* m, TaskC* task, int32_t n, int32_t lookup, uint64_t key) noexcept nogil:
    cdef const kernel_bucket* home
    key |= key == 0
    home = &m.buckets[home_of(key) >> m.shift]
    PREFETCH(home)
    task.keys[n], task.owners[n], task.homes[n] = key, lookup, home


cdef inline int32_t number_at(const char* nodes, int32_t i, int32_t field) noexcept nogil:
    return (<const int32_t*>(nodes + <Py_ssize_t>i * <Py_ssize_t>sizeof(NodeC) + field))[0]


cdef inline int32_t watched_node(const NodeC* nodes, int32_t i, int32_t side) noexcept nogil:
    return head(nodes, i) if side == 0 else l1(nodes, i) if side == 1 else r1(nodes, i)


cdef inline feat_t local_value(const LocalC* v, const SceneC* scene) noexcept nogil:
    """What Extractor.part_value says."""
    cdef const NodeC* nodes = scene.nodes
    cdef int32_t i = scene.node[v.node], root_pos = scene.state.root_pos, other, distance
    if v.kind == PRESENCE:
        return 1 + (i >= 0)
    if i < 0:
        return FEATURE_NONE
    if v.kind == LABEL:
        return label_hash(label(nodes, i)) if label(nodes, i) >= 0 else FEATURE_NONE
    if v.kind == LEFT_VALENCY:
        return feature_number(min(lval(nodes, i), v.cap))
    if v.kind == RIGHT_VALENCY:
        return feature_number(min(rval(nodes, i), v.cap))
    if v.kind == LEFT_SET:
        return set_value(lset(nodes, i))
    if v.kind == RIGHT_SET:
        return set_value(rset(nodes, i))
    if v.kind == DISTANCE:
        other = scene.node[v.argument]
        if other < 0:
            return FEATURE_NONE
        distance = (other if other > 0 else root_pos) - (i if i > 0 else root_pos)
        return distance_value(distance, v.cap)
    return feature_number(lval(nodes, i) + rval(nodes, i) == 0)
