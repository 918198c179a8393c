"""The flat states against lists, driven by random legal transitions; copies, reuse of memory, sizes."""

import random

import pytest
from exhaustive import BASES, Variant
from hypothesis import given, settings
from hypothesis import strategies as st
from list_model import ListModel

from parser.transition import get_system, list_state, state
from parser.transition.cursor import ListCursor, StackCursor

N_LABELS = 40  # more than the 16 bits of a set's mask
LABELS = ["root", *(f"l{i}" for i in range(1, N_LABELS))]


def system_of(variant):
    return get_system(
        variant.system,
        root=variant.root,
        labels=LABELS,
        attach_aware=variant.attach_aware,
        single_root=variant.single_root,
    )


def check_same(model, current, hashes):
    """hashes: {(side, set of labels): hash} over the whole run."""
    config = model.config
    if model.variant.system == "easy-first":
        assert current.items == list(config.stack)
    else:
        assert (current.stack, current.buffer) == (list(config.stack), list(config.buffer))
        top_down = [*reversed(config.stack), -1, -1, -1]
        assert [current.cursor.stack_top(i) for i in range(3)] == top_down[:3]
    counts = current.cursor.counts()
    assert counts["arcs"] == len(model.arcs)
    assert counts["roots"] == sum(head == 0 for head, _, _ in model.arcs)
    for word in range(-1, model.n + 1):
        facts = current.cursor.node(word)
        expected = model.node(word)
        assert {key: facts[key] for key in expected} == expected, word
        for side in ("left", "right"):
            members = tuple(expected[f"{side}_labels"])
            assert hashes.setdefault(members, facts[f"{side[0]}set"]) == facts[f"{side[0]}set"]
        if model.variant.system == "easy-first" and word >= 0:
            assert (facts["first"], facts["last"]) == model.span(word)


def walk(variant, n, rng, few_labels):
    system = system_of(variant)
    model, current = ListModel(variant, n), system.initial(n)
    hashes = {(): 0}
    while model.names():
        assert sorted(current.legal(labelled=False)) == sorted(model.names())
        name = rng.choice(sorted(model.names()))
        label = rng.randrange(3 if few_labels else N_LABELS)
        adds_arc = model.names()[name].dep > 0
        current.apply(f"{name}:{LABELS[label]}" if adds_arc else name)
        model.apply(name, label)
        if rng.random() < 0.2:
            check_same(model, current, hashes)
    check_same(model, current, hashes)
    assert current.is_final()
    assert len(set(hashes.values())) == len(hashes), "two sets of labels share a hash"


@pytest.mark.parametrize("variant", BASES, ids=str)
@settings(deadline=None, max_examples=25)
@given(n=st.integers(1, 60), seed=st.integers(0, 2**32), few_labels=st.booleans())
def test_random_walks_agree_with_lists(variant, n, seed, few_labels):
    walk(variant, n, random.Random(seed), few_labels)


@pytest.mark.parametrize("variant", BASES, ids=str)
def test_copies_are_independent(variant):
    rng = random.Random(4)
    current = system_of(variant).initial(30)
    for _ in range(20):
        current.apply(rng.choice(current.legal()))
    twin = current.copy()
    assert twin.cursor.raw() == current.cursor.raw()
    before = current.cursor.raw()
    while not twin.is_final():
        twin.apply(rng.choice(twin.legal()))
    assert current.cursor.raw() == before != twin.cursor.raw()


@pytest.mark.parametrize(
    ("variant", "cursor"),
    [(Variant("arc-eager", "last"), StackCursor), (Variant("easy-first", "first"), ListCursor)],
    ids=str,
)
def test_a_block_used_again_is_as_good_as_new(variant, cursor):
    system = system_of(variant)
    used = system.initial(50)
    rng = random.Random(1)
    while not used.is_final():
        used.apply(rng.choice(used.legal(labelled=False)))
    used.cursor.restart(20)
    assert used.cursor.raw() == cursor(system.core, 20).raw()


def test_two_systems_side_by_side():
    eager = get_system("arc-eager", labels=["a", "b"])
    hybrid = get_system("arc-hybrid", labels=["b", "c", "d"], root="last")
    one, two = eager.initial(2), hybrid.initial(2)
    for current in (one, two):
        current.apply("SHIFT")
        current.apply("LEFT:b")
    assert (one.labels, two.labels) == (["b", None], ["b", None])
    assert one.legal() == ["SHIFT"]
    assert two.legal() == ["SHIFT"]
    one.apply("SHIFT")
    assert one.legal() == ["LEFT:a", "LEFT:b"]
    assert two.stack == []


def test_a_long_sentence():
    n = 20_000
    current = get_system("arc-eager", labels=["a"]).initial(n)
    for _ in range(n):
        current.apply("SHIFT")
    assert len(current.stack) == n
    while not current.is_final():
        current.apply("LEFT:a")
    assert current.cursor.node(0)["lval"] == n
    assert current.cursor.node(0)["left_labels"] == [0]


def test_sizes():
    """Beams copy these: whoever makes them larger should know."""
    assert state.sizes() == {"StateC": 64, "NodeC": 64}
    assert list_state.sizes() == {"ListC": 64, "LinkC": 16}
    assert state.bytes_of(20) == 1600
    assert state.bytes_of(20) % 64 == 0
    assert list_state.bytes_of(20) == 1856
