"""AdaGrad with regularised dual averaging for the multilabel logistic loss.

As in Goldberg 2013 (Dynamic-oracle transition-based parsing with calibrated probabilistic output):
P(a) = exp(s_a) / sum over the legal actions; the loss of a state is -log of the probability that all zero-cost actions
have together. Its direction of descent for the score of action a is

    d_a = f_a - p_a,    p = softmax over the legal actions,    f = softmax over the zero-cost ones, 0 for the others.

hot: g, the sum of d; cold: G, the sum of d^2. There are no stored weights: a weight is computed where it is read,

    w = alpha / (sqrt(G) + rho) * sign(g) * max(|g| - j * l1, 0),    j = number of states visited so far,

(Duchi, Hazan & Singer 2011, section 5.1, the l1-regularised dual averaging step), so features not met for a while keep
shrinking, as the penalty on the mean gradient asks.
"""

from cymem.cymem cimport Pool
from cython cimport final
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from parser.common cimport feat_t
from parser.learn.learner cimport Learner
from parser.score.choose cimport softmax_below
from parser.score.keymap cimport NO_ROW, PREFETCH
from parser.score.spans cimport Spans, spans_all, spans_of
from parser.score.table cimport Row

from parser.score.pieces import Pieces


cdef extern from "parser/score/vector.h":
    ctypedef struct RdaRule:
        float threshold     # what |g| must exceed
        float rate
        float inside        # added to G under the root
        float outside       # added to the root of G
    float rda_weight(float g, float G, const RdaRule* rule) noexcept nogil
    void rda_span_add(float* total, const float* g, const float* G, const Spans* spans,
                      const RdaRule* rule) noexcept nogil
    void rda_add_sparse(float* total, const uint16_t* ids, const float* g, const float* G, int32_t n,
                        const RdaRule* rule) noexcept nogil
    void rda_span_update(float* g, float* G, const float* d, const Spans* spans) noexcept nogil
    float vector_sizes(uint8_t* large, const float* x, float least, int32_t n) noexcept nogil

PAPER_L1 = 0.05         # times 1 / number of training tokens (Goldberg 2013: 1 / (20 D))
SKETCH_PER_TOKEN = 64
SKETCH_BITS = (16, 26)
SKETCH_PIECE = 1 << 20   # cells that are saved at a time


@final
cdef class AdaGradRDA(Learner):
    """compact=False: a row of g and G for every action from the first state on in which a feature has a gradient.

    compact=True: an action enters a row with its first gradient of at least `birth`; from then on all its gradients
    count. A feature gets a row with the `gate`-th state in which it could have entered one (a sketch counts, which may
    count too high), and a row of more than `dense_above` actions takes all actions.
    """
    cdef readonly float alpha
    cdef readonly float rho
    cdef readonly double l1             # lambda
    cdef readonly bint ridge_inside_sqrt
    cdef readonly bint compact
    cdef readonly float birth
    cdef readonly float quiet           # states without a gradient of this size change nothing
    cdef readonly int32_t gate
    cdef Pool mem                       # owns the arrays below
    cdef float* f                       # of the state being learned: see above
    cdef float* d                       # first p, then f - p
    cdef uint16_t* fresh                # actions whose gradient in this state is at least `birth`
    cdef int32_t n_fresh
    cdef uint8_t* is_fresh              # 1 for those actions
    cdef float largest                  # size of the largest gradient in this state
    cdef uint8_t* sketch                # how often features were met; two cells per feature, the lower one counts
    cdef int32_t sketch_shift           # 64 - log2 of the number of cells

    def __init__(self, int32_t n_actions, *, n_tokens=None, l1=None, float alpha=1, float rho=0.01,
                 bint ridge_inside_sqrt=False, int32_t min_updates=0, bint compact=True, float birth=0.05,
                 float quiet=0.005, int32_t gate=1, int32_t dense_above=32):
        """n_tokens: of the training set; l1 defaults to 1 / (20 n_tokens)."""
        if (n_tokens is None or n_tokens < 1) and (l1 is None or gate > 1):
            raise ValueError("AdaGrad-RDA needs the number of training tokens")
        for name, value, valid in (("alpha", alpha, alpha > 0), ("rho", rho, rho > 0), ("birth", birth, birth >= 0),
                                   ("quiet", quiet, quiet >= 0), ("gate", gate, 1 <= gate <= 255),
                                   ("l1", l1, l1 is None or l1 >= 0)):
            if not valid:
                raise ValueError(f"AdaGrad-RDA: {name} cannot be {value}")
        self.prepare(n_actions, sizeof(float), dense_above if compact else 0, min_updates)
        self.alpha, self.rho, self.ridge_inside_sqrt = alpha, rho, ridge_inside_sqrt
        self.l1 = PAPER_L1 / n_tokens if l1 is None else l1
        self.compact = compact
        self.gate = 1
        if compact:
            self.birth, self.quiet, self.gate = birth, quiet, gate
        self.mem = Pool()
        self.f = <float*>self.mem.alloc(n_actions, sizeof(float))
        self.d = <float*>self.mem.alloc(n_actions, sizeof(float))
        self.is_fresh = <uint8_t*>self.mem.alloc(n_actions, 1)
        self.fresh = <uint16_t*>self.mem.alloc(n_actions, sizeof(uint16_t))
        if self.gate > 1:
            self.make_sketch(SKETCH_PER_TOKEN * n_tokens)

    cdef int make_sketch(self, uint64_t n_cells) except -1:
        cdef int32_t bits = SKETCH_BITS[0]
        while bits < SKETCH_BITS[1] and (<uint64_t>1 << bits) < n_cells:
            bits += 1
        self.sketch = <uint8_t*>self.mem.alloc(<size_t>1 << bits, 1)
        self.sketch_shift = 64 - bits
        return 0

    # Scoring

    cdef inline RdaRule rule(self) noexcept nogil:
        cdef RdaRule rule
        rule.threshold = <float>(<double>self.steps * self.l1)
        rule.rate = self.alpha
        rule.inside = self.rho if self.ridge_inside_sqrt else 0
        rule.outside = 0 if self.ridge_inside_sqrt else self.rho
        return rule

    cdef void add_rows(self, int32_t n, const Spans* spans, float* out) noexcept nogil:
        """A square root and a division per number above the threshold; a third of the rows of a state are dense."""
        cdef RdaRule rule = self.rule()
        cdef int32_t i
        cdef Row* row
        for i in range(n):
            row = self.table.row_in_turn(&self.fired, i, spans, True)
            if row != NULL:
                self.add_row_to(row, &rule, spans, out)

    cdef inline void add_row_to(self, Row* row, const RdaRule* rule, const Spans* spans, float* out) noexcept nogil:
        cdef float* g = self.table.hot(row)
        cdef float* G = <float*>self.table.cold(row)
        if self.table.is_dense(row):
            rda_span_add(out, g, G, spans, rule)
        else:
            rda_add_sparse(out, self.table.ids(row), g, G, row.n, rule)

    cdef void weights_of(self, Row* row, float* out) noexcept nogil:
        cdef RdaRule rule = self.rule()
        cdef float* g = self.table.hot(row)
        cdef float* G = <float*>self.table.cold(row)
        cdef int32_t k
        for k in range(row.n):
            out[k] = rda_weight(g[k], G[k], &rule)

    # Learning

    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil:
        """Learns in every state, right or wrong. Where all legal actions are zero-cost, d is 0 and only j counts."""
        cdef int32_t a
        cdef double log_legal, log_zero
        cdef Spans spans
        if memcmp(legal, zero, self.n_actions) != 0:
            spans_of(&spans, legal, self.n_actions)
            log_legal = softmax_below(scores, legal, predicted, self.n_actions, self.d)
            log_zero = softmax_below(scores, zero, oracle, self.n_actions, self.f)
            for a in range(self.n_actions):
                self.d[a] = self.f[a] - self.d[a]
            self.loss += log_legal - log_zero
            self.descend(feats, n, self.d, &spans)
        self.tick()
        return 0

    cdef int add_all(self, const feat_t* feats, int32_t n, const float* delta) except -1 nogil:
        cdef Spans spans
        spans_all(&spans, self.n_actions)
        return self.descend(feats, n, delta, &spans)

    cdef int add(self, const feat_t* feats, int32_t n, int32_t action, float delta) except -1 nogil:
        memset(self.d, 0, self.n_actions * sizeof(float))
        self.d[action] = delta
        return self.add_all(feats, n, self.d)

    cdef int descend(self, const feat_t* feats, int32_t n, const float* d, const Spans* spans) except -1 nogil:
        """g += d and G += d^2 in the rows of all features; d is 0 outside the spans."""
        cdef int32_t i
        if self.note_fresh(d) < self.quiet or self.largest == 0:
            return 0
        self.updates += 1
        self.table.reserve(n)
        for i in range(min(n, self.fired.n)):       # scoring leaves out the rows that are not active
            PREFETCH(self.table.row(self.fired.cells[i] & self.table.map.mask))
        for i in range(n):
            if feats[i] != 0:
                self.change_row(feats[i], i, d, spans)
        return 0

    cdef float note_fresh(self, const float* d) noexcept nogil:
        """Notes the actions whose gradient may make an entry, and gives the largest gradient."""
        cdef int32_t i, a
        cdef Spans spans
        self.largest = vector_sizes(self.is_fresh, d, self.birth, self.n_actions)
        self.n_fresh = 0
        spans_of(&spans, self.is_fresh, self.n_actions)
        for i in range(spans.n):
            for a in range(spans.start[i], spans.end[i]):
                if self.is_fresh[a]:
                    self.fresh[self.n_fresh] = a
                    self.n_fresh += 1
        return self.largest

    cdef int change_row(self, feat_t key, int32_t i, const float* d, const Spans* spans) except -1 nogil:
        cdef uint64_t cell = self.table.find(key, i, &self.fired)
        if self.table.map.cells[cell].value == NO_ROW:
            if self.n_fresh == 0 or self.table.is_closed or (self.gate > 1 and not self.admits(key)):
                return 0
            cell = self.table.claim(key, i, &self.fired)
            self.table.grow(cell, self.n_fresh)
        cdef Row* row = self.table.row(cell)
        cdef float* g = self.table.hot(row)
        cdef float* G = <float*>self.table.cold(row)
        cdef uint16_t* ids = self.table.ids(row)
        cdef int32_t k, found = 0
        cdef float change
        self.table.count_update(cell, row)
        if self.table.is_dense(row):
            rda_span_update(g, G, d, spans)
            return 0
        for k in range(row.n):
            change = d[ids[k]]
            g[k] += change
            G[k] += change * change
            found += self.is_fresh[ids[k]]
        if found < self.n_fresh:
            self.bear(cell, self.n_fresh - found, d)
        return 0

    cdef int bear(self, uint64_t cell, int32_t missing, const float* d) except -1 nogil:
        """Entries for the fresh actions that the sparse row of a cell lacks; the row may become dense."""
        cdef Row* row = self.table.row(cell)
        cdef uint16_t* old_ids = self.table.ids(row)
        cdef int32_t k, at, n = row.n
        cdef uint16_t action
        for k in range(n):
            self.is_fresh[old_ids[k]] = 0
        self.table.grow(cell, n + missing)
        row = self.table.row(cell)
        for k in range(self.n_fresh):
            action = self.fresh[k]
            if self.is_fresh[action]:
                at = self.table.entry(cell, action)
                self.table.hot(row)[at] = d[action]
                (<float*>self.table.cold(row))[at] = d[action] * d[action]
            self.is_fresh[action] = 1
        return 0

    cdef bint admits(self, feat_t key) noexcept nogil:
        """Has this feature now been met `gate` times? Two cells per feature, the lower count is nearer the truth."""
        cdef uint8_t* one = &self.sketch[(key * <uint64_t>0x9E3779B97F4A7C15) >> self.sketch_shift]
        cdef uint8_t* two = &self.sketch[(key * <uint64_t>0xC2B2AE3D27D4EB4F) >> self.sketch_shift]
        cdef uint8_t count = min(one[0], two[0])
        if count + 1 >= self.gate:
            return True
        # only the lower cells grow (conservative update: Estan & Varghese 2002)
        one[0] = max(one[0], count + 1)
        two[0] = max(two[0], count + 1)
        return False

    # The state of training

    def pieces(self):
        columns = Learner.pieces(self)
        if self.gate > 1:
            n = self.sketch_cells()
            columns["sketch"] = Pieces(np.uint8, n, n, SKETCH_PIECE, self.sketch_part)
        return columns

    def sketch_part(self, uint64_t start, uint64_t end):
        return np.array(<uint8_t[:end - start]>&self.sketch[start])

    def restore(self, arrays):
        cdef const uint8_t[::1] sketch
        if self.gate > 1:
            saved = arrays.get("sketch")
            if saved is None or saved.dtype != np.uint8 or saved.shape != (self.sketch_cells(),):
                raise ValueError("training weights: array 'sketch' is missing or of another size")
        Learner.restore(self, arrays)
        if self.gate > 1:
            sketch = np.ascontiguousarray(arrays["sketch"])
            memcpy(self.sketch, &sketch[0], self.sketch_cells())

    cdef uint64_t sketch_cells(self) noexcept nogil:
        return <uint64_t>1 << (64 - self.sketch_shift)
