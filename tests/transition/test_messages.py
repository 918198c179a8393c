"""Every public error message, and the fixed order of names."""

import pytest

from parser.transition import GoldError, TransitionError, get_system
from parser.transition.drive import walker

LABELS = ["root", "x", "nmod:poss"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "arc-lazy",
            {},
            "no transition system 'arc-lazy', expected one of arc-eager, arc-standard, arc-hybrid, easy-first",
        ),
        ("arc-eager", {"root": "none"}, "arc-eager: root='none', expected 'last' or 'first'"),
        ("arc-standard", {"root": "last"}, "arc-standard: root='last', expected 'first'"),
        ("arc-hybrid", {"root": "end"}, "arc-hybrid: root='end', expected 'first' or 'last' or 'none'"),
        ("easy-first", {"root": "last"}, "easy-first: root='last', expected 'first' or 'none'"),
        ("arc-hybrid", {"attach_aware": True}, "arc-hybrid has no option attach_aware"),
        ("arc-hybrid", {"left_arc": "late"}, "arc-hybrid has no option left_arc"),
        ("easy-first", {"root_label_only": True}, "easy-first has no option root_label_only"),
        ("arc-standard", {"left_arc": "never"}, "left_arc='never', expected 'early' or 'late'"),
        (
            "arc-eager",
            {"attach_aware": True},
            "arc-eager: attach_aware goes with root='first' only; with root='last' none is left over",
        ),
        ("arc-eager", {"labels": []}, "labels is empty, expected at least one label"),
        ("arc-eager", {"labels": ["x", "y", "x"]}, "label 'x' is given twice"),
        ("arc-eager", {"root_label": "ROOT"}, "root_label='ROOT' is not among the labels"),
        (
            "arc-eager",
            {"labels": ["x"], "root": "first"},
            "arc-eager with root='first' needs root_label, one of the labels",
        ),
        (
            "arc-standard",
            {"labels": ["x"], "root_label_only": True},
            "arc-standard with root='first' needs root_label, one of the labels",
        ),
        (
            "arc-hybrid",
            {"labels": ["x"], "root": "none"},
            "arc-hybrid with root='none' needs root_label, one of the labels",
        ),
    ],
)
def test_systems(name, options, message):
    with pytest.raises(TransitionError) as error:
        get_system(name, **{"labels": LABELS, **options})
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "move", "message"),
    [
        ("arc-eager", "LEFT:x", "'LEFT' is not legal here; legal: SHIFT"),
        ("arc-eager", "JUMP", "'JUMP' is not legal here; legal: SHIFT"),
        ("arc-eager", "SHIFT:x", "'SHIFT:x': SHIFT takes no label"),
        ("easy-first", "RIGHT@1:z", "label 'z' is not among the system's 3 labels"),
        ("easy-first", "LEFT@2:x", "'LEFT@2' is not legal here; legal: LEFT@3, RIGHT@1, RIGHT@2"),
    ],
)
def test_moves(name, move, message):
    state = get_system(name, labels=LABELS).initial(2)
    with pytest.raises(TransitionError) as error:
        state.apply(move)
    assert str(error.value) == message


def test_final_states():
    state = get_system("arc-eager", labels=LABELS).initial(1)
    with pytest.raises(TransitionError, match="the state is not final: there is no tree yet"):
        state.tree()
    state.apply("SHIFT")
    state.apply("LEFT:root")
    with pytest.raises(TransitionError, match="'SHIFT' is not legal here; legal: nothing: the state is final"):
        state.apply("SHIFT")
    assert state.tree() == ([0], ["root"])


def test_no_words():
    with pytest.raises(TransitionError, match="n=0: expected a sentence of at least one word"):
        get_system("arc-eager", labels=LABELS).initial(0)


CROSSING = [3, 4, 0, 3]  # arcs 3 -> 1 and 4 -> 2


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([], [], "s7: no words"),
        ([0, 1], ["root"], "s7: 2 heads but 1 labels"),
        ([2, 1], None, "s7: word 1 is on a cycle of heads, expected every word to reach ROOT"),
        ([0, 3], None, "s7: word 2 has head 3, expected 0..2"),
        ([0, -1], None, "s7: word 2 has no head"),
        ([0, 1], ["root", "z"], "s7: label 'z' of word 2 is not among the system's labels"),
        ([0, 0], ["root", "root"], "s7: 2 words have head 0, but the system builds trees with one root (single_root)"),
        (
            CROSSING,
            None,
            "s7: the tree is not projective (the arc from 4 to 2 crosses another), no derivation builds it: "
            "lift such trees (--nonprojective lift) or drop them (--nonprojective drop)",
        ),
    ],
)
def test_gold_trees(heads, labels, message):
    system = get_system("arc-eager", labels=LABELS, single_root=True)
    with pytest.raises(GoldError) as error:
        system.gold(heads, labels, name="s7")
    assert str(error.value) == message


def test_root_labels_the_discipline_forbids():
    system = get_system("arc-standard", labels=LABELS, root_label_only=True)
    with pytest.raises(GoldError) as error:
        system.gold([0, 1], ["root", "root"], name="s7")
    assert str(error.value) == (
        "s7: word 2 has head 1 and label 'root', but with root_label_only the words under ROOT, "
        "and no others, are labelled 'root'"
    )
    state = system.initial(1)
    for move in ("SHIFT", "SHIFT"):
        state.apply(move)
    assert state.legal() == ["RIGHT:root"]
    with pytest.raises(TransitionError, match="'RIGHT:x' is not legal here: label 'x' does not go with this head"):
        state.apply("RIGHT:x")


def test_costs():
    system = get_system("arc-eager", labels=LABELS)
    gold, state = system.gold([0, 1]), system.initial(2)
    with pytest.raises(TransitionError, match="the gold tree has no labels: ask with labelled=False"):
        gold.costs(state)
    for weights in [(0, 0), (1, 2), (1, -1)]:
        with pytest.raises(TransitionError, match="expected 1 <= head and 0 <= label <= head"):
            gold.best_loss(state, labelled=False, weights=weights)


def test_walks_refuse_what_no_derivation_builds():
    system = get_system("arc-eager", labels=LABELS)
    with pytest.raises(ValueError, match="no derivation builds this tree"):
        walker(system.core).complete(CROSSING, [0] * 4, 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("arc-eager", ["SHIFT", "LEFT:root", "LEFT:x", "LEFT:nmod:poss", "RIGHT:root", "RIGHT:x", "RIGHT:nmod:poss"]),
        ("arc-hybrid", ["SHIFT", "LEFT:root", "LEFT:x", "LEFT:nmod:poss"]),
    ],
)
def test_names_are_in_the_fixed_order(name, expected):
    state = get_system(name, labels=LABELS, root="last").initial(3)
    state.apply("SHIFT")
    assert state.legal() == expected
    state.apply("LEFT:nmod:poss")
    assert state.labels == ["nmod:poss", None, None]


def test_unlabelled_steps():
    system = get_system("arc-eager", labels=LABELS)
    state, gold = system.initial(2), system.gold([2, 0])
    moves = []
    while not state.is_final():
        moves.append(gold.static(state))
        state.apply(moves[-1])
    assert moves == ["SHIFT", "LEFT", "SHIFT", "LEFT"]
    assert state.tree() == ([2, 0], [None, None])
    assert state.cursor.node(2)["lset"] == 0
