"""Accuracy of settings over treebanks: python scripts/accuracy.py [-t TREEBANK ...] [SETTING ...]

A setting is `NAME: option=value option=value ...`, options as in `arcspeed train --set`; NAME alone is one of those
known here. Printed per setting: LAS on the development sets, punctuation left out, mean of the seeds and of the
treebanks. After the last epoch: no epoch is chosen by its score. Results are kept (see runs.py) and not made twice.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from runs import Run, RunError, Store, deviation, find_treebanks, markdown_table, mean, run_all

from parser.errors import UserError

PAPERS = ("features=zn11", "learner.margin=0", "min_updates=0", "keep=1", "nonprojective=lift")
KNOWN = {
    "default": (),
    "zn11": PAPERS,
    "zn11-plain": ("features=zn11", "learner.margin=0", "min_updates=3", "keep=1", "single_root=no"),
    "eager": ("features=rich",),
    "lite": ("features=lite",),
    "adagrad": ("learner=adagrad-rda",),
}


def parse_setting(text: str) -> tuple[str, tuple[str, ...]]:
    """(name, options)"""
    name, colon, options = text.partition(":")
    if not colon:
        if name not in KNOWN:
            raise RunError(f"unknown setting {name!r}, expected one of {', '.join(KNOWN)} or NAME: option=value ...")
        return name, KNOWN[name]
    return name.strip(), tuple(options.split())


def rows_of(names: Sequence[str], settings, results: dict[tuple[str, str], list[dict]], epoch: int | None, score: str):
    """Per setting: mean over treebanks, its deviation over seeds, then the treebanks; a missing one leaves a blank."""
    for setting, _ in settings:
        per_treebank = [values_of(results.get((setting, name), []), epoch, score) for name in names]
        complete = [values for values in per_treebank if values]
        if not complete:
            continue
        seeds = min(map(len, complete))
        by_seed = [mean(values[k] for values in complete) for k in range(seeds)]
        over_all = mean(map(mean, complete)) if len(complete) == len(names) else None
        yield [setting, seeds, over_all, deviation(by_seed)] + [
            mean(values) if values else None for values in per_treebank
        ]


def values_of(results: list[dict], epoch: int | None, score: str) -> list[float]:
    """The score after an epoch (None: the last one) of those results that have one."""
    if epoch is None:
        return [result["scores"][score] for result in results]
    return [result["by_epoch"][str(epoch)][score] for result in results if str(epoch) in result["by_epoch"]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("settings", nargs="*", default=["zn11", "default"])
    options.add_argument("-t", "--treebank", action="append", default=[], help="folder, instead of ARCSPEED_TREEBANKS")
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--epochs", type=int, help="instead of the setting's own")
    options.add_argument("--also", type=int, action="append", default=[], help="print the scores after this epoch, too")
    options.add_argument("--score", default="las_no_punct", choices=["las_no_punct", "uas_no_punct", "las", "uas"])
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--kept", action="store_true", help="only print what is there already")
    options.add_argument("--store", default="build/runs", type=Path, help="folder of results [build/runs]")
    given = options.parse_args()
    try:
        run(given)
    except UserError as error:
        sys.exit(str(error))


def run(given: argparse.Namespace) -> None:
    settings = [parse_setting(text) for text in given.settings]
    extra = (f"train.epochs={given.epochs}",) if given.epochs else ()
    store, treebanks = Store(given.store), find_treebanks(given.treebank)
    wanted = {
        (name, Path(treebank).name, seed): Run(treebank, own + extra, seed, tuple(given.also))
        for name, own in settings
        for seed in range(1, given.seeds + 1)
        for treebank in treebanks
    }
    if given.kept:
        found = {run: result for run in wanted.values() if (result := store.get(run)) is not None}
    else:
        found = run_all(store, wanted.values(), given.jobs)
    results: dict[tuple[str, str], list[dict]] = {}
    for (setting, treebank, _), one in wanted.items():
        if one in found:
            results.setdefault((setting, treebank), []).append(found[one])
    names = [Path(treebank).name for treebank in treebanks]
    for epoch in [*given.also, None]:
        title = f"After epoch {epoch}" if epoch else "After the last epoch"
        print(f"\n{title}: {given.score} of dev\n")
        header = ["setting", "seeds", "mean", "dev.", *names]
        print(markdown_table(header, rows_of(names, settings, results, epoch, given.score)))


if __name__ == "__main__":
    main()
