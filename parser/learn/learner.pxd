"""The contract between search and learning. A learner sees fired features, masks over actions and scores: no stacks.

One state, from the side of the search:

    learner.score(feats, n, legal, scores)                 # training scores, of all actions if legal is NULL
    predicted = argmax(scores, legal), oracle = argmax(scores, zero)
    learner.learn(feats, n, legal, zero, scores, predicted, oracle)

`learn` is called for every visited state, right or wrong, and decides itself whether there is anything to learn; it
counts the state. Where several candidates compete in one state, each with features of its own (easy-first), the search
scores them one by one, asks `pace` how far to go, changes weights by `add` or `add_all`, and calls `tick` once.

Features fire with value 1; key 0 is skipped; the keys of one state differ. Masks are one byte per action, `zero` (the
zero-cost actions) lies within `legal` and is not empty. `score` remembers where it found the rows of the last features
it was given, so `learn` and `add` right after it find them without a search; any other order is correct too.
What it leaves as the score of an action that is not legal is some number that means nothing.

One thread at a time may use a learner. Parsing uses finished weights (parser.score.linear): any number may share them.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from parser.common cimport feat_t
from parser.score.spans cimport Spans
from parser.score.table cimport Fired, Row, RowTable


cdef class Learner:
    cdef readonly int32_t n_actions
    cdef readonly int64_t steps         # states visited so far
    cdef public int64_t updates         # states that changed weights; the caller may set it to 0 between epochs
    cdef public double loss             # summed loss of the states since the caller last set it to 0
    cdef readonly float margin          # by how much a right action must win; 0: it must only win
    cdef public int32_t min_updates     # rows changed fewer times neither score nor enter the final model
    cdef RowTable table
    cdef Fired fired

    cdef void score(self, const feat_t* feats, int32_t n, const uint8_t* legal, float* out) noexcept nogil
    # adds up the weights of the n features looked up last
    cdef void add_rows(self, int32_t n, const Spans* spans, float* out) noexcept nogil
    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil
    # How far to go where a right candidate is `gap` above a wrong one (below it: an error), 0: it is far enough above;
    # distance: the squared distance of their features, each counted under its action.
    cdef float pace(self, float gap, int32_t distance) noexcept nogil
    # one feature set, one action: w += delta (perceptron), or a gradient of delta (AdaGrad; ascent direction)
    cdef int add(self, const feat_t* feats, int32_t n, int32_t action, float delta) except -1 nogil
    # the same for all actions at once: delta[a] for action a, 0 where nothing is to be learned
    cdef int add_all(self, const feat_t* feats, int32_t n, const float* delta) except -1 nogil
    cdef void tick(self) noexcept nogil
    # the final weight of every entry of a row, as of now
    cdef void weights_of(self, Row* row, float* out) noexcept nogil

    cdef int prepare(self, int32_t n_actions, int32_t cold_bytes, int32_t dense_above, int32_t min_updates) except -1
    cdef int32_t final_row(self, uint64_t cell, float* weights) noexcept nogil
