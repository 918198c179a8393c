"""Finished weights: scoring, checking, adding up."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_learners import as_dict

from parser.score.linear import LinearModel
from parser.score.weights import Weights, from_triples, merge


def weights_of(table, n_actions):
    """Weights from {(key, action): weight}."""
    triples = sorted((key, action, value) for (key, action), value in table.items())
    keys = np.array([t[0] for t in triples], np.uint64)
    actions = np.array([t[1] for t in triples], np.uint16)
    return from_triples(n_actions, keys, actions, np.array([t[2] for t in triples], np.float32))


VALUES = st.integers(-64, 64).filter(bool).map(lambda i: i / 8)
TABLES = st.dictionaries(st.tuples(st.integers(1, 30), st.integers(0, 8)), VALUES, max_size=120)


@given(TABLES, st.lists(st.integers(0, 40), max_size=60))
def test_score_is_the_sum_over_features(table, feats):
    model = LinearModel(weights_of(table, 9).check())
    expected = [sum(table.get((f, a), 0) for f in feats) for a in range(9)]
    assert model.scores(feats).tolist() == expected


def test_more_features_than_fit_a_batch():
    table = {(key, key % 5): 0.5 for key in range(1, 2001)}
    assert LinearModel(weights_of(table, 5)).scores(range(1, 3000)).tolist() == [200] * 5


def test_no_weights_at_all():
    assert LinearModel(weights_of({}, 3)).scores([1, 2]).tolist() == [0, 0, 0]


@given(st.lists(TABLES, min_size=1, max_size=4))
def test_merging_adds_up(tables):
    expected = {}
    for table in tables:
        for key, value in table.items():
            expected[key] = expected.get(key, 0) + value
    merged = merge([weights_of(table, 9) for table in tables]).check()
    assert as_dict(merged) == {key: value for key, value in expected.items() if value}


def test_merging_needs_the_same_actions():
    with pytest.raises(ValueError, match="same number of actions"):
        merge([weights_of({}, 3), weights_of({}, 4)])
    with pytest.raises(ValueError, match="same number of actions"):
        merge([])


GOOD = weights_of({(5, 0): 1, (5, 2): 2, (9, 1): 3}, 3)
BAD = {
    "keys are not in ascending order": {"keys": np.array([9, 5], np.uint64)},
    "keys are not in ascending": {"keys": np.array([0, 5], np.uint64)},
    "not a row of uint64": {"keys": np.array([5, 9], np.int64)},
    "not a row of float32": {"weights": np.array([[1, 2, 3]], np.float32)},
    "not lead from row to row": {"offsets": np.array([0, 3, 3], np.int64)},
    "offsets do not lead": {"offsets": np.array([0, 3], np.int64)},
    "do not add up": {"offsets": np.array([0, 2, 4], np.int64)},
    "action 3, but there are 3": {"actions": np.array([0, 2, 3], np.uint16)},
    "actions of a row are not in ascending": {"actions": np.array([2, 0, 1], np.uint16)},
    "actions of a row": {"actions": np.array([2, 2, 1], np.uint16)},
    "not a finite number": {"weights": np.array([1, np.nan, 3], np.float32)},
}


@pytest.mark.parametrize("message", BAD)
def test_weights_that_do_not_fit_together(message):
    assert isinstance(GOOD.check(), Weights)
    with pytest.raises(ValueError, match=message):
        LinearModel(replace(GOOD, **BAD[message]))
