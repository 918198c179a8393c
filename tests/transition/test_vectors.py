"""Costs stored as JSON lines: a few made here by the exhaustive search, thousands made elsewhere."""

import json
from pathlib import Path

import pytest

from parser.transition import get_system

SYSTEMS = {
    "eager_rootfirst": {"name": "arc-eager", "root": "first"},
    "eager_rootfirst_attach": {"name": "arc-eager", "root": "first", "attach_aware": True},
    "eager_rootend": {"name": "arc-eager", "root": "last"},
    "standard_rootfirst": {"name": "arc-standard", "root": "first"},
    "hybrid_rootfirst": {"name": "arc-hybrid", "root": "first"},
    "hybrid_rootend": {"name": "arc-hybrid", "root": "last"},
    "hybrid_noroot": {"name": "arc-hybrid", "root": "none"},
    "easyfirst_rootfirst": {"name": "easy-first", "root": "first"},
}
SAMPLE = Path(__file__).parent / "sample_costs.jsonl"


def check(vector):
    options = dict(SYSTEMS[vector["system"]])
    system = get_system(options.pop("name"), labels=vector["labels"], **options)
    state = system.initial(vector["n"])
    for name in vector["prefix"]:
        state.apply(name)
    if vector["list"] is None:
        assert (state.stack, state.buffer) == (vector["stack"], vector["buffer"])
    else:
        assert state.items == vector["list"]
    assert state.heads == vector["heads"]
    assert state.labels == vector["head_labels"]
    assert sorted(state.legal(labelled=False)) == sorted(vector["legal"])
    assert sorted(state.legal()) == sorted(vector["legal_labelled"])
    gold = system.gold(vector["gold_heads"], vector["gold_labels"])
    assert gold.costs(state, labelled=False) == vector["cost"]
    assert gold.costs(state) == vector["cost_labelled"]
    assert gold.best_loss(state, labelled=False) == vector["min_loss"]
    assert gold.best_loss(state) == vector["min_loss_labelled"]


def read(path):
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("system", SYSTEMS)
def test_sample(system):
    chosen = [vector for vector in read(SAMPLE) if vector["system"] == system]
    assert len(chosen) == 6
    for vector in chosen:
        check(vector)


@pytest.mark.parametrize("system", SYSTEMS)
def test_stored_vectors(system, vectors):
    chosen = read(vectors / f"{system}.jsonl")
    assert len(chosen) >= 100
    for vector in chosen:
        check(vector)
