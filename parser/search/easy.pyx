"""Training and parsing with easy-first (Goldberg & Elhadad 2010; with the dynamic oracle: Goldberg & Nivre 2013).

Scores are kept until an attachment near by or a change of weights. A learner whose weights shrink by themselves from
state to state (AdaGrad-RDA) is thus read as of the state in which a pair was last scored.
"""

from cython cimport final
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t

import numpy as np

from parser.common cimport Rng, feat_t, rng_unit
from parser.feature.extract cimport Extractor
from parser.learn.learner cimport Learner
from parser.score.linear cimport LinearModel
from parser.search.agenda cimport Agenda, CandidateC
from parser.search.base cimport DecisionC, ResultC, SentenceParser
from parser.search.corpus cimport NO_LABEL, Corpus, ExampleC, has_labels
from parser.search.explore cimport EXPLORE_SAMPLE, follows_error
from parser.search.rng cimport Random
from parser.search.workspace cimport Workspace
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldC, GoldProblem
from parser.transition.list_state cimport ListC, links, list_nodes

from parser.search.greedy import PROBLEMS, check_corpus
from parser.search.options import KINDS, DivergedError, OptionError

cdef enum:
    MOST_ATTEMPTS = 100     # updates in one configuration, before the correct attachment is made in spite of the model


def fits(system, Extractor extractor not None, int32_t n_actions):
    core = getattr(system, "core", system)
    if not isinstance(core, EasyFirst):
        raise ValueError(f"{core.name} is not easy-first: parser.search.greedy is made for it")
    if not extractor.for_lists:
        raise ValueError(f"feature set '{extractor.templates.name}' is made for systems with a stack, not easy-first")
    if 2 * core.n_labels != n_actions:
        raise ValueError(f"easy-first with {core.n_labels} labels has {2 * core.n_labels} actions a pair, the weights "
                         f"are for {n_actions}")
    return core


@final
cdef class EasyTrainer:
    def __init__(self, system, Extractor extractor not None, Learner learner not None, options):
        self.system = fits(system, extractor, learner.n_actions)
        self.extractor, self.learner, self.options = extractor, learner, options
        self.work, self.agenda = Workspace(), Agenda()
        self.work.prepare(learner.n_actions, extractor.max_features)
        self.agenda.prepare(self.system, extractor, learner.n_actions)
        self.work.gold.c.label_weight = 1 if options.labelled else 0
        self.incomplete = options.oracle == "static"
        self.logistic = options.update == "logistic"
        policy = options.exploration
        if policy.kind == "sample" and not self.logistic:
            raise OptionError("easy-first: exploration 'sample' needs update='logistic'")
        self.exploration.kind = KINDS.index(policy.kind)
        self.exploration.k, self.exploration.p = policy.k, policy.p
        self.states = self.forced = self.errors = 0

    def train_sentence(self, Corpus corpus not None, int32_t k, int32_t iteration, Random rng not None):
        """Trains on sentence k; iterations count from 1."""
        self.train(corpus, np.array([k], np.int32), iteration, rng)

    def train(self, Corpus corpus not None, order, int32_t iteration, Random rng not None):
        """Trains on the sentences named in `order` (int32), one after the other, without the GIL."""
        cdef const int32_t[::1] sentences = np.ascontiguousarray(order, np.int32)
        cdef Py_ssize_t i
        cdef int problem = 0
        check_corpus(corpus, self.extractor, self.system.n_labels, sentences)
        with nogil:
            for i in range(sentences.shape[0]):
                problem = self.train_one(&corpus.examples[sentences[i]], iteration, &rng.c)
                if problem != GoldProblem.GOLD_OK:
                    break
        if problem != GoldProblem.GOLD_OK:
            raise ValueError(f"sentence {sentences[i]}: {PROBLEMS[problem]}")

    cdef int train_one(self, const ExampleC* example, int32_t iteration, Rng* rng) except -1 nogil:
        cdef GoldC* g = &self.work.gold.c
        cdef int32_t attempts = 0, problem
        cdef ListC* s
        if g.label_weight > 0 and not has_labels(example):
            return NO_LABEL
        problem = self.work.gold.fill(example.heads, example.labels, example.n, self.system.single_root)
        if problem != GoldProblem.GOLD_OK:
            return problem
        self.work.lists.reserve(1, example.n)
        s = self.work.lists.at(0)
        self.system.init(s, example.n)
        self.agenda.start(s)
        while not self.system.is_final(s):
            self.states += 1
            self.rescore(s, example.words)
            if not isfinite(self.agenda.best[1].score):
                with gil:
                    raise DivergedError
            if self.logistic:
                self.step_logistic(s, g, iteration, rng)
            else:
                attempts = attempts + 1 if self.step(s, g, attempts, iteration, rng) else 0
            self.learner.tick()
        return GoldProblem.GOLD_OK

    cdef void rescore(self, const ListC* s, const feat_t* words) noexcept nogil:
        cdef int32_t left = self.agenda.next_stale(s, words)
        while left >= 0:
            self.learner.score(self.agenda.feats_of(left), self.agenda.pairs[left].n_feats, NULL,
                               self.agenda.scores_of(left))
            self.agenda.enter(s, left)
            left = self.agenda.next_stale(s, words)

    cdef int step(self, ListC* s, GoldC* g, int32_t attempts, int32_t iteration, Rng* rng) except -1 nogil:
        """A correct attachment is made; a wrong one is unlearned, and made only if exploring.

        1: nothing was made, the same configuration comes next (Goldberg & Nivre 2013, algorithm 3: NEXT of easy-first).
        """
        cdef CandidateC predicted = self.agenda.best[1], oracle
        if self.agenda.is_correct(s, g, predicted, self.incomplete):
            if self.learner.margin > 0:
                oracle = self.agenda.best_wrong(s, g, self.incomplete)
                if oracle.left >= 0:
                    self.learn_from(s, predicted, oracle)
            self.agenda.take(s, predicted)
            return 0
        self.errors += 1
        oracle = self.agenda.best_correct(s, g, self.incomplete)
        if oracle.left < 0:
            with gil:
                raise AssertionError("a state of training without a correct attachment")
        self.learn_from(s, oracle, predicted)
        if follows_error(&self.exploration, iteration, rng):
            self.agenda.take(s, predicted)
            return 0
        if attempts + 1 >= MOST_ATTEMPTS:
            self.agenda.take(s, oracle)
            return 0
        return 1

    cdef int learn_from(self, const ListC* s, CandidateC right, CandidateC wrong) except -1 nogil:
        """The right one has to be further above the wrong one."""
        cdef int64_t updates = self.learner.updates
        cdef float gap = right.score - wrong.score, pace = self.learner.pace(gap, self.agenda.distance(right, wrong))
        if pace == 0:
            return 0
        self.learner.add(self.agenda.feats_of(right.left), self.agenda.pairs[right.left].n_feats, right.action, pace)
        self.learner.add(self.agenda.feats_of(wrong.left), self.agenda.pairs[wrong.left].n_feats, wrong.action, -pace)
        self.learner.updates = updates + 1      # of one state, however a learner counts what `add` does
        self.learner.loss += self.learner.margin - gap
        self.agenda.forget_scores(s)
        return 0

    cdef int step_logistic(self, ListC* s, GoldC* g, int32_t iteration, Rng* rng) except -1 nogil:
        """All candidates of the state compete in one distribution (as the actions of a state in Goldberg 2013)."""
        cdef CandidateC predicted = self.agenda.best[1], choice
        cdef int32_t left = s.leftmost, a, n_actions = self.agenda.n_actions
        cdef bint is_correct = self.agenda.is_correct(s, g, predicted, self.incomplete)
        cdef int64_t updates = self.learner.updates
        cdef double log_all = self.agenda.log_total(s, NULL, False)
        cdef double log_correct = self.agenda.log_total(s, g, self.incomplete)
        cdef double point = 2
        if not isfinite(log_all - log_correct):     # from such numbers come gradients that are none
            with gil:
                raise DivergedError
        choice = self.agenda.best_correct(s, g, self.incomplete)
        if self.exploration.kind == EXPLORE_SAMPLE:
            if iteration > self.exploration.k:
                point = rng_unit(rng)
        elif is_correct or follows_error(&self.exploration, iteration, rng):
            choice = predicted
        self.errors += not is_correct
        while links(s)[left].right >= 0:
            self.agenda.pair_chances(s, NULL, False, left, log_all, self.work.chances)
            for a in range(n_actions):
                point -= self.work.chances[a]
                if point < 0:
                    choice, point = CandidateC(left, a, 0), 2
            self.agenda.pair_chances(s, g, self.incomplete, left, log_correct, self.work.scores)
            for a in range(n_actions):
                self.work.chances[a] = self.work.scores[a] - self.work.chances[a]
            self.learner.add_all(self.agenda.feats_of(left), self.agenda.pairs[left].n_feats, self.work.chances)
            left = links(s)[left].right
        self.learner.updates = min(self.learner.updates, updates + 1)   # of one state, not one for each pair
        self.learner.loss += log_all - log_correct
        self.agenda.forget_scores(s)
        self.agenda.take(s, choice)
        return 0


cdef class EasyParser(SentenceParser):
    def __init__(self, system, Extractor extractor not None, LinearModel model not None, label_t under_root=-1):
        """under_root: the label of all words under ROOT, which the last one gets without a look."""
        self.system = fits(system, extractor, model.n_actions)
        self.extractor, self.model, self.under_root = extractor, model, under_root
        self.single_root, self.n_labels = self.system.single_root, self.system.n_labels

    cdef int prepare(self, Workspace work) except -1:
        cdef Agenda agenda = Agenda()
        work.prepare(self.model.n_actions, self.extractor.max_features)
        agenda.prepare(self.system, self.extractor, self.model.n_actions)
        work.agenda = agenda
        return 0

    cdef void rescore(self, Workspace work, const ListC* s, const feat_t* words) noexcept nogil:
        cdef int32_t left = work.agenda.next_stale(s, words)
        while left >= 0:
            self.model.score(work.agenda.feats_of(left), work.agenda.pairs[left].n_feats, work.agenda.scores_of(left))
            work.agenda.enter(s, left)
            left = work.agenda.next_stale(s, words)

    cdef ListC* begin(self, Workspace work, int32_t n) except NULL nogil:
        cdef ListC* s
        work.lists.reserve(1, n)
        s = work.lists.at(0)
        self.system.init(s, n)
        work.agenda.start(s)
        return s

    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        cdef ListC* s = self.begin(work, n)
        cdef int32_t i
        if out.arcs != NULL:
            for i in range(n):      # what is never decided is certain
                out.arcs[i] = out.labelled[i] = 1
        while not self.finishes(s):
            self.rescore(work, s, words)
            if out.arcs != NULL:
                self.keep_chances(work, s, out)
            work.agenda.take(s, work.agenda.best[1])
        self.system.finish(s, out.heads, out.labels)
        return 0

    cdef bint finishes(self, ListC* s) noexcept nogil:
        """Is nothing left to be decided? A last word then gets its only head and label."""
        if self.is_known(s):
            self.system.apply(s, 0, links(s)[0].right, self.under_root)
        return self.system.is_final(s)

    cdef bint is_known(self, const ListC* s) noexcept nogil:
        """Is one word left under ROOT, and its label known?"""
        return self.under_root >= 0 and s.length == 2 and s.leftmost == 0

    cdef void keep_chances(self, Workspace work, const ListC* s, ResultC* out) noexcept nogil:
        """The arc's probability among all attachments of the state: of all its labels together."""
        cdef CandidateC best = work.agenda.best[1]
        cdef int32_t a, first = best.action - best.action % self.n_labels, dep = work.agenda.dep_of(s, best)
        cdef double total = 0
        work.agenda.pair_chances(s, NULL, False, best.left, work.agenda.log_total(s, NULL, False), work.chances)
        for a in range(first, first + self.n_labels):
            total += work.chances[a]
        out.arcs[dep - 1] = <float>min(total, 1.0)
        out.labelled[dep - 1] = work.chances[best.action]

    cdef int32_t judge_one(self, Workspace work, const feat_t* words, int32_t n, DecisionC* out) except -1 nogil:
        cdef ListC* s = self.begin(work, n)
        cdef CandidateC best
        cdef int32_t count = 0
        while not self.system.is_final(s):
            self.rescore(work, s, words)
            best = work.agenda.best[1]
            work.agenda.pair_chances(s, NULL, False, best.left, work.agenda.log_total(s, NULL, False), work.chances)
            out[count] = DecisionC(work.chances[best.action],
                                   work.agenda.is_correct(s, &work.gold.c, best, False), self.is_forced(s))
            count += 1
            work.agenda.take(s, best)
        return count

    cdef bint is_forced(self, const ListC* s) noexcept nogil:
        return s.length == 2 and s.leftmost == 0 and self.n_labels == 1

    cdef list trace_one(self, Workspace work, const feat_t* words, int32_t n):
        cdef ListC* s = self.begin(work, n)
        cdef CandidateC best
        cdef double log_all
        cdef int32_t i
        steps = []
        while not self.system.is_final(s):
            self.rescore(work, s, words)
            best = work.agenda.best[1]
            log_all = work.agenda.log_total(s, NULL, False)
            items, found = [], []
            i = s.leftmost
            while i >= 0:
                items.append(i)
                if links(s)[i].right >= 0:
                    work.agenda.pair_chances(s, NULL, False, i, log_all, work.chances)
                    found += [(i, a, work.agenda.scores_of(i)[a], work.chances[a]) for a in range(work.n_actions)
                              if work.chances[a] > 0]
                i = links(s)[i].right
            steps.append({
                "items": items,
                "heads": [list_nodes(s)[i].head for i in range(1, n + 1)],
                "labels": [list_nodes(s)[i].label for i in range(1, n + 1)],
                "pair": best.left,
                "action": best.action,
                "forced": bool(self.is_forced(s) or self.is_known(s)),
                "legal": [(i, a) for i, a, _, _ in found],
                "scores": [score for _, _, score, _ in found],
                "probabilities": [p for _, _, _, p in found],
                "features": [work.agenda.feats_of(best.left)[i] for i in range(work.agenda.pairs[best.left].n_feats)],
            })
            work.agenda.take(s, best)
        return steps
