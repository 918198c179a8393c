"""An easy-first parser with compiled weights: the decisions of the plain way of scoring, made by the engine."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.cells cimport cells_key
from parser.compiled.easy cimport EasyEngine
from parser.compiled.easy_memory cimport NO_SLOT, PADS, EasyMemory, ListMemoryC
from parser.compiled.memory cimport MemoryC, fetch_records, find_record, new_record
from parser.compiled.table cimport add_table_row, find_row
from parser.feature.atoms cimport N_COLUMNS, Atomizer
from parser.search.agenda cimport Agenda, CandidateC
from parser.search.base cimport ResultC
from parser.search.easy cimport EasyParser
from parser.search.workspace cimport Workspace
from parser.transition.list_state cimport ListC, links
from parser.treebank.batch cimport CellC

import numpy as np

from parser.search.easy import fits


cdef class CompiledEasyParser(EasyParser):
    def __init__(self, system, compiled, str kernel=""):
        """compiled: of compile.compile_model, for that system. kernel: see EasyEngine."""
        self.system = fits(system, compiled.extractor, compiled.n_actions)
        self.extractor, self.compiled, self.unit = compiled.extractor, compiled, 1 / compiled.scale
        self.under_root = compiled.under_root
        self.single_root, self.n_labels = self.system.single_root, self.system.n_labels
        self.n_actions = compiled.n_actions
        self.engine = EasyEngine(compiled.table, compiled.extractor, compiled.layout, compiled.actions.tolist(),
                                 self.n_labels, self.system, kernel)

    cdef int prepare(self, Workspace work) except -1:
        cdef Agenda agenda = Agenda()
        cdef EasyMemory memory = self.engine.new_memory()
        work.prepare(self.n_actions, self.extractor.max_features)
        agenda.prepare(self.system, self.extractor, self.n_actions)
        work.agenda = agenda
        work.own, work.own_c = memory, memory.lanes
        return 0

    cdef void start(self, Workspace work) noexcept nogil:
        """What is left of sentences that an error interrupted is dropped."""
        (<EasyMemory>work.own).leave_all()

    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        cdef ListMemoryC* list = self.lane_for(work, n)
        cdef int32_t i
        for i in range(1, n + 1):
            list.of_word[i] = self.engine.record_of(list, words + <size_t>i * self.extractor.stride)
        return self.put_list(work, list, n, out)

    cdef int put_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                       ResultC* out) except -1 nogil:
        """The values of a word are made when it is first met."""
        cdef ListMemoryC* list = self.lane_for(work, n)
        cdef MemoryC* m = list.m
        cdef const CellC* cell = cells
        cdef uint64_t key
        cdef uint64_t* record
        cdef int32_t i
        for i in range(1, n + 1):
            key = cells_key(atomizer, cell)
            record = find_record(m, key)
            if record == NULL:
                atomizer.fill_cells(cell, 1, values)
                record = self.engine.write_record(list, new_record(m, key), values + 2 * self.extractor.stride)
            list.of_word[i] = record
            cell += N_COLUMNS
        return self.put_list(work, list, n, out)

    cdef int finish(self, Workspace work) except -1 nogil:
        while (<EasyMemory>work.own).n_busy > 0:
            self.step(work)
        return 0

    cdef ListMemoryC* lane_for(self, Workspace work, int32_t n) except NULL nogil:
        while (<EasyMemory>work.own).n_busy > 0 and not (<EasyMemory>work.own).has_room(n):
            self.step(work)
        return (<EasyMemory>work.own).begin(n)

    cdef int put_list(self, Workspace work, ListMemoryC* list, int32_t n, const ResultC* out) except -1 nogil:
        fetch_records(list.m, list.of_word, n)
        list.out = out[0]
        self.begin_list(work, list, n)
        return 0 if out.arcs == NULL else self.decode_with_chances(work, list, n)

    cdef int begin_list(self, Workspace work, ListMemoryC* list, int32_t n) except -1 nogil:
        (<EasyMemory>work.own).begin_list(list, n)
        self.system.init(list.s, n)
        self.engine.begin(list)
        (<EasyMemory>work.own).occupy()
        return 0

    cdef int step(self, Workspace work) except -1 nogil:
        """An attachment in every lane, or the first scores of a few pairs."""
        cdef ListMemoryC* list
        cdef int32_t i, head, dep
        for i in range((<EasyMemory>work.own).n_busy - 1, -1, -1):      # those behind are done with, wherever they move
            list = (<EasyMemory>work.own).busy[i]
            if list.next != NO_SLOT:
                self.engine.go_on(list)
            elif self.finishes(list.s):
                self.system.finish(list.s, list.out.heads, list.out.labels)
                (<EasyMemory>work.own).leave(i)
            else:
                self.attach(list, self.engine.choose(list, list.s), &head, &dep)
                self.engine.attached(list, head, dep)
        self.engine.refresh(<EasyMemory>work.own)
        return 0

    cdef void score_all(self, Workspace work, ListMemoryC* list) noexcept nogil:
        while list.next != NO_SLOT:
            self.engine.go_on(list)
            self.engine.refresh(<EasyMemory>work.own)

    cdef int decode_with_chances(self, Workspace work, ListMemoryC* list, int32_t n) except -1 nogil:
        """One sentence alone, with the scores of all actions of all pairs, which the agenda turns into
        probabilities."""
        cdef ListC* s = list.s
        cdef ResultC* out = &list.out
        cdef int32_t head, dep, left, i
        work.agenda.start(s)
        self.score_all(work, list)
        for i in range(n):          # what is never decided is certain
            out.arcs[i] = out.labelled[i] = 1
        left = s.leftmost
        while links(s)[left].right >= 0:
            self.enter(work, list, left)
            left = links(s)[left].right
        while not self.finishes(s):
            self.keep_chances(work, s, out)
            self.attach(list, self.engine.choose(list, s), &head, &dep)
            work.agenda.place(CandidateC(-1, -1, 0), dep - PADS)
            if links(s)[head - PADS].right < 0:
                work.agenda.place(CandidateC(-1, -1, 0), head - PADS)
            self.engine.attached(list, head, dep)
            self.engine.refresh(<EasyMemory>work.own)
            for i in range(list.n_pairs):
                self.enter(work, list, list.pairs[i] - PADS)
        self.system.finish(s, out.heads, out.labels)
        (<EasyMemory>work.own).leave(0)
        return 0

    cdef void attach(self, ListMemoryC* list, int32_t left, int32_t* head, int32_t* dep) noexcept nogil:
        """Makes the best attachment of a pair; gives the slots of the two."""
        cdef int32_t action = self.engine.actions[list.pick[left]], right = list.element[left].right
        cdef bint to_left = action >= self.n_labels
        head[0], dep[0] = (left, right) if to_left else (right, left)
        self.system.apply(list.s, head[0] - PADS, dep[0] - PADS, action - self.n_labels if to_left else action)

    cdef int enter(self, Workspace work, ListMemoryC* list, int32_t left) noexcept nogil:
        """Gives the agenda the scores of a pair, if it can be attached."""
        cdef const ListC* s = list.s
        if self.engine.is_legal(list, s, left + PADS):
            self.engine.all_scores(list, s, left + PADS)
            self.spread(list.m.scores, work.agenda.scores_of(left))
        work.agenda.enter(s, left)
        return 0

    cdef void spread(self, const int32_t* sums, float* out) noexcept nogil:
        """Scores of all actions, in the measure of the weights."""
        cdef int32_t column
        memset(out, 0, self.n_actions * sizeof(float))
        for column in range(self.engine.n_columns):
            out[self.engine.actions[column]] = <float>(sums[column] * self.unit)

    cdef void rescore(self, Workspace work, const ListC* s, const feat_t* words) noexcept nogil:
        """The plain way, template by template: for judging and explaining, and what the engine is compared with."""
        cdef int32_t left = work.agenda.next_stale(s, words)
        while left >= 0:
            self.sum_up(work, left)
            self.spread((<ListMemoryC*>work.own_c).m.found, work.agenda.scores_of(left))
            work.agenda.enter(s, left)
            left = work.agenda.next_stale(s, words)

    cdef void sum_up(self, Workspace work, int32_t left) noexcept nogil:
        """Adds up the rows of a pair's features."""
        cdef MemoryC* m = (<ListMemoryC*>work.own_c).m
        cdef const feat_t* feats = work.agenda.feats_of(left)
        cdef int32_t i
        cdef uint32_t row
        memset(m.found, 0, self.engine.n_columns * sizeof(int32_t))
        for i in range(work.agenda.pairs[left].n_feats):
            row = find_row(&self.engine.rows_of, feats[i])
            if row:
                add_table_row(&self.engine.rows_of, row, m.found)

    def differences(self, rows, Workspace work not None):
        """Parses a sentence (rows of an Atomizer) both ways at once; gives (pairs compared, differences): for tests.

        In every state the sums of all columns of all pairs are compared, those of the best, and what is chosen. work:
        of a session of this parser.
        """
        cdef const feat_t[:, ::1] values = rows
        cdef EasyMemory memory = work.own
        cdef ListMemoryC* list
        cdef int32_t n = <int32_t>values.shape[0] - 2, i, left, head, dep, chosen, pairs = 0
        cdef CandidateC best
        cdef ListC* s
        wrong = []
        for _again in range(2):         # the second time everything is remembered
            memory.leave_all()
            list = memory.begin(n)
            for i in range(1, n + 1):
                list.of_word[i] = self.engine.record_of(list, &values[i + 1, 0])
            self.begin_list(work, list, n)
            s = list.s
            work.agenda.start(s)
            self.score_all(work, list)
            while not self.system.is_final(s):
                self.rescore(work, s, &values[1, 0])
                left = s.leftmost
                while links(s)[left].right >= 0:
                    if self.engine.is_legal(list, s, left + PADS):
                        wrong += self.pair_differences(work, left)
                        pairs += 1
                    left = links(s)[left].right
                best, chosen = work.agenda.best[1], self.engine.choose(list, s)
                if best.left != chosen - PADS or best.action != self.engine.actions[list.pick[chosen]]:
                    wrong.append((s.length, "choice", best.left, best.action))
                    break
                self.attach(list, chosen, &head, &dep)
                work.agenda.place(CandidateC(-1, -1, 0), dep - PADS)
                for i in range(n + 1):      # features of all pairs anew
                    work.agenda.touch(i, 1)
                self.engine.attached(list, head, dep)
                self.engine.refresh(memory)
        memory.leave_all()
        return pairs, wrong

    def pair_differences(self, Workspace work, int32_t left):
        """What is wrong with one pair of the first lane."""
        cdef ListMemoryC* list = (<EasyMemory>work.own).busy[0]
        cdef const ListC* s = list.s
        cdef int32_t column, n = self.engine.n_columns, top = list.top[left + PADS], action
        cdef CandidateC best = work.agenda.best[work.agenda.leaves + left]
        self.sum_up(work, left)
        plain = np.array([list.m.found[column] for column in range(n)])
        self.engine.all_scores(list, s, left + PADS)
        wrong = [(s.length, left, self.engine.actions[column], plain[column], list.m.scores[column])
                 for column in range(n) if plain[column] != list.m.scores[column]]
        of_action = {self.engine.actions[column]: plain[column] for column in range(n)}
        if list.pick[left + PADS] >= 0:
            action = self.engine.actions[list.pick[left + PADS]]
            if action != best.action or top != of_action[action]:
                wrong.append((s.length, left, "best", best.action, action, top))
        elif top < of_action[best.action]:
            wrong.append((s.length, left, "bound", best.action, top))
        return wrong
