"""Cost-sensitive one-against-all: for every action a regression of what it is worth, learned with the squared loss.

The learner under learning to search (Chang et al. 2015, who take it from Vowpal Wabbit). It regresses costs and
takes the action with the lowest; here scores are 1 - cost, so that the highest is best, an action that has never been
right needs no weights, and rows stay short. A state's target is 1 for its zero-cost actions and 0 for the other legal
ones; predictions are cut to that range before they are compared with it, as there to the range of costs.

Three rules tell what an example (features, target y, prediction p, gradient 2 (p - y)) changes:

    sgd         w += alpha t^-0.5 2 (y - p),    t = examples so far
    adaptive    every weight has a rate of its own, 1 / sqrt(sum of its squared gradients), the step goes as far as many
                small ones would (Duchi, Hazan & Singer 2011; Karampatziakis & Langford 2011; Ross et al. 2013)
    ftrl        FTRL-proximal without penalties (McMahan et al. 2013, algorithm 1, per coordinate)

An action enters a feature's row with its first example whose error is at least `birth`; smaller errors change only
weights that are there. Without that (birth = 0) every action that some feature makes look right gets weights for all
features of the state, and rows are dense (docs/learning.md has figures).

hot: w; cold: G, the sum of squared gradients (adaptive), z and n (ftrl), nothing (sgd).
"""

from cymem.cymem cimport Pool
from cython cimport final
from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from parser.common cimport feat_t
from parser.learn.stored cimport Stored
from parser.score.keymap cimport NO_ROW
from parser.score.table cimport Row


cdef extern from "parser/score/vector.h":
    float exp_of(float x) noexcept nogil

DENSE_ABOVE = 32
RULES = ("sgd", "adaptive", "ftrl")

cdef enum:
    SGD, ADAPTIVE, FTRL     # indices into RULES


@final
cdef class Regression(Stored):
    cdef readonly str rule
    cdef readonly float alpha
    cdef readonly float beta        # ftrl: what keeps the first steps short
    cdef readonly float birth       # errors that are smaller make no new weights
    cdef int32_t kind
    cdef int64_t examples           # pairs of a state and an action; t above
    cdef int64_t changes            # those with a gradient,
    cdef int64_t fired_in_changes   # and how many weights they changed together
    cdef Pool mem                   # owns the arrays below
    cdef int32_t room               # their length
    cdef float** w                  # of the example at hand: where the weights of its features are
    cdef float** cold

    def __init__(self, int32_t n_actions, *, str rule="adaptive", float alpha=0.5, float beta=0.1,
                 float birth=0, int32_t min_updates=0, int32_t dense_above=DENSE_ABOVE):
        if rule not in RULES:
            raise ValueError(f"rule: {rule!r}, expected one of {', '.join(RULES)}")
        self.rule, self.kind = rule, RULES.index(rule)
        for name, value, valid in (("alpha", alpha, alpha > 0), ("beta", beta, beta > 0), ("birth", birth, birth >= 0)):
            if not valid:
                raise ValueError(f"regression: {name} cannot be {value}")
        self.alpha, self.beta, self.birth = alpha, beta, birth
        self.mem = Pool()
        self.prepare(n_actions, 2 * sizeof(float) if self.kind == FTRL else sizeof(float), dense_above, min_updates)

    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil:
        cdef int32_t action
        cdef bint changed = False
        self.table.reserve(n)
        for action in range(self.n_actions):
            if legal[action]:
                changed |= self.regress(feats, n, action, scores[action], zero[action])
        if changed:
            self.count_updates(feats, n)
        self.tick()
        return 0

    cdef bint regress(self, const feat_t* feats, int32_t n, int32_t action, float score, float target) except -1 nogil:
        """One example; gives whether anything may have changed. Room for the features is reserved."""
        cdef float error = target - min(max(score, <float>0), <float>1)
        self.examples += 1
        self.loss += error * error
        return self.follow(feats, n, action, error)

    cdef bint follow(self, const feat_t* feats, int32_t n, int32_t action, float error) except -1 nogil:
        """Lessens an error by the rule; gives whether there were weights to change."""
        cdef float gradient = -2 * error
        cdef int32_t m
        if gradient * gradient == 0:    # or too small for a float: a rate would be 1 / 0
            return False
        m = self.gather(feats, n, action, fabs(error) >= self.birth)
        if m == 0:
            return False
        if self.kind == SGD:
            self.step(m, -self.alpha / sqrt(<double>self.examples) * gradient)
        elif self.kind == ADAPTIVE:
            self.step_adaptively(m, error, gradient)
        else:
            self.step_proximally(m, gradient)
        return True

    cdef int32_t gather(self, const feat_t* feats, int32_t n, int32_t action, bint make) except -1 nogil:
        """Where the weights of an action stand, and the cold numbers; without `make` of those that there are."""
        cdef int32_t i, k, m = 0
        cdef uint64_t cell
        cdef Row* row
        if n > self.room:
            with gil:
                self.make_room(n)
        for i in range(n):
            if feats[i] == 0:
                continue
            cell = self.table.claim(feats[i], i, &self.fired) if make else self.table.find(feats[i], i, &self.fired)
            k = (self.table.entry(cell, action) if make and not self.table.is_closed_to(cell)
                 else self.table.entry_of(cell, action))
            if k >= 0:
                row = self.table.row(cell)
                self.w[m] = self.table.hot(row) + k
                self.cold[m] = <float*>self.table.cold(row) + (2 * k if self.kind == FTRL else k)
                m += 1
        return m

    cdef int make_room(self, int32_t n) except -1:
        if self.room > 0:
            self.mem.free(self.w)
            self.mem.free(self.cold)
            self.room = 0
        self.w = <float**>self.mem.alloc(n, sizeof(float*))
        self.cold = <float**>self.mem.alloc(n, sizeof(float*))
        self.room = n
        return 0

    cdef int count_updates(self, const feat_t* feats, int32_t n) except -1 nogil:
        cdef int32_t i
        cdef uint64_t cell
        self.updates += 1
        for i in range(n):
            cell = self.table.find(feats[i], i, &self.fired)
            if feats[i] != 0 and self.table.map.cells[cell].value != NO_ROW:
                self.table.count_update(cell, self.table.row(cell))
        return 0

    # The rules, for the m weights gathered

    cdef void step(self, int32_t m, double change) noexcept nogil:
        cdef int32_t i
        for i in range(m):
            self.w[i][0] += change

    cdef void step_adaptively(self, int32_t m, float error, float gradient) noexcept nogil:
        """rate_i = 1 / sqrt(G_i); q: by how much the prediction grows for a step of 1; the step that an infinity of
        small ones leads to is error (1 - exp(-2 alpha q)) / q. Vowpal Wabbit also divides by the largest value that
        a feature has had (1 here), and by the root of the mean of the squared values in an example: scale."""
        cdef double rates = 0, scale, q, step
        cdef int32_t i
        self.changes += 1
        self.fired_in_changes += m
        for i in range(m):
            self.cold[i][0] += gradient * gradient
            rates += 1 / sqrt(<double>self.cold[i][0])
        scale = sqrt(<double>self.changes / self.fired_in_changes)
        q = scale * rates
        step = error * to_the_limit(2 * self.alpha * q) / q * scale
        for i in range(m):
            self.w[i][0] += step / sqrt(<double>self.cold[i][0])

    cdef void step_proximally(self, int32_t m, float gradient) noexcept nogil:
        """w = -z alpha / (beta + sqrt(n)), the minimum of all gradients so far and of the distance to all weights."""
        cdef int32_t i
        cdef float n
        cdef float* zn
        for i in range(m):
            zn = self.cold[i]
            n = zn[1] + gradient * gradient
            zn[0] += gradient - (sqrt(<double>n) - sqrt(<double>zn[1])) / self.alpha * self.w[i][0]
            zn[1] = n
            self.w[i][0] = -zn[0] * self.alpha / (self.beta + sqrt(<double>n))

    # One action at a time

    def fit(self, feats, int32_t action, float target):
        """One example of one action from Python, for tests; gives the prediction before it."""
        keys = np.ascontiguousarray(feats, np.uint64)
        cdef const feat_t[::1] keys_in = keys
        cdef float score = self.scores(keys)[action]
        self.table.reserve(<int32_t>keys_in.shape[0])
        if self.regress(&keys_in[0], <int32_t>keys_in.shape[0], action, score, target):
            self.count_updates(&keys_in[0], <int32_t>keys_in.shape[0])
        return score

    cdef int add(self, const feat_t* feats, int32_t n, int32_t action, float delta) except -1 nogil:
        """A gradient of -delta, which may be of another loss (easy-first), followed by the rule."""
        self.table.reserve(n)
        self.examples += 1
        if self.follow(feats, n, action, delta / 2):
            self.count_updates(feats, n)
        return 0

    cdef int add_all(self, const feat_t* feats, int32_t n, const float* delta) except -1 nogil:
        cdef int32_t action
        for action in range(self.n_actions):
            if delta[action] != 0:
                self.add(feats, n, action, delta[action])
        return 0

    # The state of training

    def pieces(self):
        counts = np.array([self.examples, self.changes, self.fired_in_changes], np.int64)
        return Stored.pieces(self) | {"examples": counts}

    def restore(self, arrays):
        counts = arrays.get("examples")
        if counts is None or counts.dtype != np.int64 or counts.shape != (3,):
            raise ValueError("training weights: no array 'examples' of 3 int64")
        Stored.restore(self, arrays)
        self.examples, self.changes, self.fired_in_changes = (int(count) for count in counts)


cdef inline double to_the_limit(double x) noexcept nogil:
    """1 - exp(-x), for small x by its series, since a difference of nearly equal numbers has few digits."""
    if x < 0.0625:
        return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)))
    return 1 - exp_of(<float>-x)
