"""Training that goes on with a part of the rows."""

import json

import numpy as np
import pytest

from parser import Parser
from parser.cli.app import run
from parser.config import Config
from parser.train.session import TrainingRun


def trained(files, output, *options):
    """The weights, and the lines of the log that tell of rows left out."""
    config = Config().with_overrides(["features=zn11", *options])
    weights = TrainingRun([str(files / "train.conllu")], [], config, output).run().weights
    lines = map(json.loads, output.with_name(output.name + ".log").read_text().splitlines())
    return weights, [line for line in lines if line["event"] == "rows"]


@pytest.mark.parametrize("learner", ["perceptron", "adagrad-rda"])
def test_only_rows_that_had_the_largest_weights_are_in_the_model(files, tmp_path, learner):
    shared = f"learner={learner}", "min_updates=0"
    before, _ = trained(files, tmp_path / "before", *shared, "epochs=2")
    after, (line,) = trained(files, tmp_path / "after", *shared, "epochs=5", "keep=0.3", "keep_after=2")
    assert (line["after"], line["of"], line["kept"]) == (2, before.n_rows, -(-3 * before.n_rows // 10))
    largest = np.maximum.reduceat(np.abs(before.weights), before.offsets[:-1])
    kept = set(before.keys[np.argsort(-largest, kind="stable")[: line["kept"]]].tolist())
    assert set(after.keys.tolist()) <= kept
    assert after.n_rows > 0.5 * len(kept)


@pytest.mark.parametrize("options", [("epochs=3", "keep=1"), ("epochs=2", "keep=0.1")])
def test_all_rows_stay_where_that_is_asked_for_or_training_is_short(files, tmp_path, options):
    assert trained(files, tmp_path / "m", "keep_after=2", *options)[1] == []


def test_accuracy_is_that_of_all_rows(files):
    def las(keep):
        model = Parser.train(
            files / "train.conllu", files / "dev.conllu", epochs=8, keep=keep, keep_after=4, min_updates=1
        )
        score = model.evaluate(files / "dev.conllu")["with_punctuation"]["scores"]["LAS"]
        return 100 * score["correct"] / score["gold"], model.size["rows"]

    (whole, all_rows), (part, rows) = las(1.0), las(0.4)
    assert rows < 0.5 * all_rows
    assert part > whole - 1.5


def test_the_best_epoch_is_one_with_the_rows_that_are_left(files, tmp_path, capsys):
    """However good those before were. The command says where that begins."""
    options = ["--features", "zn11", "--epochs", "3", "--set", "keep=0.01", "--set", "keep_after=2"]
    assert run(["train", f"{files}/train.conllu", "--dev", f"{files}/dev.conllu", "-o", f"{tmp_path}/m", *options]) == 0
    lines = list(map(json.loads, (tmp_path / "m.log").read_text().splitlines()))
    scores = [line["score"] for line in lines if line["event"] == "epoch"]
    assert max(scores) > scores[2]
    told = capsys.readouterr().err.splitlines()
    kept = next(line["kept"] for line in lines if line["event"] == "rows")
    at = next(i for i, line in enumerate(told) if f"with {kept:,} of" in line)
    assert told[at - 1].split()[0] == "2"
    assert told[at + 1].split()[0] == "3"
    assert told[at + 1].endswith("best")
    assert 0 < Parser.load(tmp_path / "m").weights.n_rows <= kept


@pytest.mark.parametrize(
    ("options", "keep"),
    [
        ((), 0.4),
        (("learner=adagrad-rda",), 0.4),
        (("learner=regression",), 1),
        (("system=easy-first",), 1),
        (("system=easy-first", "keep=0.7"), 0.7),
    ],
)
def test_the_default_is_that_of_system_and_learner(options, keep):
    assert Config().with_overrides(options).resolved().learner.keep == keep
