"""Derivations and the check, as the command line shows them."""

import pytest

from parser.transition import GoldError, get_system
from parser.transition.report import check_trees, derivation_lines

LABELS = ["root", "x"]
GOOD = ("first", [2, 0, 2], ["x", "root", "x"])
CROSSING = ("second", [3, 4, 0, 3], ["x", "x", "root", "x"])


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("arc-eager", ["SHIFT", "LEFT:x", "SHIFT", "RIGHT:x", "REDUCE", "LEFT:root"]),
        ("arc-hybrid", ["SHIFT", "SHIFT", "LEFT:x", "SHIFT", "SHIFT", "RIGHT:x", "RIGHT:root"]),
        ("arc-standard", ["SHIFT", "SHIFT", "SHIFT", "LEFT:x", "SHIFT", "RIGHT:x", "RIGHT:root"]),
        ("easy-first", ["LEFT@3:x", "RIGHT@2:x", "RIGHT@1:root"]),
    ],
)
def test_derivations(name, moves):
    system = get_system(name, labels=LABELS)
    assert list(derivation_lines(system, [GOOD])) == ["# first", *moves, ""]


def test_a_tree_that_cannot_be_derived():
    lines = derivation_lines(get_system("arc-eager", labels=LABELS), [GOOD, CROSSING])
    with pytest.raises(GoldError, match="second: the tree is not projective"):
        list(lines)


@pytest.mark.parametrize("root", ["first", "last", "none"])
def test_check(root):
    summary = check_trees(get_system("arc-hybrid", root=root, labels=LABELS), [GOOD, CROSSING, GOOD])
    assert (summary.trees, summary.rebuilt, summary.wrong, summary.ok) == (3, 2, [], True)
    first, *rest = summary.lines()
    assert first == "3 trees: 2 rebuilt by zero-cost transitions, 0 not, 1 refused"
    assert len(rest) == 1
    assert rest[0].startswith("refused: second: the tree is not projective (the arc from 4 to 2")


def test_check_finds_a_wrong_oracle(monkeypatch):
    """An oracle that calls everything free rebuilds nothing but by luck."""
    from parser.transition.handle import Gold

    monkeypatch.setattr(Gold, "costs", lambda _, state, *__: dict.fromkeys(state.legal(), 0))
    summary = check_trees(get_system("arc-eager", labels=LABELS), [GOOD])
    assert summary.wrong == ["first"]
    assert not summary.ok
    assert summary.lines() == ["1 trees: 0 rebuilt by zero-cost transitions, 1 not, 0 refused", "not rebuilt: first"]


def test_check_reports_a_state_without_a_free_move(monkeypatch):
    from parser.transition.handle import Gold

    monkeypatch.setattr(Gold, "costs", lambda _, state, *__: dict.fromkeys(state.legal(), 1))
    assert check_trees(get_system("easy-first", labels=LABELS), [GOOD]).wrong == ["first"]
