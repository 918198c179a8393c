"""Scoring the pairs of a list with remembered sums; see roles.py for the plan, easy.pxd for the parts."""

from cython cimport final
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport abs
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport DISTANCES, WINDOW, AcrossC, KeysC, ShapeC, StepC
from parser.compiled.easy_memory cimport (AT_ONCE, BLOCK, EASY_EIGHT, EASY_LANES, EASY_PART, EASY_ROLE, EASY_SHARES,
                                          EASY_SIZE, NO_PAIR, NO_SLOT, PADS, SEEN, EasyMemory, ElementC, ListMemoryC,
                                          easy_bucket, easy_count, easy_home, easy_lowest_bit, easy_no_asks,
                                          easy_no_share, easy_pair, easy_part, easy_step, look_up)
from parser.compiled.easy_pairs cimport EasyPairs, set_top
from parser.compiled.easy_rows cimport SceneC, number_at
from parser.compiled.memory cimport ROW_LIMIT, MemoryC, kernel_lowest_bit
from parser.compiled.table cimport Table
from parser.feature.extract cimport Extractor
from parser.score.keymap cimport PREFETCH
from parser.transition.list_state cimport ListC, links, list_nodes

from parser.feature.atoms import Atomizer


@final
cdef class EasyEngine(EasyPairs):
    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels, system,
                 str kernel=""):
        """actions: of the columns of the table. kernel: one of engine.kernel_names(), the best by default."""
        EasyPairs.__init__(self, table, extractor, layout, actions, n_labels, kernel)
        self.nothing.n, self.nothing.n_kept, self.nothing.seed = 0, 0, easy_no_share
        self.filter.words, self.filter.shift = table.c.filter, table.c.filter_shift
        self.single_root = system.single_root

    # Words

    cpdef EasyMemory new_memory(self):
        cdef EasyMemory memory = EasyMemory(self, self.row_width, self, self.n_contributions, self.stride,
                                            max(self.n_shares[0], self.n_shares[1]) + 1)
        cdef const feat_t[:, ::1] rows = Atomizer(self.extractor.plan).sentence({"form": []})
        if self.stride > 0:
            self.write_values(memory.lanes, memory.c.none, &rows[0, 0], -1)
            self.write_values(memory.lanes, memory.c.root, &rows[1, 0], 0)
        return memory

    # The list

    cdef void begin(self, ListMemoryC* list) noexcept nogil:
        cdef const ListC* s = list.s
        cdef ElementC* e = list.element
        cdef const uint64_t* record
        cdef int32_t n, slot = s.leftmost + PADS
        e[slot].left, e[PADS - 1].right = PADS - 1, slot        # where there is no ROOT
        for n in range(list.n_slots):
            e[n].word = n - PADS if n >= PADS and n <= s.n + PADS else -1
            record = list.of_word[e[n].word]
            e[n].record, e[n].rich, e[n].has_dependents = record, record + self.n_plain + self.n_bare, 0
            e[n].conditions = record[self.n_contributions - 1]
        list.next = slot if slot < s.n + PADS else NO_SLOT

    cdef void go_on(self, ListMemoryC* list) noexcept nogil:
        cdef int32_t n = 0, last = list.s.n + PADS
        while n < AT_ONCE and list.next < last:
            list.pairs[n] = list.next
            list.next += 1
            n += 1
        if list.next == last:
            list.next = NO_SLOT
        list.n_pairs = n

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

    cdef void attached(self, ListMemoryC* list, int32_t head, int32_t dep) noexcept nogil:
        cdef const ListC* s = list.s
        cdef int32_t side = dep > head, i, slot = head, n = 0, last = s.n + PADS
        cdef int32_t* changed = list.pairs
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
        list.n_pairs = n

    cdef bint is_legal(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        """Can the two be attached to each other, one way or the other?"""
        return left != PADS or not self.single_root or s.length == 2

    cdef void refresh(self, EasyMemory memory) noexcept nogil:
        """All that is looked for is asked for in all lanes before any waits for it."""
        cdef easy_step* step = &memory.step
        cdef ListMemoryC* list
        cdef int32_t i, k
        if memory.c.used >= memory.c.end:
            memory.forget_rows()
        step.n_parts = step.n_shares = step.n = step.n_asked = 0
        for i in range(memory.n_busy):
            self.begin_parts(memory.busy[i])
        self.begin_shapes(memory, step)
        self.find_rows(memory, step)
        for i in range(memory.n_busy):
            list = memory.busy[i]
            for k in range(list.n_scored):
                self.gather(list, &list.pair[k], list.window + k)
        for i in range(memory.n_busy):
            list = memory.busy[i]
            for k in range(list.n_scored):
                self.score_pair(list, list.s, &list.pair[k], list.window[k + 2])

    cdef void begin_parts(self, ListMemoryC* list) noexcept nogil:
        """All that the pairs need and that has changed."""
        cdef ElementC* e = list.element
        cdef const int32_t* pairs = list.pairs
        cdef int32_t* window = list.window
        cdef int32_t i, slot, n = list.n_pairs
        cdef uint32_t needed
        for i in range(SEEN):
            list.stale[i] = 0
        if n > 0 and not self.is_legal(list, list.s, pairs[0]):      # of ROOT and its neighbour
            pairs, n = pairs + 1, n - 1
        list.n_scored = n
        if n == 0:
            return
        slot = e[e[pairs[0]].left].left
        for i in range(n + WINDOW - 1):
            window[i] = slot
            slot = e[slot].right
        for i in range(n + WINDOW - 1):
            slot = window[i]
            needed = self.needed[max(0, i - n + 1)][min(i, WINDOW - 1)]
            list.stale[i] = (e[slot].stale_plain | e[slot].stale_rich) & needed
            list.plain[i] = e[slot].stale_plain
            e[slot].stale_plain &= ~needed
            e[slot].stale_rich &= ~needed

    cdef void begin_shapes(self, EasyMemory memory, easy_step* step) noexcept nogil:
        """One shape after the other, so that what is done next is foreseen more often."""
        cdef ListMemoryC* list
        cdef int32_t number, i, k
        cdef uint32_t stale
        for number in range(self.n_shapes):
            for i in range(memory.n_busy):
                list = memory.busy[i]
                stale = 0
                for k in range(SEEN if list.n_scored > 0 else 0):
                    stale |= (list.stale[k] >> number & 1) << k
                while stale:
                    k = kernel_lowest_bit(stale)
                    self.begin_shape(list, list.window + k, number, list.plain[k] >> number & 1, step)
                    stale &= stale - 1

    cdef inline void score_pair(self, ListMemoryC* list, const ListC* s, const easy_pair* pair,
                                int32_t left) noexcept nogil:
        cdef int32_t top, rank = self.easy.best(self.bias, pair, self.masks + (EASY_LANES if left == PADS else 0),
                                                self.rank, list.m.sums, &top)
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

    cdef inline void begin_shape(self, ListMemoryC* list, const int32_t* window, int32_t number, bint plain,
                                 easy_step* step) noexcept nogil:
        """What is to be looked for of a shape."""
        cdef const ShapeC* shape = &self.shapes[number]
        cdef const KeysC* rich
        cdef const ElementC* e[WINDOW]
        cdef int32_t i, having = 0, slot = window[0], words = -1
        cdef easy_count* count = &list.counts[<size_t>slot * self.n_shapes + number]
        cdef uint64_t* rows = list.rows + <size_t>slot * self.n_rows + shape.first_row
        for i in range(shape.n_places):
            e[i] = &list.element[window[shape.places[i]]]
            words &= e[i].word
            having |= e[i].has_dependents << i
        if words == -1:                 # nothing is there
            count.plain = count.all = 0
            memset(rows, 0, EASY_EIGHT * sizeof(uint64_t))
        elif shape.single >= 0 and having == 0:
            self.begin_known(list, shape, slot, new_part(list, slot, number, count, rows, step), step)
        else:
            rich = &shape.rich[having if shape.n_places <= 2 else having != 0]
            if not shape.has_plain:
                count.plain = 0
            elif plain:
                self.begin_part(list, shape, &shape.plain, e, new_part(list, slot, number, count, rows, step), step, 1)
            if shape.has_rich:
                self.begin_part(list, shape, rich, e, new_part(list, slot, number, count, rows, step), step, 0)

    cdef inline void begin_part(self, ListMemoryC* list, const ShapeC* shape, const KeysC* k, const ElementC** e,
                                easy_part* part, easy_step* step, int32_t plain) noexcept nogil:
        cdef const uint64_t** share = step.share + step.n_shares
        cdef int32_t i
        part.keys, part.known, part.plain = &k.sums, NULL, plain
        part.n, part.n_single = k.sums.n_kept, 0
        part.first_share, part.n_shares = step.n_shares, shape.n_places + k.n_across
        for i in range(shape.n_places):
            share[i] = (&e[i].record)[k.with_dependents[i]] + k.at[i]
        for i in range(k.n_across):
            share[shape.n_places + i] = self.distance(list, &self.across[k.first_across + i], e, k.sums.n)
        for i in range(part.n_shares, EASY_SHARES):
            share[i] = easy_no_share
        part.ask[0], part.ask[1], part.more = k.ask[0], k.ask[1], k.more
        if k.sometimes:
            part.more |= self.asks_now(k, e, shape.n_places)
        step.n_shares += max(part.n_shares, <int32_t>EASY_SHARES)

    cdef void begin_known(self, ListMemoryC* list, const ShapeC* shape, int32_t slot, easy_part* part,
                          easy_step* step) noexcept nogil:
        """Rows that a word alone decides: its record knows them."""
        cdef uint64_t* known = <uint64_t*>list.element[slot].record + list.m.words.refs_at + shape.single
        cdef int32_t i, n = shape.rich[0].sums.n
        for i in range(n):
            if known[i] == 0:
                known[i] = self.fill_ref(list, list.s, shape, slot, i)
        cdef const uint64_t** share = step.share + step.n_shares
        part.keys, part.known, part.plain, part.more = &self.nothing, known, 0, 0
        part.ask[0] = part.ask[1] = &easy_no_asks
        part.n, part.n_single, part.first_key = n, 0, 0
        part.first_share, part.n_shares = step.n_shares, EASY_SHARES
        for i in range(EASY_SHARES):
            share[i] = easy_no_share
        part.count.plain = 0
        step.n_shares += EASY_SHARES

    cdef uint64_t fill_ref(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                           int32_t i) noexcept nogil:
        """Words that agree in what the templates ask share a row."""
        cdef const KeysC* k = &shape.rich[0]
        cdef uint64_t key = k.sums.seed[i] + list.element[slot].record[k.at[0] + i]
        return self.row_of(list, s, shape, slot, k.sums.first_key + i, key | (key == 0))

    cdef inline const uint64_t* distance(self, const ListMemoryC* list, const AcrossC* a, const ElementC** at,
                                         int32_t n) noexcept nogil:
        """What a distance between elements, or relatives of theirs, adds to n sums."""
        cdef SceneC scene
        cdef int32_t ends[2]
        cdef int32_t e
        for e in range(2):
            ends[e] = at[a.place[e]].word
            if a.node[e] > 0:
                self.look_around(list, list.s, <int32_t>(at[a.place[e]] - list.element), &scene)
                ends[e] = scene.node[a.node[e]]
        n = (n + EASY_EIGHT - 1) // EASY_EIGHT * EASY_EIGHT
        return a.product + n * (DISTANCES if ends[0] < 0 or ends[1] < 0
                                else min(abs(ends[1] - ends[0]), DISTANCES - 1))

    cdef inline uint64_t asks_now(self, const KeysC* k, const ElementC** e, int32_t n_places) noexcept nogil:
        """The eights of single roles whose conditions hold."""
        cdef const uint64_t* need
        cdef uint64_t holds = 0, fails, left = k.sometimes, found = 0
        cdef int32_t i, number
        for i in range(n_places):
            holds |= e[i].conditions
        if holds == 0:
            return 0
        while left:
            number = easy_lowest_bit(left)
            need = self.needs + k.sums.asks[number].need
            fails = 0
            for i in range(n_places):
                fails |= need[i] & ~e[i].conditions
            found |= <uint64_t>(fails == 0) << number
            left &= left - 1
        return found

    cdef void find_rows(self, EasyMemory memory, easy_step* step) noexcept nogil:
        """Of single roles only those that may have weights."""
        cdef int32_t i, n
        self.easy.ask(step)
        n = step.n
        for i in range(n):
            fetch_key(&memory.c, step, i)
        step.n_asked = self.kernels.filter(&self.filter, step.asked, step.asked_owner, step.n_asked)
        for i in range(step.n_asked):
            step.key[n + i], step.owner[n + i] = step.asked[i], step.asked_owner[i]
            fetch_key(&memory.c, step, n + i)
        n += step.n_asked
        if self.easy.look_up(<const easy_bucket*>memory.c.places.buckets, step.home, step.key, n, step.row):
            self.make_rows(step)
        self.easy.hand_out(step, memory.c.places.arena)

    # Making rows, the plain way

    cdef void make_rows(self, easy_step* step) noexcept nogil:
        """Those that were not in their buckets."""
        cdef const easy_part* part
        cdef ListMemoryC* list
        cdef int32_t i, owner
        for i in range(step.n + step.n_asked):
            if step.row[i] == 0:
                owner = step.owner[i] & (EASY_ROLE - 1)
                part = &step.part[step.owner[i] >> EASY_PART]
                list = <ListMemoryC*>part.list
                step.row[i] = self.row_of(list, list.s, &self.shapes[part.shape], part.slot,
                                          ~owner if step.owner[i] & EASY_ROLE else owner, step.key[i])

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


cdef inline easy_part* new_part(ListMemoryC* list, int32_t slot, int32_t number, easy_count* count, uint64_t* rows,
                                easy_step* step) noexcept nogil:
    cdef easy_part* part = &step.part[step.n_parts]
    part.list, part.slot, part.shape, part.count, part.rows = list, slot, number, count, rows
    step.n_parts += 1
    return part


cdef inline void fetch_key(const MemoryC* m, easy_step* step, int32_t i) noexcept nogil:
    cdef const easy_bucket* home = easy_home(&m.places, step.key[i])
    PREFETCH(home)
    step.home[i] = home
