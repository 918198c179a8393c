"""One action at a time, for the systems with a stack: training a sentence, and parsing one."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from parser.common cimport Rng, feat_t, label_t
from parser.feature.extract cimport Extractor
from parser.learn.learner cimport Learner
from parser.search.base cimport ResultC, SentenceParser
from parser.search.corpus cimport ExampleC
from parser.search.explore cimport ExplorationC
from parser.search.workspace cimport Workspace
from parser.transition.gold cimport GoldC
from parser.transition.state cimport StateC
from parser.transition.system cimport StackSystem

cdef enum:
    STATIC = 0
    NONDETERMINISTIC = 1
    DYNAMIC = 2


cdef class GreedyTrainer:
    cdef readonly StackSystem system
    cdef readonly Extractor extractor
    cdef readonly Learner learner
    cdef readonly object options
    cdef public int64_t states          # visited; the caller may set these counts to 0 between iterations
    cdef public int64_t forced          # of them, states with one legal action
    cdef public int64_t errors          # states where the best-scoring action had a cost
    cdef Workspace work
    cdef ExplorationC exploration
    cdef int32_t oracle
    cdef int32_t* path                  # where the actions of a sentence are noted, NULL: nowhere

    # Returns a GoldProblem or NO_LABEL; but for GOLD_OK the tree cannot be used, nothing was learned.
    cdef int train_one(self, const ExampleC* example, int32_t iteration, Rng* rng) except -1 nogil
    cdef int mask_correct(self, const StateC* s, GoldC* g) except -1 nogil
    cdef int32_t learn_state(self, const StateC* s, const feat_t* words, int32_t iteration, Rng* rng) except -1 nogil
    cdef int32_t next_action(self, int32_t predicted, int32_t oracle, int32_t iteration, Rng* rng) noexcept nogil


cdef class GreedyParser(SentenceParser):
    cdef readonly StackSystem system
    cdef readonly label_t under_root    # the label of all words under ROOT; -1: they may have any

    # Extracts, scores, masks; gives the best legal action.
    cdef int32_t choose(self, Workspace work, const StateC* s, const feat_t* words, uint32_t moves) noexcept nogil
    cdef void keep_chances(self, Workspace work, const StateC* s, int32_t action, ResultC* out) noexcept nogil
