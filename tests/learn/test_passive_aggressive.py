"""Passive-aggressive steps: their size, their promise, their average."""

import math

import pytest
from slow_learners import NaivePerceptron, as_dict, random_states

from parser.learn import PassiveAggressive


def test_size_of_a_step():
    """Margin 2, the right action ahead by 0.5, three features under two actions (squared norm 6): tau = 0.25."""
    learner = PassiveAggressive(3, margin=2)
    learner.add_one([1], 0, 0.5)
    learner.visit([1, 2, 3], [0, 1], [0])
    assert learner.scores([1]).tolist() == [0.75, -0.25, 0]
    assert learner.scores([2, 3]).tolist() == [0.5, -0.5, 0]
    assert learner.loss == 1.5


@pytest.mark.parametrize("cap", [0.01, 0.1, math.inf])
def test_after_a_step_the_margin_holds_or_the_cap_was_taken(cap):
    learner, capped = PassiveAggressive(8, margin=1, cap=cap), 0
    for feats, legal, zero in random_states(5, 500, 8):
        before = learner.scores(feats)
        _, oracle = learner.visit(feats, legal, zero)
        wrong = [a for a in legal if a not in zero]
        if not wrong:
            continue
        rival = max(wrong, key=lambda a: (before[a], -a))
        after = learner.scores(feats)
        gain = (after[oracle] - before[oracle]) / len(feats)
        capped += gain == pytest.approx(cap, rel=1e-3)
        if before[oracle] - before[rival] >= 1:
            assert (after == before).all()
        else:
            assert after[oracle] - after[rival] >= 1 - 1e-5 or gain == pytest.approx(cap, rel=1e-3)
    assert (capped > 0) == (cap < 1)


def test_average_is_the_naive_average():
    """In exact fractions, so equal up to the rounding of float32 on the way."""
    fast, slow = PassiveAggressive(6, margin=1, cap=0.25), NaivePerceptron(6, margin=1, cap=0.25)
    for state in random_states(9, 40, 6, n_keys=8):
        assert fast.visit(*state) == slow.visit(*state)
    final, expected = as_dict(fast.finalise()), slow.final()
    for key in final.keys() | expected.keys():
        assert final.get(key, 0) == pytest.approx(float(expected.get(key, 0)), abs=1e-6)


def test_no_features_no_division_by_0():
    learner = PassiveAggressive(3)
    learner.visit([0], [0, 1], [1])
    assert (learner.n_rows, learner.steps) == (0, 1)


@pytest.mark.parametrize("options", [{"margin": 0}, {"cap": 0}, {"cap": float("nan")}])
def test_impossible_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        PassiveAggressive(3, **options)
