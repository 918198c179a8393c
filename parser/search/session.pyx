"""Parsing from Python: batches, corpora, single sentences. One session per thread; the parser is shared."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np

from parser.common cimport feat_t
from parser.feature.atoms cimport N_COLUMNS, Atomizer, atoms_length
from parser.feature.strings cimport Words, cells_of
from parser.score.reliability cimport Reliability
from parser.score.keymap cimport PREFETCH
from parser.search.base cimport DecisionC, ResultC, SentenceParser
from parser.search.corpus cimport Corpus, ExampleC
from parser.search.room cimport Room
from parser.search.workspace cimport Workspace
from parser.transition.gold cimport GoldProblem
from parser.treebank.batch cimport Batch, CellC
from parser.treebank.pseudo_restore cimport Restorer

from typing import NamedTuple

from parser.search.greedy import PROBLEMS

cdef enum:
    FETCHED_AHEAD = 4       # what a corpus says of its sentences, so many of them,
    FETCHED_WORDS = 32      # and keys of words, so many of the next one's


class Parses(NamedTuple):
    """Trees, one number a word: heads (0 ROOT), label ids, and where asked for the probabilities of arcs.

    arcs: of the word's head, whatever the label; labelled: of head and label. Each as the model saw it in the state
    where the arc was made, given all decisions before; 1 where there was no choice. With a Reliability, how often such
    an arc is right. None if not asked for.
    """

    heads: np.ndarray
    labels: np.ndarray
    arcs: np.ndarray | None
    labelled: np.ndarray | None


class Decisions(NamedTuple):
    """For each state met in parsing a corpus: probability of the best action, has it cost 0, was it the only one."""

    p: np.ndarray
    correct: np.ndarray
    forced: np.ndarray


cdef class Session:
    """Working memory for parsing with one parser in one thread."""
    cdef readonly SentenceParser parser
    cdef readonly Workspace work
    cdef readonly Reliability reliability
    cdef Atomizer atomizer
    cdef feat_t* values         # of the sentence at hand; owned
    cdef size_t room
    cdef Room single            # for sentences that are in no batch

    def __cinit__(self):
        self.values = NULL
        self.room = 0

    def __init__(self, SentenceParser parser not None, clusters=None, Reliability reliability=None):
        """reliability: what makes the model's probabilities of arcs shares of right ones; None: they stay."""
        self.parser, self.reliability = parser, reliability
        self.work = Workspace()
        parser.prepare(self.work)
        self.atomizer = Atomizer(parser.extractor.plan, clusters)
        self.single = Room()

    def __dealloc__(self):
        free(self.values)

    cdef int reserve(self, int32_t n) except -1 nogil:
        cdef size_t wanted = atoms_length(self.parser.extractor.stride, n)
        cdef void* grown
        if wanted > self.room:
            grown = realloc(self.values, 2 * wanted * sizeof(feat_t))
            if grown == NULL:
                with gil:
                    raise MemoryError(f"no memory for a sentence of {n} words")
            self.values = <feat_t*>grown
            self.room = 2 * wanted
        return 0

    def parse_batch(self, Batch batch not None, bint scores=False):
        """Trees of all sentences of a batch, without the GIL."""
        found = empty_parses(batch.c.n_words, scores)
        cdef ResultC all_words = result_of(found, batch.c.n_words), out
        cdef uint32_t k, first
        cdef int32_t n
        self.atomizer.begin(batch)
        with nogil:
            self.parser.start(self.work)
            for k in range(batch.c.n_sentences):
                first = batch.c.sentences[k].first_word
                n = <int32_t>(batch.c.sentences[k + 1].first_word - first)
                self.reserve(n)
                self.single.reserve(n)
                self.atomizer.gather(batch, k, self.single.cells)
                out = result_at(&all_words, first)
                self.parser.put_cells(self.work, self.atomizer, self.single.cells, n, self.values, &out)
            self.parser.finish(self.work)
            self.correct(&all_words, 0, batch.c.n_words)
        return found

    def parse_corpus(self, Corpus corpus not None, bint scores=False):
        """Trees of all sentences of a corpus made with the parser's extractor."""
        self.check(corpus)
        found = empty_parses(corpus.n_words, scores)
        cdef ResultC all_words = result_of(found, corpus.n_words), out
        cdef const ExampleC* example
        cdef int64_t first = 0
        cdef int32_t i, k
        with nogil:
            self.parser.start(self.work)
            for k in range(corpus.n):
                out = result_at(&all_words, first)
                example = &corpus.examples[k]
                PREFETCH(example + FETCHED_AHEAD)       # which may be behind the last: that is not read
                if k + 1 < corpus.n:    # the next sentence's are on their way
                    for i in range(0, min(example[1].n, <int32_t>FETCHED_WORDS), 8):
                        PREFETCH(example[1].keys + i)
                self.parser.put_example(self.work, example.words, example.keys, example.n, &out)
                first += example.n
            self.parser.finish(self.work)
            self.correct(&all_words, 0, corpus.n_words)
        return found

    def parse(self, columns, bint scores=False):
        """The tree of one sentence given as lists of strings by column: {"form": [...], "upos": [...], ...}."""
        rows = self.atomizer.sentence(columns)
        cdef int32_t n = <int32_t>len(rows) - 2
        found = empty_parses(n, scores)
        cdef ResultC out = result_of(found, n)
        cdef const feat_t* words = words_of(rows)
        if n > 0:
            with nogil:
                self.parser.parse_one(self.work, words, n, &out)
                self.correct(&out, 0, n)
        return found

    def parse_strings(self, tuple columns not None, Restorer restorer not None, bint scores=False):
        """The tree of one sentence as lists: heads, label ids, probabilities of arcs, of labelled arcs (or None).

        columns: form, lemma, upos, xpos, feats, each a list or tuple of str of one length, or None.
        """
        forms = columns[0]
        cdef int32_t n = <int32_t>len(forms), column, i
        cdef ResultC* tree = &self.single.tree
        cdef ResultC out
        self.single.reserve(n)
        for column in range(N_COLUMNS):
            cells_of(columns[column], column, n, self.single.cells)
        if n > 0:
            self.atomizer.begin_cells()
            out = tree[0]
            if not scores:
                out.arcs = out.labelled = NULL
            with nogil:
                self.parse_cells(self.single.cells, n, restorer, &out)
        heads = [tree.heads[i] for i in range(n)]
        labels = [tree.labels[i] for i in range(n)]
        if not scores:
            return heads, labels, None, None
        return heads, labels, [tree.arcs[i] for i in range(n)], [tree.labelled[i] for i in range(n)]

    def parse_columns(self, Words words not None, int64_t first, int64_t end, parses, Restorer restorer not None):
        """Trees of sentences `first` to `end`, without the GIL, into arrays for all words (a Parses)."""
        if not 0 <= first <= end <= words.n_sentences:
            raise IndexError(f"sentences {first} to {end} of {words.n_sentences}")
        cdef ResultC all_words = result_of(parses, words.n_words), out
        cdef int64_t k, start, after, first_place = words.place(first)
        cdef int32_t n
        self.atomizer.begin_cells()
        with nogil:
            self.parser.start(self.work)
            after = first_place
            for k in range(first, end):
                start, after = after, words.end_of(k)
                n = <int32_t>(after - start)
                if n > 0:
                    self.reserve(n)
                    self.single.reserve(n)
                    words.gather(words.first + start, n, self.single.cells)
                    out = result_at(&all_words, start)
                    self.parser.put_cells(self.work, self.atomizer, self.single.cells, n, self.values, &out)
            self.parser.finish(self.work)
            self.correct(&all_words, first_place, after)
            after = first_place
            for k in range(first, end if restores(restorer) else first):
                start, after = after, words.end_of(k)
                n = <int32_t>(after - start)
                if n > 0:
                    restorer.restore(all_words.heads + start, all_words.labels + start, n, self.single.scratch)

    cdef int parse_cells(self, const CellC* cells, int32_t n, Restorer restorer, ResultC* out) except -1 nogil:
        """Parses a sentence and gives its words their heads and labels in the treebank's own terms."""
        self.reserve(n)
        self.parser.parse_cells(self.work, self.atomizer, cells, n, self.values, out)
        self.correct(out, 0, n)
        if restores(restorer):
            restorer.restore(out.heads, out.labels, n, self.single.scratch)
        return 0

    cdef void correct(self, const ResultC* words, int64_t first, int64_t end) noexcept nogil:
        """The probabilities, where they are asked for, of words `first` to `end`."""
        if words.arcs != NULL and self.reliability is not None:
            self.reliability.apply(words.arcs + first, words.labelled + first, end - first)

    def trace(self, columns):
        """The steps of parsing one sentence, each a dict: state, legal actions, scores, probabilities, features."""
        rows = self.atomizer.sentence(columns)
        if len(rows) == 2:
            return []
        return self.parser.trace_one(self.work, words_of(rows), <int32_t>len(rows) - 2)

    def judge(self, Corpus corpus not None, sentences=None):
        """Parses sentences of a corpus (by number; all by default) and compares each decision with the dynamic
        oracle's (Goldberg 2013, table 4)."""
        self.check(corpus)
        chosen = np.arange(corpus.n, dtype=np.int32) if sentences is None else np.asarray(sentences, np.int32)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < corpus.n:
            raise IndexError(f"sentences {chosen.min()} to {chosen.max()} of a corpus of {corpus.n}")
        cdef const int32_t[::1] numbers = chosen
        cdef int64_t room = 2 * corpus.n_words + 2 * corpus.n, total = 0
        cdef int32_t k, problem = 0
        cdef DecisionC* decisions = <DecisionC*>malloc(room * sizeof(DecisionC) + 1)
        if decisions == NULL:
            raise MemoryError(f"no memory for {room} decisions")
        try:
            with nogil:
                for k in range(<int32_t>numbers.shape[0]):
                    problem = self.judge_one(&corpus.examples[numbers[k]], decisions + total, &total)
                    if problem != GoldProblem.GOLD_OK:
                        break
            if problem != GoldProblem.GOLD_OK:
                raise ValueError(f"sentence {numbers[k]}: {PROBLEMS[problem]}")
            return Decisions(np.array([decisions[k].p for k in range(<int32_t>total)], np.float32),
                             np.array([decisions[k].correct for k in range(<int32_t>total)], bool),
                             np.array([decisions[k].forced for k in range(<int32_t>total)], bool))
        finally:
            free(decisions)

    cdef int judge_one(self, const ExampleC* example, DecisionC* out, int64_t* total) except -1 nogil:
        cdef int problem = self.work.gold.fill(example.heads, example.labels, example.n, self.parser.single_root)
        if problem == GoldProblem.GOLD_OK:
            total[0] += self.parser.judge_one(self.work, example.words, example.n, out)
        return problem

    cdef int check(self, Corpus corpus) except -1:
        if corpus.extractor is not self.parser.extractor:
            raise ValueError("the corpus was made with another extractor")
        return 0


cdef inline bint restores(Restorer restorer) noexcept nogil:
    """Are there trees that were not projective?"""
    return restorer.has_lifted or restorer.has_paths


def empty_parses(n_words, scores):
    heads, labels = np.empty(n_words, np.int32), np.empty(n_words, np.int32)
    if not scores:
        return Parses(heads, labels, None, None)
    return Parses(heads, labels, np.empty(n_words, np.float32), np.empty(n_words, np.float32))


cdef ResultC result_of(parses, int64_t n_words) except *:
    """Where the numbers of the first word go."""
    cdef int32_t[::1] heads, labels
    cdef float[::1] arcs, labelled
    cdef ResultC out = ResultC(NULL, NULL, NULL, NULL)
    if n_words == 0:
        return out
    heads, labels = parses.heads, parses.labels
    out.heads, out.labels = &heads[0], &labels[0]
    if parses.arcs is not None:
        arcs, labelled = parses.arcs, parses.labelled
        out.arcs, out.labelled = &arcs[0], &labelled[0]
    return out


cdef inline ResultC result_at(const ResultC* all_words, int64_t first) noexcept nogil:
    cdef ResultC out
    out.heads, out.labels = all_words.heads + first, all_words.labels + first
    out.arcs = all_words.arcs + first if all_words.arcs != NULL else NULL
    out.labelled = all_words.labelled + first if all_words.labelled != NULL else NULL
    return out


cdef const feat_t* words_of(rows) except? NULL:
    """The row of ROOT."""
    cdef const feat_t[:, ::1] view = rows
    return &view[1, 0] if rows.size else NULL
