"""Easy-first: the best of all attachments anywhere in the sentence, one after the other."""

from libc.stdint cimport int32_t, int64_t

from parser.common cimport Rng, feat_t, label_t
from parser.feature.extract cimport Extractor
from parser.learn.learner cimport Learner
from parser.search.agenda cimport Agenda, CandidateC
from parser.search.base cimport ResultC, SentenceParser
from parser.search.corpus cimport ExampleC
from parser.search.explore cimport ExplorationC
from parser.search.workspace cimport Workspace
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldC
from parser.transition.list_state cimport ListC


cdef class EasyTrainer:
    cdef readonly EasyFirst system
    cdef readonly Extractor extractor
    cdef readonly Learner learner
    cdef readonly object options
    cdef public int64_t states          # visited, one for every update in the same configuration
    cdef public int64_t forced          # always 0: here even the last attachment has two directions or several labels
    cdef public int64_t errors          # states where the best-scoring attachment was not correct
    cdef Agenda agenda
    cdef Workspace work
    cdef ExplorationC exploration
    cdef bint incomplete                # Goldberg & Elhadad's oracle instead of the dynamic one
    cdef bint logistic

    cdef int train_one(self, const ExampleC* example, int32_t iteration, Rng* rng) except -1 nogil
    cdef void rescore(self, const ListC* s, const feat_t* words) noexcept nogil
    cdef int learn_from(self, const ListC* s, CandidateC right, CandidateC wrong) except -1 nogil
    cdef int step(self, ListC* s, GoldC* g, int32_t attempts, int32_t iteration, Rng* rng) except -1 nogil
    cdef int step_logistic(self, ListC* s, GoldC* g, int32_t iteration, Rng* rng) except -1 nogil


cdef class EasyParser(SentenceParser):
    cdef readonly EasyFirst system
    cdef readonly label_t under_root    # the label of all words under ROOT; -1: they may have any

    cdef bint finishes(self, ListC* s) noexcept nogil
    cdef bint is_known(self, const ListC* s) noexcept nogil
    cdef void rescore(self, Workspace work, const ListC* s, const feat_t* words) noexcept nogil
    cdef ListC* begin(self, Workspace work, int32_t n) except NULL nogil
    cdef void keep_chances(self, Workspace work, const ListC* s, ResultC* out) noexcept nogil
    cdef bint is_forced(self, const ListC* s) noexcept nogil
