"""Bins and errors of calibration, by hand and against a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.evaluate.calibration import calibrate


def test_bins_by_hand():
    p = np.array([0.05, 0.1, 0.19, 0.7, 0.75, 0.99, 1.0], np.float32)
    correct = np.array([0, 1, 0, 1, 0, 1, 1], bool)
    forced = np.array([0, 0, 0, 0, 0, 0, 1], bool)
    found = calibrate(p, correct, forced)
    assert [(b.low, b.count) for b in found.bins] == [(0.0, 1), (0.1, 2), (0.7, 2), (0.9, 1), (1.0, 1)]
    assert [b.correct for b in found.bins] == [0, 0.5, 0.5, 1, 1]
    assert (found.decisions, found.forced) == (7, 1)
    expected = 1 * 0.05 + 2 * abs(0.5 - 0.145) + 2 * abs(0.5 - 0.725) + 1 * abs(1 - 0.99) + 0
    assert found.error == pytest.approx(100 * expected / 7, rel=1e-5)
    assert found.error_unforced == pytest.approx(100 * expected / 6, rel=1e-5)


decisions = st.lists(st.tuples(st.integers(0, 1000), st.booleans(), st.booleans()), max_size=80)


@given(decisions)
def test_against_a_slow_twin(rows):
    p = np.array([k / 1000 for k, _, _ in rows], np.float32)
    found = calibrate(p, np.array([c for _, c, _ in rows], bool), np.array([f for _, _, f in rows], bool))
    twin = {}
    for k, correct, _ in rows:
        twin.setdefault(10 if k == 1000 else k // 100, []).append((k / 1000, correct))
    assert {round(b.low * 10): b.count for b in found.bins} == {k: len(v) for k, v in twin.items()}
    error = sum(abs(sum(p for p, _ in v) - sum(c for _, c in v)) for v in twin.values())
    assert found.error == pytest.approx(100 * error / len(rows) if rows else 0, abs=1e-3)
