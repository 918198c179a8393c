"""Trees: the fast functions against the definitions, exhaustively for few words and by chance for many."""

import plain_tree
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.treebank import tree


@st.composite
def trees(draw, most=40):
    """Random trees: words are attached in a random order to ROOT or to a word attached before."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:i]]))
    return heads


@pytest.mark.parametrize(("n", "any_roots", "one_root"), [(1, 1, 1), (2, 3, 2), (3, 12, 7), (4, 55, 30), (5, 273, 143)])
def test_number_of_projective_trees(n, any_roots, one_root):
    projective = [heads for heads in plain_tree.all_trees(n) if tree.is_projective(heads)]
    assert len(projective) == any_roots
    assert sum(tree.problem(heads, single_root=True) is None for heads in projective) == one_root


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projectivity_agrees_with_both_definitions(n):
    for heads in plain_tree.all_trees(n):
        expected = plain_tree.nonprojective(heads)
        assert tree.is_projective(heads) == (not expected)
        assert tree.is_projective(heads) == (not plain_tree.crosses(heads))
        assert tree.nonprojective_words(heads) == expected


@given(trees())
def test_random_trees_agree_with_the_definitions(heads):
    assert tree.nonprojective_words(heads) == plain_tree.nonprojective(heads)
    assert tree.is_projective(heads) == (not plain_tree.crosses(heads))
    assert tree.problem(heads) is None
    assert tree.lift(heads)[0] == plain_tree.lift(heads)


@given(trees())
def test_lifting_gives_a_projective_tree_and_spares_projective_ones(heads):
    lifted, lifts = tree.lift(heads)
    assert tree.is_projective(lifted)
    assert tree.problem(lifted) is None
    assert (lifts == 0) == tree.is_projective(heads)
    if lifts == 0:
        assert lifted == heads


@pytest.mark.parametrize(
    ("heads", "lifted"),
    [
        ([3, 4, 0, 3], [3, 3, 0, 3]),  # (4, 2) spans 3, which is no descendant of 4: one step up
        ([0, 4, 1, 1], [0, 1, 1, 1]),
        ([2, 0, 1, 2], [2, 0, 2, 2]),  # (1, 3) spans 2, the head of 1
        ([4, 1, 4, 0], [4, 1, 4, 0]),
    ],
)
def test_lifting_by_hand(heads, lifted):
    assert tree.lift(heads)[0] == lifted


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_is_no_tree_is_told(n):
    from itertools import product

    for heads in product(range(-1, n + 2), repeat=n):
        if any(h > n for h in heads):
            with pytest.raises(tree.TreeError, match=r"word \d+ has head \d+, expected 0\.\."):
                tree.problem(heads)
        else:
            assert (tree.problem(heads) is None) == plain_tree.is_tree(heads), heads


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 2], "word 2 is its own head"),
        ([2, 3, 1, 0], "word 1 is on a cycle of heads, expected every word to reach ROOT"),
        ([-1, 0], "word 1 has no head"),
        ([0, 0], "2 words have head 0, expected one root (the second is word 2)"),
    ],
)
def test_messages(heads, message):
    assert tree.problem(heads, single_root=True) == message


def test_a_cycle_cannot_be_lifted():
    with pytest.raises(tree.TreeError, match="cycle"):
        tree.lift([2, 1])
    with pytest.raises(tree.TreeError, match="dimensions"):
        tree.lift([[0]])


@given(trees())
def test_depths_and_children(heads):
    for word, depth in enumerate(tree.depths(heads), 1):
        steps = 0
        while word != 0:
            word, steps = heads[word - 1], steps + 1
        assert depth == steps
    below = tree.children(heads)
    assert sorted(word for words in below for word in words) == list(range(1, len(heads) + 1))
    assert all(heads[word - 1] == head for head, words in enumerate(below) for word in words)


def test_no_words():
    assert tree.problem([]) is None
    assert tree.is_projective([])
    assert tree.lift([]) == ([], 0)


def test_a_very_deep_tree():
    n = 100_000
    chain = [0, *range(1, n)]
    assert tree.is_projective(chain)
    assert tree.depths(chain)[-1] == n
    assert tree.nonprojective_words(chain) == []
