"""Words per second read, written and round-tripped on one core, beside the PyPI packages `conllu` and `pyconll`.

    python benchmarks/io.py [FILE]

FILE (by default English-EWT's train file in the folder that ARCSPEED_TREEBANKS names, else generated sentences) is
repeated to about two million words for arcspeed; the other packages read the file once, since they are slower by two
orders of magnitude; all speeds are words per second, the best of several runs. Peak memory is measured in processes of
their own, over the file once and repeated ten times.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from parser.treebank import Batch, Reader, Writer
from parser.treebank.generate import generate
from parser.treebank.vocab import COLUMNS

TARGET_WORDS = 2_000_000


class Sink:
    """Takes bytes and forgets them: what is measured is the writer, not the disk."""

    def write(self, data) -> int:
        return len(data)


def best(run, repeats: int) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def read(path, columns):
    reader, batch = Reader(path, intern=columns), Batch()
    while reader.fill(batch):
        pass
    reader.close()
    return reader.n_words


def round_trip(path, new_trees: bool):
    """new_trees: all ids, and HEAD and DEPREL written anew as a parser does; else every byte as it was read."""
    reader, batch, writer = Reader(path, intern=COLUMNS if new_trees else ()), Batch(), Writer(Sink(), check=False)
    names = []
    while reader.fill(batch):
        if new_trees:
            if len(names) != len(reader.vocab["deprel"]) - 3:
                names = reader.vocab["deprel"].strings()
            writer.write(batch, batch.heads, batch.column_ids("deprel") - 3, names)
        else:
            writer.write(batch)
    writer.flush()
    reader.close()


def write_only(path, repeats):
    with Reader(path, intern=("deprel",)) as reader:
        batches = list(reader.batches())
        names = reader.vocab["deprel"].strings()
    trees = [(batch, batch.heads, batch.column_ids("deprel") - 3) for batch in batches]

    def run():
        writer = Writer(Sink(), check=False)
        for batch, heads, labels in trees:
            writer.write(batch, heads, labels, names)
        writer.flush()

    return best(run, repeats)


def peer_conllu(path):
    import conllu

    text = Path(path).read_text(encoding="utf-8")
    sentences = []
    reading = best(lambda: sentences.__setitem__(slice(None), conllu.parse(text)), 2)
    return reading, best(lambda: [sentence.serialize() for sentence in sentences], 2)


def peer_pyconll(path):
    import pyconll

    found = []
    reading = best(lambda: found.append(pyconll.load_from_file(str(path))), 2)
    return reading, best(lambda: found[-1].conll(), 2)


def peak_megabytes(path) -> float:
    program = (
        "import sys; from parser.treebank import Batch, Reader\n"
        "reader, batch = Reader(sys.argv[1]), Batch()\n"
        "while reader.fill(batch): pass\n"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    answer = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    return int(answer.stdout) / 1024


def default_file(folder: Path) -> Path:
    treebanks = os.environ.get("ARCSPEED_TREEBANKS")
    if treebanks:
        return Path(treebanks) / "English-EWT" / "train.conllu"
    made = folder / "made.conllu"
    made.write_text("".join(generate(12_000)), encoding="utf-8")
    return made


def report(rows, conllu_speed):
    print("| what | M words/s | times `conllu` |\n|---|---|---|")
    for what, speed, peer in rows:
        ratio = f"{speed / (conllu_speed[peer]):.1f}" if conllu_speed.get(peer) else "-"
        print(f"| {what} | {speed / 1e6:.3f} | {ratio} |")


def measure(small: Path, large: Path, words: int, small_words: int, repeats: int):
    rows = []
    for title, columns in (
        ("tabs, lines, heads", ()),
        ("and form ids", ("form",)),
        ("and ids of all columns", COLUMNS),
    ):
        rows.append((f"arcspeed read: {title}", words / best(lambda c=columns: read(large, c), repeats), "read"))
    rows.append(("arcspeed write: new trees", words / write_only(large, repeats), "write"))
    for title, new in (("same bytes", False), ("all ids, new trees", True)):
        speed = words / best(lambda n=new: round_trip(large, n), repeats)
        rows.append((f"arcspeed read and write: {title}", speed, "both"))
    conllu_speed = {}
    for name, peer in (("conllu", peer_conllu), ("pyconll", peer_pyconll)):
        try:
            reading, writing = peer(small)
        except ImportError:
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        speeds = {"read": reading, "write": writing, "both": reading + writing}
        for what, seconds in speeds.items():
            rows.append((f"{name} {'read and write' if what == 'both' else what}", small_words / seconds, what))
        if name == "conllu":
            conllu_speed = {what: small_words / seconds for what, seconds in speeds.items()}
    report(rows, conllu_speed)


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("file", nargs="?", type=Path)
    parse.add_argument("--repeats", type=int, default=5)
    arguments = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small = arguments.file or default_file(Path(folder))
        small_words = read(small, ())
        times = max(1, round(TARGET_WORDS / small_words))
        large = Path(folder) / "large.conllu"
        large.write_bytes(small.read_bytes() * times)
        words = small_words * times
        size = large.stat().st_size
        print(f"{small.parent.name}/{small.name}, {times} times: {words:,} words, {size / 1e6:.0f} MB\n")
        measure(small, large, words, small_words, arguments.repeats)
        print(f"\nPeak memory of a process that reads: {peak_megabytes(small):.1f} MB for the file once, "
              f"{peak_megabytes(large):.1f} MB for it {times} times")  # fmt: skip


if __name__ == "__main__":
    main()
