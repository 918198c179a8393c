"""Words a second by number of threads: python benchmarks/threads.py MODEL... --on FILE [--words N] [--threads 1 2]

From CoNLL-U to CoNLL-U by Parser.parse_file, millions of words a second of wall time, the file repeated until it has
--words words: into a new file beside it, and into /dev/null, where the disk has no part; the numbers of threads in
turns, the best of --turns turns each. Then *new text*: the file once, by a parser that has just been opened, into
/dev/null.
In parentheses: times what the first number of threads does.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from runs import markdown_table

from parser.pipeline import Parser


def speed(parser: Parser, source: Path, target: str | Path, threads: int) -> float:
    if os.path.isfile(target):
        os.unlink(target)  # else the system would take its time for that: 15 ms for 130 MB
    start = time.perf_counter()
    words = parser.parse_file(source, target, threads=threads).words
    return words / (time.perf_counter() - start) / 1e6


def opened(path: str) -> Parser:
    """With its plan made, and nothing else."""
    parser = Parser.load(path)
    parser.parse(["a"])
    return parser


def measure(path: str, source: Path, once: Path, given: argparse.Namespace) -> list[list[str]]:
    parser, target = opened(path), source.with_suffix(".out.conllu")
    ways = {
        "file": lambda threads: speed(parser, source, target, threads),
        "/dev/null": lambda threads: speed(parser, source, os.devnull, threads),
        "new text": lambda threads: speed(opened(path), once, os.devnull, threads),
    }
    rows = []
    for name, way in ways.items():
        turns = [[way(threads) for threads in given.threads] for _ in range(given.turns)]
        best = [max(column) for column in zip(*turns, strict=True)]
        rest = [f"{fast:.2f} ({fast / best[0]:.2f})" for fast in best[1:]]
        rows.append([Path(path).name, name, f"{best[0]:.2f}", *rest])
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="+")
    options.add_argument("--on", required=True, type=Path, help="a CoNLL-U file")
    options.add_argument("--words", type=int, default=2_000_000)
    options.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options.add_argument("--turns", type=int, default=6)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, text = Path(folder, "in.conllu"), given.on.read_bytes()
        words = opened(given.models[0]).parse_file(given.on, os.devnull).words
        source.write_bytes(text * -(-given.words // max(words, 1)))
        rows = [row for model in given.models for row in measure(model, source, given.on, given)]
    heads = [f"{n} thread{'s' * (n > 1)}" for n in given.threads]
    print(markdown_table(["model", "into", *heads], rows), end="")


if __name__ == "__main__":
    main()
