"""How sure is a score, and a difference of two: the bootstrap over sentences.

Sentences are drawn with replacement, and both systems are scored on the same draw (paired bootstrap: Efron &
Tibshirani 1993, chapters 13 and 16; for parsing and translation: Koehn 2004; Berg-Kirkpatrick, Burkett & Klein 2012).
"""

from dataclasses import dataclass

import numpy as np

from parser.evaluate.comparison import SentenceCounts
from parser.evaluate.corpus import CorpusError

RESAMPLES = 10_000
BLOCK = 500_000  # draws worked on at once: bounds the memory
EQUAL = 1e-9  # percentage points: differences closer than this are ties, not rounding


@dataclass(frozen=True, slots=True)
class Interval:
    """A score in percent with its percentile confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    first: Interval
    second: Interval
    difference: Interval  # second - first
    p_value: float  # two-sided, of the hypothesis that both systems are equally good
    resamples: int
    seed: int
    confidence: float


def paired_bootstrap(
    first: SentenceCounts,
    second: SentenceCounts,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedBootstrap:
    """Is `second` better than `first`?

    The p-value is the share of resamples whose difference lies as far from the observed difference as that lies from
    0 (the bootstrap distribution moved to a true difference of 0: Berg-Kirkpatrick, Burkett & Klein 2012; here
    two-sided), with the observed sample counted in (Davison & Hinkley 1997, chapter 4), so it is never 0.
    """
    check(first, second, resamples, confidence)
    table = np.stack([first.correct, first.gold + first.system, second.correct, second.gold + second.system])
    sums = resampled_sums(table, resamples, seed)
    scores = [f1(sums[0], sums[1]), f1(sums[2], sums[3])]
    total = table.sum(axis=1)
    seen = [float(f1(total[0], total[1])), float(f1(total[2], total[3]))]
    differences, seen_difference = scores[1] - scores[0], seen[1] - seen[0]
    as_far = np.abs(differences - seen_difference) >= abs(seen_difference) - EQUAL
    return PairedBootstrap(
        interval(seen[0], scores[0], confidence),
        interval(seen[1], scores[1], confidence),
        interval(seen_difference, differences, confidence),
        (1 + int(as_far.sum())) / (1 + resamples),
        resamples,
        seed,
        confidence,
    )


def confidence_interval(
    counts: SentenceCounts, *, resamples: int = RESAMPLES, seed: int = 0, confidence: float = 0.95
) -> Interval:
    """Percentile interval of one system's score."""
    check(counts, counts, resamples, confidence)
    table = np.stack([counts.correct, counts.gold + counts.system])
    sums = resampled_sums(table, resamples, seed)
    return interval(float(f1(*table.sum(axis=1))), f1(*sums), confidence)


def check(first: SentenceCounts, second: SentenceCounts, resamples: int, confidence: float) -> None:
    if not np.array_equal(first.gold, second.gold):
        raise CorpusError("the bootstrap compares two outputs for the same gold sentences and the same scored words")
    if len(first.gold) == 0:
        raise CorpusError("the bootstrap needs sentences, got none")
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError(f"{resamples} resamples at confidence {confidence}, expected at least 1, between 0 and 1")


def f1(correct, words):
    """In percent; `words` is gold plus system words. On identical words this is the accuracy."""
    return 100 * np.divide(2 * correct, words, out=np.zeros(np.shape(words)), where=np.asarray(words) > 0)


def interval(value: float, resampled: np.ndarray, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


def resampled_sums(table: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Row k of the answer: the sum of row k of `table` over the sentences of each resample."""
    n = table.shape[1]
    random = np.random.PCG64(seed)
    counts = table.T.astype(np.float64)  # sums of counts are exact in float64
    sums = np.empty((resamples, table.shape[0]))
    step = max(1, BLOCK // n)
    for begin in range(0, resamples, step):
        rows = min(step, resamples - begin)
        drawn = drawn_sentences(random, rows * n, n).reshape(rows, n)
        drawn += np.arange(0, rows * n, n)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        sums[begin : begin + rows] = times.astype(np.float64) @ counts
    return sums.T


def drawn_sentences(random: np.random.PCG64, draws: int, n: int) -> np.ndarray:
    """Sentences 0..n-1, nearly uniform (off by less than n / 2**32).

    From raw words of the generator: these are the same in every version of numpy, what Generator makes of them is not.
    """
    return (((random.random_raw(draws) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)).astype(np.int64)
