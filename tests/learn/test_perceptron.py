"""The averaged perceptron and its margin against the mean of all weight vectors there ever were."""

import numpy as np
import pytest
from slow_learners import NaivePerceptron, as_dict, random_states

from parser.learn import PassiveAggressive, Perceptron
from parser.learn.learner import Learner
from parser.score.linear import LinearModel


def test_one_change_in_the_second_of_three_states():
    learner = Perceptron(2)
    learner.visit([5], [0, 1], [0])
    learner.visit([5], [0, 1], [1])
    learner.visit([5], [0, 1], [1])
    assert learner.steps == 3
    assert as_dict(learner.finalise()) == {(5, 0): pytest.approx(-2 / 3), (5, 1): pytest.approx(2 / 3)}


@pytest.mark.parametrize("margin", [0, 3, 100])
@pytest.mark.parametrize("min_updates", [0, 2])
@pytest.mark.parametrize("dense_above", [0, 4, 16])
def test_lazy_average_is_the_naive_average(margin, min_updates, dense_above):
    fast = Perceptron(12, margin=margin, min_updates=min_updates, dense_above=dense_above)
    slow = NaivePerceptron(12, margin=margin, min_updates=min_updates)
    for state in random_states(margin + min_updates, 400, 12):
        assert fast.scores(state[0]).tolist() == slow.scores(state[0])
        assert fast.visit(*state) == slow.visit(*state)
    final, expected = as_dict(fast.finalise()), slow.final()
    assert final.keys() == expected.keys()
    assert all(final[key] == np.float32(float(value)) for key, value in expected.items())


@pytest.mark.parametrize(
    "make",
    [
        lambda: (Perceptron(12, margin=3, min_updates=2, dense_above=4), 3, None),
        lambda: (PassiveAggressive(12, margin=1, cap=0.25), 1, 0.25),
    ],
)
def test_average_of_the_rows_that_are_kept(make):
    fast, margin, cap = make()
    slow = NaivePerceptron(12, margin=margin, cap=cap, min_updates=fast.min_updates)
    for i, state in enumerate(random_states(5, 400, 12)):
        if i == 150:
            kept = sorted(fast.dump()["keys"].tolist())[::2]
            fast.keep_rows(kept)
            slow.keep_rows(kept)
            assert fast.n_rows == len(kept)
        assert fast.scores(state[0]) == pytest.approx([float(score) for score in slow.scores(state[0])], abs=1e-4)
        assert fast.visit(*state) == slow.visit(*state)
    final, expected = as_dict(fast.finalise()), slow.final()
    assert final == pytest.approx({key: float(value) for key, value in expected.items()}, abs=1e-4)
    assert {key for key, _ in final} <= set(kept)


def test_learns_what_can_be_learned():
    learner = Perceptron(6)
    for state in random_states(1, 3000, 6, gold=True):
        learner.visit(*state)
    model = LinearModel(learner.finalise())
    right = [np.argmax(model.scores([key])) for key in learner.dump()["keys"]]
    assert len(right) == 40
    wrong_before = learner.updates
    for state in random_states(1, 3000, 6, gold=True):
        learner.visit(*state)
    assert learner.updates - wrong_before < wrong_before


def test_no_features_and_key_0_change_nothing():
    learner = Perceptron(3)
    learner.visit([], [0, 1], [1])
    learner.visit([0, 0], [0, 1], [1])
    assert (learner.n_rows, learner.steps) == (0, 2)
    assert learner.finalise().n_rows == 0


def test_all_legal_actions_zero_cost_is_no_error_whatever_the_margin():
    learner = Perceptron(3, margin=100)
    learner.visit([1], [0, 2], [0, 2])
    assert (learner.updates, learner.steps) == (0, 1)


def test_more_features_than_are_remembered():
    learner, keys = Perceptron(4), list(range(1, 1301))
    learner.visit(keys, [0, 1], [1])
    learner.visit(keys[::-1], [0, 3], [3])
    assert learner.scores(keys).tolist() == [-1300, 1300, 0, 0]
    assert learner.scores(keys[:1]).tolist() == [-1, 1, 0, 0]


def test_primitives_for_candidates_with_features_of_their_own():
    """Easy-first: features of one pair up for its action, those of another down for its; one state in all."""
    one, row = Perceptron(4), Perceptron(4)
    for learner in (one, row):
        learner.count_state()
    one.add_one([1, 2], 3, 1)
    one.add_one([2, 5], 0, -1)
    row.add_row([1, 2], [0, 0, 0, 1])
    row.add_row([2, 5], [-1, 0, 0, 0])
    for learner in (one, row):
        learner.count_state()
        assert learner.scores([1, 2, 5]).tolist() == [-2, 0, 0, 2]
        assert as_dict(learner.finalise()) == {(1, 3): 0.5, (2, 0): -0.5, (2, 3): 0.5, (5, 0): -0.5}


def test_rows_changed_seldom_neither_score_nor_stay():
    learner = Perceptron(3, min_updates=2)
    learner.add_one([1, 2], 0, 1)
    assert learner.scores([1, 2]).tolist() == [0, 0, 0]
    learner.add_one([2], 0, 1)
    learner.count_state()
    assert learner.scores([1, 2]).tolist() == [2, 0, 0]
    assert as_dict(learner.finalise()) == {(2, 0): 2}


@pytest.mark.parametrize(
    "options", [{"margin": -1}, {"margin": float("nan")}, {"min_updates": -1}, {"dense_above": -1}]
)
def test_impossible_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Perceptron(3, **options)


def test_bad_calls():
    with pytest.raises(TypeError, match="Learner is not a learner to be made"):
        Learner(3)
    learner = Perceptron(3)
    with pytest.raises(ValueError, match="without a zero-cost action"):
        learner.visit([1], [0], [])
    with pytest.raises(ValueError, match="action 3, but there are 3"):
        learner.add_one([1], 3, 1)
    with pytest.raises(ValueError, match="2 changes for 3 actions"):
        learner.add_row([1], [0, 1])
