"""What groups of templates are worth together: python scripts/screening.py FILE [-t TREEBANK ...] [--sets 48]

FILE is a feature set whose comments `# NAME (N)` begin groups, as in parser/feature/sets/rich.txt; what stands above
the first is in every set. Trains with many sets from which every group is missing with the probability --share, and
fits what each group brings by least squares: every run says something about every group, in the company of many
others, so the same number of runs tells more than leaving out one group at a time. Printed by group: what its loss
does to LAS on the development sets after the last epoch, punctuation left out, with the standard error of the mean.
Results are kept (see runs.py) and not made twice.
"""

import argparse
import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from ingredients import SECTION, sections
from runs import Run, Store, find_treebanks, markdown_table, run_all

from parser.errors import UserError

RIDGE = 0.5  # keeps groups apart that were missing together by chance


def draw(names: list[str], n_sets: int, share: float, seed: int) -> list[list[str]]:
    """The groups that each set lacks."""
    dice = random.Random(seed)
    return [[name for name in names if dice.random() < share] for _ in range(n_sets)]


def effects(names: list[str], missing: list[list[str]], scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """scores: sets x treebanks. (effect of a group's loss by treebank, standard error of that on the mean)"""
    design = np.array([[1.0, *(name in lacking for name in names)] for lacking in missing])
    penalty = RIDGE * np.eye(len(names) + 1)
    penalty[0, 0] = 0
    inverse = np.linalg.inv(design.T @ design + penalty)
    fitted = inverse @ design.T @ scores
    left = (scores - design @ fitted).mean(axis=1)
    variance = (left**2).sum() / max(len(missing) - len(names) - 1, 1)
    return fitted[1:], np.sqrt(variance * np.diag(inverse))[1:]


def table(given: argparse.Namespace) -> str:
    text = given.file.read_text("utf-8")
    groups, always = sections(text), SECTION.split(text)[0]
    names, treebanks = list(groups), find_treebanks(given.treebank)
    missing = draw(names, given.sets, given.share, given.seed)
    folder = given.store / "screening"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {}
    for i, lacking in enumerate(missing):
        path = folder / f"{given.file.stem}-{given.seed}-{i}.txt"
        path.write_text("\n".join([always, *(groups[name] for name in names if name not in lacking)]), "utf-8")
        for treebank in treebanks:
            wanted[i, treebank] = Run(treebank, tuple(sorted([f"features={path}", *given.set])), 1)
    found = run_all(Store(given.store), wanted.values(), given.jobs)
    scores = [[found[wanted[i, t]]["scores"]["las_no_punct"] for t in treebanks] for i in range(given.sets)]
    by_treebank, errors = effects(names, missing, np.array(scores))
    rows = sorted(zip(names, by_treebank, errors, strict=True), key=lambda row: -row[1].mean())
    return markdown_table(
        ["without", "mean", "error", *(Path(treebank).name for treebank in treebanks)],
        [[name, effect.mean(), error, *effect] for name, effect, error in rows],
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=Path)
    options.add_argument("-t", "--treebank", action="append", default=[], help="folder, instead of ARCSPEED_TREEBANKS")
    options.add_argument("--sets", type=int, default=48)
    options.add_argument("--set", action="append", default=[], help="option of all runs, as in `arcspeed train --set`")
    options.add_argument("--share", type=float, default=0.4)
    options.add_argument("--seed", type=int, default=7, help="of the choice of sets")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--store", default="build/runs", type=Path, help="folder of results [build/runs]")
    try:
        print(table(options.parse_args()))
    except (UserError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
