"""Passive-aggressive updates (Crammer et al. 2006), averaged."""

from cython cimport final
from libc.stdint cimport int32_t, uint8_t

from parser.common cimport feat_t
from parser.learn.averaged cimport Averaged
from parser.score.choose cimport argmax_but

DENSE_ABOVE = 32


@final
cdef class PassiveAggressive(Averaged):
    """The smallest change after which the best zero-cost action beats the best other one by the margin, up to a cap.

    loss = margin - (s_oracle - s_rival), tau = min(cap, loss / |phi_oracle - phi_rival|^2), no change if loss <= 0
    (Crammer et al. 2006, PA-I, with the max-loss rival of their section 6). The cap is their C; infinite gives PA.
    """
    cdef readonly float cap

    def __init__(self, int32_t n_actions, *, float margin=1, float cap=1, int32_t min_updates=0,
                 int32_t dense_above=DENSE_ABOVE):
        if not margin > 0:
            raise ValueError(f"margin: {margin}, expected more than 0")
        if not cap > 0:
            raise ValueError(f"cap: {cap}, expected more than 0")
        self.prepare(n_actions, sizeof(double), dense_above, min_updates)
        self.margin = margin
        self.cap = cap

    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil:
        cdef int32_t rival = argmax_but(scores, legal, zero, self.n_actions)
        cdef float loss
        if rival >= 0:
            loss = self.margin - (scores[oracle] - scores[rival])
            if loss > 0:
                self.step(feats, n, oracle, rival, loss)
                self.loss += loss
                self.updates += 1
        self.tick()
        return 0

    cdef int step(self, const feat_t* feats, int32_t n, int32_t oracle, int32_t rival, float loss) except -1 nogil:
        cdef int32_t i, fired = 0
        for i in range(n):
            fired += feats[i] != 0 and not self.table.is_closed_to(self.table.find(feats[i], i, &self.fired))
        if fired == 0:
            return 0
        # every feature stands once under each of the two actions
        return self.change(feats, n, oracle, rival, min(self.cap, loss / (2 * fired)))

    cdef float pace(self, float gap, int32_t distance) noexcept nogil:
        return min(self.cap, max(self.margin - gap, <float>0) / distance) if distance > 0 else 0
