"""Training weights: growth of rows, and the table as flat arrays.

All memory belongs to one Pool: the cells of the key map and one block per 2 MiB of rows. A row that outgrew its place
is kept in a list of its shape and used again; nothing is handed back before the table dies.
"""

from cymem.cymem cimport Pool, WrapFree, WrapMalloc
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from parser.common cimport CHECK, feat_t
from parser.score.keymap cimport (
    NO_ROW, PREFETCH, KeyCell, keymap_cell, keymap_get, keymap_home, keymap_init, keymap_insert, keymap_reserve
)

from parser.score.pieces import Pieces
from parser.score.weights import check_training


cdef extern from "parser/score/pages.h":
    void* pages_malloc(size_t n) noexcept
    void pages_free(void* memory) noexcept


MAX_ACTIONS = 65535     # ids are uint16, and a dense row must fit in a block
PIECE = 8192            # rows that are saved at a time: a few MB
CAPACITIES = (4, 8, 12, 16, 24, 32, 48, 64)    # multiples of 4, for loops that take four at a time


cdef inline int32_t round_up(int32_t n, int32_t multiple) noexcept nogil:
    return (n + multiple - 1) // multiple * multiple


cdef class RowTable:
    def __cinit__(self, int32_t n_actions, int32_t cold_bytes, int32_t dense_above, uint32_t min_updates=0):
        if not 1 <= n_actions <= MAX_ACTIONS:
            raise ValueError(f"number of actions: {n_actions}, expected 1 to {MAX_ACTIONS}")
        if cold_bytes not in (4, 8):
            raise ValueError(f"bytes per cold number: {cold_bytes}, expected 4 or 8")
        if dense_above < 0:
            raise ValueError(f"dense_above: {dense_above}, expected 0 (all rows dense) or more")
        self.n_actions = n_actions
        self.cold_bytes = cold_bytes
        self.min_updates = min_updates
        self.dense = 0
        for capacity in CAPACITIES:
            if capacity <= dense_above and capacity < n_actions:
                self.set_shape(self.dense, capacity, sizeof(uint16_t))
                self.dense += 1
        self.set_shape(self.dense, n_actions, 0)
        self.clear()

    cdef int set_shape(self, int32_t index, int32_t capacity, int32_t id_bytes) except -1:
        cdef Shape* shape = &self.shapes[index]
        shape.capacity = capacity
        shape.hot = round_up(sizeof(Row) + id_bytes * capacity, sizeof(float))
        shape.cold = round_up(shape.hot + <int32_t>sizeof(float) * capacity, self.cold_bytes)
        shape.units = round_up(shape.cold + self.cold_bytes * capacity, 8) // 8
        return 0

    cdef int clear(self) except -1:
        """No rows, no memory but the smallest; open to all keys."""
        cdef int32_t shape
        self.is_closed = False
        self.mem = Pool(WrapMalloc(pages_malloc), WrapFree(pages_free))
        keymap_init(self.mem, &self.map, 0)
        self.blocks = NULL
        self.n_blocks = self.block_room = 0
        self.top = 1                        # unit 0 stays unused: reference 0 is NO_ROW
        for shape in range(self.dense + 1):
            self.shapes[shape].free = NO_ROW
        self.new_block()
        return 0

    cdef int new_block(self) except -1:
        cdef char** grown
        if self.n_blocks == (<uint64_t>PLACE + 1) // BLOCK_UNITS:
            raise MemoryError("weight table: 16 GiB of rows")
        if self.n_blocks == self.block_room:
            grown = <char**>self.mem.alloc(max(<uint32_t>16, 2 * self.block_room), sizeof(char*))
            if self.blocks != NULL:
                memcpy(grown, self.blocks, self.n_blocks * sizeof(char*))
                self.mem.free(self.blocks)
            self.blocks = grown
            self.block_room = max(<uint32_t>16, 2 * self.block_room)
        self.blocks[self.n_blocks] = <char*>self.mem.alloc(BLOCK_UNITS, 8)
        self.n_blocks += 1
        return 0

    cdef uint32_t new_row(self, int32_t shape) except 0 nogil:
        """A row of zeros without entries (a dense row has them all)."""
        cdef Shape* form = &self.shapes[shape]
        cdef uint32_t ref = form.free
        cdef Row* row
        if ref != NO_ROW:
            row = self.at(ref)
            form.free = row.updates
            memset(row, 0, form.units * 8)
        else:
            if (self.top & (BLOCK_UNITS - 1)) + form.units > BLOCK_UNITS or self.top >> BLOCK_SHIFT == self.n_blocks:
                if self.top >> BLOCK_SHIFT < self.n_blocks:
                    self.top = self.n_blocks << BLOCK_SHIFT
                with gil:
                    self.new_block()
            ref = self.top
            self.top += form.units
            row = self.at(ref)
        row.shape = shape
        if shape == self.dense:
            row.n = self.n_actions
        return ref

    cdef void look_up(self, const feat_t* feats, int32_t n, Fired* fired) noexcept nogil:
        """Finds the cells of n <= MAX_FIRED features. Each pass starts the memory reads that the next one needs."""
        CHECK(n <= MAX_FIRED)
        cdef int32_t i
        cdef uint64_t cell
        cdef Row* row
        for i in range(n):
            cell = keymap_home(&self.map, feats[i])
            PREFETCH(&self.map.cells[cell])
        for i in range(n):
            cell = keymap_cell(&self.map, feats[i])
            fired.cells[i] = cell
            row = self.active_row(cell)
            fired.rows[i] = row
            if row != NULL:
                PREFETCH(row)
                PREFETCH(<char*>row + 64)
        fired.n = n

    cdef int reserve(self, int32_t n_more) except -1 nogil:
        """Until n_more new keys are claimed, no cell moves."""
        return keymap_reserve(self.mem, &self.map, n_more)

    cdef uint64_t claim(self, feat_t key, int32_t i, const Fired* fired) noexcept nogil:
        """The cell of the i-th feature of a state, made if missing and the table open; reserve first. key is not 0."""
        if self.is_closed or (i < fired.n and self.map.cells[fired.cells[i]].key == key):
            return self.find(key, i, fired)
        return keymap_insert(&self.map, key)

    cdef int32_t entry(self, uint64_t cell, int32_t action) except -1 nogil:
        """Where the numbers of an action stand in the row of a claimed cell; they are made (0) if missing."""
        CHECK(0 <= action < self.n_actions)
        if self.map.cells[cell].value == NO_ROW:
            self.grow(cell, 1)
        cdef Row* row = self.row(cell)
        if self.is_dense(row):
            return action
        cdef int32_t k = self.entry_of(cell, action)
        if k >= 0:
            return k
        if row.n == self.shapes[row.shape].capacity:
            self.grow(cell, row.n + 1)
            row = self.row(cell)
            if self.is_dense(row):
                return action
        self.ids(row)[row.n] = action
        row.n += 1
        return row.n - 1

    cdef int32_t entry_of(self, uint64_t cell, int32_t action) noexcept nogil:
        """Where the numbers of an action stand in the row of a cell; -1 if it has none."""
        if self.map.cells[cell].value == NO_ROW:
            return -1
        cdef Row* row = self.row(cell)
        cdef uint16_t* ids = self.ids(row)
        cdef int32_t k
        if self.is_dense(row):
            return action
        for k in range(row.n):
            if ids[k] == action:
                return k
        return -1

    cdef int grow(self, uint64_t cell, int32_t n_entries) except -1 nogil:
        """Makes room for n_entries actions in the row of a claimed cell, which may not exist yet."""
        cdef int32_t shape = 0
        while shape < self.dense and self.shapes[shape].capacity < n_entries:
            shape += 1
        cdef uint32_t old = self.map.cells[cell].value & PLACE
        if old != NO_ROW and self.at(old).shape >= shape:
            return 0
        cdef uint32_t ref = self.new_row(shape)
        if old != NO_ROW:
            self.copy_row(self.at(old), self.at(ref))
            self.at(old).updates = self.shapes[self.at(old).shape].free
            self.shapes[self.at(old).shape].free = old
        self.map.cells[cell].value = ref | (ACTIVE if self.at(ref).updates >= self.min_updates else 0)
        return 0

    cdef void copy_row(self, Row* old, Row* new) noexcept nogil:
        """From a sparse row to a larger empty one, sparse or dense."""
        cdef uint16_t* ids = self.ids(old)
        cdef int32_t k
        new.updates = old.updates
        if not self.is_dense(new):
            new.n = old.n
            memcpy(self.ids(new), ids, old.n * sizeof(uint16_t))
            memcpy(self.hot(new), self.hot(old), old.n * sizeof(float))
            memcpy(self.cold(new), self.cold(old), old.n * self.cold_bytes)
            return
        for k in range(old.n):
            self.hot(new)[ids[k]] = self.hot(old)[k]
            memcpy(<char*>self.cold(new) + ids[k] * self.cold_bytes,
                   <char*>self.cold(old) + k * self.cold_bytes, self.cold_bytes)

    def keep(self, const uint64_t[::1] keys):
        """Only the rows of these keys, packed anew; closed to all others. Cells are not where they were."""
        cdef Pool _before = self.mem    # holds the rows until they are copied
        cdef KeyMap map = self.map
        cdef char** blocks = self.blocks
        cdef uint32_t value
        cdef int64_t i
        self.clear()
        keymap_reserve(self.mem, &self.map, keys.shape[0])
        for i in range(keys.shape[0]):
            value = keymap_get(&map, keys[i])
            if value != NO_ROW:
                self.adopt(keys[i], row_at(blocks, value & PLACE), value & ACTIVE)
        self.is_closed = True

    cdef int adopt(self, feat_t key, const Row* row, uint32_t active) except -1:
        cdef uint32_t ref = self.new_row(row.shape)
        memcpy(self.at(ref), row, self.shapes[row.shape].units * 8)
        self.map.cells[keymap_insert(&self.map, key)].value = ref | active
        return 0

    cdef void clear_cold(self) noexcept nogil:
        cdef uint64_t cell
        cdef Row* row
        for cell in range(self.map.mask + 1):
            if self.map.cells[cell].value != NO_ROW:
                row = self.row(cell)
                memset(self.cold(row), 0, row.n * self.cold_bytes)

    # As Python objects: for saving, restoring, statistics

    def __len__(self):
        return self.map.filled

    @property
    def bytes_used(self):
        """Memory of the key map and of the arena."""
        return (self.map.mask + 1) * sizeof(KeyCell) + self.n_blocks * BLOCK_UNITS * 8

    def shape_counts(self):
        """Number of rows by capacity, and under 'dense'."""
        cdef uint64_t cell
        counts = [0] * (self.dense + 1)
        for cell in range(self.map.mask + 1):
            if self.map.cells[cell].value != NO_ROW:
                counts[self.row(cell).shape] += 1
        named = {self.shapes[i].capacity: counts[i] for i in range(self.dense)}
        return named | {"dense": counts[self.dense]}

    def sorted_keys(self):
        """All keys, ascending, whatever order they came in."""
        keys = np.empty(self.map.filled, np.uint64)
        cdef uint64_t[::1] keys_out = keys
        cdef uint64_t cell
        cdef int64_t i = 0
        for cell in range(self.map.mask + 1):
            if self.map.cells[cell].key != 0:
                keys_out[i] = self.map.cells[cell].key
                i += 1
        keys.sort()
        return keys

    def n_entries(self):
        """Actions in all rows."""
        cdef uint64_t cell
        cdef int64_t total = 0
        for cell in range(self.map.mask + 1):
            if self.map.cells[cell].value != NO_ROW:
                total += self.row(cell).n
        return total

    def cold_type(self):
        return np.float32 if self.cold_bytes == sizeof(float) else np.float64

    def pieces(self):
        """The whole table as flat arrays in key order, each to be made in pieces before the table changes."""
        keys, total = self.sorted_keys(), self.n_entries()
        columns = {
            "counts": (np.uint16, len(keys), self.counts_of),
            "updates": (np.uint32, len(keys), self.updates_of),
            "actions": (np.uint16, total, self.actions_of),
            "hot": (np.float32, total, self.hot_of),
            "cold": (self.cold_type(), total, self.cold_of),
        }
        return {"keys": keys} | {
            name: Pieces(type_, length, len(keys), PIECE, lambda start, end, of=of: of(keys[start:end]))
            for name, (type_, length, of) in columns.items()
        }

    # One column of the rows of some keys

    def counts_of(self, const uint64_t[::1] keys):
        found = np.zeros(keys.shape[0], np.uint16)
        cdef uint16_t[::1] out = found
        cdef int64_t i
        cdef Row* row
        for i in range(keys.shape[0]):
            row = self.row_of(keys[i])
            if row != NULL:
                out[i] = row.n
        return found

    def updates_of(self, const uint64_t[::1] keys):
        found = np.zeros(keys.shape[0], np.uint32)
        cdef uint32_t[::1] out = found
        cdef int64_t i
        cdef Row* row
        for i in range(keys.shape[0]):
            row = self.row_of(keys[i])
            if row != NULL:
                out[i] = row.updates
        return found

    def actions_of(self, const uint64_t[::1] keys):
        found = np.empty(self.counts_of(keys).sum(dtype=np.int64), np.uint16)
        cdef uint16_t[::1] out = found
        cdef int64_t i, at = 0
        cdef int32_t k
        cdef Row* row
        for i in range(keys.shape[0]):
            row = self.row_of(keys[i])
            if row != NULL:
                for k in range(row.n):
                    out[at] = k if self.is_dense(row) else self.ids(row)[k]
                    at += 1
        return found

    def hot_of(self, const uint64_t[::1] keys):
        found = np.empty(self.counts_of(keys).sum(dtype=np.int64), np.float32)
        self.copy_numbers(keys, found.view(np.int8), False)
        return found

    def cold_of(self, const uint64_t[::1] keys):
        found = np.empty(self.counts_of(keys).sum(dtype=np.int64), self.cold_type())
        self.copy_numbers(keys, found.view(np.int8), True)
        return found

    cdef int copy_numbers(self, const uint64_t[::1] keys, char[::1] out, bint cold) except -1:
        cdef int64_t i, size = self.cold_bytes if cold else sizeof(float), at = 0
        cdef Row* row
        for i in range(keys.shape[0]):
            row = self.row_of(keys[i])
            if row != NULL and row.n > 0:
                memcpy(&out[at], self.cold(row) if cold else <void*>self.hot(row), row.n * size)
                at += row.n * size
        return 0

    def restore(self, arrays):
        """Replaces the table by what `pieces` gave, whole; later scores and updates are bit for bit as without.

        Whether a row is dense follows from the number of its actions, so the same rows are dense again.
        """
        check_training(arrays, self.n_actions, self.cold_type())
        cdef const uint64_t[::1] keys = arrays["keys"]
        cdef const uint16_t[::1] counts = arrays["counts"]
        cdef const uint32_t[::1] updates = arrays["updates"]
        cdef const uint16_t[::1] actions = arrays["actions"]
        cdef const float[::1] hot = arrays["hot"]
        cdef const char[::1] cold = arrays["cold"].view(np.int8)
        cdef int64_t i, start = 0
        cdef int32_t k, at
        cdef uint64_t cell
        cdef Row* row
        self.clear()
        keymap_reserve(self.mem, &self.map, keys.shape[0])
        for i in range(keys.shape[0]):
            cell = keymap_insert(&self.map, keys[i])
            if counts[i] == 0:
                continue
            self.grow(cell, counts[i])
            row = self.row(cell)
            row.updates = updates[i]
            if row.updates >= self.min_updates:
                self.map.cells[cell].value |= ACTIVE
            for k in range(counts[i]):
                at = self.entry(cell, actions[start + k])
                self.hot(row)[at] = hot[start + k]
                memcpy(<char*>self.cold(row) + at * self.cold_bytes, &cold[(start + k) * self.cold_bytes],
                       self.cold_bytes)
            start += counts[i]
