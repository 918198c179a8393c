"""Figures of the systems as Markdown: per treebank a table with ratios to arcspeed, then the settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

BASE = "arcspeed-default"  # the row that ratios are of

ABOUT = """\
Every system was trained on the train file and parses the dev file of the same treebank, with gold tokens and tags, in a
process of its own on one core with one thread; seconds are of CPU. Whatever can choose its best epoch on a development
set chooses it on that dev file, so scores flatter all of them alike (Vowpal Wabbit takes its last pass). They are by
arcspeed's evaluator: all words, labels with subtypes; the last one is without punctuation.

- **words/s, parse**: after loading, from what the system holds in memory to its trees, best round over the file;
- **first round**: the same, when it has not seen the file yet;
- **words/s, files**: CoNLL-U file to CoNLL-U file, best round, for those that read and write it;
- in parentheses: times the figure of `arcspeed`, the first row.
"""


COMMANDS = """\
## Commands

    pip install ufal.udpipe spacy vowpalwabbit matplotlib
    python benchmarks/peers.py TREEBANK ...

What is said to be shortened above was so by `--udpipe-iterations`, `--spacy-steps`, `--vw-passes`. After a change to
arcspeed, `python benchmarks/peers.py TREEBANK ... --only arcspeed --again all` replaces its rows and leaves the others.
MaltParser and Yara (`--malt JAR`, `--yara JAR`) are measured where their archives are given.
"""


@dataclass(frozen=True)
class Column:
    title: str
    value: Callable[[dict], float | None]  # None: the system has no such figure
    pattern: str
    ratio: bool = True


COLUMNS = (
    Column("LAS", lambda row: row["scores"]["las"], "{:.2f}", ratio=False),
    Column("UAS", lambda row: row["scores"]["uas"], "{:.2f}", ratio=False),
    Column("LAS, no punct.", lambda row: row["scores"]["las_no_punct"], "{:.2f}", ratio=False),
    Column("words/s, parse", lambda row: row["parse"], "{:,.0f}"),
    Column("first round", lambda row: row["first"], "{:,.0f}"),
    Column("words/s, files", lambda row: row["files"], "{:,.0f}"),
    Column("training s", lambda row: row["train_seconds"], "{:,.0f}"),
    Column("model MB", lambda row: row["model_mb"], "{:.1f}"),
    Column("peak MB, training", lambda row: row["train_mb"], "{:,.0f}"),
    Column("peak MB, parsing", lambda row: row["parse_mb"], "{:,.0f}"),
)


def document(rows: Sequence[dict], chart: bool) -> str:
    """Rows in the order of systems; treebanks in the order in which they come."""
    parts = [f"# arcspeed beside its peers\n\n{measured(rows)}", ABOUT]
    parts += ["![words per second against LAS](peers.png)\n"] if chart else []
    for treebank in dict.fromkeys(row["treebank"] for row in rows):
        own = [row for row in rows if row["treebank"] == treebank]
        parts.append(f"## {treebank}\n\n{table(own)}")
    parts += [f"## Settings\n\nWhere the table does not say that they were shortened:\n\n{settings(rows)}", COMMANDS]
    return "\n".join(parts)


def measured(rows: Sequence[dict]) -> str:
    """When and where; where rows differ, which."""
    places: dict[tuple, list[str]] = {}
    for row in rows:
        if "missing" not in row:
            names = places.setdefault((row["date"], row["machine"]), [])
            names += [row["title"]] if row["title"] not in names else []
    loads = [row["load"] for row in rows if "missing" not in row]
    load = f"Load while measuring: {min(loads):.1f} to {max(loads):.1f}.\n" if loads else ""
    if len(places) == 1:
        ((date, machine),) = places
        return f"{date}, {machine}. {load}"
    lines = [f"- {date}, {machine}: {', '.join(names)}\n" for (date, machine), names in places.items()]
    return "".join([*lines, "\n", load])


def table(rows: Sequence[dict]) -> str:
    base = next((row for row in rows if row["system"] == BASE and "missing" not in row), None)
    lines = ["| system | " + " | ".join(column.title for column in COLUMNS) + " |"]
    lines.append("|---" + "|--:" * len(COLUMNS) + "|")
    lines += ["| " + " | ".join(cells(row, base)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cells(row: dict, base: dict | None) -> list[str]:
    if "missing" in row:
        return [row["title"], f"not measured: {row['missing']}", *[""] * (len(COLUMNS) - 1)]
    title = f"{row['title']} ({row['reduced']})" if row["reduced"] else row["title"]
    return [title, *(cell(column, row, base) for column in COLUMNS)]


def cell(column: Column, row: dict, base: dict | None) -> str:
    value = column.value(row)
    if value is None:
        return "-"
    shown = column.pattern.format(value)
    if not column.ratio or base is None or base is row or not column.value(base):
        return shown
    return f"{shown} ({ratio(value / column.value(base))})"


def ratio(value: float) -> str:
    """Two digits that say something."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def settings(rows: Sequence[dict]) -> str:
    """One line per system; what was shortened, per treebank."""
    lines = []
    for name in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == name]
        seen = next((row for row in own if "missing" not in row), own[0])
        version = f" ({seen['version']})" if "version" in seen else ""
        remarks = [f"{row['treebank']}: {row['remark']}" for row in own if row.get("remark")]
        lines.append(f"- **{seen['title']}**{version}: {seen['about']}" + "".join(f"; {text}" for text in remarks))
    return "\n".join(lines) + "\n"
