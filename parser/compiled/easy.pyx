"""Scoring the pairs of a list with remembered sums; see roles.py for the plan, easy.pxd for the parts."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport (MOST_LOCALS, MOST_SHAPES, MOST_TERMS, PRESENCE, WINDOW, ChunkC, ConditionC,
                                        DirectC, EasyFlat, ElementC, LocalC, LookupC, ProgramC, RefC, RoleC,
                                        ShapeC, StepC, TermC)
from parser.compiled.easy_memory cimport (BLOCK, EASY_BEHIND, EASY_HEAD, EASY_LANES, EASY_LINE, EASY_PRESENT,
                                          EASY_SIZE, EASY_TAIL, EASY_WIDE, N_EASY_KERNELS, NO_PAIR, PADS, CountC,
                                          EasyMemory, ListMemoryC, easy_kernels, forget_rows)
from parser.compiled.memory cimport (LINE, N_KERNEL_SETS, ROW_LIMIT, MemoryC, aligned, find_record, home_of,
                                     kernel_bucket, kernel_sets, look_beside, new_record, remember, values_of)
from parser.compiled.table cimport Table, add_table_row, find_row, may_have_row
from parser.feature.extract cimport (DISTANCE, LABEL, LEFT_SET, LEFT_VALENCY, MAX_NODES, RIGHT_SET, RIGHT_VALENCY, SPAN,
                                     STORED, PartC, Extractor, coarse_number, distance_value, set_value)
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key, feature_number
from parser.score.keymap cimport PREFETCH
from parser.transition.list_state cimport ListC, links, list_nodes
from parser.transition.node cimport NodeC, label, label_hash, lset, lval, rset, rval

from parser.compiled.engine import kernel_names
from parser.feature.atoms import Atomizer

cdef enum:
    AT_ONCE = 6                 # pairs that are looked at together; they see so many elements:
    SEEN = AT_ONCE + WINDOW - 1


cdef class EasyEngine(EasyFlat):
    def __cinit__(self):
        self.bias = self.masks = self.rank = NULL
        self.bias_sums = self.column_of_rank = self.actions = NULL

    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels, system,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of engine.kernel_names(), the best by default."""
        EasyFlat.__init__(self, extractor, layout)
        self.table, self.rows_of = table, table.c
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.n_columns, self.n_labels, self.stride = table.n_columns, n_labels, extractor.stride
        self.single_root = system.single_root
        # Room for the lines of a row and for all that may follow them, as numbers of 16 bits
        self.row_width = 16 * ((self.n_columns + EASY_LANES - 1) // EASY_LANES * EASY_LANES)
        self.choose_kernel(kernel)
        self.lay_columns(actions)

    def __dealloc__(self):
        free(self.bias)
        free(self.bias_sums)

    def choose_kernel(self, kernel):
        usable = kernel_names()
        self.kernel = kernel or usable[len(usable) - 1]
        if self.kernel not in usable:
            raise ValueError(f"no code for {self.kernel!r} here, expected one of {', '.join(usable)}")
        for i in range(N_KERNEL_SETS):
            if kernel_sets[i].name.decode() == self.kernel:
                self.kernels = &kernel_sets[i]
        for i in range(N_EASY_KERNELS):
            if easy_kernels[i].name.decode() == self.kernel:
                self.easy = &easy_kernels[i]

    def lay_columns(self, actions):
        cdef int32_t column, place, lane
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        self.bias = <int16_t*>aligned(4 * EASY_LANES * sizeof(int16_t))
        self.masks, self.rank = self.bias + EASY_LANES, self.bias + 3 * EASY_LANES
        self.bias_sums = <int32_t*>aligned((2 * self.n_columns + EASY_LANES) * sizeof(int32_t))
        self.actions, self.column_of_rank = self.bias_sums + self.n_columns, self.bias_sums + 2 * self.n_columns
        if row:
            add_table_row(&self.rows_of, row, self.bias_sums)
        most, behind = 0, 0
        for column in range(self.n_columns):
            self.actions[column] = actions[column]
            most = max(most, abs(self.bias_sums[column]))
            behind = max(behind, self.bias_sums[column]) if column >= EASY_HEAD else behind
        for lane in range(min(self.n_columns, EASY_HEAD)):
            self.bias[lane] = <int16_t>self.bias_sums[lane]     # a single row fits
            self.masks[lane] = -1
            self.masks[EASY_LANES + lane] = -<int16_t>(self.actions[lane] >= self.n_labels)
        self.bias[EASY_BEHIND], self.bias[EASY_SIZE] = behind, most
        self.masks[EASY_BEHIND] = self.masks[EASY_LANES + EASY_BEHIND] = -<int16_t>(self.n_columns > EASY_HEAD)
        head = range(min(self.n_columns, <int>EASY_HEAD))
        for place, column in enumerate(sorted(head, key=lambda column: actions[column])):
            self.rank[column], self.column_of_rank[place + 1] = place + 1, column

    # Words

    cpdef EasyMemory new_memory(self):
        cdef EasyMemory memory = EasyMemory(self, self.row_width, SEEN * self.most_keys + 8, 1, 1, self.n_slots,
                                            self.n_refs, self.stride, SEEN * self.n_shapes * MOST_LOCALS)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        memory.n_lines, memory.n_plain_lines = self.n_lines, self.n_plain_lines
        memory.n_rows, memory.n_shapes = self.n_rows, self.n_shapes
        memory.list.m = &memory.c
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

    # The list

    cdef void start(self, ListMemoryC* list, const ListC* s) noexcept nogil:
        cdef int32_t pairs[AT_ONCE]
        cdef int32_t n = 0, slot = s.leftmost + PADS
        list.left[slot], list.right[PADS - 1] = PADS - 1, slot      # where there is no ROOT
        while slot < s.n + PADS:
            pairs[n] = slot
            n += 1
            slot += 1
            if n == AT_ONCE or slot == s.n + PADS:
                self.refresh(list, s, pairs, n)
                n = 0

    cdef int32_t choose(self, ListMemoryC* list, const ListC* s) noexcept nogil:
        """A bound that is above all others is replaced by what it is a bound of."""
        cdef int32_t at
        while True:
            if list.n_blocks == 1:
                at = self.easy.largest(list.top, list.n_tops)
            else:
                at = BLOCK * self.easy.largest(list.block_top, (list.n_blocks + 15) // 16 * 16)
                at += self.easy.largest(list.top + at, min(<int32_t>BLOCK, list.n_tops - at))
            if list.pick[at] >= 0:
                return at
            list.m.full += 1
            self.settle(list, s, at)

    cdef int32_t attached(self, ListMemoryC* list, const ListC* s, int32_t head, int32_t dep,
                          int32_t* changed) noexcept nogil:
        cdef int32_t side = dep > head, i, slot, n = 0, last = s.n + PADS
        cdef int32_t* left = list.left
        cdef int32_t* right = list.right
        left[right[dep]] = left[dep]
        right[left[dep]] = right[dep]
        set_top(self, list, dep, NO_PAIR)
        slot = head
        for i in range(WINDOW):
            list.stale_plain[slot] |= self.new_plain[side][i]
            list.stale_rich[slot] |= self.new_rich[side][i]
            slot = left[slot]
        # the pairs that see the head or saw the dependent: of the head, of two words behind it, of three before it
        slot = head
        for _ in range(3):
            slot = left[slot]
        for _ in range(AT_ONCE):
            if slot >= PADS and slot <= last and (n == 0 or changed[n - 1] != slot):
                if right[slot] <= last:
                    changed[n] = slot
                    n += 1
                else:
                    set_top(self, list, slot, NO_PAIR)
            slot = right[slot]
        slot = s.leftmost + PADS
        if s.length == 2 and (n == 0 or changed[0] != slot):        # what was not legal before
            changed[0] = slot
            n = 1
        self.refresh(list, s, changed, n)
        return n

    cdef bint is_legal(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        """Can the two be attached to each other, one way or the other?"""
        return left != PADS or not self.single_root or s.length == 2

    cdef void refresh(self, ListMemoryC* list, const ListC* s, const int32_t* pairs, int32_t n) noexcept nogil:
        """Makes all sums that the pairs (up to AT_ONCE, one after the other in the list) need and that have changed,
        and scores them."""
        cdef TaskC tasks[SEEN * MOST_SHAPES]
        cdef int32_t i, place, slot, n_tasks = 0, next_key = 0, shape
        cdef uint32_t stale
        if list.m.used >= list.m.n_lines:
            forget_rows(list)
        for i in range(n):
            if not self.is_legal(list, s, pairs[i]):
                continue
            slot = list.left[list.left[pairs[i]]]
            for place in range(WINDOW):
                stale = (list.stale_plain[slot] | list.stale_rich[slot]) & self.needed[place]
                while stale:
                    shape = lowest_bit(stale)
                    stale &= stale - 1
                    tasks[n_tasks].shape, tasks[n_tasks].slot = &self.shapes[shape], slot
                    tasks[n_tasks].plain = list.stale_plain[slot] >> shape & 1
                    tasks[n_tasks].rich = list.stale_rich[slot] >> shape & 1
                    tasks[n_tasks].first_key = next_key
                    next_key += self.begin(list, s, &tasks[n_tasks])
                    n_tasks += 1
                list.stale_plain[slot] &= ~self.needed[place]
                list.stale_rich[slot] &= ~self.needed[place]
                slot = list.right[slot]
        for i in range(n_tasks):
            self.finish(list, s, &tasks[i])
        for i in range(n):
            if self.is_legal(list, s, pairs[i]):
                self.score_pair(list, s, pairs[i])

    cdef void score_pair(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        cdef const int16_t** line = list.m.longs
        cdef const int16_t* lines[WINDOW]
        cdef int32_t i, slot = list.left[list.left[left]], n = self.n_lines, rank, top
        for i in range(WINDOW):
            lines[i] = list.lines + <size_t>slot * n * EASY_LANES
            slot = list.right[slot]
        line[0] = self.bias
        for i in range(n):
            line[i + 1] = lines[self.lines[i].place] + self.lines[i].line * EASY_LANES
        rank = self.easy.best(line, n + 1, self.masks + (EASY_LANES if left == PADS else 0), self.rank, list.m.sums,
                              &top)
        if list.m.sums[EASY_SIZE] > ROW_LIMIT:
            list.m.wide += 1
            self.settle(list, s, left)
            return
        list.pick[left] = self.column_of_rank[rank] if rank > 0 else -1
        set_top(self, list, left, top)

    cdef void settle(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        """The best of all columns, in 32 bits; of equal ones the first action."""
        cdef const int32_t* scores = list.m.scores
        cdef int32_t column, best = -1
        self.all_scores(list, s, left)
        for column in range(self.n_columns):
            if left == PADS and self.actions[column] < self.n_labels:
                continue
            if best < 0 or scores[column] > scores[best] or (scores[column] == scores[best]
                                                             and self.actions[column] < self.actions[best]):
                best = column
        list.pick[left] = best
        set_top(self, list, left, scores[best])

    cdef void all_scores(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        cdef int32_t window[WINDOW]
        cdef int32_t i
        window[0] = list.left[list.left[left]]
        for i in range(1, WINDOW):
            window[i] = list.right[window[i - 1]]
        for i in range(self.n_columns):
            list.m.scores[i] = self.bias_sums[i]
        if list.lost or list.m.has_wide_rows:
            self.add_plain(list, s, window)
        else:
            self.add_kept(list, window)

    cdef void add_plain(self, ListMemoryC* list, const ListC* s, const int32_t* window) noexcept nogil:
        """Template by template."""
        cdef MemoryC* m = list.m
        cdef const ShapeC* shape
        cdef const RoleC* role
        cdef SceneC scene
        cdef uint64_t present
        cdef int32_t i, k
        for i in range(self.n_lines):
            shape = &self.shapes[self.lines[i].shape]
            self.look(list, s, shape, window[self.lines[i].place], &scene)
            present = self.present_of(m, shape, &scene)
            for k in range(shape.first_role, shape.first_role + shape.n_roles):
                role = &self.roles[self.role_list[k]]
                if role.line == self.lines[i].line - shape.first_line:
                    self.add_role(m, role, present, &scene, m.scores)

    cdef void add_kept(self, ListMemoryC* list, const int32_t* window) noexcept nogil:
        """From the rows that the lines were added up from."""
        cdef MemoryC* m = list.m
        cdef const ShapeC* shape
        cdef const uint64_t* rows
        cdef int32_t i, k, slot, n
        for i in range(self.n_lines):
            slot, shape = window[self.lines[i].place], &self.shapes[self.lines[i].shape]
            rows = list.rows + <size_t>slot * self.n_rows + shape.first_row
            n = list.counts[<size_t>slot * self.n_shapes + self.lines[i].shape].all
            for k in range(n):
                add_line(m, rows[k], self.lines[i].line - shape.first_line, self.n_columns, m.scores)

    # Sums of elements

    cdef void look(self, const ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                   SceneC* scene) noexcept nogil:
        cdef const ElementC* element = self.elements + shape.first_element
        cdef const StepC* step = self.steps + shape.first_step
        cdef const int32_t* node = self.node_list + shape.first_node
        cdef const char* nodes = <const char*>list_nodes(s)
        cdef int32_t i, place = 0
        scene.nodes, scene.links = list_nodes(s), links(s)
        for i in range(shape.n_elements):
            while place < element[i].place:
                slot = list.right[slot]
                place += 1
            scene.node[element[i].node] = slot - PADS if slot >= PADS and slot <= s.n + PADS else -1
        for i in range(shape.n_steps):
            scene.node[step[i].node] = number_at(nodes, scene.node[step[i].argument], step[i].field)
        for i in range(shape.n_nodes):
            scene.record[node[i]] = list.m.of_word[scene.node[node[i]]]

    cdef int32_t begin(self, ListMemoryC* list, const ListC* s, TaskC* task) noexcept nogil:
        """Keys of everything that is to be looked up, their buckets on the way; gives the number of keys."""
        cdef const ShapeC* shape = task.shape
        cdef CountC* count = &list.counts[<size_t>task.slot * self.n_shapes + (shape - self.shapes)]
        cdef uint64_t* rows = list.rows + <size_t>task.slot * self.n_rows + shape.first_row
        cdef SceneC scene
        cdef const ProgramC* p
        self.look(list, s, shape, task.slot, &scene)
        task.n_plain_rows = task.n_plain_keys = task.n_rich_rows = task.n_rich_keys = 0
        if task.plain:
            count.plain = 0
            if shape.plain >= 0:
                p = program_of(self, shape.plain, &scene)
                task.n_plain_keys = self.write_program(list, p, &scene, task.first_key, rows, shape)
                task.n_plain_rows = p.n_refs
                count.plain = <uint16_t>(p.n_refs + task.n_plain_keys)
        count.all = count.plain
        if shape.rich >= 0:
            p = program_of(self, shape.rich, &scene)
            task.n_rich_keys = self.write_program(list, p, &scene, task.first_key + task.n_plain_keys,
                                                  rows + count.plain, shape)
            task.n_rich_rows = p.n_refs
        if shape.n_asked > 0:
            task.n_rich_keys += self.write_asked(list, shape, &scene,
                                                 task.first_key + task.n_plain_keys + task.n_rich_keys)
        count.all += <uint16_t>(task.n_rich_rows + task.n_rich_keys)
        return task.n_plain_keys + task.n_rich_keys

    cdef int32_t write_program(self, ListMemoryC* list, const ProgramC* p, SceneC* scene, int32_t first, uint64_t* rows,
                               const ShapeC* shape) noexcept nogil:
        """Rows that words know are written at once; gives the number of keys."""
        cdef MemoryC* m = list.m
        cdef uint64_t value[MOST_LOCALS]
        cdef const LocalC* local = self.locals + p.first_local
        cdef const RefC* ref = self.refs + p.first_ref
        cdef const LookupC* found = self.lookups + p.first_lookup
        cdef const uint64_t* const* record = scene.record
        cdef uint64_t* known
        cdef int32_t i, two = p.two - p.first_lookup, four = p.four - p.first_lookup, n = p.all - p.first_lookup
        value[0] = 0
        scene.record[self.n_nodes] = value
        for i in range(p.n_locals):
            value[i + 1] = local[i].factor * local_value(&local[i].part, scene)
        for i in range(p.n_refs):
            known = <uint64_t*>record[ref[i].node] + m.words.refs_at + ref[i].slot
            if known[0] == 0:
                known[0] = self.fill_ref(list, shape, scene, ref[i].lookup)
            rows[i] = known[0]
        for i in range(two):
            put_key(m, first + i, p.first_lookup + i, key_of(record, &found[i], 2))
        for i in range(two, four):
            put_key(m, first + i, p.first_lookup + i, key_of(record, &found[i], 4))
        for i in range(four, n):
            put_key(m, first + i, p.first_lookup + i, key_of(record, &found[i], MOST_TERMS))
        return n + self.write_direct(list, p, scene, first + n) if p.n_directs > 0 else n

    cdef uint64_t fill_ref(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene,
                           int32_t lookup) noexcept nogil:
        """Words that agree in what the templates ask share a row."""
        cdef MemoryC* m = list.m
        cdef uint64_t key = key_of(scene.record, &self.lookups[lookup], MOST_TERMS), row
        cdef const kernel_bucket* home = &m.buckets[home_of(key) >> m.shift]
        if self.kernels.find(&home, &key, 1, &row):
            row = look_beside(m, key)
        return row if row != 0 else self.make(list, shape, scene, lookup, key)

    cdef int32_t write_direct(self, ListMemoryC* list, const ProgramC* p, const SceneC* scene,
                              int32_t first) noexcept nogil:
        """Keys of single templates, of those that may have weights."""
        cdef MemoryC* m = list.m
        cdef const DirectC* direct = self.directs + p.first_direct
        cdef const TermC* term
        cdef const uint64_t* const* record = scene.record
        cdef const int32_t* role
        cdef uint64_t* keys = m.keys + first
        cdef int32_t* owners = m.owners + first
        cdef uint64_t total
        cdef int32_t i, k, n = 0
        for i in range(p.n_directs):
            term = direct[i].term
            total = (record[term[0].node][term[0].slot] + record[term[1].node][term[1].slot]
                     + record[term[2].node][term[2].slot] + record[term[3].node][term[3].slot])
            role = self.role_list + direct[i].first_role
            for k in range(direct[i].n_roles):
                keys[n] = self.roles[role[k]].seed + total
                owners[n] = ~role[k]
                n += 1
        n = self.kernels.filter(&self.filter, keys, owners, n)
        for i in range(n):
            put_key(m, first + i, owners[i], keys[i])
        return n

    cdef int32_t write_asked(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene,
                             int32_t first) noexcept nogil:
        """Keys of those conditional templates that fire and may have weights."""
        cdef MemoryC* m = list.m
        cdef const int32_t* asked = self.role_list + shape.first_asked
        cdef const RoleC* role
        cdef uint64_t present = self.present_of(m, shape, scene), key
        cdef int32_t i, n = 0
        if present >> MAX_NODES == 0:
            return 0
        for i in range(shape.n_asked):
            role = &self.roles[asked[i]]
            if present & role.any_of and present & role.need == role.need:
                key = feature_key(self.role_sum(m, role, scene))
                if may_have_row(&self.rows_of, key):
                    put_key(m, first + n, ~asked[i], key)
                    n += 1
        return n

    cdef void finish(self, ListMemoryC* list, const ListC* s, const TaskC* task) noexcept nogil:
        """Rows of all keys, and their sums."""
        cdef const ShapeC* shape = task.shape
        cdef CountC* count = &list.counts[<size_t>task.slot * self.n_shapes + (shape - self.shapes)]
        cdef uint64_t* rows = list.rows + <size_t>task.slot * self.n_rows + shape.first_row
        cdef int16_t* out = list.lines + (<size_t>task.slot * self.n_lines + shape.first_line) * EASY_LANES
        cdef int16_t* plain = NULL
        cdef int32_t first = task.first_key
        if task.n_plain_keys > 0:
            self.find(list, s, task, first, task.n_plain_keys, rows + task.n_plain_rows)
        if task.n_rich_keys > 0:
            self.find(list, s, task, first + task.n_plain_keys, task.n_rich_keys,
                      rows + count.plain + task.n_rich_rows)
        list.m.asked += task.n_plain_keys + task.n_rich_keys
        if shape.first_plain >= 0:
            plain = list.plain + (<size_t>task.slot * self.n_plain_lines + shape.first_plain) * EASY_LANES
            if task.plain:
                self.easy.add(plain, shape.n_lines, NULL, rows, count.plain, list.m.arena)
            rows += count.plain
            self.easy.add(out, shape.n_lines, plain, rows, count.all - count.plain, list.m.arena)
        else:
            self.easy.add(out, shape.n_lines, NULL, rows, count.all, list.m.arena)

    cdef void find(self, ListMemoryC* list, const ListC* s, const TaskC* task, int32_t first, int32_t n,
                   uint64_t* rows) noexcept nogil:
        cdef MemoryC* m = list.m
        cdef SceneC scene
        cdef int32_t i
        if self.kernels.find(m.homes + first, m.keys + first, n, rows):
            self.look(list, s, task.shape, task.slot, &scene)
            for i in range(n):
                if rows[i] == 0:
                    rows[i] = look_beside(m, m.keys[first + i])
                if rows[i] == 0:
                    rows[i] = self.make(list, task.shape, &scene, m.owners[first + i], m.keys[first + i])

    # Making rows, the plain way

    cdef uint64_t make(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene, int32_t owner,
                       uint64_t key) noexcept nogil:
        """The row of a lookup, or (~owner) of one role."""
        cdef MemoryC* m = list.m
        cdef uint64_t present = self.present_of(m, shape, scene)
        cdef const LookupC* lookup
        cdef const RoleC* role
        cdef int32_t i
        m.made += 1
        memset(m.found, 0, <size_t>shape.n_lines * self.n_columns * sizeof(int32_t))
        if owner < 0:
            role = &self.roles[~owner]
            self.add_role(m, role, present, scene, m.found + role.line * self.n_columns)
        else:
            lookup = &self.lookups[owner]
            for i in range(lookup.first_role, lookup.first_role + lookup.n_roles):
                role = &self.roles[self.role_list[i]]
                self.add_role(m, role, present, scene, m.found + role.line * self.n_columns)
        return self.keep(list, key, shape.n_lines)

    cdef uint64_t keep(self, ListMemoryC* list, uint64_t key, int32_t n_lines) noexcept nogil:
        """Writes the sums in m.found as a row: see easy_kernel.h. There is room, see refresh."""
        cdef MemoryC* m = list.m
        cdef uint64_t row = 1 | <uint64_t>m.used << EASY_LINE
        cdef char* start = m.arena + <size_t>m.used * LINE
        cdef char* at = start
        cdef const int32_t* found
        cdef int32_t line, lane, size, behind, n, n_head = min(self.n_columns, <int32_t>EASY_HEAD)
        cdef int32_t numbers[EASY_LANES]
        for line in range(n_lines):
            found = m.found + line * self.n_columns
            size, behind = bounds_of(found, self.n_columns)
            if size == 0:
                continue
            m.has_wide_rows |= size > ROW_LIMIT
            memset(numbers, 0, EASY_LANES * sizeof(int32_t))
            for lane in range(n_head):
                numbers[lane] = max(-<int32_t>ROW_LIMIT, min(found[lane], <int32_t>ROW_LIMIT))
            numbers[EASY_BEHIND], numbers[EASY_SIZE] = min(behind, 32767), min(size, 32767)
            row |= <uint64_t>1 << (EASY_PRESENT + line)
            if size > 127:
                row |= <uint64_t>1 << (EASY_WIDE + line)
                for lane in range(EASY_LANES):
                    (<int16_t*>at)[lane] = <int16_t>numbers[lane]
                at += 2 * EASY_LANES
            else:
                for lane in range(EASY_LANES):
                    at[lane] = <char>numbers[lane]
                at += EASY_LANES
        for line in range(n_lines):
            n = write_tail(<uint16_t*>at, m.found + line * self.n_columns, self.n_columns)
            if n > 0:
                row |= <uint64_t>1 << (EASY_TAIL + line)
                at += 2 * n
        m.used += <uint32_t>((at - start + LINE - 1) // LINE)
        remember(m, key, row)
        return row

    cdef uint64_t role_sum(self, const MemoryC* m, const RoleC* role, const SceneC* scene) noexcept nogil:
        cdef const PartC* part = self.parts + role.first_part
        cdef uint64_t total = role.seed
        cdef int32_t k
        for k in range(role.n_parts):
            if part[k].kind == STORED:
                total += values_of(m, scene.record[part[k].node])[part[k].other] * feature_factor[k]
            else:
                total += local_value(&part[k], scene) * feature_factor[k]
        return total

    cdef uint64_t present_of(self, const MemoryC* m, const ShapeC* shape, const SceneC* scene) noexcept nogil:
        """The nodes that are there, and above them the conditions that hold."""
        cdef const int32_t* node = self.node_list + shape.first_node
        cdef const ConditionC* condition = self.conditions + shape.first_condition
        cdef uint64_t present = 0
        cdef int32_t i
        for i in range(shape.n_nodes):
            present |= <uint64_t>(scene.node[node[i]] >= 0) << node[i]
        for i in range(shape.n_conditions):
            if values_of(m, scene.record[condition[i].node])[condition[i].value] != FEATURE_NONE:
                present |= condition[i].bit
        return present

    cdef void add_role(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil:
        cdef feat_t key
        cdef uint32_t row
        if not present & role.any_of or present & role.need != role.need:
            return
        key = feature_key(self.role_sum(m, role, scene))
        row = find_row(&self.rows_of, key) if may_have_row(&self.rows_of, key) else 0
        if row:
            add_table_row(&self.rows_of, row, out)


cdef inline void set_top(EasyEngine engine, ListMemoryC* list, int32_t slot, int32_t top) noexcept nogil:
    cdef int32_t first = slot // BLOCK * BLOCK
    list.top[slot] = top
    if list.n_blocks > 1:
        list.block_top[slot // BLOCK] = list.top[
            first + engine.easy.largest(list.top + first, min(<int32_t>BLOCK, list.n_tops - first))]


cdef inline int32_t lowest_bit(uint32_t bits) noexcept nogil:
    cdef int32_t i = 0
    while not bits >> i & 1:
        i += 1
    return i


cdef inline const ProgramC* program_of(EasyEngine engine, int32_t chunk, const SceneC* scene) noexcept nogil:
    cdef const ChunkC* c = &engine.chunks[chunk]
    cdef int32_t i, place = 0
    for i in range(c.n_bits):
        place |= <int32_t>(scene.node[c.bits[i]] >= 0) << i
    return &engine.programs[c.program[place]]


cdef inline uint64_t key_of(const uint64_t* const* record, const LookupC* lookup, int32_t n) noexcept nogil:
    cdef uint64_t key = lookup.seed
    cdef int32_t i
    for i in range(n):
        key += record[lookup.term[i].node][lookup.term[i].slot]
    return key | (key == 0)


cdef inline void put_key(MemoryC* m, int32_t n, int32_t owner, uint64_t key) noexcept nogil:
    cdef const kernel_bucket* home = &m.buckets[home_of(key) >> m.shift]
    PREFETCH(home)
    m.keys[n], m.owners[n], m.homes[n] = key, owner, home


cdef inline int32_t number_at(const char* nodes, int32_t i, int32_t field) noexcept nogil:
    return (<const int32_t*>(nodes + <Py_ssize_t>i * <Py_ssize_t>sizeof(NodeC) + field))[0]


cdef inline feat_t local_value(const PartC* part, const SceneC* scene) noexcept nogil:
    """What Extractor.part_value says; ROOT is word 0, before all others."""
    cdef const NodeC* nodes = scene.nodes
    cdef int32_t i = scene.node[part.node], other
    if part.kind == PRESENCE:
        return 1 + (i >= 0)
    if i < 0:
        return FEATURE_NONE
    if part.kind == LABEL:
        return label_hash(label(nodes, i)) if label(nodes, i) >= 0 else FEATURE_NONE
    if part.kind == LEFT_VALENCY:
        return feature_number(min(lval(nodes, i), part.cap))
    if part.kind == RIGHT_VALENCY:
        return feature_number(min(rval(nodes, i), part.cap))
    if part.kind == LEFT_SET:
        return set_value(lset(nodes, i))
    if part.kind == RIGHT_SET:
        return set_value(rset(nodes, i))
    if part.kind == DISTANCE:
        other = scene.node[part.other]
        return distance_value(other - i, part.cap) if other >= 0 else FEATURE_NONE
    if part.kind == SPAN:
        return coarse_number(scene.links[i].last - scene.links[i].first + 1)
    return feature_number(lval(nodes, i) + rval(nodes, i) == 0)


cdef inline (int32_t, int32_t) bounds_of(const int32_t* found, int32_t n) noexcept nogil:
    """Of the size of all numbers, and of those behind the head (not below 0)."""
    cdef int32_t i, size = 0, behind = 0
    for i in range(n):
        size = max(size, max(found[i], -found[i]))
    for i in range(EASY_HEAD, n):
        behind = max(behind, found[i])
    return size, behind


cdef inline int32_t write_tail(uint16_t* out, const int32_t* found, int32_t n) noexcept nogil:
    """The columns behind the head: their number, then column and score of each. 16-bit numbers written; 0: none."""
    cdef int32_t i, count = 0
    for i in range(EASY_HEAD, n):
        if found[i] != 0:
            out[1 + 2 * count] = <uint16_t>i
            (<int16_t*>out)[2 + 2 * count] = <int16_t>max(-<int32_t>ROW_LIMIT, min(found[i], <int32_t>ROW_LIMIT))
            count += 1
    if count > 0:
        out[0] = <uint16_t>count
    return 1 + 2 * count if count > 0 else 0


cdef inline int32_t n_bits(uint64_t bits) noexcept nogil:
    cdef int32_t n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


cdef void add_line(const MemoryC* m, uint64_t row, int32_t line, int32_t n_columns, int32_t* out) noexcept nogil:
    """Adds one line of a row to the scores of all columns."""
    cdef uint64_t present = row >> EASY_PRESENT & 63, wide = row >> EASY_WIDE & present, tail = row >> EASY_TAIL & 63
    cdef uint64_t before = (<uint64_t>1 << line) - 1
    cdef const char* start = m.arena + (row >> EASY_LINE) * LINE
    cdef const char* at = start + (n_bits(present & before) + n_bits(wide & before)) * EASY_LANES
    cdef const uint16_t* more
    cdef int32_t i, n = min(n_columns, <int32_t>EASY_HEAD)
    if present >> line & 1:
        for i in range(n):
            out[i] += (<const int16_t*>at)[i] if wide >> line & 1 else (<const int8_t*>at)[i]
    if not tail >> line & 1:
        return
    more = <const uint16_t*>(start + (n_bits(present) + n_bits(wide)) * EASY_LANES)
    for _ in range(n_bits(tail & before)):
        more += 1 + 2 * more[0]
    for i in range(more[0]):
        out[more[1 + 2 * i]] += (<const int16_t*>more)[2 + 2 * i]
