"""Why do some of the papers' claims come out otherwise? Tests of the explanations given in results/reproduction.md.

    python benchmarks/readings.py [TREEBANK ...] [--only systems|maxent|size] [--seeds 1]

systems: easy-first and arc-hybrid with features as rich as those of arc-eager (dynamic oracle).
maxent:  ME with tables that keep every gradient, with other penalties, smaller steps, errors followed.
size:    the same after training on an eighth, a quarter, half and all of a treebank (by default English-EWT).
Results are kept as those of reproduce.py are, and shared with it.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from papers import DYNAMIC, G13, G13B, MAXENT, PERCEPTRON, SYSTEMS
from runs import Run, RunError, Store, files_of, find_treebanks, markdown_table, mean, run_all
from verdicts import pool

from parser.errors import UserError
from parser.train.data import read_treebank, training_trees

SAMPLE = (*DYNAMIC, "explore=sample", "explore.k=0")
ERRORS = (*DYNAMIC, "explore=err", "explore.k=0")
KEEP_ALL = ("birth=0", "quiet=0")
SHARES = (8, 4, 2, 1)
SIZE_TREEBANK = "English-EWT"


@dataclass(frozen=True)
class Setting:
    name: str
    options: tuple[str, ...]
    epochs: int = 15


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("treebanks", nargs="*", help="folders; by default those in ARCSPEED_TREEBANKS")
    options.add_argument("--only", choices=READINGS, action="append", help="one of them; repeatable")
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--epochs", type=int, help="instead of 15 (easy-first: 20)")
    options.add_argument("--size-treebank", default=SIZE_TREEBANK, metavar="NAME", help=f"[{SIZE_TREEBANK}]")
    options.add_argument("--jobs", type=int, default=1, help="processes [1]")
    options.add_argument("--store", type=Path, default=Path("build/runs"), help="folder of single results [build/runs]")
    given = options.parse_args()
    try:
        given.treebanks = find_treebanks(given.treebanks)
        for name in given.only or READINGS:
            print(READINGS[name](given), flush=True)
    except UserError as error:
        sys.exit(str(error))


def results_of(settings: Iterable[Setting], treebanks: Sequence[str], given) -> dict[str, dict[str, list[dict]]]:
    """By name of the setting and of the treebank: one result per seed."""
    runs = {
        (setting.name, treebank): [
            Run(treebank, (*setting.options, f"train.epochs={given.epochs or setting.epochs}"), seed)
            for seed in range(1, given.seeds + 1)
        ]
        for setting in settings
        for treebank in treebanks
    }
    found = run_all(Store(given.store), (run for own in runs.values() for run in own), given.jobs)
    results: dict[str, dict[str, list[dict]]] = {}
    for (name, treebank), own in runs.items():
        results.setdefault(name, {})[Path(treebank).name] = [found[run] for run in own]
    return results


def means(results: Mapping[str, list[dict]], value: Callable[[dict], float]) -> list[float]:
    """Over the seeds, by treebank; the mean of them comes first."""
    by_treebank = [mean(map(value, seeds)) for seeds in results.values()]
    return [mean(by_treebank), *by_treebank]


# Systems with features of equal worth


def systems(given) -> str:
    results = results_of(system_settings(), given.treebanks, given)
    rows = [[name, *means(found, lambda result: result["scores"]["uas"])] for name, found in results.items()]
    return markdown_table(["UAS, punctuation counted", "mean", *map(name_of, given.treebanks)], rows)


def system_settings() -> Iterable[Setting]:
    features = {
        "eager": ("zn11",),
        "hybrid": ("hybrid2013", "zn11-hybrid"),
        "easy-first": ("easyfirst", "easyfirst-zn11"),
    }
    for system, (options, epochs, *_) in SYSTEMS.items():
        plain = tuple(one for one in options if not one.startswith("features="))
        for name in features[system]:
            shared = (*G13B, *plain, f"features={name}", *DYNAMIC, "explore=goldberg-nivre-2013")
            yield Setting(f"{system}, {name}", shared, epochs)


# The settings of AdaGrad-RDA


def maxent(given) -> str:
    """The penalty is 1 / (20 words) a state, with two states a word: half of it is as if it were 1 / (20 states)."""
    perceptron = Setting("", (*G13, *PERCEPTRON, *DYNAMIC, "explore.k=1", "explore.p=0.9"))
    weights = means(results_of([perceptron], given.treebanks, given)[""], n_weights)[1:]
    rows = [maxent_row(name, results, weights) for name, results in maxent_results(given).items()]
    header = ["ME+DYN K=0 sample", "UAS", "non-zero weights (thousands)", "perceptron's / these", "CPU s", "peak MB"]
    return markdown_table([*header, *CALIBRATION_HEADER], rows)


def maxent_results(given) -> dict[str, dict[str, list[dict]]]:
    """The penalty depends on the treebank, so there is a setting for each."""
    results: dict[str, dict[str, list[dict]]] = {}
    for treebank in given.treebanks:
        for setting in maxent_settings(trained_words(treebank)):
            results.setdefault(setting.name, {}).update(results_of([setting], [treebank], given)[setting.name])
    return results


def maxent_settings(words: int) -> Iterable[Setting]:
    changes = {
        "as in reproduce.py": (),
        "every gradient kept": KEEP_ALL,
        "the same, half the penalty": (*KEEP_ALL, f"lambda={1 / (40 * words)}"),
        "four times the penalty": (f"lambda={4 / (20 * words)}",),
        "steps of 0.1": ("alpha=0.1",),
    }
    for name, changed in changes.items():
        yield Setting(name, (*G13, *MAXENT, *changed, *SAMPLE))
    yield Setting("ERR for sampling", (*G13, *MAXENT, *ERRORS))
    yield Setting("ERR for sampling, steps of 0.1", (*G13, *MAXENT, "alpha=0.1", *ERRORS))


def trained_words(treebank: str) -> int:
    """Those of projective sentences, as G13 trains on them."""
    return training_trees(read_treebank([files_of(treebank)[0]]), "drop", False, 1).n_words


def maxent_row(name: str, results: Mapping[str, list[dict]], others: Sequence[float]) -> list[object]:
    """others: the perceptron's numbers of weights, by treebank"""
    own, *_ = means(results, n_weights)
    return [
        name,
        means(results, uas_no_punct)[0],
        own / 1000,
        mean(others) / own,
        means(results, lambda result: result["cpu_seconds"])[0],
        max(result["peak_mb"] for seeds in results.values() for result in seeds),
        *calibration_cells(list(results.values())),
    ]


def n_weights(result: dict) -> float:
    return result["n_weights"]


def uas_no_punct(result: dict) -> float:
    return result["scores"]["uas_no_punct"]


LOWS = (0.5, 0.6, 0.7, 0.8, 0.9)
CALIBRATION_HEADER = ["calibration error", *(f"right from {low}, %" for low in LOWS)]


def calibration_cells(results: Sequence[Sequence[dict]]) -> list[float]:
    """results: by treebank, then seeds. The error is a mean, the bins are those of all decisions together."""
    error = mean(mean(result["calibration"]["error"] for result in seeds) for seeds in results)
    together = {low: [] for low in LOWS}
    for seeds in results:
        for result in seeds:
            for one in result["calibration"]["bins"]:
                together.setdefault(one["low"], []).append((one["count"], one["mean"], one["correct"]))
    return [error, *(100 * pool(low, together[low]).correct if together[low] else float("nan") for low in LOWS)]


# Calibration and the size of a treebank


def size(given) -> str:
    whole = next((folder for folder in given.treebanks if name_of(folder) == given.size_treebank), None)
    if whole is None:
        raise RunError(f"--size-treebank: no treebank {given.size_treebank}")
    rows = []
    for share in SHARES:
        folder = every(whole, share, given.store / "parts")
        results = results_of([Setting("", (*G13, *MAXENT, *SAMPLE))], [folder], given)[""]
        words = read_treebank([files_of(folder)[0]]).n_words
        cells = calibration_cells(list(results.values()))
        rows.append([f"1/{share}" if share > 1 else "all", words, means(results, uas_no_punct)[0], *cells])
    return markdown_table([f"ME on {given.size_treebank}", "words", "UAS", *CALIBRATION_HEADER], rows)


def every(treebank: str, share: int, folder: Path) -> str:
    """A treebank of every share-th training sentence, with the same development set."""
    if share == 1:
        return treebank
    part = folder / f"{name_of(treebank)}-1-of-{share}"
    part.mkdir(parents=True, exist_ok=True)
    train, dev = (Path(path) for path in files_of(treebank))
    sentences = train.read_text(encoding="utf-8").split("\n\n")
    kept = [sentence for sentence in sentences if sentence.strip()][::share]
    (part / "train.conllu").write_text("\n\n".join(kept) + "\n\n", encoding="utf-8")
    (part / "dev.conllu").write_bytes(dev.read_bytes())
    return str(part)


def name_of(treebank: str) -> str:
    return Path(treebank).name


READINGS = {"systems": systems, "maxent": maxent, "size": size}

if __name__ == "__main__":
    main()
