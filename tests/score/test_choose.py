"""Softmax and sampling against numpy in double precision, and against chance."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_learners import zero_share

from parser.score.choose import best, draw, probabilities, spans

SCORES = st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=70)


@given(SCORES, st.integers(0, 2**32))
def test_softmax_is_the_double_precision_one(scores, seed):
    rng = np.random.default_rng(seed)
    legal = [a for a in range(len(scores)) if rng.random() < 0.7] or [0]
    found = probabilities(scores, legal)
    expected = zero_share(np.array(scores, np.float32).astype(np.float64), legal, len(scores))
    np.testing.assert_allclose(found, expected, rtol=5e-6, atol=1e-30)
    assert all(found[a] == 0 for a in range(len(scores)) if a not in legal)


def test_exponential_over_its_whole_range():
    """Ratios of two probabilities are exponentials: within 4 units of the last place of float32 from 0 to -87."""
    for x in np.linspace(-87, 0, 20001, dtype=np.float32):
        p = probabilities([0, x], [0, 1])
        assert p[1] / p[0] == pytest.approx(np.exp(np.float64(x)), rel=4 * 2.0**-23)


def test_a_hopeless_action_has_probability_0():
    assert probabilities([0, -200], [0, 1]).tolist() == [1, 0]
    assert probabilities([1e30, -1e30], [0, 1]).tolist() == [1, 0]


WIDE = st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), max_size=40)))


def some_scores(n, seed):
    """With many ties, and zeros of both signs."""
    return np.random.default_rng(seed).choice(np.array([-3, -1.5, -0.0, 0.0, 1e-40, 2, 2.5], np.float32), n)


@given(WIDE, st.sets(st.integers(0, 399), max_size=30), st.integers(0, 2**32))
def test_the_best_is_the_first_of_the_largest(wide, but, seed):
    n, legal = wide
    scores, but = some_scores(n, seed), sorted(a for a in but if a < n)
    left = sorted(set(legal) - set(but))
    assert best(scores, sorted(legal), but) == (max(left, key=lambda a: (scores[a], -a)) if left else -1)
    assert best(scores, sorted(legal)) == (max(legal, key=lambda a: (scores[a], -a)) if legal else -1)


@given(WIDE)
def test_spans_hold_all_that_is_set_and_little_else(wide):
    n, chosen = wide
    mask = np.zeros(n, np.uint8)
    mask[sorted(chosen)] = 1
    found = spans(mask)
    covered = {a for start, end in found for a in range(start, end)}
    assert covered >= chosen
    assert all(end < start for (_, end), (start, _) in pairwise(found))
    assert len(found) <= 8
    blocks = {a // 16 for a in chosen}
    if len(found) < 8:
        assert covered == {a for a in range(n) if a // 16 in blocks}


@given(WIDE, st.integers(0, 2**32))
def test_illegal_actions_between_change_no_bit_of_a_probability(wide, seed):
    n, chosen = wide
    legal = sorted(chosen) or [0]
    scores = np.random.default_rng(seed).normal(0, 5, n).astype(np.float32)
    alone = probabilities(scores[legal], range(len(legal)))
    assert probabilities(scores, legal)[legal].tobytes() == alone.tobytes()


def test_no_legal_action_is_an_error():
    with pytest.raises(ValueError, match="no legal action"):
        probabilities([1, 2], [])


def chi_square(counts, expected):
    return float((((counts - expected) ** 2) / expected).sum())


def test_without_weights_all_legal_actions_are_drawn_alike():
    """30 legal actions of 40: chi-square with 29 degrees of freedom is below 58.3 in 999 of 1000 runs."""
    legal = [a for a in range(40) if a % 4]
    counts = np.bincount(draw(probabilities(np.zeros(40), legal), 60_000, 7), minlength=40)
    assert counts[::4].sum() == 0
    assert chi_square(counts[legal], 60_000 / 30) < 58.3


def test_actions_are_drawn_by_their_probability():
    chances = probabilities([0.5, -1, 2, 0, 1.5, -3], range(6))
    counts = np.bincount(draw(chances, 60_000, 3), minlength=6)
    assert chi_square(counts, chances * 60_000) < 20.5  # 5 degrees of freedom, 999 of 1000


def test_same_seed_same_draws():
    assert draw([0.2, 0.3, 0.5], 50, 1) == draw([0.2, 0.3, 0.5], 50, 1)
    assert draw([0.2, 0.3, 0.5], 50, 1) != draw([0.2, 0.3, 0.5], 50, 2)


@pytest.mark.parametrize("chances", [[], [0, 0]])
def test_nothing_to_draw_from(chances):
    with pytest.raises(ValueError, match="no action"):
        draw(chances, 1, 1)
