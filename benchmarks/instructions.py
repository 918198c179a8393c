"""Instructions a word of parsing, counted by valgrind: python benchmarks/instructions.py [MODEL --on FILE] [--check]

A count does not depend on what else the machine does, so it can be compared with one of another day. Counted are later
rounds over a file, when words and sums are known, of the code for AVX2 (valgrind knows no AVX-512); what everything
else takes is left out by subtracting a shorter run from a longer one.

Without a model: of small models of the made-up language of `arcspeed demo --offline`, trained on the spot, so the same
everywhere. --check compares with benchmarks/results/instructions.json and fails if a count has risen by more than 5 %
(another compiler than the one named there: 15 %); --write replaces that file. Where there is no valgrind, or the
processor has no AVX2, nothing is checked, and said so.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from parser.compiled.engine import kernel_names
from parser.pipeline import Parser
from parser.search.session import Session
from parser.treebank import Reader
from parser.treebank.generate import generate

KERNEL = "avx2"
RESULTS = Path(__file__).parent / "results" / "instructions.json"
SETS = {
    "zn11": {"features.name": "zn11"},
    "default": {},
    "fast": {"features.name": "fast"},
    "easy-first": {"system.name": "easy-first"},
}
WITH = ", probabilities"
TRAINED, PARSED, EPOCHS = 400, 150, 3
ROUNDS = (2, 5)
MOST_RISE, MOST_RISE_ELSEWHERE = 0.05, 0.15
# Python's start differs from run to run by its hash seed, and by how long numpy's threads wait for each other
ALIKE = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def parse_rounds(path: str, on: str, rounds: int, scores: bool) -> int:
    """What valgrind watches; gives the number of words."""
    parser = Parser.load(path)
    fast = type(parser.sentence_parser)(parser.assembly.system, parser.compiled, KERNEL)
    session = Session(fast, parser.clusters)
    batches = list(Reader(on, intern=(), roots="ignore").batches())
    for _ in range(rounds):
        for batch in batches:
            session.parse_batch(batch, scores)
    return rounds * sum(batch.n_words for batch in batches)


def count(path: str, on: str, scores: bool) -> float:
    totals, words = [], []
    for rounds in ROUNDS:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__, path]
        run = subprocess.run(
            [*command, "--on", on, "--rounds", str(rounds), *(["--scores"] if scores else [])],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | ALIKE,
        )
        totals.append(int(re.search(r"Collected : (\d+)", run.stderr)[1]))
        words.append(int(run.stdout.split()[-1]))
    return (totals[1] - totals[0]) / (words[1] - words[0])


def made_up() -> dict[str, int]:
    """Instructions a word by feature set, without probabilities and with them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        sentences = list(generate(TRAINED + PARSED))
        train, text, model = (Path(folder, name) for name in ("train.conllu", "text.conllu", "model"))
        train.write_text("".join(sentences[:TRAINED]), encoding="utf-8")
        text.write_text("".join(sentences[TRAINED:]), encoding="utf-8")
        for features, options in SETS.items():
            Parser.train(train, **options, **{"train.epochs": EPOCHS}).save(model)
            for scores in (False, True):
                found[features + WITH * scores] = round(count(str(model), str(text), scores))
    return found


def compiler() -> str:
    run = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False)
    return f"gcc {run.stdout.strip()}" if run.returncode == 0 else "unknown"


def check(found: dict[str, int]) -> int:
    """1 if a count has risen too far."""
    known = json.loads(RESULTS.read_text(encoding="utf-8"))
    most = MOST_RISE if known["compiler"] == compiler() else MOST_RISE_ELSEWHERE
    worst = 0.0
    for features, now in found.items():
        rise = now / known["instructions"][features] - 1
        worst = max(worst, rise)
        print(
            f"{features}: {now} instructions a word, {known['instructions'][features]} when last written: {rise:+.1%}"
        )
    if worst > most:
        print(f"more than {most:.0%} up: make it faster, or say why and run with --write", file=sys.stderr)
    return int(worst > most)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", nargs="?")
    options.add_argument("--on", help="a CoNLL-U file")
    options.add_argument("--check", action="store_true", help="compare with the counts last written")
    options.add_argument("--write", action="store_true", help="write them")
    options.add_argument("--scores", action="store_true", help="with probabilities")
    options.add_argument("--rounds", type=int, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.rounds:
        print(parse_rounds(given.model, given.on, given.rounds, given.scores))
        return 0
    if shutil.which("valgrind") is None or KERNEL not in kernel_names():
        print(f"not counted: this needs valgrind and a processor with {KERNEL}")
        return 0
    if given.model:
        print(f"{given.model}: {count(given.model, given.on, given.scores):.0f} instructions a word")
        return 0
    found = made_up()
    if given.write:
        content = {"compiler": compiler(), "kernel": KERNEL, "instructions": found}
        RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return check(found)


if __name__ == "__main__":
    sys.exit(main())
