"""The bootstrap against a loop over the same draws, against all resamples of a tiny corpus, and against theory."""

import math
from itertools import product

import numpy as np
import pytest

from parser.evaluate import significance
from parser.evaluate.comparison import SentenceCounts
from parser.evaluate.corpus import CorpusError
from parser.evaluate.significance import confidence_interval, drawn_sentences, f1, paired_bootstrap


def counts(correct, words, system=None):
    correct, words = np.asarray(correct), np.asarray(words)
    return SentenceCounts(correct, words, words if system is None else np.asarray(system))


def random_counts(rng, n, share):
    """Two outputs for n sentences of 1..30 words, and a tokenization of their own for both."""
    words = rng.integers(1, 31, n)
    return [counts(rng.binomial(words, p), words, words + rng.integers(0, 2, n)) for p in share]


def naive(first, second, resamples, seed, confidence):
    """Sentence by sentence, with the same draws."""
    n = len(first.gold)
    random = np.random.PCG64(seed)
    scores = []
    for _ in range(resamples):
        sample = [((random.random_raw() >> 32) * n) >> 32 for _ in range(n)]
        pair = []
        for side in (first, second):
            correct = sum(int(side.correct[s]) for s in sample)
            words = sum(int(side.gold[s]) + int(side.system[s]) for s in sample)
            pair.append(200 * correct / words if words else 0.0)
        scores.append(pair)
    seen = [200 * int(s.correct.sum()) / int(s.gold.sum() + s.system.sum()) for s in (first, second)]
    delta = seen[1] - seen[0]
    as_far = sum(abs((b - a) - delta) >= abs(delta) - 1e-9 for a, b in scores)
    columns = [sorted(a for a, _ in scores), sorted(b for _, b in scores), sorted(b - a for a, b in scores)]
    tail = (1 - confidence) / 2
    return (as_far + 1) / (resamples + 1), [(quantile(c, tail), quantile(c, 1 - tail)) for c in columns]


def quantile(ascending, q):
    """Linear interpolation between the two nearest."""
    at = q * (len(ascending) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (at - low) * (ascending[high] - ascending[low])


@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 7), (2, 40)])
def test_bootstrap_equals_the_loop(seed, n):
    first, second = random_counts(np.random.default_rng(seed), n, (0.8, 0.82))
    found = paired_bootstrap(first, second, resamples=300, seed=seed, confidence=0.9)
    p_value, intervals = naive(first, second, 300, seed, 0.9)
    assert found.p_value == pytest.approx(p_value, abs=1e-12)
    for interval, (low, high) in zip((found.first, found.second, found.difference), intervals, strict=True):
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-9)


def test_blocks_do_not_change_the_draws(monkeypatch):
    first, second = random_counts(np.random.default_rng(5), 50, (0.7, 0.9))
    whole = paired_bootstrap(first, second, resamples=200, seed=3)
    monkeypatch.setattr(significance, "BLOCK", 130)
    assert paired_bootstrap(first, second, resamples=200, seed=3) == whole


def test_the_interval_of_one_output_is_that_of_the_pair():
    first, second = random_counts(np.random.default_rng(6), 50, (0.7, 0.9))
    pair = paired_bootstrap(first, second, resamples=500, seed=1)
    assert confidence_interval(first, resamples=500, seed=1) == pair.first
    assert confidence_interval(second, resamples=500, seed=1) == pair.second


def test_same_seed_same_answer_and_other_seed_another():
    first, second = random_counts(np.random.default_rng(7), 60, (0.8, 0.81))
    assert paired_bootstrap(first, second, seed=1) == paired_bootstrap(first, second, seed=1)
    assert paired_bootstrap(first, second, seed=1) != paired_bootstrap(first, second, seed=2)


def test_swapping_the_outputs_turns_the_difference_round():
    first, second = random_counts(np.random.default_rng(8), 60, (0.8, 0.81))
    a, b = paired_bootstrap(first, second), paired_bootstrap(second, first)
    assert a.p_value == b.p_value
    assert a.first == b.second
    assert a.difference.value == -b.difference.value
    assert (a.difference.low, a.difference.high) == pytest.approx((-b.difference.high, -b.difference.low))


def test_an_output_does_not_differ_from_itself():
    first, _ = random_counts(np.random.default_rng(9), 60, (0.8, 0.8))
    found = paired_bootstrap(first, first)
    assert found.p_value == 1.0
    assert (found.difference.low, found.difference.value, found.difference.high) == (0.0, 0.0, 0.0)


def test_a_difference_in_every_sentence_is_as_significant_as_it_gets():
    found = paired_bootstrap(counts([5] * 20, [10] * 20), counts([6] * 20, [10] * 20), resamples=999)
    assert found.difference.value == pytest.approx(10.0)
    assert found.difference.low == found.difference.high == found.difference.value
    assert found.p_value == 1 / 1000


def test_a_tiny_corpus_agrees_with_all_its_resamples():
    first, second = counts([1, 3, 4], [4, 5, 6]), counts([3, 3, 5], [4, 5, 6])
    delta = 100 * (11 - 8) / 15
    far = []
    for sample in product(range(3), repeat=3):
        a, b, words = (sum(int(c[s]) for s in sample) for c in (first.correct, second.correct, first.gold))
        far.append(abs(100 * (b - a) / words - delta) >= abs(delta) - 1e-9)
    exact = sum(far) / len(far)
    assert 0 < exact < 1
    found = paired_bootstrap(first, second, resamples=40_000)
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000))


def test_one_word_sentences_follow_the_normal_approximation():
    # 2,000 sentences of one word: 80 and 120 are right in one output only
    n = 2000
    shared, only_first, only_second = 1500, 80, 120
    first = [1] * (shared + only_first) + [0] * (n - shared - only_first)
    second = [1] * shared + [0] * only_first + [1] * only_second + [0] * (n - shared - only_first - only_second)
    found = paired_bootstrap(counts(first, [1] * n), counts(second, [1] * n))
    mean = (only_second - only_first) / n
    deviation = math.sqrt(((only_second + only_first) / n - mean**2) / n)
    assert found.p_value == pytest.approx(math.erfc(mean / deviation / math.sqrt(2)), abs=0.003)
    wanted = [100 * (mean + z * deviation) for z in (-1.96, 0, 1.96)]
    assert [found.difference.low, found.difference.value, found.difference.high] == pytest.approx(wanted, abs=0.08)
    share = (shared + only_first) / n
    half = 196 * math.sqrt(share * (1 - share) / n)
    assert (found.first.low, found.first.high) == pytest.approx((100 * share - half, 100 * share + half), abs=0.12)


def test_p_values_of_equal_systems_are_uniform():
    rng = np.random.default_rng(10)
    values = [paired_bootstrap(*random_counts(rng, 80, (0.8, 0.8)), resamples=400).p_value for _ in range(400)]
    for level in (0.1, 0.5, 0.9):
        assert np.mean(np.array(values) <= level) == pytest.approx(level, abs=0.09)


def test_draws_are_uniform():
    drawn = drawn_sentences(np.random.PCG64(4), 70_000, 7)
    seen = np.bincount(drawn, minlength=7)
    assert len(seen) == 7
    assert ((seen - 10_000) ** 2 / 10_000).sum() < 22.5  # chi-square, 6 degrees: 0.1 %


def test_draws_never_change():
    """The same sentences on every machine and with every version of numpy."""
    assert drawn_sentences(np.random.PCG64(0), 8, 1000).tolist() == FIRST_DRAWS


FIRST_DRAWS = [636, 269, 40, 16, 813, 912, 606, 729]


def test_no_words_score_nothing():
    assert float(f1(np.int64(0), np.int64(0))) == 0.0
    nothing = counts([0, 0], [0, 0])
    assert paired_bootstrap(nothing, nothing).p_value == 1.0


@pytest.mark.parametrize(
    ("second", "arguments", "error", "message"),
    [
        (counts([1], [3]), {}, CorpusError, "for the same gold sentences"),
        (counts([1, 1], [3, 3]), {}, CorpusError, "for the same gold sentences"),
        (counts([1], [2]), {"resamples": 0}, ValueError, "0 resamples at confidence 0.95"),
        (counts([1], [2]), {"confidence": 1.0}, ValueError, "at confidence 1.0"),
    ],
)
def test_bad_input_is_named(second, arguments, error, message):
    with pytest.raises(error, match=message):
        paired_bootstrap(counts([1], [2]), second, **arguments)


def test_a_corpus_without_sentences_is_named():
    with pytest.raises(CorpusError, match="needs sentences, got none"):
        confidence_interval(counts([], []))
