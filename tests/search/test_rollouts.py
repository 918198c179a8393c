"""Costs by execution: take an action, finish the parse by zero-cost moves, count the loss (Chang et al. 2015).

With an optimal reference policy the loss of such a roll-out is the oracle's cost plus what is lost already: 2 for a
wrong head, 1 for a wrong label on a right one (their equation 1).
"""

import random

import pytest

from parser.transition import get_system
from parser.treebank.generate import generate

LABELS = ["root", "nsubj", "obj", "det", "punct"]
SYSTEMS = [
    ("arc-eager", "last"),
    ("arc-eager", "first"),
    ("arc-hybrid", "first"),
    ("arc-hybrid", "none"),
    ("arc-standard", "first"),
    ("easy-first", "first"),
]
STATES = 200


def gold_trees():
    """Short projective trees with labels from a small set."""
    for text in generate(60, seed=8):
        rows = [row.split("\t") for row in text.split("\n") if "\t" in row]
        if len(rows) <= 9:
            yield [int(row[6]) for row in rows], [row[7] if row[7] in LABELS else "det" for row in rows]


def loss(state, heads, labels):
    found_heads, found_labels = state.tree()
    return sum(
        2 if a != b else int(x != y) for a, b, x, y in zip(found_heads, heads, found_labels, labels, strict=True)
    )


def finish(state, gold, rng):
    """Random zero-cost moves to the end: the reference policy."""
    while not state.is_final():
        costs = gold.costs(state, weights=(2, 1))
        state.apply(rng.choice([move for move, cost in costs.items() if cost == 0]))
    return state


@pytest.mark.parametrize(("name", "root"), SYSTEMS)
def test_executed_costs_are_the_oracles(name, root):
    system = get_system(name, root=root, labels=LABELS, single_root=True)
    rng = random.Random(f"{name} {root}")
    trees, compared = list(gold_trees()), 0
    while compared < STATES:
        heads, labels = rng.choice(trees)
        gold, state = system.gold(heads, labels), system.initial(len(heads))
        for _ in range(rng.randrange(2 * len(heads))):
            if not state.is_final():
                state.apply(rng.choice(state.legal()))
        if state.is_final():
            continue
        costs = gold.costs(state, weights=(2, 1))
        executed = {}
        for move in [*rng.sample(sorted(costs), min(6, len(costs))), min(costs, key=costs.get)]:
            after = state.copy()
            after.apply(move)
            executed[move] = loss(finish(after, gold, rng), heads, labels)
        least = min(executed.values())
        assert {move: value - least for move, value in executed.items()} == {move: costs[move] for move in executed}
        compared += 1
