"""The key table against a dict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.score.keymap import KeyTable

KEYS = st.one_of(st.integers(1, 20), st.integers(1, 2**64 - 1), st.integers(1, 63).map(lambda i: i << 58))


@given(st.lists(st.tuples(KEYS, st.integers(1, 2**32 - 1)), max_size=300))
def test_is_a_dict(pairs):
    table, twin = KeyTable(), {}
    for key, value in pairs:
        table.put(key, value)
        twin[key] = value
    assert len(table) == len(twin)
    assert all(table.get(key) == value for key, value in twin.items())
    assert table.get(0) == 0
    assert all(table.get(key ^ 1) == twin.get(key ^ 1, 0) for key in twin)


def test_grows_and_keeps_a_third_empty():
    table = KeyTable()
    for i in range(1, 5001):
        table.put(i, i)
    assert [table.get(i) for i in range(1, 5001)] == list(range(1, 5001))
    assert table.cells == 8192
    assert table.get(5001) == 0


def test_room_asked_for_is_there_from_the_start():
    assert KeyTable(5000).cells == 8192
    assert KeyTable(0).cells == 64


def test_multiples_of_a_power_of_two_do_not_pile_up():
    """Keys that differ only in their upper bits would all meet in one cell without mixing; this takes hours then."""
    table = KeyTable()
    for i in range(1, 40001):
        table.put(i << 40, i)
    assert table.get(40000 << 40) == 40000


def test_key_0_is_refused():
    with pytest.raises(KeyError, match="0 is not a feature key"):
        KeyTable().put(0, 1)
