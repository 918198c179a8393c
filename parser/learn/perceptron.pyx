"""The averaged perceptron (Collins 2002), optionally with a margin."""

from cython cimport final
from libc.stdint cimport int32_t, uint8_t

from parser.common cimport feat_t
from parser.learn.averaged cimport Averaged
from parser.score.choose cimport argmax_but

DENSE_ABOVE = 32


@final
cdef class Perceptron(Averaged):
    """margin 0: learns where the best legal action has a cost (Goldberg & Nivre 2012, algorithms 2 and 3).

    margin > 0: learns also where the best zero-cost action beats the best other one by less than the margin (Krauth &
    Mezard 1987). Weights are whole numbers, sums of dozens of features: a margin that matters is of the order of 100.
    """
    def __init__(self, int32_t n_actions, *, float margin=0, int32_t min_updates=0, int32_t dense_above=DENSE_ABOVE):
        if not margin >= 0:
            raise ValueError(f"margin: {margin}, expected 0 or more")
        self.prepare(n_actions, sizeof(double), dense_above, min_updates)
        self.margin = margin

    cdef int learn(self, const feat_t* feats, int32_t n, const uint8_t* legal, const uint8_t* zero,
                   const float* scores, int32_t predicted, int32_t oracle) except -1 nogil:
        cdef int32_t rival = predicted
        if zero[predicted]:
            rival = argmax_but(scores, legal, zero, self.n_actions) if self.margin > 0 else -1
        if rival >= 0 and (rival == predicted or scores[oracle] - scores[rival] < self.margin):
            self.change(feats, n, oracle, rival, 1)
            self.loss += self.margin - (scores[oracle] - scores[rival])
            self.updates += 1
        self.tick()
        return 0
