"""Training from start to end: seeds, epochs, the best and the last state, and going on after a stop."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from parser.assemble import Assembly
from parser.config import Config
from parser.feature.attributes import read_clusters
from parser.feature.library import load_templates
from parser.pipeline import MOST_COLUMNS
from parser.score.pieces import Pieces
from parser.score.prune import useful_rows
from parser.score.weights import Weights, merge
from parser.search.corpus import Corpus
from parser.search.rng import Random
from parser.train.data import (
    TrainingTrees,
    Treebank,
    most_frequent_root_label,
    require_root_label,
    training_corpus,
    training_trees,
    wants_single_root,
)
from parser.train.dev import DevSet
from parser.train.history import History
from parser.train.inputs import require_inputs
from parser.treebank import TreebankError

MOST_ACTIONS = 2**16 - 1  # their numbers have 16 bits in tables and files
SLICE = 500  # sentences between two looks at signals and the clock


@dataclass(frozen=True)
class Setup:
    """Everything that does not change while training goes on."""

    assembly: Assembly
    corpus: Corpus
    trees: TrainingTrees
    dev: DevSet | None
    clusters: dict | None


def set_up(config: Config, train: Treebank, dev: Treebank | None) -> Setup:
    config = config.resolved()
    single_root = wants_single_root(config.system.single_root, train) or config.system.root == "none"
    trees = training_trees(train, config.trees.nonprojective, single_root, config.trees.min_marked)
    if not len(trees.kept):
        raise TreebankError(f"no sentence of {', '.join(train.files)} can be used for training")
    pos, root_label = config.features.pos, most_frequent_root_label(train)
    assembly = Assembly(
        config,
        load_templates(config.features.name),
        tuple(trees.names),
        root_label,
        single_root,
        ("xpos" if train.has_xpos else "upos") if pos == "auto" else pos,
        trees.have_all_under_root(root_label),
    )
    require_few_labels(assembly, train)
    if config.system.root_label_only:
        require_root_label(train, trees, root_label)
    require_inputs(config, assembly.templates, train)
    clusters = read_clusters(config.features.clusters) if config.features.clusters else None
    corpus = training_corpus(train, trees, assembly.extractor, clusters)
    return Setup(assembly, corpus, trees, DevSet(dev, assembly, clusters) if dev else None, clusters)


def require_few_labels(assembly: Assembly, train: Treebank) -> None:
    """TreebankError for more actions than have numbers: in the weights, and where there is a stack in parsing."""
    most = MOST_ACTIONS if assembly.is_easy_first else MOST_COLUMNS
    if assembly.n_actions > most:
        files, expected = ", ".join(train.files), f"expected so few that there are at most {most:,} actions"
        raise TreebankError(f"{files}: {len(assembly.labels):,} labels make {assembly.n_actions:,} actions, {expected}")


@dataclass
class Tick:
    """Where training stands: for progress displays."""

    seed: int
    epoch: int
    epochs: int
    words: int  # done in this epoch
    of_words: int
    seconds: float  # since the epoch began
    accuracy: float  # share of states decided without a cost, in percent


class SeedTraining:
    """One seed: epoch after epoch, with all that is needed to go on later as if nothing had happened."""

    def __init__(self, setup: Setup, seed: int, history: History) -> None:
        self.setup, self.seed, self.history = setup, seed, history
        self.options = setup.assembly.config.learner
        self.learner = setup.assembly.learner(setup.trees.n_words)
        self.trainer = setup.assembly.trainer(self.learner)
        self.rng = Random(seed)
        self.epoch = 0  # complete ones
        self.best: Weights | None = None

    def run_epoch(self, report: Callable[[Tick], None]) -> None:
        """One pass over the training sentences in random order, and the dev score."""
        if self.epoch == self.options.keep_after and self.options.keep < 1:
            self.leave_out_rows()
        start, trainer = time.perf_counter(), self.trainer
        trainer.states = trainer.forced = trainer.errors = 0
        self.learner.loss, self.learner.updates = 0.0, 0
        order = self.setup.trees.kept[self.rng.order(len(self.setup.trees.kept))]
        words = 0
        for at in range(0, len(order), SLICE):
            trainer.train(self.setup.corpus, order[at : at + SLICE], self.epoch + 1, self.rng)
            words += sum(self.setup.corpus.length(int(k)) for k in order[at : at + SLICE])
            report(self.tick(words, start))
        self.epoch += 1
        self.close_epoch(words, time.perf_counter() - start)

    def leave_out_rows(self) -> None:
        """Features that have learned little so far cost time and room, and accuracy nothing, if the others learn on."""
        weights = self.learner.finalise()
        kept = useful_rows(weights, self.options.keep)
        self.learner.keep_rows(kept)
        self.history.add("rows", after=self.epoch, kept=len(kept), of=weights.n_rows)

    def tick(self, words: int, start: float) -> Tick:
        decided = max(self.trainer.states - self.trainer.forced, 1)
        accuracy = 100.0 * (1 - self.trainer.errors / decided)
        epochs = self.setup.assembly.config.train.epochs
        seconds = time.perf_counter() - start
        return Tick(self.seed, self.epoch + 1, epochs, words, self.setup.trees.n_words, seconds, accuracy)

    def close_epoch(self, words: int, seconds: float) -> None:
        decided = max(self.trainer.states - self.trainer.forced, 1)
        facts = {
            "seed": self.seed,
            "states": self.trainer.states,
            "loss": self.learner.loss / decided,
            "accuracy": round(100.0 * (1 - self.trainer.errors / decided), 4),
            "updates": self.learner.updates,
            "words_per_second": round(words / seconds),
            "seconds": round(seconds, 3),
        }
        if self.setup.dev is None:
            self.history.add_epoch(**facts)
            return
        weights = self.learner.finalise()
        scores = self.setup.dev.score(weights)
        self.history.add_epoch(score=scores.las, dev=asdict(scores), **facts)
        if self.history.last_is_best:
            self.best = weights

    def is_done(self) -> bool:
        options = self.setup.assembly.config.train
        return self.epoch >= options.epochs or (self.epoch > 0 and self.history.should_stop(options.patience))

    def result(self) -> Weights:
        """The weights of the best epoch on the development set, of now without one."""
        return self.learner.finalise() if self.best is None else self.best

    # Stopping and going on

    def state(self) -> tuple[dict, dict[str, np.ndarray | Pieces]]:
        """(plain data, arrays) from which `restore` goes on bit for bit. To be written before training goes on."""
        data = {"seed": self.seed, "epoch": self.epoch, "rng": list(self.rng.state), "has_best": self.best is not None}
        arrays = {f"learner.{name}": array for name, array in self.learner.pieces().items()}
        if self.best is not None:
            arrays |= {f"best.{name}": array for name, array in self.best.arrays().items()}
        return data, arrays

    def restore(self, data: dict, arrays: dict[str, np.ndarray]) -> None:
        self.epoch = data["epoch"]
        self.rng.state = tuple(data["rng"])
        self.learner.restore(part_of(arrays, "learner."))
        if data["has_best"]:
            self.best = Weights(self.setup.assembly.n_actions, **part_of(arrays, "best.")).check()


def part_of(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def ensemble(parts: list[Weights]) -> Weights:
    """The weights of all seeds added up: one model, as fast as each of them."""
    return parts[0] if len(parts) == 1 else merge(parts)
