"""Training that is stopped, at any time, leaves a parser that can be used."""

import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from made_corpus import made_text

from parser.config import Config
from parser.pipeline import Parser
from parser.train.session import Display, TrainingRun


class StopAt(Display):
    """Ctrl-C when something is told for the n-th time."""

    def __init__(self, what, times=1):
        self.left = times
        setattr(self, what, self.stop)

    def stop(self, *_):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def files(tmp_path):
    (tmp_path / "train.conllu").write_text(made_text(60))
    (tmp_path / "dev.conllu").write_text(made_text(10, seed=2))
    return tmp_path


def training(files, display, overrides=None, **options):
    overrides = {"features": "zn11", "epochs": 3, "ensemble": 2} | (overrides or {})
    config = Config().with_overrides(f"{name}={value}" for name, value in overrides.items())
    output = files / "m.model"
    return TrainingRun(
        [str(files / "train.conllu")], [str(files / "dev.conllu")], config, output, display=display, **options
    )


def seeds_in(path):
    return [(seed["seed"], seed["best_epoch"]) for seed in Parser.load(path).provenance["seeds"]]


@pytest.mark.parametrize(
    ("what", "times", "n_seeds"),
    [("ticked", 1, 0), ("ticked", 2, 0), ("epoch_done", 3, 0), ("epoch_done", 4, 1), ("compiled", 1, 2)],
)
def test_a_usable_model_is_left(files, what, times, n_seeds):
    run = training(files, StopAt(what, times))
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.left_model
    assert len(seeds_in(run.output)) == n_seeds
    assert len(Parser.load(run.output).parse(["ha", "ho"])) == 2


def test_a_later_seed_counts_from_its_first_epoch_on(files):
    """The weights of half an epoch, added to those of seeds that are done, would make a worse parser of them."""
    done = training(files, Display(), {"ensemble": 1}).run()
    run = training(files, StopAt("ticked", 4))
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert (len(run.finished), run.current.epoch) == (1, 0)
    left = Parser.load(run.output).weights.arrays()
    assert all(np.array_equal(left[name], array) for name, array in done.weights.arrays().items())


@pytest.mark.parametrize("times", [2, 3, 5])
def test_what_was_stopped_is_gone_on_with(files, times):
    """From the first epoch on; the model is that of a run without a stop."""
    training(files, Display()).run()
    whole = (files / "m.model").read_bytes()
    (files / "m.model.last").unlink()
    run = training(files, StopAt("ticked", times))
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.has_last
    training(files, Display(), resume=True).run()
    assert (files / "m.model").read_bytes() == whole


def test_a_first_epoch_that_is_not_done_replaces_nothing(files):
    """Neither the model nor what the run before could be gone on from."""
    training(files, Display(), {"ensemble": 1}).run()
    before = {path.name: path.read_bytes() for path in files.glob("m.model*")}
    assert sorted(before) == ["m.model", "m.model.last", "m.model.log"]
    run = training(files, StopAt("ticked"), {"ensemble": 1})
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert {path.name: path.read_bytes() for path in files.glob("m.model*")} == before
    assert not run.left_model
    assert not run.has_last, "the last state beside it is of the run before"
    training(files, Display(), {"ensemble": 1}, resume=True).run()
    assert (files / "m.model").read_bytes() == before["m.model"]


def test_a_last_state_that_cannot_be_written_does_not_cost_the_model(files):
    """As on a full disk: files may have a third of the last state's size, and the model takes less."""
    command = [sys.executable, "-m", "parser", "train", files / "train.conllu", "--features", "lite", "--slim"]
    command = [*map(str, command), "-q", "--epochs", "2", "--ensemble", "2", "-o"]
    keeping = [part for part in command if part != "--slim"]
    subprocess.run([*keeping, files / "whole"], check=True)
    most = (files / "whole.last").stat().st_size // 3

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    answer = subprocess.run([*command, files / "m"], preexec_fn=limit, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    told = f"{files}/m.last: cannot be written: File too large; {files}/m is complete\n"
    assert answer.stderr == f"arcspeed: error: {told}"
    assert len(seeds_in(files / "m")) == 2


def test_a_seed_that_is_done_is_gone_on_from(files):
    """With one epoch a seed no epoch leaves anything else to go on from."""
    options = {"epochs": 1, "ensemble": 4}
    training(files, Display(), options).run()
    whole = (files / "m.model").read_bytes()
    for path in files.glob("m.model*"):
        path.unlink()
    run = training(files, StopAt("epoch_done", 3), options)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.has_last
    again = training(files, Display(), options, resume=True)
    assert again.finished or again.current.is_done()
    again.run()
    assert (files / "m.model").read_bytes() == whole


@pytest.mark.parametrize("ending", ["", ".log", ".last"])
def test_what_cannot_be_written_is_found_before_training(files, ending):
    (files / f"m.model{ending}").mkdir()
    with pytest.raises(ValueError, match=f"m.model{ending}: is a directory"):
        training(files, Display())
