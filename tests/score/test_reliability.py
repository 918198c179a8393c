"""From probabilities to shares of right arcs."""

import numpy as np
import pytest

from parser.score.reliability import Reliability


def points(x, y, certain):
    return np.array([*x, 1, *y, certain], np.float32)


HEADS, LABELS = points([0.2, 0.6, 0.6, 0.9], [0.1, 0.5, 0.7, 0.95], 0.9), points([0.5], [0.4], 1)


def test_lines_through_the_points():
    """Straight from 0 on, level behind the last one; those that are certain apart."""
    p = np.random.default_rng(1).random(1000).astype(np.float32)
    p = p[p != np.float32(0.6)]
    found, _ = Reliability(HEADS, LABELS).applied(p, p)
    below = np.interp(p, [0, 0.2, 0.6], [0, 0.1, 0.5])
    assert np.allclose(found, np.where(p < 0.6, below, np.interp(p, [0.6, 0.9], [0.7, 0.95])), atol=1e-6)
    ends, _ = Reliability(HEADS, LABELS).applied([0, 0.6, 0.95, 1], [0, 0, 0, 0])
    assert np.allclose(ends, [0, 0.7, 0.95, 0.9])


def test_an_arc_with_its_label_is_no_likelier_than_without():
    arcs, labelled = Reliability(HEADS, LABELS).applied([0.2, 1, 0.9], [0.2, 1, 0.9])
    assert np.allclose(arcs, [0.1, 0.9, 0.95])
    assert np.allclose(labelled, [0.1, 0.9, 0.4])
    assert [len(found) for found in Reliability(HEADS, LABELS).applied([], [])] == [0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        points([0.6, 0.5], [0.1, 0.2], 1),
        points([0.5, 0.6], [0.3, 0.2], 1),
        points([0.5, 1], [0.3, 0.4], 1),
        points([0], [0.3], 1),
        points([0.5], [1.3], 1),
        points([0.5], [0.3], -0.1),
        points([], [], 1),
        HEADS[:-1],
        HEADS.astype(np.float64),
        np.append(HEADS[:-1], np.float32("nan")),
        HEADS.reshape(2, -1),
    ],
)
def test_what_is_no_curve(wrong):
    with pytest.raises(ValueError, match=r"^reliability: "):
        Reliability(wrong, LABELS)
    with pytest.raises(ValueError, match=r"^reliability: "):
        Reliability(HEADS, wrong)
