"""A greedy parser with compiled weights: the decisions of the plain way of scoring, made by the engine."""

from cython cimport final
from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from parser.common cimport feat_t
from parser.compiled.cells cimport cells_key
from parser.compiled.engine cimport Engine
from parser.compiled.memory cimport (MemoryC, aligned, fetch_records, fetch_word, find_record, kernel_chances, lane_of,
                                     new_record)
from parser.compiled.scratch cimport LANES, LaneC, Scratch, await_words, show
from parser.compiled.table cimport add_table_row, find_row
from parser.feature.atoms cimport N_COLUMNS, Atomizer, values_key
from parser.score.choose cimport argmax
from parser.search.base cimport ResultC
from parser.search.greedy cimport GreedyParser
from parser.search.masks cimport forced_action, mask_legal
from parser.search.workspace cimport Workspace
from parser.transition.state cimport StateC
from parser.treebank.batch cimport CellC
from parser.transition.system cimport LEFT, N_MOVES, RIGHT, ArcC, MoveC, action_label, action_move, move_of

import numpy as np

from parser.search.greedy import fits

cdef extern from "parser/score/exp.h":
    float exp_of(float x) noexcept nogil


@final
cdef class CompiledParser(GreedyParser):
    def __cinit__(self):
        self.masks = NULL
        self.actions = self.by_rank = NULL
        self.choices = NULL

    def __init__(self, system, compiled, str kernel=""):
        """compiled: of compile.compile_model, for that system. kernel: see Engine."""
        cdef int32_t column, move, moves, width
        self.system = fits(system, compiled.extractor, compiled.n_actions)
        self.extractor, self.compiled, self.unit = compiled.extractor, compiled, 1 / compiled.scale
        self.under_root = compiled.under_root
        self.single_root, self.n_labels = self.system.single_root, self.system.n_labels
        self.engine = Engine(compiled.table, compiled.extractor, compiled.layout, compiled.actions.tolist(),
                             self.n_labels, kernel)
        width = self.engine.width
        self.actions = <int32_t*>aligned(2 * width * sizeof(int32_t))
        self.masks = <int16_t*>aligned((width << N_MOVES) * sizeof(int16_t))
        self.by_rank = self.actions + width
        self.choices = <MoveC*>aligned(width * sizeof(MoveC))
        self.idle[LEFT] = self.idle[RIGHT] = self.n_labels
        for move in range(LEFT):
            self.idle[move] = 1
        for moves in range(1 << N_MOVES):
            self.mask_of[<int>moves] = NULL if self.system.root_label_only else self.masks + <size_t>moves * width
        for column, action in enumerate(compiled.actions.tolist()):
            self.actions[column] = action
            self.idle[action_move(self.system, action)] -= 1
            self.by_rank[self.engine.plan.rank[lane_of(column)]] = action
            self.choices[self.engine.plan.rank[lane_of(column)]] = move_of(action_move(self.system, action),
                                                                           action_label(self.system, action))
            for moves in range(1 << N_MOVES):
                if moves >> action_move(self.system, action) & 1:
                    self.masks[moves * width + lane_of(column)] = -1

    def __dealloc__(self):
        free(self.masks)
        free(self.actions)
        free(self.choices)

    cdef int prepare(self, Workspace work) except -1:
        work.prepare(self.system.n_actions, self.extractor.max_features)
        work.own = self.engine.new_scratch()
        return 0

    # Sentences in

    cdef void start(self, Workspace work) noexcept nogil:
        """What is left of sentences that an error interrupted is dropped."""
        (<Scratch>work.own).leave_all()

    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        cdef uint64_t* keys = (<Scratch>work.own).room_for_keys(n)
        cdef size_t stride = self.extractor.stride
        cdef int32_t i
        for i in range(n):
            keys[i] = values_key(words + (i + 1) * stride, <int32_t>stride)
        return self.put_example(work, words, keys, n, out)

    cdef int put_example(self, Workspace work, const feat_t* words, const uint64_t* keys, int32_t n,
                         ResultC* out) except -1 nogil:
        """Where its words are found is on its way while others are parsed, until there is a lane for it."""
        cdef MemoryC* m = (<Scratch>work.own).m
        cdef size_t stride = self.extractor.stride
        cdef LaneC* lane
        cdef int32_t i
        for i in range(n):
            fetch_word(m, keys[i])
        lane = self.lane_for(work, n)
        for i in range(n):
            lane.work.of_word[i + 1] = self.engine.record_under(m, keys[i], words + (i + 1) * stride)
        return self.enter(work, lane, n, out)

    cdef int put_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                       ResultC* out) except -1 nogil:
        """As put_example; the values of a word are made when it is first met."""
        cdef MemoryC* m = (<Scratch>work.own).m
        cdef uint64_t* keys = (<Scratch>work.own).room_for_keys(n)
        cdef uint64_t* record
        cdef LaneC* lane
        cdef int32_t i
        for i in range(n):
            keys[i] = cells_key(atomizer, cells + <size_t>i * N_COLUMNS)
            fetch_word(m, keys[i])
        lane = self.lane_for(work, n)
        for i in range(n):
            record = find_record(m, keys[i])
            if record == NULL:
                atomizer.fill_cells(cells + <size_t>i * N_COLUMNS, 1, values)
                record = self.engine.write_record(m, new_record(m, keys[i]), values + 2 * self.extractor.stride)
            lane.work.of_word[i + 1] = record
        return self.enter(work, lane, n, out)

    cdef int finish(self, Workspace work) except -1 nogil:
        while (<Scratch>work.own).n_busy > 0:
            self.step(work)
        return 0

    # Actions

    cdef LaneC* lane_for(self, Workspace work, int32_t n) except NULL nogil:
        while (<Scratch>work.own).n_busy > 0 and not (<Scratch>work.own).has_room(n):
            self.step(work)
        return (<Scratch>work.own).begin(n)

    cdef int enter(self, Workspace work, LaneC* lane, int32_t n, const ResultC* out) except -1 nogil:
        cdef int32_t i
        fetch_records((<Scratch>work.own).m, lane.work.of_word, n)
        lane.out = out[0]
        if out.arcs != NULL:
            for i in range(n):      # what is never decided is certain
                out.arcs[i] = out.labelled[i] = 1
        self.system.init(lane.state, n)
        await_words(lane)
        if self.go_on(work, lane, self.system.legal(lane.state)):
            (<Scratch>work.own).occupy()
        return 0

    cdef int step(self, Workspace work) except -1 nogil:
        cdef int32_t i, n = (<Scratch>work.own).n_busy
        cdef LaneC* lane
        cdef StateC* states[LANES]
        cdef const MoveC* chosen[LANES]
        cdef uint32_t moves[LANES]
        cdef bint with_chances = (<Scratch>work.own).busy[0].out.arcs != NULL   # asked for all sentences, or for none
        self.engine.choose(<Scratch>work.own, n)
        if with_chances:
            self.write_chances(work, n)
        for i in range(n):
            lane = (<Scratch>work.own).busy[i]
            states[i], chosen[i] = lane.state, &self.choices[lane.work.best.rank]
        # each for all before the first is looked at: what is legal then is a branch that waits for it
        self.system.apply_all(states, chosen, n)
        self.system.legal_all(states, moves, n)
        for i in range(n - 1, -1, -1):      # those behind are done with, wherever they move
            lane = (<Scratch>work.own).busy[i]
            if moves[i] & (moves[i] - 1):
                self.await_score(work, lane, moves[i])
            elif not self.go_on(work, lane, moves[i]):
                (<Scratch>work.own).leave(i)
        return 0

    cdef inline void take(self, LaneC* lane, int32_t action) noexcept nogil:
        self.system.apply(lane.state, action_move(self.system, action), action_label(self.system, action))

    cdef bint go_on(self, Workspace work, LaneC* lane, uint32_t moves) noexcept nogil:
        cdef int32_t action
        while moves != 0:
            action = forced_action(self.system, lane.state, moves, self.under_root)
            if action < 0:
                self.await_score(work, lane, moves)
                return True
            self.take(lane, action)
            moves = self.system.legal(lane.state)
        self.system.finish(lane.state, lane.out.heads, lane.out.labels)
        return False

    cdef inline void await_score(self, Workspace work, LaneC* lane, uint32_t moves) noexcept nogil:
        lane.moves, lane.work.mask = moves, self.mask_of[moves]
        if lane.work.mask == NULL:
            self.write_legal(work, lane)
        show(lane)

    cdef int write_chances(self, Workspace work, int32_t n) except -1 nogil:
        """As keep_chances. What is needed for it is asked for in all lanes before any waits."""
        cdef int32_t i, move
        cdef LaneC* lane
        for i in range(n):
            lane = (<Scratch>work.own).busy[i]
            if self.chosen_move(lane) >= LEFT:
                self.engine.ask_behind((<Scratch>work.own).m, lane)
        for i in range(n):
            lane = (<Scratch>work.own).busy[i]
            move = self.chosen_move(lane)
            if move >= LEFT and (self.system.root_label_only or not self.write_odds(work, lane, move)):
                self.engine.choose_of_all(<Scratch>work.own, lane)
                self.spread(work, (<Scratch>work.own).m.scores)
                mask_legal(self.system, lane.state, lane.moves, work.legal)
                self.keep_chances(work, lane.state, self.by_rank[lane.work.best.rank], &lane.out)
        return 0

    cdef bint write_odds(self, Workspace work, LaneC* lane, int32_t move) except -1 nogil:
        """Actions without a column have a score of 0."""
        cdef const int16_t* of_move = self.masks + (<size_t>1 << move) * self.engine.width
        cdef ArcC arc = self.system.arc(lane.state, move)
        cdef int32_t other, idle = 0
        cdef kernel_chances found
        cdef float odds, total
        if not self.engine.chances(<Scratch>work.own, lane, of_move, <float>self.unit, &found):
            return False
        for other in range(N_MOVES):
            if lane.moves >> other & 1:
                idle += self.idle[other]
        odds = exp_of(-<float>max(found.top, 0) * <float>self.unit)
        total = found.all + odds * idle
        lane.out.labelled[arc.dep - 1] = 1 / total
        lane.out.arcs[arc.dep - 1] = min(<float>1, (found.of_move + odds * self.idle[move]) / total)
        return True

    cdef inline int32_t chosen_move(self, const LaneC* lane) noexcept nogil:
        """The move that was chosen."""
        return self.choices[lane.work.best.rank].move

    cdef void write_legal(self, Workspace work, LaneC* lane) noexcept nogil:
        cdef int32_t column
        self.system.set_legal(lane.state, work.legal)
        for column in range(self.engine.n_columns):
            lane.legal[lane_of(column)] = -<int16_t>work.legal[self.actions[column]]
        lane.work.mask = lane.legal

    cdef void spread(self, Workspace work, const int32_t* sums) noexcept nogil:
        """Scores of all actions, in the measure of the weights."""
        cdef int32_t column
        memset(work.scores, 0, work.n_actions * sizeof(float))
        for column in range(self.engine.n_columns):
            work.scores[self.actions[column]] = <float>(sums[column] * self.unit)

    cdef int32_t choose(self, Workspace work, const StateC* s, const feat_t* words, uint32_t moves) noexcept nogil:
        """The plain way, template by template: for judging and explaining, and what the engine is compared with."""
        cdef MemoryC* m = (<Scratch>work.own).m
        cdef int32_t i, n = self.extractor.extract(s, words, work.feats)
        cdef uint32_t row
        memset(m.found, 0, self.engine.width * sizeof(int32_t))
        for i in range(n):
            row = find_row(&self.engine.rows_of, work.feats[i])
            if row:
                add_table_row(&self.engine.rows_of, row, m.found)
        self.spread(work, m.found)
        mask_legal(self.system, s, moves, work.legal)
        return argmax(work.scores, work.legal, work.n_actions)

    def differences(self, rows, Workspace work not None):
        """Parses a sentence (rows of an Atomizer) both ways at once; gives (states, where they differ): for tests.

        The sums of all columns are compared in every state, and what is chosen. work: of a session of this parser.
        """
        cdef const feat_t[:, ::1] values = rows
        cdef Scratch scratch = work.own
        cdef LaneC* lane
        cdef int32_t n = <int32_t>values.shape[0] - 2, plain, fast, states = 0, i
        cdef int32_t[::1] sums = np.zeros(self.engine.width, np.int32)
        cdef size_t bytes_ = self.engine.width * sizeof(int32_t)
        wrong = []
        for _again in range(2):         # the second time everything is remembered, and programs are code
            if _again:
                scratch.programs.write_new()
            scratch.leave_all()
            lane = scratch.begin(n)
            scratch.occupy()
            self.system.init(lane.state, n)
            await_words(lane)
            for i in range(1, n + 1):
                lane.work.of_word[i] = self.engine.record_of(scratch.m, &values[i + 1, 0])
            lane.moves = self.system.legal(lane.state)
            while lane.moves != 0:
                states += 1
                plain = self.choose(work, lane.state, &values[1, 0], lane.moves)
                memcpy(&sums[0], scratch.m.found, bytes_)
                self.await_score(work, lane, lane.moves)
                self.engine.choose(scratch, 1)
                fast = self.by_rank[lane.work.best.rank]
                if fast != plain:
                    wrong.append((states, plain, fast))
                fast = self.by_rank[self.engine.choose_of_all(scratch, lane)]
                if fast != plain or memcmp(&sums[0], scratch.m.scores, bytes_) != 0:
                    wrong.append((states, plain, fast))
                self.take(lane, plain)
                lane.moves = self.system.legal(lane.state)
        scratch.leave_all()
        return states, wrong
