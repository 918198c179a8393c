"""Stopping and going on, and doing all over again, give the same bits: for every learner."""

import hashlib
import tracemalloc

import numpy as np
import pytest
from slow_learners import fixed_states, wide_states

from parser.learn import LEARNERS, AdaGradRDA, PassiveAggressive, Perceptron, Regression
from parser.model import ModelFile, write_model

MAKERS = {
    "perceptron": lambda: Perceptron(40, margin=10, min_updates=2),
    "passive-aggressive": lambda: PassiveAggressive(40, cap=0.1),
    "adagrad-rda compact": lambda: AdaGradRDA(40, n_tokens=1000, alpha=0.1, dense_above=8),
    "adagrad-rda gated": lambda: AdaGradRDA(40, n_tokens=1000, gate=3),
    "adagrad-rda dense": lambda: AdaGradRDA(40, n_tokens=1000, compact=False, ridge_inside_sqrt=True),
    "regression": lambda: Regression(40, birth=0.3),
    "regression ftrl": lambda: Regression(40, rule="ftrl", alpha=0.05),
}


def train(learner, first, last):
    for i, state in enumerate(fixed_states(1, last, 40)):
        if i >= first:
            learner.visit(*state)
    return learner


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("name", MAKERS)
def test_stopping_in_the_middle_changes_nothing(name):
    whole = train(MAKERS[name](), 0, 900)
    half = train(MAKERS[name](), 0, 400)
    resumed = MAKERS[name]()
    train(resumed, 0, 17)  # what was there before is forgotten
    resumed.restore(half.dump())
    assert same(resumed.dump(), half.dump())
    train(resumed, 400, 900)
    assert same(resumed.dump(), whole.dump())
    assert same(resumed.finalise().arrays(), whole.finalise().arrays())
    assert resumed.finalise().check().n_weights > 100


AVERAGED = ("perceptron", "passive-aggressive")


def only(saved, kept, averaged):
    """A dump with these rows alone; the average of those that have one begins anew."""
    rows = np.isin(saved["keys"], kept)
    entries = np.repeat(rows, saved["counts"])
    found = saved | {name: saved[name][rows] for name in ("keys", "counts", "updates")}
    found |= {
        name: saved[name][np.repeat(entries, len(saved[name]) // len(entries))] for name in ("actions", "hot", "cold")
    }
    if averaged:
        found |= {"cold": np.zeros_like(found["cold"]), "progress": saved["progress"] * [1, 0, 1, 1]}
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_what_has_no_row_when_some_are_kept_is_as_if_it_were_not_there(name):
    """And stopping behind that changes nothing."""
    learner, twin, resumed = train(MAKERS[name](), 0, 400), MAKERS[name](), MAKERS[name]()
    kept = learner.finalise().keys[::2]
    twin.restore(only(learner.dump(), kept, name in AVERAGED))
    learner.keep_rows(kept)
    for i, (feats, legal, zero) in enumerate(fixed_states(1, 900, 40)):
        if i == 600:
            resumed.restore(learner.dump())
        if i >= 400:
            assert learner.visit(feats, legal, zero) == twin.visit([f for f in feats if f in kept], legal, zero)
        if i >= 600:
            resumed.visit(feats, legal, zero)
    assert same(resumed.dump(), learner.dump())
    assert same(learner.finalise().arrays(), twin.finalise().arrays())
    assert learner.n_rows == len(kept) > 10
    assert same(learner.dump(), twin.dump() | {"progress": twin.dump()["progress"] + [0, 0, 0, 1]})


@pytest.mark.parametrize("name", MAKERS)
def test_looking_changes_nothing(name):
    """Scoring other states between score and learn, finishing, dumping: the same bits."""
    plain, watched = train(MAKERS[name](), 0, 300), MAKERS[name]()
    states = list(fixed_states(1, 300, 40))
    for i, state in enumerate(states):
        watched.scores(states[(i * 7) % 300][0])
        if i % 50 == 0:
            watched.finalise()
            watched.dump()
        watched.visit(*state)
    assert same(plain.dump(), watched.dump())


GOLDEN = {
    "perceptron": "f0eb22e385c4e481",
    "passive-aggressive": "5b18ab7aa75dcca0",
    "adagrad-rda compact": "dd3f835241549edb",
    "adagrad-rda gated": "5aba1ef2f426a9b2",
    "adagrad-rda dense": "6e42df06e2078fb7",
    "regression": "496a9e1b11db11a5",
    "regression ftrl": "64c11e16001cf50f",
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_bits_everywhere(name):
    """Whatever the machine, instruction set, compiler and build mode."""
    digest = hashlib.sha256()
    for array in train(MAKERS[name](), 0, 900).finalise().arrays().values():
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    assert digest.hexdigest()[:16] == GOLDEN[name]


WIDE_MAKERS = {
    "perceptron": lambda: Perceptron(200, margin=10, min_updates=2, dense_above=8),
    "passive-aggressive": lambda: PassiveAggressive(200, cap=0.1, dense_above=0),
    "adagrad-rda": lambda: AdaGradRDA(200, n_tokens=1000, alpha=0.1, dense_above=8, min_updates=1),
    "adagrad-rda dense": lambda: AdaGradRDA(200, n_tokens=1000, compact=False),
    "regression": lambda: Regression(200, dense_above=8),
}


@pytest.mark.parametrize("name", WIDE_MAKERS)
def test_scores_of_the_legal_actions_are_those_of_all(name):
    learner = WIDE_MAKERS[name]()
    for feats, legal, zero in wide_states(400):
        alone, all_scores = learner.scores(feats, legal), learner.scores(feats)
        assert alone[legal].tobytes() == all_scores[legal].tobytes()
        learner.visit(feats, legal, zero)
    assert learner.shape_counts()["dense"] > 20


def test_saving_takes_little_memory_beside_the_table(tmp_path):
    """What numpy allocates meanwhile: the keys, and a piece at a time."""
    learner = AdaGradRDA(50, n_tokens=100_000, gate=2)
    for start in list(range(0, 100_000, 500)) * 2:
        learner.add_row(range(start + 1, start + 501), np.full(50, 0.5, np.float32))
    assert learner.bytes_used > 100_000 * 50 * 8
    tracemalloc.start()
    write_model(tmp_path / "m", arrays=learner.pieces())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < learner.bytes_used / 8
    saved = ModelFile(tmp_path / "m")
    assert same({name: saved.array(name) for name in saved.sections}, learner.dump())


def test_a_sketch_of_another_size_is_refused():
    saved = AdaGradRDA(4, n_tokens=10, gate=2).dump()
    with pytest.raises(ValueError, match="'sketch'"):
        AdaGradRDA(4, n_tokens=100_000, gate=2).restore(saved)


def test_all_learners_are_named():
    assert {type(make()) for make in MAKERS.values()} == set(LEARNERS.values())
