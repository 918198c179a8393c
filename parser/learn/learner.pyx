"""The base of all learners: what they share is the table, the count of states, and the way out of training."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

import numpy as np

from parser.common cimport CHECK, feat_t
from parser.score.choose cimport argmax
from parser.score.keymap cimport NO_ROW, PREFETCH
from parser.score.spans cimport Spans, spans_in
from parser.score.table cimport MAX_FIRED, Row, RowTable

from parser.score.pieces import Pieces
from parser.score.weights import Weights

cdef enum:
    AHEAD = 12              # rows fetched ahead while walking through a table


cdef class Learner:
    def __init__(self, *args, **kwargs):
        raise TypeError(f"{type(self).__name__} is not a learner to be made")

    cdef int prepare(self, int32_t n_actions, int32_t cold_bytes, int32_t dense_above, int32_t min_updates) except -1:
        """What every learner's constructor calls first."""
        if min_updates < 0:
            raise ValueError(f"min_updates: {min_updates}, expected 0 or more")
        self.table = RowTable(n_actions, cold_bytes, dense_above, min_updates)
        self.n_actions = n_actions
        self.min_updates = min_updates
        self.steps = self.updates = 0
        self.loss = 0.0
        self.fired.n = 0
        return 0

    cdef void score(self, const feat_t* feats, int32_t n, const uint8_t* legal, float* out) noexcept nogil:
        """About 72 to 180 features, three of four known, 2 to 8 weights in most rows and one per action in the rest."""
        cdef int32_t m, start = 0
        cdef Spans spans
        spans_in(&spans, legal, self.n_actions)
        memset(out, 0, self.n_actions * sizeof(float))
        while start < n:
            m = min(n - start, MAX_FIRED)
            self.table.look_up(feats + start, m, &self.fired)
            self.add_rows(m, &spans, out)
            start += m
        if n > MAX_FIRED:
            self.fired.n = 0

    cdef void add_rows(self, int32_t n, const Spans* spans, float* out) noexcept nogil:
        CHECK(False)

    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil:
        CHECK(False)
        return 0

    cdef float pace(self, float gap, int32_t distance) noexcept nogil:
        return gap < self.margin or gap <= 0

    cdef int add(self, const feat_t* feats, int32_t n, int32_t action, float delta) except -1 nogil:
        CHECK(False)
        return 0

    cdef int add_all(self, const feat_t* feats, int32_t n, const float* delta) except -1 nogil:
        CHECK(False)
        return 0

    cdef void tick(self) noexcept nogil:
        self.steps += 1

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        CHECK(False)

    # The way out of training

    def finalise(self):
        """The weights as of now, for parsing: no zeros, no rows changed fewer than min_updates times; keys ascending.

        Takes little memory beside its result, since it is called on the largest tables there are.
        """
        keys, total = self.final_keys()
        offsets = np.zeros(len(keys) + 1, np.int64)
        actions = np.empty(total, np.uint16)
        values = np.empty(total, np.float32)
        row_weights = np.zeros(self.n_actions, np.float32)
        by_action = np.zeros(self.n_actions, np.float32)
        cdef const uint64_t[::1] key_of = keys
        cdef int64_t[::1] offsets_out = offsets
        cdef uint16_t[::1] actions_out = actions
        cdef float[::1] values_out = values, weights = row_weights, dense = by_action
        cdef RowTable table = self.table
        cdef int64_t i, at = 0
        cdef int32_t k, a
        cdef Row* row
        for i in range(key_of.shape[0]):
            PREFETCH(table.row_of(key_of[min(i + AHEAD, key_of.shape[0] - 1)]))
            row = table.row_of(key_of[i])
            self.weights_of(row, &weights[0])
            memset(&dense[0], 0, self.n_actions * sizeof(float))
            for k in range(row.n):
                dense[k if table.is_dense(row) else table.ids(row)[k]] = weights[k]
            for a in range(self.n_actions):
                if dense[a] != 0:
                    actions_out[at], values_out[at] = a, dense[a]
                    at += 1
            offsets_out[i + 1] = at
        return Weights(self.n_actions, keys, offsets, actions, values)

    def final_keys(self):
        """(keys of the rows in the final model, ascending; number of their weights)"""
        cdef RowTable table = self.table
        row_weights = np.zeros(self.n_actions, np.float32)
        keys = np.empty(table.map.filled, np.uint64)    # room for all: what is not written takes no memory
        cdef float[::1] weights = row_weights
        cdef uint64_t[::1] keys_out = keys
        cdef int64_t n_rows = 0, total = 0
        cdef uint64_t cell
        cdef int32_t n
        for cell in range(table.map.mask + 1):
            PREFETCH(table.row((cell + AHEAD) & table.map.mask))
            n = self.final_row(cell, &weights[0])
            if n > 0:
                keys_out[n_rows] = table.map.cells[cell].key
                n_rows += 1
                total += n
        return np.sort(keys[:n_rows]), total

    cdef int32_t final_row(self, uint64_t cell, float* weights) noexcept nogil:
        """Number of weights that the row in a cell has in the final model."""
        if self.table.map.cells[cell].value == NO_ROW:
            return 0
        cdef Row* row = self.table.row(cell)
        if row.updates < <uint64_t>self.min_updates:
            return 0
        cdef int32_t k, n = 0
        self.weights_of(row, weights)
        for k in range(row.n):
            n += weights[k] != 0
        return n

    def keep_rows(self, keys):
        """Goes on with the rows of these features alone: no other gets weights any more, or scores."""
        self.table.keep(np.ascontiguousarray(keys, np.uint64))
        self.fired.n = 0

    def pieces(self):
        """The state of training as arrays and Pieces: restore() makes any later step the same bit for bit."""
        counts = np.array([self.n_actions, self.steps, self.updates, self.table.is_closed], np.int64)
        return self.table.pieces() | {"progress": counts}

    def dump(self):
        """The same as arrays: for tests and the interpreter, since it takes as much memory as the table."""
        return {name: column.whole() if isinstance(column, Pieces) else column
                for name, column in self.pieces().items()}

    def restore(self, arrays):
        """Takes up training where pieces() left it, in a learner made with the same options."""
        progress = arrays.get("progress")
        if progress is None or progress.dtype != np.int64 or progress.shape != (4,):
            raise ValueError("training weights: no array 'progress' of 4 int64")
        if progress[0] != self.n_actions:
            raise ValueError(f"training weights: made for {progress[0]} actions, not {self.n_actions}")
        self.table.restore(arrays)
        self.steps, self.updates, self.table.is_closed = int(progress[1]), int(progress[2]), bool(progress[3])
        self.loss = 0.0
        self.fired.n = 0

    @property
    def n_rows(self):
        return len(self.table)

    @property
    def bytes_used(self):
        """Memory of the training weights."""
        return self.table.bytes_used

    def shape_counts(self):
        """Number of rows by capacity, and under 'dense'."""
        return self.table.shape_counts()

    # One state at a time from Python: for tests and the interpreter, not for loops

    def scores(self, feats, legal=None):
        """Training scores for a list of feature keys: of all actions, or of those in `legal` alone."""
        keys = np.ascontiguousarray(feats, np.uint64)
        out = np.zeros(self.n_actions, np.float32)
        cdef const feat_t[::1] keys_in = keys
        cdef float[::1] scores = out
        cdef const uint8_t[::1] mask = self.mask(range(self.n_actions) if legal is None else legal)
        self.score(&keys_in[0] if keys_in.shape[0] else NULL, <int32_t>keys_in.shape[0],
                   NULL if legal is None else &mask[0], &scores[0])
        return out

    def visit(self, feats, legal, zero):
        """Scores a state and learns from it; legal and zero are sequences of actions. Gives (predicted, oracle)."""
        keys = np.ascontiguousarray(feats, np.uint64)
        cdef const feat_t[::1] keys_in = keys
        cdef const uint8_t[::1] legal_in = self.mask(legal)
        cdef const uint8_t[::1] zero_in = self.mask(zero)
        cdef const float[::1] scores = self.scores(keys, legal)
        cdef int32_t predicted = argmax(&scores[0], &legal_in[0], self.n_actions)
        cdef int32_t oracle = argmax(&scores[0], &zero_in[0], self.n_actions)
        if oracle < 0:
            raise ValueError("a state without a zero-cost action")
        self.learn(&keys_in[0] if keys_in.shape[0] else NULL, <int32_t>keys_in.shape[0], &legal_in[0], &zero_in[0],
                   &scores[0], predicted, oracle)
        return predicted, oracle

    def mask(self, actions):
        mask = np.zeros(self.n_actions, np.uint8)
        mask[list(actions)] = 1
        return mask

    def add_one(self, feats, int32_t action, float delta):
        keys = np.ascontiguousarray(feats, np.uint64)
        cdef const feat_t[::1] keys_in = keys
        if not 0 <= action < self.n_actions:
            raise ValueError(f"action {action}, but there are {self.n_actions}")
        self.add(&keys_in[0] if keys_in.shape[0] else NULL, <int32_t>keys_in.shape[0], action, delta)

    def add_row(self, feats, deltas):
        keys = np.ascontiguousarray(feats, np.uint64)
        cdef const feat_t[::1] keys_in = keys
        cdef const float[::1] delta = np.ascontiguousarray(deltas, np.float32)
        if delta.shape[0] != self.n_actions:
            raise ValueError(f"{delta.shape[0]} changes for {self.n_actions} actions")
        self.add_all(&keys_in[0] if keys_in.shape[0] else NULL, <int32_t>keys_in.shape[0], &delta[0])

    def count_state(self):
        self.tick()
