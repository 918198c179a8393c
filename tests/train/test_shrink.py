"""Parsers that are made to fit into a budget."""

import numpy as np
import pytest

import parser
from parser import Parser
from parser.cli.console import UsageError
from parser.cli.options import bytes_of
from parser.model import ModelFileError
from parser.train.data import read_treebank
from parser.train.decisions import Judge
from parser.train.dev import DevSet
from parser.train.shrink import BudgetError, cost_of, las_of, shrunk
from parser.train.temperature import log_loss


@pytest.fixture(scope="module")
def dev(files):
    return read_treebank([str(files / "dev.conllu")])


@pytest.fixture(scope="module")
def model(files):
    return Parser.train(files / "train.conllu", files / "dev.conllu", epochs=4, features="rich", min_updates=2)


@pytest.mark.parametrize("slim", [False, True])
def test_the_file_fits_whatever_the_budget_and_little_is_wasted(model, tmp_path, slim):
    whole = model.file_size(slim=slim)
    model.save(tmp_path / "whole", slim=slim)
    assert (tmp_path / "whole").stat().st_size == whole
    assert model.shrunk(whole, slim=slim) is model
    last = whole
    for budget in np.linspace(whole - 1, whole // 8, 5).astype(int).tolist():
        small = model.shrunk(budget, slim=slim)
        small.save(tmp_path / "m", slim=slim)
        size = (tmp_path / "m").stat().st_size
        assert 0.97 * budget < size <= budget
        assert size < last
        last = size
        again = parser.load(tmp_path / "m")
        assert again.size == small.size
        assert again.provenance["shrunk_from"] == model.size
        assert again.parse(["la", "domo"]) == small.parse(["la", "domo"])


def test_what_is_kept_is_what_the_whole_has(model):
    small = model.shrunk(model.file_size() // 3)
    known = []
    for parser_ in (small, model):
        w = parser_.weights
        keys = np.repeat(w.keys, np.diff(w.offsets))
        names = zip(keys.tolist(), w.actions.tolist(), strict=True)
        known.append(dict(zip(names, w.weights.tolist(), strict=True)))
    assert known[0].items() < known[1].items()


def test_less_room_costs_accuracy_in_the_end_and_the_cost_is_told(model, dev):
    whole = cost_of(model, True, dev)
    half, least = (cost_of(model.shrunk(whole.n_bytes // k, slim=True), True, dev) for k in (2, 6))
    assert whole.las == las_of(model, dev)
    assert whole.las >= half.las - 1
    assert half.las - 2 < whole.las
    assert least.las < whole.las
    assert whole.rows > half.rows > least.rows
    assert cost_of(model, True, None).las is None


def test_the_las_is_that_of_training_and_of_evaluate(model, files, dev):
    found = las_of(model, dev)
    score = model.evaluate(files / "dev.conllu")["with_punctuation"]["scores"]["LAS"]
    assert found == pytest.approx(100 * score["correct"] / score["gold"])
    assert found == pytest.approx(DevSet(dev, model.assembly, None).score(model.weights).las, abs=0.5)


def test_probabilities_are_made_right_again(model, dev):
    judge = Judge(dev, model.assembly, None)
    budget = model.file_size(slim=True) // 8

    def surprise(small):
        found = judge.decisions(small.assembly.sentence_parser(small.weights))
        return log_loss(found.p[~found.forced], found.correct[~found.forced])

    plain, fitted = shrunk(model, budget, True), shrunk(model, budget, True, judge)
    assert surprise(fitted) < surprise(plain)
    assert fitted.file_size(slim=True) <= budget
    assert fitted.provenance["score_factor"] != plain.provenance["score_factor"]


def test_budgets_that_cannot_be(model, tmp_path):
    with pytest.raises(
        BudgetError, match=r"a budget of 100 bytes: without any weights the model takes [\d,]+$"
    ) as told:
        model.shrunk(100)
    least = int(str(told.value).split()[-1].replace(",", ""))
    assert model.shrunk(least).size["weights"] == 0
    model.save(tmp_path / "m", slim=True)
    with pytest.raises(ModelFileError, match="slim model has no weights to be made smaller"):
        parser.load(tmp_path / "m").shrunk(10**5)


def test_easy_first_fits_too(files):
    model = Parser.train(files / "train.conllu", epochs=1, system="easy-first")
    small = model.shrunk(model.file_size() // 2)
    assert small.file_size() <= model.file_size() // 2
    assert small.parse(["a", "b"]).heads.count(0) == 1


@pytest.mark.parametrize(
    ("text", "n"),
    [("5MB", 5_000_000), ("800 kB", 800_000), ("2.5MiB", 2_621_440), ("100000", 100_000), ("1g", 10**9), ("7b", 7)],
)
def test_sizes(text, n):
    assert bytes_of(text) == n


@pytest.mark.parametrize("text", ["", "MB", "-5MB", "5 TB", "5,5MB", "0x5", "5MBB", "1e6", "٥MB"])
def test_what_is_no_size(text):
    with pytest.raises(UsageError, match=r"is no size, expected one like 5MB"):
        bytes_of(text)
