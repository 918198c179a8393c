"""Probabilities of arcs against the softmax of all actions' scores, in twice the precision."""

import numpy as np
import pytest
from made_corpus import SYSTEMS, made_text, read
from made_parser import columns_of, compiled, features_met
from made_weights import random_weights

from parser.compiled.engine import kernel_names
from parser.feature.library import named_set
from parser.search.session import Session
from parser.transition import get_system

CLOSE = 1e-6
STACK = [name for name in SYSTEMS if not name.startswith("easy")]


def expected(parser, steps, n):
    """By word: the probability of its arc, and of arc and label, from the plain sums, which are whole numbers."""
    core, arcs, labelled = parser.system, np.ones(n), np.ones(n)
    scale = parser.compiled.scale
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        if step["forced"] or step["action"] < core.first_left or after is None:
            continue
        (word,) = [i for i in range(n) if step["heads"][i] < 0 <= after["heads"][i]]
        scores = np.rint(np.array(step["scores"], np.float64) * scale) / scale
        odds = np.exp(scores - scores.max())
        is_right = np.array(step["legal"]) >= core.first_right
        is_left = (np.array(step["legal"]) >= core.first_left) & ~is_right
        of_move = is_right if step["action"] >= core.first_right else is_left
        arcs[word] = odds[of_move].sum() / odds.sum()
        labelled[word] = odds[step["legal"].index(step["action"])] / odds.sum()
    return arcs, labelled


def check_chances(parser, text):
    """The arc that ends a parse is not in its trace, and left out. Gives arcs that were not sure, states in 32 bits."""
    session, checked, unsure = Session(parser), 0, 0
    for batch in read(text)[0]:
        for sentence in batch:
            columns = columns_of(sentence)
            steps, n = session.trace(columns), len(columns["form"])
            found = session.parse(columns, scores=True)
            arcs, labelled = expected(parser, steps, n)
            seen = np.array(steps[-1]["heads"]) >= 0
            assert np.abs(found.arcs - arcs)[seen].max(initial=0) < CLOSE
            assert np.abs(found.labelled - labelled)[seen].max(initial=0) < CLOSE
            checked += int(seen.sum())
            unsure += int((found.labelled[seen] < 0.99).sum())
    assert checked > 30
    return unsure, session.work.own.counts()["wide"]


def small(weights, factor):
    """Scores so near to each other that many actions have a chance."""
    return type(weights)(
        weights.n_actions, weights.keys, weights.offsets, weights.actions, weights.weights * np.float32(factor)
    )


@pytest.mark.parametrize("factor", [1, 0.01, 0.0003])
@pytest.mark.parametrize("name", STACK)
def test_chances_are_the_softmax_of_all_scores(trained, name, factor):
    system, templates, weights = trained(name)
    unsure, _ = check_chances(
        compiled(system, templates, small(weights, factor)), made_text(15) + made_text(15, seed=9)
    )
    assert factor == 1 or unsure > 20


def test_arcs_of_root_with_a_label_of_their_own(trained):
    system, templates, weights = trained("standard", root_label="root", root_label_only=True)
    assert check_chances(compiled(system, templates, small(weights, 0.01)), made_text(20))[0] > 20


@pytest.mark.parametrize("factor", [1, 0.01])
def test_scores_that_leave_16_bits(trained, monkeypatch, factor):
    monkeypatch.setattr("parser.compiled.quantise.FINER", 5)
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 0)
    system, templates, weights = trained("eager")
    _, wide = check_chances(compiled(system, templates, small(weights, factor)), made_text(20))
    assert wide > 20


@pytest.mark.parametrize("factor", [1, 0.01])
@pytest.mark.parametrize("n_labels", [1, 30, 46, 300])
def test_lines_behind_the_head(n_labels, factor):
    """Weights of random actions fill all columns."""
    system = get_system("arc-eager", labels=[f"l{i}" for i in range(n_labels)])
    templates = named_set("zn11")
    keys = sorted(features_met(system, templates, made_text(8)))
    weights = random_weights(np.random.default_rng(1), keys, system.core.n_actions)
    for kernel in kernel_names():
        check_chances(compiled(system, templates, small(weights, factor), kernel), made_text(8))
