"""A greedy parser with compiled weights: the decisions of the plain way of scoring, made by the engine."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from parser.common cimport feat_t
from parser.compiled.cells cimport cells_key
from parser.compiled.engine cimport Engine
from parser.compiled.memory cimport aligned, fetch_records, find_record, lane_of, new_record
from parser.compiled.scratch cimport Scratch, ScratchC
from parser.compiled.table cimport add_table_row, find_row
from parser.feature.atoms cimport N_COLUMNS, Atomizer
from parser.score.choose cimport argmax
from parser.search.base cimport ResultC
from parser.search.greedy cimport GreedyParser
from parser.search.masks cimport forced_action, mask_legal
from parser.search.workspace cimport Workspace
from parser.transition.state cimport StateC
from parser.treebank.batch cimport CellC
from parser.transition.system cimport N_MOVES, action_label, action_move

import numpy as np

from parser.search.greedy import fits


cdef class CompiledParser(GreedyParser):
    def __cinit__(self):
        self.masks = NULL
        self.actions = self.by_rank = NULL

    def __init__(self, system, compiled, str kernel=""):
        """compiled: of compile.compile_model, for that system. kernel: see Engine."""
        cdef int32_t column, moves, width
        self.system = fits(system, compiled.extractor, compiled.n_actions)
        self.extractor, self.compiled, self.unit = compiled.extractor, compiled, 1 / compiled.scale
        self.single_root, self.n_labels = self.system.single_root, self.system.n_labels
        self.engine = Engine(compiled.table, compiled.extractor, compiled.layout, compiled.actions.tolist(),
                             self.n_labels, kernel)
        width = self.engine.width
        self.actions = <int32_t*>aligned(2 * width * sizeof(int32_t))
        self.masks = <int16_t*>aligned((width << N_MOVES) * sizeof(int16_t))
        self.by_rank = self.actions + width
        for column, action in enumerate(compiled.actions.tolist()):
            self.actions[column] = action
            self.by_rank[self.engine.rank[lane_of(column)]] = action
            for moves in range(1 << N_MOVES):
                if moves >> action_move(self.system, action) & 1:
                    self.masks[moves * width + lane_of(column)] = -1

    def __dealloc__(self):
        free(self.masks)
        free(self.actions)

    cdef int prepare(self, Workspace work) except -1:
        cdef Scratch scratch = self.engine.new_scratch()
        work.prepare(self.system.n_actions, self.extractor.max_features)
        work.own, work.own_c = scratch, &scratch.c
        return 0

    cdef int parse_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef int32_t i
        (<Scratch>work.own).begin(n)
        for i in range(1, n + 1):
            c.of_word[i] = self.engine.record_of(c.m, words + <size_t>i * self.extractor.stride)
        fetch_records(c.m, c.of_word, n)
        return self.decode(work, n, out)

    cdef int parse_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                         ResultC* out) except -1 nogil:
        """The values of a word are made when it is first met."""
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef const CellC* cell = cells
        cdef uint64_t key
        cdef uint64_t* record
        cdef int32_t i
        (<Scratch>work.own).begin(n)
        for i in range(1, n + 1):
            key = cells_key(atomizer, cell)
            record = find_record(c.m, key)
            if record == NULL:
                atomizer.fill_cells(cell, 1, values)
                record = self.engine.write_record(c.m, new_record(c.m, key), values + 2 * self.extractor.stride)
            c.of_word[i] = record
            cell += N_COLUMNS
        fetch_records(c.m, c.of_word, n)
        return self.decode(work, n, out)

    cdef int decode(self, Workspace work, int32_t n, ResultC* out) except -1 nogil:
        """The tree of the sentence whose words are in the memory."""
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef uint32_t moves
        cdef int32_t action
        cdef StateC* s
        work.states.reserve(1, n)
        s = work.states.at(0)
        self.system.init(s, n)
        if out.arcs != NULL:
            for action in range(n):     # what is never decided is certain
                out.arcs[action] = out.labelled[action] = 1
        moves = self.system.legal(s)
        while moves != 0:
            action = forced_action(self.system, s, moves)
            if action < 0:
                action = self.by_rank[self.engine.choose(c, s, self.mask_of(work, s, moves), out.arcs != NULL)]
                if out.arcs != NULL:
                    self.spread(work, c.m.scores)
                    mask_legal(self.system, s, moves, work.legal)
                    self.keep_chances(work, s, action, out)
            self.system.apply(s, action_move(self.system, action), action_label(self.system, action))
            moves = self.system.legal(s)
        self.system.finish(s, out.heads, out.labels)
        return 0

    cdef const int16_t* mask_of(self, Workspace work, const StateC* s, uint32_t moves) noexcept nogil:
        """The columns that are legal."""
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef int32_t column
        if not self.system.root_label_only:
            return self.masks + <size_t>moves * self.engine.width
        self.system.set_legal(s, work.legal)
        for column in range(self.engine.n_columns):
            c.m.legal[lane_of(column)] = -<int16_t>work.legal[self.actions[column]]
        return c.m.legal

    cdef void spread(self, Workspace work, const int32_t* sums) noexcept nogil:
        """Scores of all actions, in the measure of the weights."""
        cdef int32_t column
        memset(work.scores, 0, work.n_actions * sizeof(float))
        for column in range(self.engine.n_columns):
            work.scores[self.actions[column]] = <float>(sums[column] * self.unit)

    cdef int32_t choose(self, Workspace work, const StateC* s, const feat_t* words, uint32_t moves) noexcept nogil:
        """The plain way, template by template: for judging and explaining, and what the engine is compared with."""
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef int32_t i, n = self.extractor.extract(s, words, work.feats)
        cdef uint32_t row
        memset(c.m.found, 0, self.engine.width * sizeof(int32_t))
        for i in range(n):
            row = find_row(&self.engine.rows_of, work.feats[i])
            if row:
                add_table_row(&self.engine.rows_of, row, c.m.found)
        self.spread(work, c.m.found)
        mask_legal(self.system, s, moves, work.legal)
        return argmax(work.scores, work.legal, work.n_actions)

    def differences(self, rows, Workspace work not None):
        """Parses a sentence (rows of an Atomizer) both ways at once; gives (states, where they differ): for tests.

        The sums of all columns are compared in every state, and what is chosen. work: of a session of this parser.
        """
        cdef const feat_t[:, ::1] values = rows
        cdef ScratchC* c = <ScratchC*>work.own_c
        cdef int32_t n = <int32_t>values.shape[0] - 2, plain, action, fast, states = 0, i
        cdef int32_t[::1] sums = np.zeros(self.engine.width, np.int32)
        cdef size_t bytes_ = self.engine.width * sizeof(int32_t)
        cdef uint32_t moves
        cdef StateC* s
        wrong = []
        work.states.reserve(1, n)
        s = work.states.at(0)
        for _again in range(2):         # the second time everything is remembered
            self.system.init(s, n)
            (<Scratch>work.own).begin(n)
            for i in range(1, n + 1):
                c.of_word[i] = self.engine.record_of(c.m, &values[i + 1, 0])
            moves = self.system.legal(s)
            while moves != 0:
                states += 1
                plain = self.choose(work, s, &values[1, 0], moves)
                memcpy(&sums[0], c.m.found, bytes_)
                fast = self.by_rank[self.engine.choose(c, s, self.mask_of(work, s, moves), False)]
                if fast != plain:
                    wrong.append((states, plain, fast))
                action = self.by_rank[self.engine.choose(c, s, self.mask_of(work, s, moves), True)]
                if action != plain or memcmp(&sums[0], c.m.scores, bytes_) != 0:
                    wrong.append((states, plain, action))
                self.system.apply(s, action_move(self.system, plain), action_label(self.system, plain))
                moves = self.system.legal(s)
        return states, wrong
