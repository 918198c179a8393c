"""Training speed and memory on one core: python benchmarks/training.py [TREEBANK] [--all] [--epochs 15]

TREEBANK: a folder with train.conllu, by default English-EWT of ARCSPEED_TREEBANKS. Each setting is trained in a process
of its own, as `arcspeed train TREEBANK -o FILE` does it: without a development set, with states to go on from kept
beside the model. Printed are seconds of CPU, their shares by stage, and the peak memory (VmHWM of /proc) up to the
written model. The stage `moves and oracle` is estimated: it is what the epochs take with a single template. --all: also
AdaGrad-RDA on all train files of ARCSPEED_TREEBANKS as one.
"""

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from runs import VARIABLE, RunError, files_of, find_treebanks, machine, markdown_table

from parser.config import Config
from parser.errors import UserError
from parser.train.data import read_treebank
from parser.train.history import History
from parser.train.run import SeedTraining, set_up
from parser.train.session import TrainingRun

DEFAULT_TREEBANK = "English-EWT"
ZN11 = ("features=zn11", "learner.margin=0", "min_updates=0", "keep=1")
SETTINGS = {
    "perceptron, zn11": ZN11,
    "perceptron, default": (),
    "AdaGrad-RDA, zn11": ("features=zn11", "learner=adagrad-rda"),
    "AdaGrad-RDA, default": ("learner=adagrad-rda",),
}
ALL_SETTINGS = {
    "AdaGrad-RDA, zn11, all": SETTINGS["AdaGrad-RDA, zn11"],
    "AdaGrad-RDA, default, all": SETTINGS["AdaGrad-RDA, default"],
}
STAGES = ("reading, trees, words", "moves and oracle", "features, scores, learning", "keeping states", "finishing")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("treebank", nargs="?", help=f"a folder; by default {DEFAULT_TREEBANK} of {VARIABLE}")
    options.add_argument("--epochs", type=int, default=15)
    options.add_argument("--all", action="store_true", help="also on all train files together")
    options.add_argument("--only", action="append", help="only settings whose name has this in it; repeatable")
    given = options.parse_args()
    try:
        print(f"{machine()}; {given.epochs} epochs; load when started: {os.getloadavg()[0]:.1f}\n")
        print(table(given), end="")
    except UserError as error:
        sys.exit(str(error))


def table(given: argparse.Namespace) -> str:
    one = [files_of(given.treebank or default_treebank())[0]]
    plan = [(name, one, options) for name, options in SETTINGS.items()]
    if given.all:
        everything = [files_of(folder)[0] for folder in find_treebanks([])]
        plan += [(name, everything, options) for name, options in ALL_SETTINGS.items()]
    rows = []
    for name, files, options in plan:
        if not given.only or any(part in name for part in given.only):
            measured = in_own_process(files, (*options, f"train.epochs={given.epochs}"))
            rows.append(row_of(name, measured))
            print(f"{name}: {measured['cpu']:.1f} s, {measured['peak_mb']:.0f} MB", file=sys.stderr, flush=True)
    header = ["setting", "words", "CPU s", "us per state", "rows (1000)", "peak MB", *(f"{s} %" for s in STAGES)]
    return markdown_table(header, rows)


def default_treebank() -> str:
    for folder in find_treebanks([]):
        if Path(folder).name == DEFAULT_TREEBANK:
            return folder
    raise RunError(f"{VARIABLE} has no {DEFAULT_TREEBANK}: name a treebank")


def row_of(name: str, measured: dict) -> list[object]:
    shares = [f"{100 * measured['stages'][stage] / measured['cpu']:.0f}" for stage in STAGES]
    per_state = 1e6 * measured["epochs"] / measured["states"]
    return [name, measured["words"], measured["cpu"], per_state, measured["rows"] // 1000, measured["peak_mb"], *shares]


def in_own_process(files: list[str], options: tuple[str, ...]) -> dict:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (files, options))


class MeasuredRun(TrainingRun):
    """One seed, with what takes how long, in seconds of CPU, and the states of training that were decided."""

    def train_seed(self) -> None:
        self.states, self.keeping, self.display.epoch_done = 0, 0.0, self.count
        self.begun = time.process_time()
        super().train_seed()
        self.trained = time.process_time()

    def checkpoint(self) -> None:
        start = time.process_time()
        super().checkpoint()
        self.keeping += time.process_time() - start

    def count(self, line: dict, _: int) -> None:
        self.states += line["states"]


def measure(files: list[str], options: tuple[str, ...]) -> dict:
    config, start = Config().with_overrides(options), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        training = MeasuredRun(files, [], config, Path(folder) / "model")
        rows = training.run().size["rows"]
        end, peak = time.process_time(), peak_mb()
    epochs = training.trained - training.begun - training.keeping
    bare = seconds_without_features(config, files)
    stages = (training.begun - start, bare, epochs - bare, training.keeping, end - training.trained)
    return {
        "words": training.setup.trees.n_words,
        "cpu": end - start,
        "epochs": epochs,
        "states": training.states,
        "rows": rows,
        "peak_mb": peak,
        "stages": dict(zip(STAGES, stages, strict=True)),
    }


def seconds_without_features(config: Config, files: list[str]) -> float:
    """What the epochs would take with a single template: moves, oracle, the choice among the scores."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.txt"
        path.write_text("s0.p n0.p\n", encoding="utf-8")
        setup = set_up(config.with_overrides([f"features={path}"]), read_treebank(files), None)
    training, start = SeedTraining(setup, 1, History()), time.process_time()
    training.run_epoch(lambda _: None)
    return (time.process_time() - start) * config.train.epochs


def peak_mb() -> float:
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) / 1024


if __name__ == "__main__":
    main()
