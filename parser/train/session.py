"""A training run from files to a model file: checks first, then seeds and epochs, checkpoints, and the result."""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from parser.assemble import Assembly
from parser.config import Config, ConfigError
from parser.model.file import ModelFile, check_output
from parser.model.layout import ModelFileError
from parser.pipeline import Parser
from parser.score.weights import Weights
from parser.train.data import Treebank, read_treebank
from parser.train.decisions import Judge, NothingToJudgeError
from parser.train.history import History
from parser.train.inputs import feature_files
from parser.train.reliability import reliable
from parser.train.run import SeedTraining, Setup, Tick, ensemble, part_of, set_up
from parser.train.shrink import Cost, cost_of, least_parser, no_weights, require_room, shrunk
from parser.train.temperature import SENTENCES, fitted_factor, scaled
from parser.treebank import refuse_same_file
from parser.treebank.stream import display_name
from parser.version import __version__

CHECKPOINT_SHARE = 1 / 50  # of the time goes into keeping the last state; the first epoch's is kept in any case


class Display:
    """What a training run tells; the command line has one that speaks."""

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def started(self, setup: Setup) -> None:
        """Data are read and turned into numbers."""

    def ticked(self, tick: Tick) -> None:
        """Some sentences more."""

    def epoch_done(self, line: dict, best: int) -> None:
        """A line of the log; `best` is the number of the best epoch so far."""

    def rows_left_out(self, kept: int, of: int) -> None:
        """The epoch that follows went on with so many rows of so many."""

    def compiled(self, floats: float, integers: float) -> None:
        """LAS on the development set of the weights, and of the integers that are parsed with."""

    def shrunk(self, budget: int, before: Cost, after: Cost) -> None:
        """The parser was made to fit into that many bytes; or did (both are the same)."""

    def stopped_early(self, epoch: int) -> None:
        """No better epoch for as long as the patience lasts."""

    def unjudged(self, why: str) -> None:
        """Scores will not be made probabilities: no sentence of the development set can say how."""

    def saving(self, path: Path) -> None:
        """Training was interrupted; the best parser so far is being written."""


class TrainingRun:
    """`output` is the model to write: beside it stand its log and its last state. None trains in memory.

    keep_last: keep that state, and the weights in the model. budget: the most bytes that the model's file may have.
    also_reads: files that options come from; like all that is read, they are not written over.
    """

    def __init__(
        self,
        train: Sequence[str],
        dev: Sequence[str],
        config: Config,
        output: str | os.PathLike | None = None,
        *,
        resume: bool = False,
        keep_last: bool = True,
        budget: int | None = None,
        format: str = "auto",
        licence: str = "",
        also_reads: Sequence[str | os.PathLike] = (),
        display: Display | None = None,
    ) -> None:
        self.output = None if output is None else Path(output)
        self.keep_last, self.display, self.resume = keep_last, display or Display(), resume
        self.budget = budget
        if self.output is not None:
            logs = map(self.log_path, range(config.train.ensemble))
            refuse_same_file([*train, *dev, *feature_files(config), *also_reads], self.output, self.last_path, *logs)
            for path in (self.output, self.log_path(0), self.last_path):
                check_output(path)
        if config.train.patience > 0 and not dev:
            raise ConfigError("train.patience: expected a development set, by which epochs are judged")
        treebank = read_treebank(train, format)
        self.dev = dev_treebank = read_treebank(dev, format) if dev else None
        self.setup = set_up(config, treebank, dev_treebank)
        require_usable(self.setup.assembly)
        self.about = {
            "arcspeed": __version__,
            "train": describe(treebank, train),
            "dev": describe(dev_treebank, dev) if dev_treebank else None,
            "licence": licence,
            "trees": {
                "sentences": len(self.setup.trees.kept),
                "words": self.setup.trees.n_words,
                "lifted": self.setup.trees.lifted,
                "left_out": self.setup.trees.dropped,
            },
        }
        if budget is not None:  # what would fail after hours of training fails before
            least = least_parser(self.setup.assembly, self.about, self.setup.clusters, dev_treebank)
            require_room(budget, least.file_size(slim=not keep_last), "up to ")
        self.finished: list[Weights] = []  # of the seeds that are done
        self.scores: list[dict] = []
        self.current: SeedTraining | None = None
        self.saved_at, self.saving_took = time.monotonic(), 0.0
        self.has_last = False  # can the state that stands beside the model be gone on from?
        self.left_model = False  # when interrupted
        self.unsaved: ModelFileError | None = None
        if resume:
            self.take_up()
        self.display.started(self.setup)
        self.judge = self.make_judge()

    def make_judge(self) -> Judge | None:
        """Who says what factor makes scores probabilities, where they are not by themselves."""
        if self.dev is None or (self.setup.assembly.is_probabilistic and self.config.train.ensemble == 1):
            return None
        try:
            return Judge(self.dev, self.setup.assembly, self.setup.clusters, SENTENCES)
        except NothingToJudgeError as error:
            self.display.unjudged(str(error))
            return None

    @property
    def config(self) -> Config:
        return self.setup.assembly.config

    # The course of things

    def run(self) -> Parser:
        """All seeds that are still to do. KeyboardInterrupt leaves a usable model behind, and is raised on."""
        try:
            while len(self.finished) < self.config.train.ensemble:
                self.train_seed()
            parser = self.within_budget(self.reliable(self.parser(self.finished)))
            if self.output is not None:
                parser.save(self.output, slim=not self.keep_last)
        except KeyboardInterrupt:
            self.save_interrupted()
            raise
        if self.unsaved is not None:
            raise ModelFileError(f"{self.unsaved}; {self.output} is complete")
        if self.output is not None and not self.keep_last:
            self.last_path.unlink(missing_ok=True)
        return parser

    def train_seed(self) -> None:
        if self.current is None:
            seed = self.config.train.seed + len(self.finished)
            self.current = SeedTraining(self.setup, seed, History(self.log_path(len(self.finished))))
            self.current.history.add("start", seed=seed, config=self.config.tables(), **self.about)
        current = self.current
        while not current.is_done():
            n_lines = len(current.history.lines)
            current.run_epoch(self.display.ticked)
            for line in current.history.lines[n_lines:]:
                if line["event"] == "rows":
                    self.display.rows_left_out(line["kept"], line["of"])
            self.display.epoch_done(current.history.epochs[-1], current.history.best)
            if self.is_checkpoint_due(current):
                self.try_checkpoint()
        if current.epoch < self.config.train.epochs:
            self.display.stopped_early(current.epoch)
        self.finished.append(current.result())
        self.scores.append(self.seed_scores(current))
        self.current = None

    def is_checkpoint_due(self, current: SeedTraining) -> bool:
        """Behind the last epoch of all it depends on whether it is to stay, else on the time it takes."""
        if current.is_done() and len(self.finished) + 1 == self.config.train.ensemble:
            return self.keep_last
        return self.saving_took < CHECKPOINT_SHARE * (time.monotonic() - self.saved_at)

    def within_budget(self, parser: Parser) -> Parser:
        """Tells what integers, and the budget, cost."""
        slim = not self.keep_last
        before = cost_of(parser, slim, self.dev)
        if before.las is not None:
            self.display.compiled(self.setup.dev.score(parser.weights).las, before.las)
        if self.budget is None:
            return parser
        small = shrunk(parser, self.budget, slim, self.judge)
        if small is not parser:  # its file keeps its size
            small = self.reliable(small)
        self.display.shrunk(self.budget, before, before if small is parser else cost_of(small, slim, self.dev))
        return small

    def reliable(self, parser: Parser) -> Parser:
        """With what makes probabilities true of arcs."""
        return parser if self.dev is None else reliable(parser, self.dev)

    def seed_scores(self, seed: SeedTraining) -> dict:
        """What the model file says of a seed: nothing that differs between two runs on the same data."""
        best = seed.history.best
        scores = seed.history.epochs[best - 1].get("dev") if best else None
        return {"seed": seed.seed, "epochs": seed.epoch, "best_epoch": best, "dev": scores}

    def parser(self, parts: list[Weights], **more: object) -> Parser:
        weights, factor = self.calibrated(parts)
        about = {**self.about, "seeds": self.scores, "score_factor": factor, **more}
        return Parser(self.setup.assembly, weights, about, self.setup.clusters)

    def calibrated(self, parts: list[Weights]) -> tuple[Weights, float | None]:
        """The sum of all seeds' weights, with scores that are logarithms of probabilities; None: they are not."""
        weights, assembly = ensemble(parts), self.setup.assembly
        if assembly.is_probabilistic and len(parts) == 1:
            return weights, 1.0
        if self.judge is None:
            return weights, None
        factor = fitted_factor(weights, assembly, self.judge)
        if factor is None:
            self.display.unjudged(f"{', '.join(self.dev.files)}: no decision that has a choice")
            return weights, None
        return scaled(weights, factor), factor

    # What stands beside the model

    @property
    def last_path(self) -> Path:
        return self.output.with_name(self.output.name + ".last")

    def log_path(self, seed_number: int) -> Path | None:
        if self.output is None:
            return None
        ending = ".log" if seed_number == 0 else f".{seed_number + 1}.log"
        return self.output.with_name(self.output.name + ending)

    def checkpoint(self) -> None:
        """The last state, from which --resume goes on bit for bit."""
        if self.output is None or self.current is None:
            return
        start = time.monotonic()
        data, arrays = self.current.state()
        for k, weights in enumerate(self.finished):
            arrays |= {f"seed{k}.{name}": array for name, array in weights.arrays().items()}
        about = {**self.about, "seeds": self.scores, "score_factor": None, "unfinished": True}
        Parser(self.setup.assembly, self.current.learner.finalise(), about, self.setup.clusters).save(
            self.last_path,
            compiled=False,
            extra_data={"training/state": data | {"finished": len(self.finished), "scores": self.scores}},
            extra_arrays={f"training/{name}": array for name, array in arrays.items()},
        )
        self.saved_at, self.has_last = time.monotonic(), True
        self.saving_took = self.saved_at - start

    def try_checkpoint(self) -> None:
        """Where it cannot be written (the disk is full), the model still can, perhaps: the error is for afterwards."""
        try:
            self.checkpoint()
            self.unsaved = None
        except ModelFileError as error:
            self.unsaved, self.saved_at = error, time.monotonic()

    def save_interrupted(self) -> None:
        """The best weights so far. Those of a first epoch that is not done are worse than any others: they count where
        there is nothing else, no seed that is done and no earlier model."""
        parts = list(self.finished)
        if self.current is not None and len(parts) < self.config.train.ensemble:
            if not parts and self.current.epoch == 0 and self.output is not None and self.output.exists():
                return
            if self.current.epoch > 0 or not parts:
                parts.append(self.current.result())
        if self.output is not None and parts:
            self.display.saving(self.output)
            self.reliable(self.parser(parts, interrupted=True)).save(self.output)
            self.left_model = True

    def take_up(self) -> None:
        """Goes on from the last state of the same training."""
        if self.output is None or not self.last_path.exists():
            raise ModelFileError(f"{self.last_path}: there is no such file to resume from")
        file = ModelFile(self.last_path)
        if "training/state" not in file:
            raise ModelFileError(f"{self.last_path}: holds no state of training to resume from")
        data, arrays = file.data("training/state"), file.arrays("training")
        self.require_same_training(file, data["finished"])
        if data["epoch"] > self.config.train.epochs:
            raise ConfigError(f"{file.path}: has {data['epoch']} epochs behind it, expected at least as many in all")
        self.finished = [
            Weights(self.setup.assembly.n_actions, **part_of(arrays, f"seed{k}.")).check()
            for k in range(data["finished"])
        ]
        self.scores = data["scores"]
        history = History.resume(self.log_path(len(self.finished)), data["epoch"])
        self.current = SeedTraining(self.setup, data["seed"], history)
        self.current.restore(data, arrays)
        self.has_last = True

    def require_same_training(self, file: ModelFile, finished: int) -> None:
        """The number of epochs may have changed as long as no seed is done with them, nothing else."""
        then = Config.from_tables(file.data("config"), file.path)
        before, now = then.train.epochs, self.config.train.epochs
        if finished and before != now:
            raise ConfigError(f"{file.path}: a seed is done after {before} epochs, so none can have {now}")
        then = replace(then, train=replace(then.train, epochs=self.config.train.epochs))
        for option, before, now in differences(then, self.config):
            raise ConfigError(f"{file.path}: was trained with {option} = {before}, not {now}")
        features = self.config.features
        if file.data("templates")["text"] != self.setup.assembly.templates.text:
            raise ConfigError(f"{file.path}: was trained with other templates than those in {features.name}")
        clusters = dict(zip(file.strings("clusters/forms"), file.strings("clusters/names"), strict=True))
        if clusters != (self.setup.clusters or {}):
            raise ConfigError(f"{file.path}: was trained with other clusters than those in {features.clusters}")
        about = file.data("provenance")
        if any(contents(about[name]) != contents(self.about[name]) for name in ("train", "dev")):
            raise ConfigError(f"{file.path}: was trained on other data")
        if tuple(file.strings("labels")) != self.setup.assembly.labels:  # they number the actions
            raise ConfigError(f"{file.path}: was trained with other labels, or in another order")


def differences(one: Config, other: Config) -> Iterator[tuple[str, str, str]]:
    """Options with another value, as (name, value, other value). One that follows from the data has none: `default`."""
    ours, theirs = one.tables(), other.tables()
    for table, options in ours.items():
        for name in options | theirs[table]:
            values = [tables[table].get(name) for tables in (ours, theirs)]
            if values[0] != values[1]:
                yield f"{table}.{name}", *("default" if value is None else repr(value) for value in values)


def require_usable(assembly: Assembly) -> None:
    """What would fail after hours of training fails before: TemplateError where the features are more than the tables
    of parsing can do."""
    Parser(assembly, no_weights(assembly)).sentence_parser  # noqa: B018


def describe(treebank: Treebank, paths: Sequence[str]) -> list[dict]:
    """Names, sizes and digests of the files: enough to know them again, nothing about the machine."""
    found = []
    for path in map(str, paths):
        content = content_of(treebank, path)
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        name = os.fsencode(Path(path).name).decode("utf-8", "replace")  # a file may have any bytes for a name
        found.append({"name": name, "bytes": len(content), "blake2b": digest})
    return [{"files": found, "sentences": treebank.n_sentences, "words": treebank.n_words}]


def contents(described: list[dict] | None) -> list[tuple] | None:
    """What `describe` says, without names: files may have got others."""
    if described is None:
        return None
    files = [file for part in described for file in part["files"]]
    counts = [(part["sentences"], part["words"]) for part in described]
    return counts + [(file["bytes"], file["blake2b"]) for file in files]


def content_of(treebank: Treebank, path: str) -> bytes:
    """A file's bytes; of standard input and other pipes, which give them only once, the sentences that were read."""
    if path != "-" and Path(path).is_file():
        return Path(path).read_bytes()
    batches = [batch for batch in treebank.batches if batch.file == display_name(path)]
    return "\n".join(sentence.text for batch in batches for sentence in batch).encode()


def train_parser(
    train: Sequence[str], dev: Sequence[str], config: Config, *, licence: str = "", display: Display | None = None
) -> Parser:
    """Training in memory."""
    files = [str(path) for path in train], [str(path) for path in dev]
    return TrainingRun(*files, config, licence=licence, display=display).run()
