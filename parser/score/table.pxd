"""Training weights: a row of per-action numbers for every feature seen, growing as the feature meets more actions.

A row is a block of an arena:  header | action ids (uint16) | hot numbers (float32) | cold numbers (4 or 8 bytes each).
The hot ones are read when a state is scored (a weight, or a gradient sum), the cold ones are the learner's own (the
sum for averaging, or the sum of squared gradients). A row with more than `dense_above` actions drops the ids and holds
one number of each kind for every action of the model.
"""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.score.keymap cimport NO_ROW, PREFETCH, KeyMap, keymap_cell
from parser.score.spans cimport Spans

cdef enum:
    MAX_FIRED = 512         # features of one state whose cells are remembered; more are looked up again
    MAX_SHAPES = 12
    DENSE_AHEAD = 2         # so far ahead of its use is a dense row fetched
    BLOCK_UNITS = 262144    # units of 8 bytes in one arena block: 2 MiB, a huge page
    BLOCK_SHIFT = 18


cdef enum:                  # what the key map holds: where a row is, and whether it scores
    ACTIVE = 0x80000000
    PLACE = 0x7FFFFFFF


cdef struct Row:            # the header; lives in the table's arena and moves when the row grows
    uint16_t n              # actions stored; n_actions if dense
    uint8_t shape           # index into RowTable.shapes
    uint8_t spare
    uint32_t updates        # learning steps that changed the row


cdef struct Shape:          # rows of one capacity; offsets in bytes from the header
    int32_t capacity        # actions that fit
    int32_t hot
    int32_t cold
    int32_t units           # size of the row in units of 8 bytes
    uint32_t free           # first abandoned row of this shape, linked through `updates`; NO_ROW: none


cdef struct Fired:          # of the features last looked up
    int32_t n
    uint64_t cells[MAX_FIRED]   # a hint that is checked before use
    Row* rows[MAX_FIRED]        # NULL where none scores; good until the table changes


cdef inline Row* row_at(char** blocks, uint32_t ref) noexcept nogil:
    return <Row*>(blocks[ref >> BLOCK_SHIFT] + (<uint64_t>(ref & (BLOCK_UNITS - 1)) << 3))


cdef class RowTable:
    cdef Pool mem                       # owns the map's arrays, `blocks` and every block
    cdef KeyMap map
    cdef char** blocks
    cdef uint32_t n_blocks
    cdef uint32_t block_room            # length of `blocks`
    cdef uint32_t top                   # first unused unit of the arena
    cdef Shape shapes[MAX_SHAPES]
    cdef int32_t dense                  # the last shape
    cdef readonly int32_t n_actions
    cdef readonly int32_t cold_bytes
    cdef readonly uint32_t min_updates  # a row is active from so many updates on
    cdef bint is_closed                 # does no other key get a row?

    cdef void look_up(self, const feat_t* feats, int32_t n, Fired* fired) noexcept nogil
    cdef int reserve(self, int32_t n_more) except -1 nogil
    cdef uint64_t claim(self, feat_t key, int32_t i, const Fired* fired) noexcept nogil
    cdef int32_t entry(self, uint64_t cell, int32_t action) except -1 nogil
    cdef int32_t entry_of(self, uint64_t cell, int32_t action) noexcept nogil
    cdef int grow(self, uint64_t cell, int32_t n_entries) except -1 nogil
    cdef uint32_t new_row(self, int32_t shape) except 0 nogil
    cdef int new_block(self) except -1
    cdef int clear(self) except -1
    cdef int adopt(self, feat_t key, const Row* row, uint32_t active) except -1
    cdef void clear_cold(self) noexcept nogil
    cdef int set_shape(self, int32_t index, int32_t capacity, int32_t id_bytes) except -1
    cdef void copy_row(self, Row* old, Row* new) noexcept nogil
    cdef int copy_numbers(self, const uint64_t[::1] keys, char[::1] out, bint cold) except -1

    # the cell of the i-th feature of a state: where it was last found, or by a search (an empty cell if unknown)
    cdef inline uint64_t find(self, feat_t key, int32_t i, const Fired* fired) noexcept nogil:
        if i < fired.n and self.map.cells[fired.cells[i]].key == key:
            return fired.cells[i]
        return keymap_cell(&self.map, key)

    cdef inline Row* at(self, uint32_t ref) noexcept nogil:
        return row_at(self.blocks, ref)

    cdef inline Row* row(self, uint64_t cell) noexcept nogil:
        return self.at(self.map.cells[cell].value & PLACE)

    # the row of a key, NULL if it has none
    cdef inline Row* row_of(self, feat_t key) noexcept nogil:
        cdef uint32_t value = self.map.cells[keymap_cell(&self.map, key)].value
        return self.at(value & PLACE) if value != NO_ROW else NULL

    # may no row be made for a cell that has none? To be asked before `entry`
    cdef inline bint is_closed_to(self, uint64_t cell) noexcept nogil:
        return self.is_closed and self.map.cells[cell].value == NO_ROW

    # the row of a cell if it is active, else NULL: known without reading the row
    cdef inline Row* active_row(self, uint64_t cell) noexcept nogil:
        cdef uint32_t value = self.map.cells[cell].value
        return self.at(value & PLACE) if value & ACTIVE else NULL

    cdef inline void count_update(self, uint64_t cell, Row* row) noexcept nogil:
        row.updates += 1
        if row.updates == self.min_updates:
            self.map.cells[cell].value |= ACTIVE

    cdef inline bint is_dense(self, const Row* row) noexcept nogil:
        return row.shape == self.dense

    # the i-th of the rows looked up, NULL if it does not score; starts reading what scoring will read of the row after
    # the next, if that is dense: look_up fetched the sparse ones
    cdef inline Row* row_in_turn(self, const Fired* fired, int32_t i, const Spans* spans,
                                 bint with_cold) noexcept nogil:
        cdef Row* row = fired.rows[i + DENSE_AHEAD] if i + DENSE_AHEAD < fired.n else NULL
        cdef int32_t k, at
        if row != NULL and row.shape == self.dense:
            for k in range(spans.n):
                for at in range(spans.start[k], spans.end[k], 16):
                    PREFETCH(self.hot(row) + at)
                    if with_cold:
                        PREFETCH(<float*>self.cold(row) + at)
        return fired.rows[i]

    cdef inline uint16_t* ids(self, Row* row) noexcept nogil:
        return <uint16_t*>(row + 1)

    cdef inline float* hot(self, Row* row) noexcept nogil:
        return <float*>(<char*>row + self.shapes[row.shape].hot)

    cdef inline void* cold(self, Row* row) noexcept nogil:
        return <char*>row + self.shapes[row.shape].cold
