"""Leaving weights out, against the obvious way."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parser.score.prune import order_of_use, rows_among, useful_rows, with_only
from parser.score.weights import Weights, from_triples

entries = st.dictionaries(
    st.tuples(st.integers(1, 6), st.integers(0, 4)), st.integers(-4, 4).filter(bool), max_size=15
).map(lambda found: dict(sorted(found.items())))


def weights_of(found: dict) -> Weights:
    keys = np.array([key for key, _ in found], np.uint64)
    actions = np.array([action for _, action in found], np.uint16)
    return from_triples(5, keys, actions, np.array([*found.values()], np.float32))


@given(entries)
def test_the_order_is_by_size_times_the_largest_of_the_row(found):
    largest = {key: max(abs(w) for (k, _), w in found.items() if k == key) for key, _ in found}
    use = [abs(w) * largest[key] for (key, _), w in found.items()]
    assert order_of_use(weights_of(found)).tolist() == sorted(range(len(use)), key=lambda i: -use[i])


@given(entries, st.floats(0.01, 1))
def test_useful_rows_are_those_with_the_largest_weights(found, share):
    largest = {key: max(abs(w) for (k, _), w in found.items() if k == key) for key, _ in found}
    n = math.ceil(share * len(largest))
    assert useful_rows(weights_of(found), share).tolist() == sorted(sorted(largest, key=lambda key: -largest[key])[:n])


@given(entries, st.data())
def test_what_is_kept_is_as_it_was_and_nothing_else_is_there(found, data):
    order = data.draw(st.permutations(range(len(found))))
    n = data.draw(st.integers(0, len(found)))
    left = dict(sorted(list(found.items())[i] for i in order[:n]))
    small, expected = with_only(weights_of(found), np.array(order[:n], np.int64)).check(), weights_of(left)
    for name, array in expected.arrays().items():
        assert np.array_equal(getattr(small, name), array)
        assert getattr(small, name).dtype == array.dtype
    counted = rows_among(weights_of(found), np.array(order, np.int64))
    assert len(counted) == len(found) + 1
    assert counted[n] == small.n_rows
