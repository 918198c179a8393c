"""arcspeed beside other parsers, on one core: python benchmarks/peers.py [TREEBANK ...] [--only NAME] [--again WHAT]

TREEBANK: a folder with train.conllu and dev.conllu, or a folder of such folders; by default those of
ARCSPEED_TREEBANKS. Every system is trained on train, parses dev, and is scored by arcspeed's evaluator; each in a
process of its own, with the interpreter that `--python NAME=PATH` gives (names: udpipe, spacy, vw). What is not
installed is named in the table with the reason. Needed: pip install ufal.udpipe spacy vowpalwabbit matplotlib

Models and outputs are kept in --store, so that a stopped run goes on. Figures go into peers.json beside the table:
a run of one system (`--only arcspeed --again all`) replaces its rows and leaves the others.
"""

import argparse
import datetime
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from peers_lib.chart import draw
from peers_lib.measure import Bench, measure
from peers_lib.systems import Limits, System, all_systems
from peers_lib.table import document
from runs import RunError, find_treebanks, machine

from parser.errors import UserError
from parser.model.atomic import whole_file

RESULTS = Path(__file__).resolve().parent / "results"


def main() -> None:
    given = options().parse_args()
    try:
        compare(given)
    except UserError as error:
        sys.exit(str(error))


def options() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("treebanks", nargs="*", help="folders; by default those in ARCSPEED_TREEBANKS")
    found.add_argument("--only", nargs="+", default=[], metavar="NAME", help="arcspeed, udpipe, spacy-words ...")
    found.add_argument("--again", choices=("parse", "all"), help="time anew what is kept; all: train anew too")
    found.add_argument("--python", nargs="+", default=[], metavar="NAME=PATH", help="the interpreter that has a peer")
    found.add_argument("--malt", metavar="JAR", help="a MaltParser archive, to be run too")
    found.add_argument("--yara", metavar="JAR", help="a Yara archive, to be run too")
    found.add_argument("--udpipe-iterations", type=int, default=Limits.udpipe_iterations)
    found.add_argument("--spacy-steps", type=int, default=Limits.spacy_steps)
    found.add_argument("--vw-passes", type=int, default=Limits.vw_passes)
    found.add_argument("--seconds", type=float, default=5, help="of rounds over the file, for each timing [5]")
    found.add_argument("--store", type=Path, default=Path("build/peers"), help="models and outputs [build/peers]")
    found.add_argument("-o", "--output", type=Path, default=RESULTS, help="folder of the table [benchmarks/results]")
    return found


def compare(given: argparse.Namespace) -> None:
    limits = Limits(given.udpipe_iterations, given.spacy_steps, given.vw_passes)
    systems = all_systems(limits, given.malt, given.yara)
    wanted = choose(systems, given.only)
    bench = Bench(given.store, interpreters(given.python), given.seconds, given.again)
    record = Record.read(given.output / "peers.json")
    for treebank in find_treebanks(given.treebanks):
        for system in wanted:
            row = measure(bench, system, treebank)
            print(said(row), file=sys.stderr, flush=True)
            record.put({**row, "date": str(datetime.date.today()), "machine": machine()})
            record.write()
    rows = record.in_order([system.name for system in systems])
    drawn = draw(rows, given.output / "peers.png")
    text = document(rows, drawn)
    (given.output / "peers.md").write_text(text, encoding="utf-8")
    print(text)


def choose(systems: list[System], only: list[str]) -> list[System]:
    for name in only:
        if not any(name in (system.name, system.peer) for system in systems):
            raise RunError(f"no system {name!r}, expected one of {', '.join(system.name for system in systems)}")
    return [system for system in systems if not only or system.name in only or system.peer in only]


def interpreters(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=")[::2] for text in given]
    for name, path in pairs:
        if not path:
            raise RunError(f"--python {name}: expected NAME=PATH")
    return dict(pairs)


def said(row: dict) -> str:
    what = f"{row['treebank']} {row['title']}"
    if "missing" in row:
        return f"{what}: not measured: {row['missing']}"
    return f"{what}: LAS {row['scores']['las']:.2f}, {row['parse'] or row['files']:,.0f} words/s"


@dataclass
class Record:
    """The figures of all systems and treebanks so far, in one file."""

    path: Path
    rows: dict[tuple[str, str], dict]

    @classmethod
    def read(cls, path: Path) -> "Record":
        rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        return cls(path, {(row["treebank"], row["system"]): row for row in rows})

    def put(self, row: dict) -> None:
        """Takes the place of an older one. What cannot be measured here does not: the older figures stay."""
        key = row["treebank"], row["system"]
        others = [old for old in self.rows.values() if old["treebank"] == row["treebank"]]
        if any(old["data"] != row["data"] for old in others if old["system"] != row["system"]):
            raise RunError(f"{self.path}: has figures of other files called {row['treebank']}: take another -o")
        if "missing" not in row or "missing" in self.rows.get(key, row):
            self.rows[key] = row

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(self.path) as stream:
            stream.write((json.dumps(list(self.rows.values()), indent=1) + "\n").encode())

    def in_order(self, names: list[str]) -> list[dict]:
        """By treebank, then as the systems are listed; systems that are no longer listed come last."""
        known = {name: i for i, name in enumerate(names)}
        treebanks = list(dict.fromkeys(treebank for treebank, _ in self.rows))
        return sorted(
            self.rows.values(),
            key=lambda row: (treebanks.index(row["treebank"]), known.get(row["system"], len(known))),
        )


if __name__ == "__main__":
    main()
