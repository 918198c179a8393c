"""Scoring the pairs of a list with remembered sums; see roles.py for the plan, easy.pxd for the parts."""

from cython cimport final
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport abs

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport DISTANCES, MOST_SHAPES, WINDOW, AcrossC, AskedC, KeysC, ShapeC, StepC
from parser.compiled.easy_memory cimport (BLOCK, EASY_LANES, EASY_LINE, EASY_SIZE, NO_PAIR, PADS, EasyMemory, ElementC,
                                          ListMemoryC, easy_bucket, easy_home, forget_rows, look_up)
from parser.compiled.easy_pairs cimport EasyPairs, set_top
from parser.compiled.easy_rows cimport SceneC, number_at
from parser.compiled.memory cimport LINE, ROW_LIMIT, MemoryC, kernel_lowest_bit
from parser.compiled.table cimport Table
from parser.feature.extract cimport Extractor
from parser.score.keymap cimport PREFETCH
from parser.transition.list_state cimport ListC, links, list_nodes

from parser.feature.atoms import Atomizer

cdef enum:
    OF_RICH = 1 << 12           # owners of single templates: the role, is it of a rich sum, the number of the task
    TASK_KIND = 12
    TASK = 13
    AT_ONCE = 6                 # pairs that are looked at together; they see so many elements:
    SEEN = AT_ONCE + WINDOW - 1


@final
cdef class EasyEngine(EasyPairs):
    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels, system,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of engine.kernel_names(), the best by default."""
        EasyPairs.__init__(self, table, extractor, layout, actions, n_labels, kernel)
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.single_root = system.single_root

    # Words

    cpdef EasyMemory new_memory(self):
        cdef EasyMemory memory = EasyMemory(self, self.row_width, SEEN * self.most_keys + 8, self.n_contributions,
                                            self.n_refs, self.stride,
                                            max(self.most_sums, max(self.n_shares[0], self.n_shares[1])) + 1)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        memory.n_lines, memory.n_rich = self.n_kept_lines, self.n_rich
        memory.n_rows, memory.n_shapes = self.n_rows, self.n_shapes
        memory.list.m = &memory.c
        if self.stride > 0:
            self.write_values(&memory.list, memory.c.none, &rows[0, 0], -1)
            self.write_values(&memory.list, memory.c.root, &rows[1, 0], 0)
        return memory

    # The list

    cdef void start(self, ListMemoryC* list, const ListC* s) noexcept nogil:
        cdef int32_t pairs[AT_ONCE]
        cdef ElementC* e = list.element
        cdef const uint64_t* record
        cdef int32_t n, slot = s.leftmost + PADS
        e[slot].left, e[PADS - 1].right = PADS - 1, slot        # where there is no ROOT
        for n in range(list.n_slots):
            e[n].word = n - PADS if n >= PADS and n <= s.n + PADS else -1
            record = list.of_word[e[n].word]
            e[n].record, e[n].rich, e[n].has_dependents = record, record + self.n_plain + self.n_bare, 0
            e[n].conditions = record[self.n_contributions - 1]
        n = 0
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
            self.settle(list, s, at)

    cdef int32_t attached(self, ListMemoryC* list, const ListC* s, int32_t head, int32_t dep,
                          int32_t* changed) noexcept nogil:
        cdef int32_t side = dep > head, i, slot = head, n = 0, last = s.n + PADS
        cdef ElementC* e = list.element
        e[e[dep].right].left = e[dep].left
        e[e[dep].left].right = e[dep].right
        set_top(self, list, dep, NO_PAIR)
        self.renew(list, s, head)
        for i in range(WINDOW):
            e[slot].stale_plain |= self.new_plain[side][i]
            e[slot].stale_rich |= self.new_rich[side][i]
            slot = e[slot].left
        # the pairs that see the head or saw the dependent: of the head, of two words behind it, of three before it
        slot = e[e[e[head].left].left].left
        for _ in range(AT_ONCE):
            if slot >= PADS and slot <= last and (n == 0 or changed[n - 1] != slot):
                if e[slot].right <= last:
                    changed[n] = slot
                    n += 1
                else:
                    set_top(self, list, slot, NO_PAIR)
            slot = e[slot].right
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
        cdef const int16_t* lines[SEEN]
        cdef int32_t window[SEEN]
        cdef ElementC* e = list.element
        cdef int32_t i, slot, n_tasks = 0
        cdef KeysToFindC to_find
        cdef uint32_t stale, needed
        if n > 0 and not self.is_legal(list, s, pairs[0]):      # of ROOT and its neighbour
            pairs, n = pairs + 1, n - 1
        if n == 0:
            return
        if list.m.used >= list.m.n_lines:
            forget_rows(list)
        slot = e[e[pairs[0]].left].left
        for i in range(n + WINDOW - 1):
            window[i] = slot
            slot = e[slot].right
        to_find.n = to_find.n_asked = 0
        for i in range(n + WINDOW - 1):
            slot = window[i]
            needed = self.needed[max(0, i - n + 1)][min(i, WINDOW - 1)]
            stale = (e[slot].stale_plain | e[slot].stale_rich) & needed
            while stale:
                self.begin(list, s, &tasks[n_tasks], window + i, kernel_lowest_bit(stale), &to_find, n_tasks << TASK)
                n_tasks += 1
                stale &= stale - 1
            e[slot].stale_plain &= ~needed
            e[slot].stale_rich &= ~needed
        self.find_rows(list, s, tasks, &to_find)
        self.hand_out(list, tasks, n_tasks, &to_find)
        for i in range(n_tasks):
            self.add_rows(list, &tasks[i])
        for i in range(n + WINDOW - 1):
            lines[i] = list.lines + <size_t>window[i] * self.n_kept_lines * EASY_LANES
        for i in range(n):
            self.score_pair(list, s, window[i + 2], lines + i)

    cdef inline void score_pair(self, ListMemoryC* list, const ListC* s, int32_t left,
                                const int16_t** lines) noexcept nogil:
        """lines: of the six elements around it."""
        cdef int32_t top, rank = self.easy.best(self.bias, lines, self.line_at, self.lines_at,
                                                self.masks + (EASY_LANES if left == PADS else 0), self.rank,
                                                list.m.sums, &top)
        if list.m.sums[EASY_SIZE] > ROW_LIMIT:
            list.m.wide += 1
            self.settle_wide(list, s, left)
        else:
            list.pick[left] = self.column_of_rank[rank] if rank > 0 else -1
            set_top(self, list, left, top)

    # Sums of elements

    cdef void look_around(self, const ListMemoryC* list, const ListC* s, int32_t slot, SceneC* scene) noexcept nogil:
        """The relatives of an element."""
        cdef const char* nodes = <const char*>list_nodes(s)
        cdef const StepC* step = self.relative_steps
        cdef int32_t i
        scene.nodes, scene.links = list_nodes(s), links(s)
        scene.node[0] = list.element[slot].word
        for i in range(self.n_relative_steps):
            scene.node[step[i].node] = number_at(nodes, scene.node[step[i].argument], step[i].field)
        for i in range(self.n_relatives):
            scene.record[i] = list.of_word[scene.node[i]]

    cdef void renew(self, ListMemoryC* list, const ListC* s, int32_t slot) noexcept nogil:
        """What an element contributes now that it has another dependent."""
        cdef SceneC scene
        cdef uint64_t* own = list.own + <size_t>slot * self.n_rich
        self.look_around(list, s, slot, &scene)
        self.contribute(list, &scene, 1, own)
        list.element[slot].rich, list.element[slot].has_dependents = own, 1
        if self.n_conditions > 0:
            list.element[slot].conditions = self.conditions_of(list.m, &scene)

    cdef inline void begin(self, ListMemoryC* list, const ListC* s, TaskC* task, const int32_t* window, int32_t number,
                           KeysToFindC* to_find, int32_t tag) noexcept nogil:
        """Keys of everything that is to be looked up for a shape, their buckets on the way."""
        cdef const ShapeC* shape = &self.shapes[number]
        cdef const ElementC* e[WINDOW]
        cdef int32_t i, having = 0, slot = window[0], words = -1
        for i in range(shape.n_places):
            e[i] = &list.element[window[shape.places[i]]]
            words &= e[i].word
            having |= e[i].has_dependents << i
        task.shape, task.slot, task.count = shape, slot, &list.counts[<size_t>slot * self.n_shapes + number]
        task.rows = list.rows + <size_t>slot * self.n_rows + shape.first_row
        task.plain = e[0].stale_plain >> number & 1
        task.first_key, task.n_known, task.n_plain, task.n_rich = to_find.n, 0, 0, 0
        task.rich = &shape.rich[having if shape.n_places <= 2 else having != 0]
        if words == -1:                 # nothing is there
            return
        if shape.single >= 0 and having == 0:
            task.n_known = self.known_rows(list, s, shape, slot)
        else:
            if task.plain and shape.has_plain:
                self.write_keys(list, s, shape, &shape.plain, e, to_find, tag)
                task.n_plain = shape.plain.n_kept
            if shape.has_rich:
                self.write_keys(list, s, shape, task.rich, e, to_find, tag | OF_RICH)
                task.n_rich = task.rich.n_kept

    cdef int32_t known_rows(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot) noexcept nogil:
        """Rows that a word alone decides: its record knows them. Gives their number."""
        cdef uint64_t* rows = list.rows + <size_t>slot * self.n_rows + shape.first_row
        cdef uint64_t* known = <uint64_t*>list.element[slot].record + list.m.words.refs_at + shape.single
        cdef int32_t i, n = shape.rich[0].n
        for i in range(n):
            if known[i] == 0:
                known[i] = self.fill_ref(list, s, shape, slot, i)
            rows[i] = known[i]
        return n

    cdef uint64_t fill_ref(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                           int32_t i) noexcept nogil:
        """Words that agree in what the templates ask share a row."""
        cdef const KeysC* k = &shape.rich[0]
        cdef uint64_t key = self.seeds[k.first_key + i] + list.element[slot].record[k.at[0] + i]
        return self.row_of(list, s, shape, slot, k.first_key + i, key | (key == 0))

    cdef inline void write_keys(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, const KeysC* k,
                                const ElementC** e, KeysToFindC* to_find, int32_t tag) noexcept nogil:
        cdef uint64_t* total = list.values
        cdef const uint64_t* seed = self.seeds + k.first_key
        cdef const uint64_t* one = (&e[0].record)[k.with_dependents[0]] + k.at[0]
        cdef const uint64_t* other
        cdef int32_t i, p, n = k.n, n_places = shape.n_places
        if n_places == 1:
            for i in range(n):
                total[i] = seed[i] + one[i]
        else:
            other = (&e[1].record)[k.with_dependents[1]] + k.at[1]
            for i in range(n):
                total[i] = seed[i] + one[i] + other[i]
            for p in range(2, n_places):
                other = (&e[p].record)[k.with_dependents[p]] + k.at[p]
                for i in range(n):
                    total[i] += other[i]
        if k.n_across > 0:
            self.add_across(list, s, k, e, total)
        for i in range(k.n_kept):
            put_key(list, to_find.n + i, total[i] | (total[i] == 0))
        to_find.n += k.n_kept
        if n > k.n_kept:
            self.ask(list, k, e, n_places, total, to_find, tag)

    cdef inline void add_across(self, const ListMemoryC* list, const ListC* s, const KeysC* k, const ElementC** at,
                                uint64_t* total) noexcept nogil:
        """Distances between elements."""
        cdef SceneC scene
        cdef const AcrossC* a = self.across + k.first_across
        cdef int32_t ends[2]
        cdef int32_t i, e
        for i in range(k.n_across):
            for e in range(2):
                ends[e] = at[a[i].place[e]].word
                if a[i].node[e] > 0:
                    self.look_around(list, s, <int32_t>(at[a[i].place[e]] - list.element), &scene)
                    ends[e] = scene.node[a[i].node[e]]
            total[a[i].sum] += a[i].product[DISTANCES if ends[0] < 0 or ends[1] < 0
                                            else min(abs(ends[1] - ends[0]), DISTANCES - 1)]

    cdef inline void ask(self, ListMemoryC* list, const KeysC* k, const ElementC** e, int32_t n_places,
                         const uint64_t* total, KeysToFindC* to_find, int32_t tag) noexcept nogil:
        """Keys of single templates that may fire."""
        cdef const AskedC* asked = self.asked + k.first_direct
        cdef const uint64_t* need = self.needs + k.first_need
        cdef uint64_t* keys = list.found + to_find.n_asked
        cdef int32_t* owners = list.owners + to_find.n_asked
        cdef uint64_t holds = 0, fails
        cdef int32_t i, p, n = k.n_direct
        for i in range(n):
            keys[i] = total[asked[i].sum] + asked[i].seed
            owners[i] = asked[i].role | tag
        if k.n_asked > 0:
            for p in range(n_places):
                holds |= e[p].conditions
            if holds:
                asked += n
                for i in range(k.n_asked):
                    fails = 0
                    for p in range(n_places):
                        fails |= need[p] & ~e[p].conditions
                    keys[n] = total[asked[i].sum] + asked[i].seed
                    owners[n] = asked[i].role | tag
                    n += fails == 0
                    need += WINDOW
        to_find.n_asked += n

    cdef inline void find_rows(self, ListMemoryC* list, const ListC* s, const TaskC* tasks,
                               KeysToFindC* to_find) noexcept nogil:
        """Of single templates only those that may have weights. The rows come to stand at `rows` of the memory."""
        cdef int32_t i, n = to_find.n
        to_find.n_asked = self.kernels.filter(&self.filter, list.found, list.owners, to_find.n_asked)
        for i in range(to_find.n_asked):
            put_key(list, n + i, list.found[i])
        n += to_find.n_asked
        if self.easy.look_up(list.homes, list.keys, n, list.found):
            self.make_rows(list, s, tasks, to_find)

    cdef inline void hand_out(self, ListMemoryC* list, TaskC* tasks, int32_t n_tasks,
                              const KeysToFindC* to_find) noexcept nogil:
        """Gives every task its rows: those of plain rules, remembered and single ones, then the others likewise."""
        cdef MemoryC* m = list.m
        cdef TaskC* task
        cdef uint64_t* out
        cdef const uint64_t* row = list.found
        cdef const uint64_t* single = list.found + to_find.n
        cdef const int32_t* owner = list.owners
        cdef int32_t i
        list.owners[to_find.n_asked] = -1          # of no task
        for i in range(n_tasks):
            task, out = &tasks[i], tasks[i].rows
            if task.plain:
                out = copy_rows(m, out, row, task.n_plain)
                while owner[0] >> TASK_KIND == 2 * i:
                    out = copy_rows(m, out, single, 1)
                    owner, single = owner + 1, single + 1
                task.count.plain = <uint16_t>(out - task.rows)
                row += task.n_plain
            else:
                out += task.count.plain
            out = copy_rows(m, out + task.n_known, row, task.n_rich)
            row += task.n_rich
            while owner[0] >> TASK_KIND == 2 * i + 1:
                out = copy_rows(m, out, single, 1)
                owner, single = owner + 1, single + 1
            task.count.all = <uint16_t>(out - task.rows)

    cdef inline void add_rows(self, ListMemoryC* list, const TaskC* task) noexcept nogil:
        cdef const ShapeC* shape = task.shape
        cdef const uint64_t* rows = task.rows
        cdef int16_t* lines = list.lines + <size_t>task.slot * self.n_kept_lines * EASY_LANES
        cdef int16_t* plain = lines + shape.first_plain * EASY_LANES
        cdef int32_t n = task.count.plain
        if task.plain and shape.has_plain:
            self.easy.add(plain, shape.n_lines, 0, self.zeros, rows, min(n, shape.plain.n_kept), list.m.places.arena)
            if n > shape.plain.n_kept:
                self.easy.add_single(plain, rows + shape.plain.n_kept, n - shape.plain.n_kept, list.m.places.arena)
        if not shape.has_rich:
            return
        rows += n
        n = task.count.all - n
        lines += shape.first_rich * EASY_LANES
        self.easy.add(lines, shape.n_rich_lines, shape.rich_line,
                      plain + shape.rich_line * EASY_LANES if shape.has_plain else self.zeros,
                      rows, min(n, task.rich.n_kept), list.m.places.arena)
        if n > task.rich.n_kept:
            self.easy.add_single(lines - shape.rich_line * EASY_LANES, rows + task.rich.n_kept, n - task.rich.n_kept,
                                 list.m.places.arena)

    # Making rows, the plain way

    cdef void make_rows(self, ListMemoryC* list, const ListC* s, const TaskC* tasks,
                        const KeysToFindC* to_find) noexcept nogil:
        """Those that were not in their buckets."""
        cdef const TaskC* task = tasks
        cdef int32_t i, owner, n = to_find.n
        for i in range(n):
            while i >= task.first_key + task.n_plain + task.n_rich:
                task += 1
            if list.found[i] == 0:
                owner = i - task.first_key
                owner += task.shape.plain.first_key if owner < task.n_plain else task.rich.first_key - task.n_plain
                list.found[i] = self.row_of(list, s, task.shape, task.slot, owner, list.keys[i])
        for i in range(to_find.n_asked):
            if list.found[n + i] == 0:
                owner = list.owners[i]
                task = &tasks[owner >> TASK]
                list.found[n + i] = self.row_of(list, s, task.shape, task.slot, ~(owner & (OF_RICH - 1)),
                                                list.keys[n + i])

    cdef uint64_t row_of(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot, int32_t owner,
                         uint64_t key) noexcept nogil:
        """What is remembered by now, or is made: no key may stand twice in a bucket."""
        cdef MemoryC* m = list.m
        cdef SceneC scene
        cdef uint64_t row
        row = look_up(m, key)
        if row == 0:
            self.look(list, s, shape, slot, &scene)
            row = self.make(m, shape, &scene, owner, key)
        return row


cdef inline uint64_t* copy_rows(const MemoryC* m, uint64_t* out, const uint64_t* row, int32_t n) noexcept nogil:
    """Has them on the way, too. Gives where they end."""
    cdef int32_t i
    for i in range(n):
        out[i] = row[i]
        PREFETCH(m.places.arena + (row[i] >> EASY_LINE) * LINE)
        PREFETCH(m.places.arena + (row[i] >> EASY_LINE) * LINE + LINE)
    return out + n


cdef inline void put_key(ListMemoryC* list, int32_t n, uint64_t key) noexcept nogil:
    cdef const easy_bucket* home = easy_home(&list.m.places, key)
    PREFETCH(home)
    list.keys[n], list.homes[n] = key, home
