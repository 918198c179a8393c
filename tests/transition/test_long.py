"""Sentences of so many words that arc-standard's costs are those of what is near: they still lead to the gold tree."""

import random

import pytest

from parser.transition import get_system

N = 900


def nested(n, seed):
    """A projective tree of long right branches, with a few words to the left of each."""
    rng, heads, head = random.Random(seed), [0] * n, 0
    first = 1
    while first <= n:
        word = min(n, first + rng.randrange(3))
        for left in range(first, word):
            heads[left - 1] = word
        heads[word - 1] = head
        head, first = word, word + 1
    return heads


TREES = {
    "right": [i - 1 for i in range(1, N + 1)],
    "left": [i + 1 if i < N else 0 for i in range(1, N + 1)],
    "flat": [0] + [1] * (N - 1),
    "flat, last head": [N] * (N - 1) + [0],
    "nested": nested(N, 1),
}


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", TREES)
def test_gold_moves_cost_nothing(name, single_root):
    heads = TREES[name]
    system = get_system("arc-standard", labels=["a"], single_root=single_root)
    gold = system.gold(heads, ["a"] * N)
    state, asked = system.initial(N), 0
    while not state.is_final():
        move = gold.static(state)
        costs = gold.costs(state)
        assert costs[move] == 0
        asked += len(costs) > 1
        state.apply(move)
    assert asked > N / 2
    assert state.heads == heads


def test_a_wrong_move_costs_something():
    """The topmost word has all its dependents and hangs on the next one."""
    system = get_system("arc-standard", labels=["a"])
    gold = system.gold(TREES["right"], ["a"] * N)
    state = system.initial(N)
    while state.buffer:
        state.apply("SHIFT")
    assert gold.costs(state)["RIGHT:a"] == 0
    assert gold.costs(state)["LEFT:a"] > 0
