"""The papers' comparisons on any treebanks: python benchmarks/reproduce.py [TREEBANK ...] [--seeds 5] [--quick]

TREEBANK: a folder with train.conllu and dev.conllu, or a folder of such folders; by default those of
ARCSPEED_TREEBANKS. Trains on train, scores on dev after the last epoch. Results are kept, one file a run: stopped and
started again it goes on, and with more seeds it only runs those that are missing. Writes reproduction.md,
reproduction.json and (with matplotlib, the `plot` extra) grid.png; the papers' figures are of other treebanks, so it
is differences between regimes that are compared.
"""

import argparse
import datetime
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from papers import EXPERIMENTS, GRID_K, GRID_P, Experiment, Regime, grid_options
from runs import Run, RunError, Store, files_of, find_treebanks, machine, mean, run_all
from verdicts import (
    Results,
    Verdict,
    calibration_table,
    grid_table,
    judge,
    judge_calibration,
    judge_grid,
    pooled_bins,
    score_table,
    verdict_table,
)

from parser.errors import UserError

QUICK_TREEBANKS, QUICK_EPOCHS = 2, 5
QUICK_K, QUICK_P = (0, 1, 3), (0.0, 0.5, 1.0)
GRID = "grid"


def main() -> None:
    names = [experiment.name for experiment in EXPERIMENTS]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("treebanks", nargs="*", help="folders; by default those in ARCSPEED_TREEBANKS")
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument(
        "--seeds-of", type=seeds_of_one, action="append", default=[], metavar="NAME=N", help="of one treebank"
    )
    options.add_argument("--quick", action="store_true", help="the two smallest treebanks, one seed, 5 epochs")
    options.add_argument("--jobs", type=int, default=2, help="processes [2]")
    options.add_argument("--only", choices=[*names, GRID], action="append", help="one of the experiments; repeatable")
    options.add_argument("--grid-treebanks", nargs="+", default=[], metavar="NAME", help="names of those for the grid")
    options.add_argument("--grid-seeds", type=int, help="instead of --seeds")
    options.add_argument("--epochs", type=int, help="instead of 15 (easy-first: 20)")
    options.add_argument("--store", type=Path, default=Path("build/runs"), help="folder of single results [build/runs]")
    options.add_argument("-o", "--output", type=Path, default=Path("build/reproduction"), help="folder for the tables")
    given = options.parse_args()
    try:
        reproduce(given)
    except UserError as error:
        sys.exit(str(error))


def seeds_of_one(text: str) -> tuple[str, int]:
    name, equals, number = text.partition("=")
    if not equals or not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}, expected NAME=N, the name of a treebank and a number")
    return name, int(number)


def seeds_by_treebank(treebanks: Sequence[str], seeds: int, exceptions: Sequence[tuple[str, int]]) -> dict[str, int]:
    """By folder."""
    names = {Path(folder).name for folder in treebanks}
    unknown = [name for name, _ in exceptions if name not in names]
    if unknown:
        raise RunError(f"--seeds-of {unknown[0]}: no such treebank, expected one of {', '.join(sorted(names))}")
    return {folder: dict(exceptions).get(Path(folder).name, seeds) for folder in treebanks}


def reproduce(given: argparse.Namespace) -> None:
    treebanks = find_treebanks(given.treebanks)
    seeds, epochs = given.seeds, given.epochs
    if given.quick:
        treebanks = sorted(treebanks, key=lambda folder: Path(files_of(folder)[0]).stat().st_size)[:QUICK_TREEBANKS]
        seeds, epochs = 1, epochs or QUICK_EPOCHS
    wanted = given.only or [*(experiment.name for experiment in EXPERIMENTS), GRID]
    store, summary = Store(given.store), {}
    per_treebank = seeds_by_treebank(treebanks, seeds, given.seeds_of)
    parts = [heading(per_treebank, seeds, epochs)]
    for experiment in EXPERIMENTS:
        if experiment.name in wanted:
            results = run_experiment(experiment, per_treebank, epochs, store, given.jobs)
            text, verdicts = report(experiment, results)
            parts.append(text)
            summary[experiment.name] = {"verdicts": [asdict(v) for v in verdicts], "scores": plain_scores(results)}
    given.output.mkdir(parents=True, exist_ok=True)
    if GRID in wanted:
        chosen = [t for t in treebanks if Path(t).name in (given.grid_treebanks or [Path(t).name])]
        ks, ps = (QUICK_K, QUICK_P) if given.quick else (GRID_K, GRID_P)
        if given.quick:
            chosen, grid_seeds = chosen[:1], 1
        else:
            grid_seeds = given.grid_seeds or seeds
        values = run_grid(chosen, ks, ps, grid_seeds, epochs, store, given.jobs)
        text, verdicts = report_grid(values, chosen, grid_seeds)
        drawn = draw_grid(values, given.output / "grid.png")
        parts.append(text + ("\n![heat map](grid.png)\n" if drawn else ""))
        cells = [{"k": k, "p": p, "uas": value} for (k, p), value in sorted(values.items())]
        summary[GRID] = {"verdicts": [asdict(v) for v in verdicts], "cells": cells}
    document = "\n".join(parts)
    print(document)
    (given.output / "reproduction.md").write_text(document, encoding="utf-8")
    (given.output / "reproduction.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def heading(treebanks: Mapping[str, int], seeds: int, epochs: int | None) -> str:
    names = ", ".join(Path(folder).name for folder in treebanks)
    others = "".join(f", {Path(folder).name} {own}" for folder, own in treebanks.items() if own != seeds)
    return (
        f"# The papers' comparisons, re-run\n\n{datetime.date.today()}, {machine()}. Treebanks: {names}. "
        f"Seeds: {seeds}{others}. Epochs: {epochs or '15 (easy-first: 20)'}. Trained on train, scored on dev after the "
        "last epoch, gold tokens and tags. `dev.` is the standard deviation between seeds of the mean over treebanks "
        "(of those with all seeds); `treebanks` says in how many of them the difference has the claimed sign. The "
        "papers' figures are means over other treebanks: compare differences, not scores.\n"
    )


# Running


def runs_of(regime: Regime, treebanks: Mapping[str, int], epochs: int | None) -> list[Run]:
    """treebanks: numbers of seeds by folder"""
    options = (*regime.options, f"train.epochs={epochs or regime.epochs}")
    return [Run(treebank, options, seed) for treebank, seeds in treebanks.items() for seed in range(1, seeds + 1)]


def run_experiment(
    experiment: Experiment, treebanks: Mapping[str, int], epochs: int | None, store: Store, jobs: int
) -> Results:
    runs = {regime.name: runs_of(regime, treebanks, epochs) for regime in experiment.regimes}
    in_order = sorted((run for regime in runs.values() for run in regime), key=lambda run: run.seed)
    found = run_all(store, in_order, jobs)
    results: dict[str, dict[str, dict[int, dict]]] = {}
    for name, own in runs.items():
        for run in own:
            results.setdefault(name, {}).setdefault(run.name, {})[run.seed] = found[run]
    return results


def run_grid(treebanks, ks, ps, seeds: int, epochs: int | None, store: Store, jobs: int) -> dict:
    """Mean UAS (punctuation counted) by (k, p)."""
    wanted = dict.fromkeys(treebanks, seeds)
    runs = {(k, p): runs_of(Regime("", grid_options(k, p), {}), wanted, epochs) for k in ks for p in ps}
    found = run_all(store, (run for own in runs.values() for run in own), jobs)
    return {cell: mean(found[run]["scores"]["uas"] for run in own) for cell, own in runs.items()}


# Reporting


def report(experiment: Experiment, results: Results) -> tuple[str, list[Verdict]]:
    verdicts = [judge(claim, results) for claim in experiment.claims]
    parts = [f"## {experiment.title}\n"]
    parts += [score_table(experiment, results, measure) for measure in experiment.measures]
    if experiment.calibration:
        bins = pooled_bins(results[experiment.calibration])
        verdicts += judge_calibration(bins)
        parts += [
            f"Calibration of {experiment.calibration}, all treebanks and seeds together:\n",
            calibration_table(bins),
        ]
    return "\n".join([*parts, verdict_table(verdicts)]), verdicts


def report_grid(values: dict, treebanks: Sequence[str], seeds: int) -> tuple[str, list[Verdict]]:
    names = ", ".join(Path(folder).name for folder in treebanks)
    verdicts = judge_grid(values)
    title = "## Goldberg & Nivre 2013, figure 1: exploring from epoch k + 1 on, with probability p\n"
    about = f"Arc-eager, perceptron, zn11; UAS, punctuation counted; mean of {names}; seeds: {seeds}.\n"
    return "\n".join([title, about, grid_table(values), verdict_table(verdicts)]), verdicts


def plain_scores(results: Results) -> dict:
    return {
        regime: {
            treebank: {
                str(seed): result["scores"] | {"n_weights": result["n_weights"]} for seed, result in seeds.items()
            }
            for treebank, seeds in found.items()
        }
        for regime, found in results.items()
    }


def draw_grid(values: dict, path: Path) -> bool:
    """A heat map, where matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no heat map: it needs matplotlib (pip install 'arcspeed[plot]')", file=sys.stderr)
        return False
    ks, ps = sorted({k for k, _ in values}), sorted({p for _, p in values})
    figure = Figure(figsize=(1.5 + 0.6 * len(ps), 1.5 + 0.5 * len(ks)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow([[values[k, p] for p in ps] for k in ks], aspect="auto", cmap="viridis")
    axes.set_xticks(range(len(ps)), [f"{p:g}" for p in ps])
    axes.set_yticks(range(len(ks)), [str(k) for k in ks])
    axes.set(xlabel="p: probability of following an error", ylabel="k: epochs without exploration")
    figure.colorbar(image, label="UAS, mean over treebanks")
    figure.savefig(path)
    return True


if __name__ == "__main__":
    main()
