"""What each ingredient of arc-eager's settings brings: python scripts/ingredients.py [-t TREEBANK ...] [--seeds 1]

Trains with `--features rich`, then without one ingredient at a time: a section of that feature set (its file names
them), or a choice of learning. Printed by treebank: LAS on the development sets after the last epoch, punctuation left
out, with everything; below it what is lost without the ingredient. Results are kept (see runs.py) and not made twice.
"""

import argparse
import re
import sys
from importlib.resources import files
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from runs import Run, Store, find_treebanks, markdown_table, mean, run_all

from parser.errors import UserError

WHOLE = ("features=rich",)
CHOICES = {
    "errors followed (dynamic oracle)": "oracle=static",
    "margin": "learner.margin=0",
    "rows from several updates on": "min_updates=0",
    "useful rows alone": "keep=1",
    "marked labels of lifted arcs": "nonprojective=lift",
    "one root": "single_root=no",
}
SECTION = re.compile(r"^# (.+) \(\d+\)$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """The lines of a feature set by the comment above them."""
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def settings(folder: Path) -> dict[str, tuple[str, ...]]:
    """Ingredient -> the options that leave it out. The feature sets that are needed are written into the folder."""
    text = (files("parser.feature") / "sets" / "rich.txt").read_text("utf-8")
    found = {}
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(sections(text)):
        if name.startswith("single words"):
            continue
        path = folder / f"rich-without-{number}.txt"
        path.write_text("\n".join(lines for other, lines in sections(text).items() if other != name), "utf-8")
        found[name] = (f"features={path}",)
    return found | {name: (*WHOLE, option) for name, option in CHOICES.items()}


def table(given: argparse.Namespace) -> str:
    store, treebanks = Store(given.store), find_treebanks(given.treebank)
    names = [Path(treebank).name for treebank in treebanks]
    left_out = {"(none)": WHOLE, **settings(given.store / "ingredients")}
    wanted = {
        (setting, Path(treebank).name, seed): Run(treebank, options, seed)
        for setting, options in left_out.items()
        for treebank in treebanks
        for seed in range(1, given.seeds + 1)
    }
    found = run_all(store, wanted.values(), given.jobs)

    def scores(setting: str) -> list[float]:
        return [
            mean(found[wanted[setting, name, seed]]["scores"]["las_no_punct"] for seed in range(1, given.seeds + 1))
            for name in names
        ]

    whole = scores("(none)")
    rows = [["everything", mean(whole), *whole]]
    for setting in left_out:
        if setting != "(none)":
            lost = [one - other for one, other in zip(scores(setting), whole, strict=True)]
            rows.append([f"without: {setting}", mean(lost), *lost])
    return markdown_table(["", "mean", *names], rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-t", "--treebank", action="append", default=[], help="folder, instead of ARCSPEED_TREEBANKS")
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--store", default="build/runs", type=Path, help="folder of results [build/runs]")
    try:
        print(table(options.parse_args()))
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
