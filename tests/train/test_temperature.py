"""One factor that makes scores probabilities: found where it is, and nothing else changes."""

import numpy as np
import pytest

from parser import Parser
from parser.train.data import read_treebank
from parser.train.decisions import Judge
from parser.train.temperature import fitted_factor, log_loss, minimum, scaled
from parser.treebank.generate import generate


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A parser on treebanks made hard by wrong tags, so that it is often wrong."""
    folder = tmp_path_factory.mktemp("treebank")
    rng = np.random.default_rng(1)
    for name, n, seed in (("train", 150, 1), ("dev", 120, 2)):
        rows = "".join(generate(n, seed)).split("\n")
        noisy = [spoilt(row, rng) for row in rows]
        (folder / f"{name}.conllu").write_text("\n".join(noisy))
    parser = Parser.train(folder / "train.conllu", features="zn11", epochs=2)
    return parser, Judge(read_treebank([str(folder / "dev.conllu")]), parser.assembly, None)


def spoilt(row, rng):
    cells = row.split("\t")
    if len(cells) == 10 and rng.random() < 0.3:
        cells[1], cells[4] = "?", "NN"
    return "\t".join(cells)


def test_minimum_of_a_function_that_falls_and_rises():
    assert minimum(lambda x: (x - 1.234) ** 2, -10, 10) == pytest.approx(1.234, abs=0.01)
    assert minimum(abs, 0, 5) == pytest.approx(0, abs=0.01)


def test_loss_by_hand():
    assert log_loss(np.array([0.8, 0.5], np.float32), np.array([True, False])) == pytest.approx(
        -(np.log(0.8) + np.log(0.5)) / 2, rel=1e-6
    )
    assert log_loss(np.zeros(0, np.float32), np.zeros(0, bool)) == 0


def test_the_factor_is_the_best_one_and_undoes_any_other(trained):
    parser, judge = trained

    def loss(weights):
        found = judge.decisions(parser.assembly.sentence_parser(weights))
        return log_loss(found.p[~found.forced], found.correct[~found.forced])

    factor = fitted_factor(parser.weights, parser.assembly, judge)
    assert 1e-4 < factor < 1
    best = loss(scaled(parser.weights, factor))
    assert best < loss(scaled(parser.weights, 2 * factor))
    assert best < loss(scaled(parser.weights, factor / 2))
    assert best < loss(parser.weights)
    again = fitted_factor(scaled(parser.weights, 0.1), parser.assembly, judge)
    assert again == pytest.approx(10 * factor, rel=0.05)


def test_decisions_stay_the_same(trained):
    parser, judge = trained
    before = judge.decisions(parser.assembly.sentence_parser(parser.weights))
    after = judge.decisions(parser.assembly.sentence_parser(scaled(parser.weights, 0.25)))
    assert (before.correct == after.correct).all()
    assert len(before.p) == len(after.p)
    assert (before.p >= after.p - 1e-6).all(), "smaller scores are less sure"


def test_training_with_a_development_set_fits_it(tmp_path):
    for name, seed in (("train", 1), ("dev", 2)):
        (tmp_path / f"{name}.conllu").write_text("".join(generate(60, seed)))
    with_dev = Parser.train(tmp_path / "train.conllu", tmp_path / "dev.conllu", features="zn11", epochs=2)
    without = Parser.train(tmp_path / "train.conllu", features="zn11", epochs=2)
    assert 0 < with_dev.provenance["score_factor"] < 10
    assert without.provenance["score_factor"] is None
    adagrad = Parser.train(tmp_path / "train.conllu", features="zn11", epochs=2, learner="adagrad-rda")
    assert adagrad.provenance["score_factor"] == 1.0
