"""Words a second against LAS, a panel per treebank; drawn where matplotlib is installed."""

import sys
from collections.abc import Sequence
from pathlib import Path

COLOURS = {"arcspeed": "tab:blue", "udpipe": "tab:orange", "spacy": "tab:green", "vw": "tab:red"}


def draw(rows: Sequence[dict], path: Path) -> bool:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no chart: it needs matplotlib (pip install 'arcspeed[plot]')", file=sys.stderr)
        return False
    rows = [row for row in rows if "missing" not in row]
    treebanks = list(dict.fromkeys(row["treebank"] for row in rows))
    figure = Figure(figsize=(5 * max(len(treebanks), 1), 4.5), layout="constrained")
    panels = figure.subplots(1, max(len(treebanks), 1), squeeze=False)[0]
    for axes, treebank in zip(panels, treebanks, strict=False):
        panel(axes, treebank, [row for row in rows if row["treebank"] == treebank])
    figure.savefig(path, dpi=100)
    return True


def panel(axes, treebank: str, rows: Sequence[dict]) -> None:
    axes.set(title=treebank, xscale="log", xlabel="words a second, one core", ylabel="LAS")
    axes.grid(alpha=0.3)
    axes.margins(x=0.3, y=0.15)
    for i, row in enumerate(rows):  # names above and below by turns: neighbours are often near each other
        speed, las = row["parse"] or row["files"], row["scores"]["las"]
        axes.plot(speed, las, "o", color=COLOURS.get(row["system"].partition("-")[0], "tab:gray"))
        place = {"xytext": (0, -13 if i % 2 else 6), "textcoords": "offset points"}
        axes.annotate(row["title"], (speed, las), **place, ha="center", fontsize=7)
