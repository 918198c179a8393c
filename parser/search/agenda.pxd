"""Easy-first's candidates: features and scores of all pairs of neighbours in a list, and the best of them.

An attachment changes what the six pairs around it look like, so only these are looked at again; the best pair is found
through a tree of winners. Per sentence of n words that is O(n log n) beside the scoring.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t

from parser.common cimport feat_t, label_t
from parser.feature.extract cimport Extractor
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldC
from parser.transition.list_state cimport ListC, links


cdef struct CandidateC:         # an attachment of two neighbours
    int32_t left                # the left word of the pair; -1: no candidate
    int32_t action              # the label for LEFT, n_labels + label for RIGHT
    float score


cdef struct PairC:              # all that is known of a pair, addressed by its left word
    int32_t n_feats
    uint8_t stale               # STALE_FEATURES, STALE_SCORES
    uint8_t summed              # the sides that were legal when log_sum was found; 0: it has not been
    double log_sum              # log of the sum of exp(score) over what is legal


cdef class Agenda:
    cdef EasyFirst system
    cdef Extractor extractor
    cdef int32_t n_actions
    cdef char* memory               # owns the arrays below
    cdef size_t bytes
    cdef feat_t* feats              # [word][max_features]
    cdef float* scores              # [word][n_actions]
    cdef CandidateC* best           # [leaves + word] of a pair; [i] the better of [2i] and [2i + 1], so [1] of all
    cdef PairC* pairs               # [word]
    cdef int32_t* dirty             # pairs to be looked at again
    cdef int32_t n_dirty
    cdef int32_t leaves             # a power of two above n
    cdef uint8_t* mask              # [n_actions]; owned
    cdef float* chances             # [n_actions]; owned

    cdef int prepare(self, EasyFirst system, Extractor extractor, int32_t n_actions) except -1
    cdef int start(self, const ListC* s) except -1 nogil
    # The next pair that must be scored again, its features up to date; -1: none is left, best[1] can be used.
    cdef int32_t next_stale(self, const ListC* s, const feat_t* words) noexcept nogil
    cdef void enter(self, const ListC* s, int32_t left) noexcept nogil     # after its scores were computed
    cdef void forget_scores(self, const ListC* s) noexcept nogil
    cdef void take(self, ListC* s, CandidateC choice) noexcept nogil
    cdef CandidateC best_correct(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil
    cdef CandidateC best_wrong(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil
    # Of the features of two candidates, those that both have under the same action cancel out.
    cdef int32_t distance(self, CandidateC one, CandidateC other) noexcept nogil
    cdef bint is_correct(self, const ListC* s, const GoldC* g, CandidateC choice, bint incomplete) noexcept nogil
    # Log of the sum of exp(score) over the candidates, or over the correct ones if g is not NULL.
    cdef double log_total(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil
    # Sum of exp(score - top) over the same candidates.
    cdef double total_below(self, const ListC* s, const GoldC* g, bint incomplete, double top) noexcept nogil
    # Probabilities of the candidates of one pair; log_total of all the same kind of candidates.
    cdef void pair_chances(self, const ListC* s, const GoldC* g, bint incomplete, int32_t left, double log_total,
                           float* out) noexcept nogil

    cdef void touch(self, int32_t left, uint8_t what) noexcept nogil
    cdef void place(self, CandidateC candidate, int32_t left) noexcept nogil
    # Bit 0: the left word may get the right one as its head; bit 1: the other way round.
    cdef uint8_t legal_sides(self, const ListC* s, int32_t left) noexcept nogil
    # Log of the sum of exp(score) over what is legal of a pair; -INFINITY: nothing is.
    cdef double log_sum(self, const ListC* s, int32_t left) noexcept nogil
    cdef bint mask_pair(self, const ListC* s, const GoldC* g, bint incomplete, int32_t left) noexcept nogil
    cdef void mask_labels(self, const GoldC* g, int32_t head, int32_t dep, uint8_t* mask) noexcept nogil

    cdef inline feat_t* feats_of(self, int32_t left) noexcept nogil:
        return self.feats + <size_t>left * self.extractor.max_features

    cdef inline float* scores_of(self, int32_t left) noexcept nogil:
        return self.scores + <size_t>left * self.n_actions

    cdef inline int32_t head_of(self, const ListC* s, CandidateC choice) noexcept nogil:
        return links(s)[choice.left].right if choice.action < self.system.n_labels else choice.left

    cdef inline int32_t dep_of(self, const ListC* s, CandidateC choice) noexcept nogil:
        return choice.left if choice.action < self.system.n_labels else links(s)[choice.left].right

    cdef inline label_t label_of(self, CandidateC choice) noexcept nogil:
        return choice.action % self.system.n_labels
