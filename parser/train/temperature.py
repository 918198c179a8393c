"""Scores that are no logarithms of probabilities, made so: all weights times one factor.

The scores of a perceptron say which action is best, not how surely. One factor, fitted on the development set so that
the decisions made there are as likely as can be (temperature scaling: Platt 1999 with one parameter, Guo et al. 2017),
makes the softmax of the scaled scores a probability; which action is best does not change.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parser.assemble import Assembly
from parser.score.weights import Weights
from parser.train.decisions import Judge

SENTENCES = 1000  # enough for one number
LEAST, MOST = 1e-5, 10.0  # factors that are tried
STEPS = 18  # of golden section: the interval shrinks to 0.03 %
GOLDEN = (5**0.5 - 1) / 2


def scaled(weights: Weights, factor: float) -> Weights:
    """Weights that become 0 or infinite by it are impossible for sensible factors; check() would say so."""
    return replace(weights, weights=weights.weights * np.float32(factor))


def fitted_factor(weights: Weights, assembly: Assembly, judge: Judge) -> float | None:
    """The factor with the smallest loss, to three digits: the same on machines whose logarithms differ in the last.

    None where no decision has a choice: then every factor is as good as any other.
    """

    def loss(log_factor: float) -> float:
        found = judge.decisions(assembly.sentence_parser(scaled(weights, float(np.exp(log_factor)))))
        return log_loss(found.p[~found.forced], found.correct[~found.forced])

    if judge.decisions(assembly.sentence_parser(weights)).forced.all():
        return None
    best = minimum(loss, float(np.log(LEAST)), float(np.log(MOST)))
    return float(f"{np.exp(best):.3g}")


def log_loss(p: np.ndarray, correct: np.ndarray) -> float:
    """Mean surprise at which decisions were right; probabilities of 1 that were wrong cost a lot, not all."""
    p = np.clip(p.astype(np.float64), 1e-9, 1 - 1e-9)
    return float(-np.mean(np.log(np.where(correct, p, 1 - p)))) if p.size else 0.0


def minimum(f: Callable[[float], float], low: float, high: float) -> float:
    """Golden section search: f falls, then rises."""
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(STEPS):
        if fa <= fb:
            high, b, fb = b, a, fa
            a = high - GOLDEN * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + GOLDEN * (high - low)
            fb = f(b)
    return (low + high) / 2
