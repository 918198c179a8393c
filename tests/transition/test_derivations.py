"""What derivations do: lengths, static oracles, zero-cost paths, single root; on all small trees and on treebanks."""

import random

import pytest
from exhaustive import (
    BASES,
    VARIANTS,
    Search,
    Variant,
    initial,
    is_projective,
    is_tree,
    single_root_trees,
    steps,
    trees,
)

from parser.transition import get_system
from parser.treebank.tree import is_projective as fast_is_projective
from parser.treebank.tree import problem

LABELS = ["root", "x", "y"]


def system_of(variant, labels=LABELS, **options):
    return get_system(
        variant.system,
        root=variant.root,
        labels=labels,
        attach_aware=variant.attach_aware,
        single_root=variant.single_root,
        **options,
    )


def label_of(heads):
    return ["root" if head == 0 else "xy"[(head * 7 + word) % 2] for word, head in enumerate(heads, 1)]


def gold_trees(variant, n):
    return single_root_trees(n) if variant.single_root or variant.root == "none" else trees(n)


def test_numbers_of_trees():
    assert [len(trees(n)) for n in range(1, 7)] == [1, 3, 12, 55, 273, 1428]
    assert [len(single_root_trees(n)) for n in range(1, 7)] == [1, 2, 7, 30, 143, 728]


@pytest.mark.parametrize("n", range(1, 6))
def test_projectivity_is_that_of_the_definition(n):
    def vectors(heads):
        if len(heads) == n:
            yield heads
        else:
            for head in range(n + 1):
                yield from vectors([*heads, head])

    seen = 0
    for heads in vectors([]):
        if is_tree(heads):
            assert fast_is_projective(heads) == is_projective(heads), heads
            seen += 1
    assert seen == (n + 1) ** (n - 1)  # Cayley


def lengths(variant, n):
    """(fewest, most) transitions of a complete derivation."""
    return {
        ("arc-eager", "first"): (n, 2 * n - 1),
        ("arc-eager", "last"): (2 * n, 2 * n),
        ("arc-standard", "first"): (2 * n + 1, 2 * n + 1),
        ("arc-hybrid", "first"): (2 * n + 1, 2 * n + 1),
        ("arc-hybrid", "last"): (2 * n, 2 * n),
        ("arc-hybrid", "none"): (2 * n - 1, 2 * n - 1),
        ("easy-first", "first"): (n, n),
        ("easy-first", "none"): (n - 1, n - 1),
    }[variant.system, variant.root]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_random_derivations_end_in_trees(variant):
    rng = random.Random(11)
    system = system_of(variant)
    for n in [*range(1, 13), 30, 60]:
        for _ in range(15):
            state, taken = system.initial(n), 0
            while legal := state.legal():
                state.apply(rng.choice(legal))
                taken += 1
            assert state.is_final()
            fewest, most = lengths(variant, n)
            assert fewest <= taken <= most
            heads, labels = state.tree()
            assert problem(heads, single_root=system.single_root) is None
            assert None not in labels


LATE = [(v, "late") for v in VARIANTS if v.system == "arc-standard"]


def follow_static(variant, left_arc, all_heads):
    system = system_of(variant, left_arc=left_arc)
    for heads in all_heads:
        gold, state = system.gold(heads, label_of(heads)), system.initial(len(heads))
        while not state.is_final():
            state.apply(gold.static(state))
        assert state.tree() == (list(heads), label_of(heads))


@pytest.mark.parametrize(("variant", "left_arc"), [*((v, "early") for v in VARIANTS), *LATE], ids=str)
def test_static_oracles_derive_every_tree_up_to_5_words(variant, left_arc):
    for n in range(1, 6):
        follow_static(variant, left_arc, gold_trees(variant, n))


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "left_arc"), [*((v, "early") for v in VARIANTS), *LATE], ids=str)
def test_static_oracles_derive_every_tree_of_6_words(variant, left_arc):
    follow_static(variant, left_arc, gold_trees(variant, 6))


def test_late_left_attaches_left_dependents_last():
    """Liu et al. 2015, figure 1: He wrote her a letter, LEFT arcs delayed (their root arc apart)."""
    heads, labels = [2, 0, 2, 5, 2], ["x", "root", "y", "x", "y"]
    found = {}
    for left_arc in ("early", "late"):
        system = get_system("arc-standard", labels=LABELS, left_arc=left_arc)
        gold, state = system.gold(heads, labels), system.initial(5)
        found[left_arc] = []
        while move := gold.static(state):
            found[left_arc].append(move[:2])
            state.apply(move)
    assert found["late"] == ["SH", "SH", "SH", "SH", "RI", "SH", "SH", "LE", "RI", "LE", "RI"]
    assert found["early"] == ["SH", "SH", "SH", "LE", "SH", "RI", "SH", "SH", "LE", "RI", "RI"]


def test_worked_example():
    """Goldberg & Nivre 2012, figure 1 and section 4: He wrote her a letter ."""
    system = get_system("arc-eager", root="first", labels=["root"])
    gold, state = system.gold([2, 0, 2, 5, 2, 2]), system.initial(6)
    for costs, move in [
        ({"SHIFT": 0, "RIGHT": 1}, "SHIFT"),
        ({"SHIFT": 2, "RIGHT": 2, "LEFT": 0}, "LEFT"),
        ({"SHIFT": 1, "RIGHT": 0}, "RIGHT"),
        ({"SHIFT": 1, "RIGHT": 0, "REDUCE": 3}, "SHIFT"),
        ({"SHIFT": 0, "RIGHT": 1, "LEFT": 0}, "SHIFT"),
        ({"SHIFT": 2, "RIGHT": 2, "LEFT": 0}, "LEFT"),
        ({"SHIFT": 1, "RIGHT": 1, "LEFT": 0}, "LEFT"),
    ]:
        assert gold.costs(state, labelled=False) == costs
        state.apply(move)


def test_the_reverse_arc_costs():
    """gold 1 <- ROOT, 2 <- 1; stack [ROOT, 1], buffer [2]: LEFT adds (2, 1) and loses (1, 2); the papers print 0."""
    system = get_system("arc-eager", root="first", labels=["root"])
    gold, state = system.gold([0, 1]), system.initial(2)
    state.apply("SHIFT")
    assert gold.costs(state, labelled=False)["LEFT"] == 1


def test_arcs_that_exclude_each_other():
    """Stack 1, 2, 3: (3, 2) and (2, 1) are reachable one by one, not together."""
    system = get_system("arc-standard", labels=["a"])
    gold, state = system.gold([2, 3, 0]), system.initial(3)
    for _ in range(4):
        state.apply("SHIFT")
    assert gold.best_loss(state, labelled=False) == 1
    assert gold.static(state) is None


def random_walk(rng, gold, system, n, wrong):
    """A state reached by transitions of which about a share `wrong` is random, the others of no cost."""
    state = system.initial(n)
    for _ in range(rng.randrange(2 * n)):
        legal = state.legal()
        if not legal:
            break
        costs = gold.costs(state)
        zero = [name for name in legal if costs[name] == 0]
        state.apply(rng.choice(legal if rng.random() < wrong else zero))
    return state


def finish(rng, gold, state):
    while not state.is_final():
        costs = gold.costs(state)
        assert min(costs.values()) == 0, state
        state.apply(rng.choice([name for name, cost in costs.items() if cost == 0]))


def final_loss(variant, gold, state):
    heads, labels = state.tree()
    if variant.system == "arc-eager" and not variant.attach_aware:
        heads, labels = state.heads, state.labels
    return sum(
        (head, label) != right
        for head, label, right in zip(heads, labels, zip(gold.heads, gold.labels, strict=True), strict=True)
    )


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_zero_cost_paths_end_with_the_best_loss(variant):
    rng = random.Random(5)
    system = system_of(variant)
    for _ in range(150):
        n = rng.randint(1, 6)
        heads = rng.choice(gold_trees(variant, n))
        gold = system.gold(heads, label_of(heads))
        state = random_walk(rng, gold, system, n, rng.choice([0, 0.3, 1]))
        best = gold.best_loss(state)
        finish(rng, gold, state)
        assert final_loss(variant, gold, state) == best


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.single_root], ids=str)
@pytest.mark.parametrize("n", range(1, 7))
def test_single_root_mode_allows_what_leads_to_one_root_and_nothing_else(variant, n):
    """In every configuration reachable under the rule: a transition is legal iff some completion after it, by the
    unrestricted system, has one word under ROOT. So no derivation ends with another number, none gets stuck, and every
    tree with one root keeps all its derivations."""
    search = Search(variant, single_root_trees(n)[0], [0] * n, 1, (1, 1), 0)
    first = initial(variant, n)
    seen, todo = {first}, [(first, system_of(variant).initial(n))]
    while todo:
        c, state = todo.pop()
        expected = {step.name: step.after for step in steps(variant, c) if search.best(step.after) < 10**6}
        assert sorted(state.legal(labelled=False)) == sorted(expected)
        assert state.is_final() or expected
        for name, after in expected.items():
            if after not in seen:
                seen.add(after)
                ahead = state.copy()
                ahead.apply(name)
                todo.append((after, ahead))
    assert len(seen) > n


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("heads", [[0], [0] * 7], ids=["one word", "all under ROOT"])
def test_flat_trees(variant, heads):
    system = system_of(variant)
    if len(heads) > 1 and system.single_root:
        with pytest.raises(ValueError, match="7 words have head 0"):
            system.gold(heads, ["root"] * 7)
        return
    gold, state = system.gold(heads, ["root"] * len(heads)), system.initial(len(heads))
    finish(random.Random(0), gold, state)
    assert state.tree() == (heads, ["root"] * len(heads))


def test_root_label_discipline():
    system = get_system("arc-standard", labels=LABELS, root_label_only=True, single_root=True)
    rng = random.Random(3)
    for heads in single_root_trees(5):
        gold = system.gold(heads, label_of(heads))
        state = random_walk(rng, gold, system, 5, 0.5)
        best = gold.best_loss(state)
        finish(rng, gold, state)
        assert final_loss(BASES[3], gold, state) == best
        found, labels = state.tree()
        assert [label == "root" for label in labels] == [head == 0 for head in found]


def test_explain():
    system = get_system("arc-eager", labels=LABELS)
    gold, state = system.gold([2, 0, 2], ["x", "root", "y"]), system.initial(3)
    state.apply("SHIFT")
    assert system.explain(state, gold).splitlines()[1:] == [
        "move    legal  cost  why",
        "SHIFT   yes    1     loses 2 -> 1",
        "REDUCE  no     -",
        "LEFT    yes    0     adds 2 -> 1: gold, label x",
        "RIGHT   yes    2     adds 1 -> 2: gold head is 0; loses 2 -> 1, 0 -> 2",
    ]
    easy = get_system("easy-first", labels=LABELS)
    text = easy.explain(easy.initial(2), easy.gold([0, 1], ["root", "x"]))
    assert "RIGHT@2  yes    0     adds 1 -> 2: gold, label x" in text.splitlines()
    standard = get_system("arc-standard", labels=["a"])
    gold, state = standard.gold([2, 3, 0]), standard.initial(3)
    for _ in range(3):
        state.apply("SHIFT")
    assert "SHIFT  yes    1     1 more arc(s) exclude each other" in standard.explain(state, gold).splitlines()


@pytest.mark.parametrize("variant", [Variant("arc-eager", "last", single_root=True)], ids=str)
def test_states_of_another_sentence_or_system(variant):
    one, two = system_of(variant), system_of(variant)
    gold = one.gold([0, 1], ["root", "x"])
    with pytest.raises(ValueError, match="the state has 3 words, the gold tree 2"):
        gold.costs(one.initial(3))
    with pytest.raises(ValueError, match="another system"):
        gold.costs(two.initial(2))
