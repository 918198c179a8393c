"""One factor that makes scores probabilities: found where it is, and nothing else changes."""

import numpy as np
import pytest

from parser import Parser
from parser.config import Config
from parser.train.data import read_treebank
from parser.train.decisions import Judge
from parser.train.session import Display, train_parser
from parser.train.shrink import shrunk
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


def test_decisions_without_a_choice_say_nothing(tmp_path):
    """Sentences of one word, with one label: every factor is as good as any other, and none is made up."""
    rows = [f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate([2, 0, 2, 3], 1)]
    (tmp_path / "train.conllu").write_text(("".join(rows) + "\n") * 10)
    (tmp_path / "dev.conllu").write_text("1\tw\t_\tX\t_\t_\t0\tdep\t_\t_\n\n" * 3)
    config = Config().with_overrides(["features=zn11-standard", "epochs=2", "min_updates=0"])
    display = Told()
    data = [str(tmp_path / "train.conllu")], [str(tmp_path / "dev.conllu")]
    parser = train_parser(*data, config, display=display)
    assert parser.provenance["score_factor"] is None
    assert display.told == [f"{tmp_path / 'dev.conllu'}: no decision that has a choice"]
    judge = Judge(read_treebank(data[1]), parser.assembly, None)
    assert fitted_factor(parser.weights, parser.assembly, judge) is None
    small = shrunk(parser, parser.file_size() - 1, False, judge)
    assert small.provenance["score_factor"] is None
    assert (np.isin(small.weights.weights, parser.weights.weights)).all()


class Told(Display):
    def __init__(self):
        self.told = []

    def unjudged(self, why):
        self.told.append(why)


def test_training_with_a_development_set_fits_it(tmp_path):
    for name, seed in (("train", 1), ("dev", 2)):
        (tmp_path / f"{name}.conllu").write_text("".join(generate(60, seed)))
    with_dev = Parser.train(tmp_path / "train.conllu", tmp_path / "dev.conllu", features="zn11", epochs=2)
    without = Parser.train(tmp_path / "train.conllu", features="zn11", epochs=2)
    assert 0 < with_dev.provenance["score_factor"] < 10
    assert without.provenance["score_factor"] is None
    adagrad = Parser.train(tmp_path / "train.conllu", features="zn11", epochs=2, learner="adagrad-rda")
    assert adagrad.provenance["score_factor"] == 1.0
