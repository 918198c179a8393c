"""Softmax and sampling against numpy in double precision, and against chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_learners import zero_share

from parser.score.choose import draw, probabilities

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
