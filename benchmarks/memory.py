"""Is the memory of a streaming parse flat, and is its time linear?

    python benchmarks/memory.py MODEL --on dev.conllu                     100 million words through a pipe
    python benchmarks/memory.py MODEL --on dev.conllu --words 10000000 --new 0
    python benchmarks/memory.py MODEL --on dev.conllu --growth

The stream is the file over and over, fed into `arcspeed parse MODEL` by a pipe; one word in 40 (--new, 0 for none) gets
the number of the round behind it, so that new words never end: more of them than any language has. Printed is the peak
of the process's memory (VmHWM of Linux) at each tenth of the way, and words a second of its CPU time.

--growth: microseconds a word for sentences of 10 to 10,000 words (words of the file, joined), and for corpora of 10,000
to a million words, from array to array and from file to file. CPU time, best of three, of a parser that has seen the
words.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import numpy as np

from parser import Parser, Strings
from parser.treebank import Reader

LENGTHS = (10, 100, 1_000, 10_000)
SIZES = (10_000, 100_000, 1_000_000)


def pieces_of(path: str, new: int) -> tuple[list[bytes], int]:
    """The text cut behind the forms that are to be new in every round; and its number of words."""
    pieces, words, start = [], 0, 0
    text = Path(path).read_bytes().strip(b"\n") + b"\n\n"
    at = 0
    for line in text.splitlines(keepends=True):
        cells = line.split(b"\t")
        if cells[0].isdigit():
            words += 1
            if new and words % new == 0:
                end = at + len(cells[0]) + 1 + len(cells[1])
                pieces.append(text[start:end])
                start = end
        at += len(line)
    return [*pieces, text[start:]], words


def rounds(path: str, wanted: int, new: int) -> Iterator[tuple[bytes, int]]:
    """(text, words so far) until there are as many words as wanted."""
    pieces, words = pieces_of(path, new)
    for k in range(1, -(-wanted // words) + 1):
        yield str(k).encode().join(pieces), k * words


def peak_mb(process: int) -> float:
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def stream(model: str, path: str, wanted: int, new: int, threads: int) -> None:
    command = [sys.executable, "-m", "parser", "parse", model, "--format", "conllu", "--threads", str(threads)]
    tenth, start = wanted // 10, time.perf_counter()
    print("| million words | peak MB | seconds |\n|--:|--:|--:|")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as parse:
        for text, words in rounds(path, wanted, new):
            parse.stdin.write(text)
            if words >= tenth:
                show(words, peak_mb(parse.pid), time.perf_counter() - start)
                tenth = (words * 10 // wanted + 1) * wanted // 10
        show(words, peak_mb(parse.pid), time.perf_counter() - start)
        parse.stdin.close()
        if parse.wait() != 0:
            sys.exit(f"arcspeed parse ended with exit code {parse.returncode}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\nend: {used.ru_maxrss / 1024:.1f} MB, {words / (used.ru_utime + used.ru_stime) / 1e6:.2f} million words/s")


def show(words: int, peak: float, seconds: float) -> None:
    print(f"| {words / 1e6:.1f} | {peak:.1f} | {seconds:.0f} |", flush=True)


# Growth


def best(function: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def read(path: str, pos: str) -> tuple[list[str], list[str], list[int]]:
    words, tags, lengths = [], [], []
    with Reader(path, intern=(), heads="ignore") as reader:
        for sentence in reader:
            words += sentence.words
            tags += sentence.column(pos)
            lengths.append(len(sentence))
    return words, tags, lengths


def repeated(values: list, n: int) -> list:
    return (values * (n // len(values) + 1))[:n]


def growth(model: str, path: str) -> None:
    parser = Parser.load(model)
    words, tags, lengths = read(path, parser.assembly.pos)
    print("| words of a sentence | microseconds a word |\n|--:|--:|")
    n = 100_000
    forms, xpos = Strings.of(repeated(words, n)), Strings.of(repeated(tags, n))
    for length in LENGTHS:
        offsets = np.arange(0, n + 1, length)
        print(
            f"| {length:,} | {best(lambda o=offsets: parser.parse_arrays(forms, xpos, o)) / n * 1e6:.2f} |", flush=True
        )
    print("\n| words of the corpus | arrays, microseconds a word | files, microseconds a word |\n|--:|--:|--:|")
    for size in SIZES:
        ends = np.cumsum([0, *repeated(lengths, size * len(lengths) // len(words))])
        n = int(ends[-1])
        forms, xpos = Strings.of(repeated(words, n)), Strings.of(repeated(tags, n))
        arrays = best(lambda: parser.parse_arrays(forms, xpos, ends)) / n * 1e6  # noqa: B023 (called at once)
        print(f"| {n:,} | {arrays:.2f} | {from_file_to_file(parser, path, size):.2f} |", flush=True)


def from_file_to_file(parser: Parser, path: str, size: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.conllu"), Path(folder, "out.conllu")
        with Reader(path, intern=(), heads="ignore") as reader:
            sentences = cycle([(sentence.text, len(sentence)) for sentence in reader])
        words = 0
        with open(source, "w", encoding="utf-8") as out:
            while words < size:
                text, length = next(sentences)
                out.write(text + "\n")
                words += length
        return best(lambda: parser.parse_file(source, target)) / words * 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model")
    options.add_argument("--on", required=True, help="a CoNLL-U file")
    options.add_argument("--words", type=int, default=100_000_000)
    options.add_argument("--new", type=int, default=40, help="one word in so many is new in every round")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--growth", action="store_true")
    given = options.parse_args()
    if given.growth:
        growth(given.model, given.on)
    else:
        stream(given.model, given.on, given.words, given.new, given.threads)


if __name__ == "__main__":
    main()
