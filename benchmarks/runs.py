"""Training runs for experiments: a run is a treebank, options and a seed; its result is one JSON file.

The name of that file is a digest of everything that decides the result: the sources of the package, the resolved
options, the text of the templates, the contents of the treebank files, the seed, and the epochs after which the
development set was scored.
What is already there is not run again, so an experiment may be stopped and started at will, and several may share a
folder of results.
"""

import hashlib
import json
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, stdev

import parser
from parser.assemble import Assembly
from parser.config import Config
from parser.errors import UserError
from parser.evaluate.calibration import Calibration, calibrate
from parser.feature.library import load_templates
from parser.model.atomic import whole_file
from parser.score.weights import Weights
from parser.train.data import Treebank, read_treebank
from parser.train.decisions import Judge
from parser.train.dev import DevSet
from parser.train.history import History
from parser.train.run import SeedTraining, Setup, ensemble, set_up

VARIABLE = "ARCSPEED_TREEBANKS"


class RunError(UserError):
    """An experiment that cannot be run; `str(error)` is the one line to show."""


@dataclass(frozen=True)
class Run:
    """One training: `options` are overrides as in `arcspeed train --set`, sorted; `scored` the epochs with a score."""

    treebank: str  # a folder with train.conllu and dev.conllu
    options: tuple[str, ...]
    seed: int
    scored: tuple[int, ...] = ()  # besides the last one

    @property
    def name(self) -> str:
        return Path(self.treebank).name

    @property
    def config(self) -> Config:
        return Config().with_overrides([*self.options, f"train.seed={self.seed}"])

    @property
    def key(self) -> str:
        """Two runs with one key have one result."""
        config = self.config.resolved()
        facts = {
            "config": replace(config, features=replace(config.features, name="")).tables(),
            "templates": load_templates(config.features.name).text,
            "clusters": file_digest(config.features.clusters) if config.features.clusters else None,
            "files": [file_digest(path) for path in files_of(self.treebank)],
            "scored": sorted(self.scored),
            "package": package_digest(),
        }
        return hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=12).hexdigest()


def files_of(treebank: str) -> tuple[str, str]:
    return str(Path(treebank) / "train.conllu"), str(Path(treebank) / "dev.conllu")


@cache
def package_digest() -> str:
    """Of all sources of arcspeed: figures of another learner, or of other data structures, are not taken for these."""
    folder, digest = Path(parser.__file__).parent, hashlib.blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".h")):
        digest.update(f"{path.relative_to(folder)} {file_digest(str(path))}\n".encode())
    return digest.hexdigest()


@cache
def file_digest(path: str) -> str:
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()


def find_treebanks(given: Sequence[str]) -> list[str]:
    """The folders named, or all in ARCSPEED_TREEBANKS; a folder of treebanks stands for those in it."""
    if not given and VARIABLE not in os.environ:
        raise RunError(f"no treebanks: name their folders, or set {VARIABLE}")
    found: list[str] = []
    for folder in map(Path, given or [os.environ[VARIABLE]]):
        inside = [folder] if is_treebank(folder) else sorted(path for path in folder.glob("*") if is_treebank(path))
        if not inside:
            raise RunError(f"{folder}: holds no treebank, expected train.conllu and dev.conllu")
        found += map(str, inside)
    return found


def is_treebank(folder: Path) -> bool:
    return all(Path(path).is_file() for path in files_of(str(folder)))


# One run


def perform(run: Run) -> dict:
    """Trains and scores; the result as plain data."""
    start, cpu = time.perf_counter(), time.process_time()
    config = run.config
    train, dev = (read_treebank([path]) for path in files_of(run.treebank))
    setup = set_up(config, train, dev)
    parts, curves = [], []
    for seed in range(config.train.seed, config.train.seed + config.train.ensemble):
        weights, curve = train_seed(setup, seed, run.scored)
        parts.append(weights)
        curves.append(curve)
    weights = ensemble(parts)
    training = time.process_time() - cpu
    found = {
        "treebank": run.name,
        "options": list(run.options),
        "seed": run.seed,
        "scores": asdict(setup.dev.score(weights)),
        "by_epoch": curves[0],
        "n_weights": weights.n_weights,
        "n_rows": weights.n_rows,
        "cpu_seconds": round(training, 2),
        "seconds": round(time.perf_counter() - start, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    if setup.assembly.is_probabilistic and not setup.assembly.is_easy_first:
        found["calibration"] = asdict(calibration_of(setup.assembly, weights, dev))
    return found


def train_seed(setup: Setup, seed: int, scored: Iterable[int]) -> tuple[Weights, dict[str, dict]]:
    """The weights after the last epoch (no epoch is chosen by its dev score), and the scores of some epochs."""
    dev: DevSet = setup.dev
    training = SeedTraining(replace(setup, dev=None), seed, History())
    curve = {}
    while not training.is_done():
        training.run_epoch(lambda _: None)
        if training.epoch in scored:
            curve[str(training.epoch)] = asdict(dev.score(training.learner.finalise()))
    return training.learner.finalise(), curve


def calibration_of(assembly: Assembly, weights: Weights, dev: Treebank) -> Calibration:
    """Over the decisions made in parsing the sentences with projective gold trees."""
    found = Judge(dev, assembly, None).decisions(assembly.sentence_parser(weights))
    return calibrate(found.p, found.correct, found.forced)


# Many runs


@dataclass(frozen=True)
class Store:
    """A folder of results."""

    folder: Path

    def path(self, run: Run) -> Path:
        return self.folder / f"{run.name}-{run.key}.json"

    def get(self, run: Run) -> dict | None:
        path = self.path(run)
        if not path.exists():
            return None
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise RunError(f"{path}: is not a result of a run ({error}): remove it") from None

    def put(self, run: Run, result: dict) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(self.path(run)) as stream:
            stream.write((json.dumps(result, indent=1) + "\n").encode())


def run_all(store: Store, runs: Iterable[Run], jobs: int, say: Callable[[str], None] | None = None) -> dict[Run, dict]:
    """Results of all runs: those kept, then what is missing, `jobs` at a time in processes of their own."""
    runs = list(dict.fromkeys(runs))
    found = {run: result for run in runs if (result := store.get(run)) is not None}
    missing = [run for run in runs if run not in found]
    say = say or (lambda text: print(text, file=sys.stderr, flush=True))
    if found and missing:
        say(f"{len(found)} of {len(runs)} runs are done")
    for number, (run, result) in enumerate(in_processes(store, missing, jobs), 1):
        found[run] = result
        scores = result["scores"]
        say(
            f"{number}/{len(missing)} {run.name} seed {run.seed} UAS {scores['uas_no_punct']:.2f} "
            f"LAS {scores['las_no_punct']:.2f} {result['cpu_seconds']:.0f} s  {' '.join(run.options)}"
        )
    return found


def in_processes(store: Store, runs: list[Run], jobs: int):
    """A new process for every run: peak memory is its own."""
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(Task(store), runs, chunksize=1)


@dataclass(frozen=True)
class Task:
    store: Store

    def __call__(self, run: Run) -> tuple[Run, dict]:
        result = perform(run)
        self.store.put(run, result)
        return run, result


# Numbers and tables


def mean(values: Iterable[float]) -> float:
    return fmean(values)


def deviation(values: Sequence[float]) -> float | None:
    """The sample's standard deviation; a single value has none."""
    return stdev(values) if len(values) > 1 else None


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers with two digits behind the point; all columns but the first to the right."""
    lines = ["| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cell(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def machine() -> str:
    """Processor and number of cores, as the results name them."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores"
