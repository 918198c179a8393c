"""Legal sets, costs and best losses against a search over all completions, in all reachable configurations."""

from functools import cache
from itertools import cycle

import pytest
from exhaustive import VARIANTS, Search, allowed, initial, is_final, single_root_trees, trees

from parser.transition import get_system

LABELS = ["root", "x"]


def system_of(variant):
    return get_system(
        variant.system,
        root=variant.root,
        labels=LABELS,
        attach_aware=variant.attach_aware,
        single_root=variant.single_root,
    )


def gold_labels(heads, root_labels=("root",)):
    """Labels by the words' numbers; the root words take turns with `root_labels`."""
    turns = cycle(root_labels)
    return [next(turns) if head == 0 else LABELS[word % 2] for word, head in enumerate(heads, 1)]


@cache
def reachable(variant, n):
    """[(configuration, state of the system in it)]: every configuration once, arcs labelled by their words."""
    heads = single_root_trees(n)[0]  # which completions are allowed does not depend on the gold tree
    search = Search(variant, heads, [0] * n, 1, (1, 1), 0)
    first = initial(variant, n)
    found = {first: system_of(variant).initial(n)}
    todo = [first]
    while todo:
        c = todo.pop()
        for step in allowed(search, c):
            if step.after not in found:
                state = found[c].copy()
                state.apply(step.name if step.dep < 0 else f"{step.name}:{LABELS[(step.dep + step.head) % 2]}")
                found[step.after] = state
                todo.append(step.after)
    return list(found.items())


def built_loss(search, state):
    return sum(
        search.arc_loss(head, word, LABELS.index(label))
        for word, (head, label) in enumerate(zip(state.heads, state.labels, strict=True), 1)
        if head >= 0
    )


def compare(variant, n, weights, labelled, root_labels=("root",)):
    system = system_of(variant)
    configurations = reachable(variant, n)
    one_root = variant.single_root or variant.root == "none"
    compared = 0
    for heads in single_root_trees(n) if one_root else trees(n):
        names = gold_labels(heads, root_labels)
        search = Search(variant, heads, [LABELS.index(b) for b in names], len(LABELS), weights, 0)
        gold = system.gold(heads, names)
        for c, state in configurations:
            state = state.copy()
            state.system = system
            where = (variant, heads, c)
            assert state.is_final() == is_final(variant, c), where
            assert gold.best_loss(state, labelled, weights) == built_loss(search, state) + search.best(c), where
            expected = {
                (name if label < 0 or not labelled else f"{name}:{LABELS[label]}"): cost
                for (name, label), cost in sorted(search.costs(c).items(), key=lambda item: -item[1])
            }
            assert gold.costs(state, labelled, weights) == expected, where
            compared += len(expected)
    assert compared or n == 1
    return compared


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize(
    ("weights", "labelled"),
    [((1, 0), False), ((1, 1), True), ((2, 1), True)],
    ids=["unlabelled", "labelled", "weighted"],
)
def test_all_configurations_up_to_4_words(variant, weights, labelled):
    for n in range(1, 5):
        compare(variant, n, weights, labelled)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize(
    ("weights", "labelled", "n"),
    [((1, 0), False, 5), ((1, 1), True, 5), ((2, 1), True, 5)],
    ids=["unlabelled", "labelled", "weighted"],
)
def test_all_configurations_of_5_words(variant, weights, labelled, n):
    compare(variant, n, weights, labelled)


OTHER_ROOTS = [("x",), ("x", "root"), ("root", "x", "x")]
LEAVING = [v for v in VARIANTS if v.attach_aware or v.root == "none"]


@pytest.mark.parametrize("variant", LEAVING, ids=str)
@pytest.mark.parametrize("weights", [(1, 1), (2, 1), (5, 3)], ids=["labelled", "weighted", "5-3"])
@pytest.mark.parametrize("root_labels", OTHER_ROOTS, ids=" ".join)
def test_words_attached_to_root_by_no_move_get_the_root_label(variant, weights, root_labels):
    for n in range(1, 5):
        compare(variant, n, weights, True, root_labels)


@pytest.mark.slow
@pytest.mark.parametrize("variant", LEAVING, ids=str)
@pytest.mark.parametrize("root_labels", OTHER_ROOTS, ids=" ".join)
def test_words_attached_to_root_by_no_move_in_5_words(variant, root_labels):
    compare(variant, 5, (2, 1), True, root_labels)
