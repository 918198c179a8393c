"""Do probabilities mean what they say? Decisions in bins of their probability (Goldberg 2013, table 4).

Bin b holds decisions with b <= p < b + 0.1, b = 0.0, 0.1, ..., 0.9; p = 1 exactly has a bin of its own, which is where
states with a single legal action go.
"""

from dataclasses import dataclass

import numpy as np

BINS = 11


@dataclass(frozen=True)
class Bin:
    low: float
    count: int
    mean: float  # mean probability, 0 to 1
    correct: float  # share of decisions without a cost, 0 to 1


@dataclass(frozen=True)
class Calibration:
    bins: list[Bin]  # those with decisions, ascending
    decisions: int
    error: float  # expected calibration error, in percent points
    forced: int
    error_unforced: float  # without states that have one legal action


def calibrate(p: np.ndarray, correct: np.ndarray, forced: np.ndarray) -> Calibration:
    """One number for each decision: probability of what was done, was it without cost, was there no choice."""
    found = bins_of(p, correct)
    chosen = ~forced
    return Calibration(
        found, len(p), expected_error(found), int(forced.sum()), expected_error(bins_of(p[chosen], correct[chosen]))
    )


def bins_of(p: np.ndarray, correct: np.ndarray) -> list[Bin]:
    # float32 probabilities of 0.7 and the like must not fall below their bin
    number = np.minimum(np.floor(np.asarray(p, np.float64) * 10 + 1e-6).astype(int), BINS - 2)
    number[np.asarray(p) >= 1] = BINS - 1
    counts = np.bincount(number, minlength=BINS)
    sums = np.bincount(number, weights=p, minlength=BINS)
    right = np.bincount(number, weights=correct, minlength=BINS)
    return [
        Bin(k / 10, int(counts[k]), float(sums[k] / counts[k]), float(right[k] / counts[k]))
        for k in range(BINS)
        if counts[k]
    ]


def expected_error(bins: list[Bin]) -> float:
    total = sum(b.count for b in bins)
    return 100 * sum(b.count * abs(b.correct - b.mean) for b in bins) / total if total else 0.0
