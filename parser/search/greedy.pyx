"""Greedy training and parsing with a stack system.

    c <- initial; while c is not final: score the legal actions, take one.

In parsing the best one is taken; a state with one legal action is not even scored. In training the learner sees every
state together with its zero-cost actions, and the exploration policy decides what comes next.
"""

from cython cimport final
from libc.math cimport isfinite
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

import numpy as np

from parser.common cimport Rng, feat_t
from parser.feature.extract cimport Extractor
from parser.learn.learner cimport Learner
from parser.score.choose cimport argmax, sample, softmax, softmax_below
from parser.score.linear cimport LinearModel
from parser.search.base cimport DecisionC, ResultC, SentenceParser
from parser.search.corpus cimport NO_LABEL, Corpus, ExampleC, has_labels
from parser.search.explore cimport EXPLORE_SAMPLE, follows_error, random_member
from parser.search.masks cimport forced_action, mask_legal, mask_zero
from parser.search.rng cimport Random
from parser.search.workspace cimport Workspace
from parser.transition.gold cimport GoldC, GoldProblem
from parser.transition.state cimport N, StateC, buffer_length, nodes, stack
from parser.transition.system cimport LEFT, ArcC, StackSystem, action_id, action_label, action_move

from parser.search.options import FALLBACKS, KINDS, ORACLES, DivergedError


def fits(system, Extractor extractor not None, int32_t n_actions):
    """The stack system itself, of a handle (parser.transition.get_system) or given as it is."""
    core = getattr(system, "core", system)
    if not isinstance(core, StackSystem):
        raise ValueError(f"{core.name} is not a system with a stack: parser.search.easy is made for it")
    if extractor.for_lists:
        raise ValueError(f"feature set '{extractor.templates.name}' is made for easy-first, not for {core.name}")
    if core.n_actions != n_actions:
        raise ValueError(f"{core.name} with {core.n_labels} labels has {core.n_actions} actions, the weights are for "
                         f"{n_actions}")
    return core


@final
cdef class GreedyTrainer:
    def __init__(self, system, Extractor extractor not None, Learner learner not None, options):
        self.system = fits(system, extractor, learner.n_actions)
        self.extractor, self.learner, self.options = extractor, learner, options
        self.work = Workspace()
        self.work.prepare(self.system.n_actions, extractor.max_features)
        self.work.gold.c.label_weight = 1 if options.labelled else 0
        self.oracle = ORACLES.index(options.oracle)
        policy = options.exploration
        self.exploration.kind = KINDS.index(policy.kind)
        self.exploration.k, self.exploration.p = policy.k, policy.p
        self.exploration.random_fallback = FALLBACKS.index(policy.fallback) == 1
        self.states = self.forced = self.errors = 0
        self.path = NULL

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

    def train_path(self, Corpus corpus not None, int32_t k, int32_t iteration, Random rng not None):
        """Trains on sentence k and gives the actions taken, forced ones included: for tests and people."""
        path = np.full(2 * corpus.length(k) + 2, -1, np.int32)
        cdef int32_t[::1] view = path
        self.path = &view[0]
        try:
            self.train_sentence(corpus, k, iteration, rng)
        finally:
            self.path = NULL
        return path[path >= 0].tolist()

    cdef int train_one(self, const ExampleC* example, int32_t iteration, Rng* rng) except -1 nogil:
        cdef GoldC* g = &self.work.gold.c
        cdef StateC* s
        cdef uint32_t moves
        cdef int32_t action, problem, count = 0
        if g.label_weight > 0 and not has_labels(example):
            return NO_LABEL
        problem = self.work.gold.fill(example.heads, example.labels, example.n, self.system.single_root)
        if problem != GoldProblem.GOLD_OK:
            return problem
        self.work.states.reserve(1, example.n)
        s = self.work.states.at(0)
        self.system.init(s, example.n)
        moves = self.system.legal(s)
        while moves != 0:
            self.states += 1
            action = forced_action(self.system, s, moves, -1)
            if action >= 0:             # nothing to learn, but a state like any other in averages
                self.forced += 1
                self.learner.tick()
            else:
                mask_legal(self.system, s, moves, self.work.legal)
                self.mask_correct(s, g)
                action = self.learn_state(s, example.words, iteration, rng)
            self.system.apply(s, action_move(self.system, action), action_label(self.system, action))
            if self.path != NULL:
                self.path[count] = action
                count += 1
            moves = self.system.legal(s)
        return GoldProblem.GOLD_OK

    cdef int mask_correct(self, const StateC* s, GoldC* g) except -1 nogil:
        """One action for the static oracle (Goldberg & Nivre 2012, algorithm 2), else all of cost 0 (algorithm 3)."""
        cdef int32_t action
        if self.oracle != STATIC:
            return mask_zero(self.system, s, g, self.work.zero)
        memset(self.work.zero, 0, self.system.n_actions)
        action = self.system.static_action(s, g)
        self.work.zero[action] = 1
        return 0

    cdef int32_t learn_state(self, const StateC* s, const feat_t* words, int32_t iteration, Rng* rng) except -1 nogil:
        """Scores, learns, and gives the next action. Sampling uses the scores of before the update."""
        cdef int32_t n = self.extractor.extract(s, words, self.work.feats)
        self.learner.score(self.work.feats, n, self.work.legal, self.work.scores)
        cdef int32_t predicted = argmax(self.work.scores, self.work.legal, self.work.n_actions)
        cdef int32_t oracle = argmax(self.work.scores, self.work.zero, self.work.n_actions)
        if oracle < 0:
            with gil:
                raise AssertionError("a state of training without a zero-cost action")
        self.errors += not self.work.zero[predicted]
        cdef int32_t action = self.next_action(predicted, oracle, iteration, rng)
        if action < 0 or not isfinite(self.work.scores[predicted]):     # from such scores none can be drawn
            with gil:
                raise DivergedError
        self.learner.learn(self.work.feats, n, self.work.legal, self.work.zero, self.work.scores, predicted, oracle)
        return action

    cdef int32_t next_action(self, int32_t predicted, int32_t oracle, int32_t iteration, Rng* rng) noexcept nogil:
        if self.exploration.kind == EXPLORE_SAMPLE:     # Goldberg 2013, algorithm 3, lines 5 to 7
            if iteration <= self.exploration.k:
                return oracle
            softmax_below(self.work.scores, self.work.legal, predicted, self.work.n_actions, self.work.chances)
            return sample(self.work.chances, self.work.n_actions, rng)
        if self.work.zero[predicted] or follows_error(&self.exploration, iteration, rng):
            return predicted
        return random_member(self.work.zero, self.work.n_actions, rng) if self.exploration.random_fallback else oracle


cdef class GreedyParser(SentenceParser):
    def __init__(self, system, Extractor extractor not None, LinearModel model not None, label_t under_root=-1):
        """under_root: the label of all words under ROOT, which is given without a look where no other move is legal."""
        self.system = fits(system, extractor, model.n_actions)
        self.extractor, self.model, self.under_root = extractor, model, under_root
        self.single_root, self.n_labels = self.system.single_root, self.system.n_labels

    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
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
            action = forced_action(self.system, s, moves, self.under_root)
            if action < 0:
                action = self.choose(work, s, words, moves)
                if out.arcs != NULL:
                    self.keep_chances(work, s, action, out)
            self.system.apply(s, action_move(self.system, action), action_label(self.system, action))
            moves = self.system.legal(s)
        self.system.finish(s, out.heads, out.labels)
        return 0

    cdef int32_t choose(self, Workspace work, const StateC* s, const feat_t* words, uint32_t moves) noexcept nogil:
        cdef int32_t n = self.extractor.extract(s, words, work.feats)
        self.model.score(work.feats, n, work.scores)
        mask_legal(self.system, s, moves, work.legal)
        return argmax(work.scores, work.legal, work.n_actions)

    cdef void keep_chances(self, Workspace work, const StateC* s, int32_t action, ResultC* out) noexcept nogil:
        """The probability of the arc is that of its move: of all its labels together."""
        cdef int32_t a, move = action_move(self.system, action)
        cdef ArcC arc
        cdef double total = 0
        if move < LEFT:
            return
        softmax(work.scores, work.legal, work.n_actions, work.chances)
        arc = self.system.arc(s, move)
        for a in range(action_id(self.system, move, 0), action_id(self.system, move, self.system.n_labels)):
            total += work.chances[a]
        out.arcs[arc.dep - 1] = <float>min(total, 1.0)
        out.labelled[arc.dep - 1] = work.chances[action]

    cdef int32_t judge_one(self, Workspace work, const feat_t* words, int32_t n, DecisionC* out) except -1 nogil:
        cdef int32_t action, count = 0
        cdef uint32_t moves
        cdef StateC* s
        work.states.reserve(1, n)
        s = work.states.at(0)
        self.system.init(s, n)
        moves = self.system.legal(s)
        while moves != 0:
            action = self.choose(work, s, words, moves)
            mask_zero(self.system, s, &work.gold.c, work.zero)
            softmax(work.scores, work.legal, work.n_actions, work.chances)
            # what the scores say of ROOT's label is judged, too, known or not
            out[count] = DecisionC(work.chances[action], work.zero[action],
                                   forced_action(self.system, s, moves, -1) >= 0)
            count += 1
            self.system.apply(s, action_move(self.system, action), action_label(self.system, action))
            moves = self.system.legal(s)
        return count

    cdef list trace_one(self, Workspace work, const feat_t* words, int32_t n):
        cdef int32_t action, a
        cdef uint32_t moves
        cdef StateC* s
        steps = []
        work.states.reserve(1, n)
        s = work.states.at(0)
        self.system.init(s, n)
        moves = self.system.legal(s)
        while moves != 0:
            action = self.choose(work, s, words, moves)
            softmax(work.scores, work.legal, work.n_actions, work.chances)
            steps.append({
                "stack": [stack(s)[i] for i in range(s.depth)],
                "buffer": [N(s, i) for i in range(buffer_length(s))],
                "heads": [nodes(s)[i].head for i in range(1, n + 1)],
                "labels": [nodes(s)[i].label for i in range(1, n + 1)],
                "action": action,
                "forced": forced_action(self.system, s, moves, self.under_root) >= 0,
                "legal": [a for a in range(work.n_actions) if work.legal[a]],
                "scores": [work.scores[a] for a in range(work.n_actions) if work.legal[a]],
                "probabilities": [work.chances[a] for a in range(work.n_actions) if work.legal[a]],
                "features": [work.feats[i] for i in range(self.extractor.extract(s, words, work.feats))],
            })
            self.system.apply(s, action_move(self.system, action), action_label(self.system, action))
            moves = self.system.legal(s)
        return steps


PROBLEMS = {
    <int>GoldProblem.GOLD_NO_TREE: "the heads are not a tree",
    <int>GoldProblem.GOLD_NONPROJECTIVE: "the tree is not projective",
    <int>GoldProblem.GOLD_SEVERAL_ROOTS: "several words have head 0, but the system builds trees with one root",
    <int>NO_LABEL: "a word's label is not among the corpus' labels",
}


def check_corpus(Corpus corpus not None, Extractor extractor not None, int32_t n_labels, const int32_t[::1] sentences):
    if corpus.extractor is not extractor:
        raise ValueError("the corpus was made with another extractor")
    if len(corpus.label_names) != n_labels:
        raise ValueError(f"the corpus has {len(corpus.label_names)} labels, the system {n_labels}")
    for i in range(sentences.shape[0]):
        if not 0 <= sentences[i] < corpus.n:
            raise IndexError(f"sentence {sentences[i]} of a corpus of {corpus.n}")
