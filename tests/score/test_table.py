"""Rows grow from sparse to dense and keep what they hold; the table becomes flat arrays and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.learn import AdaGradRDA, Perceptron

CHANGES = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 69), st.integers(-3, 3)), max_size=250)


@given(CHANGES, st.sampled_from([0, 3, 4, 8, 16, 64, 1000]), st.sampled_from([1, 3, 20, 70]))
def test_rows_hold_what_was_added_in_any_layout(changes, dense_above, n_actions):
    learner, twin = Perceptron(n_actions, dense_above=dense_above), np.zeros((7, n_actions))
    for key, action, delta in changes:
        learner.add_one([key], action % n_actions, delta)
        twin[key, action % n_actions] += delta
    for key in range(1, 7):
        assert learner.scores([key]).tolist() == twin[key].tolist()
    assert learner.scores(range(7)).tolist() == twin.sum(axis=0).tolist()
    saved = learner.dump()
    again = Perceptron(n_actions, dense_above=dense_above)
    again.restore(saved)
    assert again.shape_counts() == learner.shape_counts()
    assert all(np.array_equal(a, saved[name]) for name, a in again.dump().items())


def test_a_row_becomes_dense_past_the_limit():
    learner = Perceptron(30, dense_above=8)
    for action in range(8):
        learner.add_one([1], action, 1)
    assert learner.shape_counts() == {4: 0, 8: 1, "dense": 0}
    learner.add_one([1], 8, 1)
    assert learner.shape_counts() == {4: 0, 8: 0, "dense": 1}
    assert learner.scores([1]).tolist() == [1] * 9 + [0] * 21


def test_abandoned_rows_are_used_again():
    """200 000 rows that all grow twice: the arena holds little more than the rows in use."""
    learner = Perceptron(100, dense_above=16)
    for start in range(0, 200_000, 1000):
        for action in range(9):
            learner.add_row(range(start + 1, start + 1001), np.eye(100, dtype=np.float32)[action])
    in_use = 200_000 * (8 + 12 * (2 + 4 + 8))
    assert learner.shape_counts()[12] == 200_000
    table_of_keys = 524_288 * 12
    assert in_use < learner.bytes_used - table_of_keys < 1.05 * in_use


def test_many_rows_over_many_blocks():
    learner = AdaGradRDA(50, n_tokens=10, compact=False)
    for start in range(0, 20_000, 500):
        learner.add_row(range(start + 1, start + 501), np.full(50, 0.5, np.float32))
    assert learner.shape_counts() == {"dense": 20_000}
    assert learner.bytes_used > 20_000 * 400
    hot = learner.dump()["hot"]
    assert hot.shape == (1_000_000,)
    assert (hot == 0.5).all()


@pytest.mark.parametrize("n_actions", [0, -1, 65536])
def test_impossible_numbers_of_actions(n_actions):
    with pytest.raises(ValueError, match="number of actions"):
        Perceptron(n_actions)


def test_most_actions_there_can_be():
    learner = Perceptron(65535, dense_above=4)
    for action in range(65530, 65535):
        learner.add_one([1, 2], action, 1)
    assert learner.scores([1, 2])[-6:].tolist() == [0, 2, 2, 2, 2, 2]


def spoiled(saved, **changes):
    return saved | changes


def test_arrays_that_are_no_dump():
    learner = Perceptron(5)
    learner.add_one([3, 7], 1, 1)
    learner.add_one([7], 2, 1)
    saved = learner.dump()
    cases = {
        "no array 'hot'": {"hot": None},
        "no array 'cold' of float64": {"cold": saved["cold"].astype(np.float32)},
        "differ in length": {"updates": saved["updates"][:1]},
        "do not add up": {"counts": np.array([1, 3], np.uint16)},
        "not in ascending order": {"keys": saved["keys"][::-1].copy()},
        "action 5, but there are 5": {"actions": np.array([1, 1, 5], np.uint16)},
        "an action twice": {"actions": np.array([1, 2, 2], np.uint16)},
        "made for 4 actions": {"progress": np.array([4, 0, 0, 0], np.int64)},
        "no array 'progress'": {"progress": np.array([5, 0], np.int64)},
    }
    for message, change in cases.items():
        with pytest.raises(ValueError, match=message):
            Perceptron(5).restore(spoiled(saved, **change))
