"""Broken treebank files by the million: the reader must answer each with sentences or with one clear error.

Made for the sanitizer build (make fuzz). Files are small, mutated from valid ones so that the deeper checks are
reached: bytes flipped, cells, rows and separators moved, doubled or dropped, numbers changed. Every input can be made
again from the seed and its number. What is read must, once written, be read and written the same, with the same trees.
"""

import argparse
import io
import random
import sys
import time

from parser.treebank import Reader, TreebankError, Writer
from parser.treebank.generate import generate

ROW = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t{}\t_\n"
SEEDS = [
    "".join(generate(3, seed=5)).encode(),
    (ROW.format("1-2", "ab", "_", "_") + ROW.format(1, "a", 2, "2:dep") + ROW.format(2, "b c", 0, "_")
     + ROW.format("2.1", "", "_", "2:x") + "\n").encode(),
    ("# text = é 見る\n" + ROW.format(1, "é", 0, "_") + ROW.format(2, "見る", 1, "_") + "\n").encode(),
    ("".join(ROW.format(i, "w", i - 1, "_") for i in range(1, 30)) + "\n").encode(),
    b"\xef\xbb\xbf" + ROW.format(1, "a", 0, "_").replace("\n", "\r\n").encode(),
]  # fmt: skip
PIECES = [
    b"\t", b"\n", b"\n\n", b"\r\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"#", b"-", b".", b"_", b" ",
    b"0", b"1", b"2", b"1-2", b"2-9", b"1.1", b"0.1", b"99999999999", b"\t\t", b"# c\n", b"\xe8", b"a" * 300,
]  # fmt: skip


def mutate(rng: random.Random, text: bytes) -> bytes:
    """One to six changes, small ones more often."""
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.choice(PIECES)
        elif kind == 2:
            del data[at : at + rng.choice((1, 1, 2, 5, 40))]
        elif kind == 3:
            data[at : at + rng.randrange(1, 4)] = rng.choice(PIECES)
        elif kind == 4:
            lines = data.split(b"\n")
            rng.shuffle(lines) if rng.random() < 0.1 else lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            data = bytearray(b"\n".join(lines))
        else:
            data = data[: at or 1]
    return bytes(data)


def options(rng: random.Random) -> dict:
    return {
        "format": rng.choice(("conllu", "conllu", "conllx", "conll09", "auto")),
        "heads": rng.choice(("check", "check", "ignore")),
        "roots": rng.choice(("error", "warn", "ignore")),
        "block_size": rng.choice((64, 100, 1000)),
        "intern": rng.choice(((), (), (), (), ("form", "feats"))),
    }


def read_and_write(data: bytes, chosen: dict, on_error: str) -> tuple[bytes, list, int]:
    out, trees = io.BytesIO(), []
    with Writer(out) as writer:
        reader = Reader(io.BytesIO(data), on_error=on_error, **chosen)
        for batch in reader.batches():
            writer.write(batch)
            for sentence in batch:
                trees.append((sentence.words, sentence.heads.tolist(), sentence.multiwords, sentence.empty_nodes))
    return out.getvalue(), trees, reader.skipped


def try_input(data: bytes, chosen: dict) -> bool:
    """True if the whole file was read. Anything but sentences or a TreebankError is a bug and ends the run."""
    skipped = 0
    try:
        kept, trees, skipped = read_and_write(data, chosen, "skip")
        if trees:
            again = read_and_write(kept, chosen, "stop")
            if again[:2] != (kept, trees):
                raise AssertionError("what was read and written is read differently")
    except TreebankError:
        return False
    try:
        read_and_write(data, chosen, "stop")
    except TreebankError:
        if not skipped:
            raise AssertionError("stop fails where skip leaves nothing out") from None
        return False
    return True


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("--inputs", type=int, default=100_000)
    parse.add_argument("--seed", type=int, default=1)
    arguments = parse.parse_args()
    start, whole = time.perf_counter(), 0
    for number in range(arguments.inputs):
        rng = random.Random(f"{arguments.seed}:{number}")
        data, chosen = mutate(rng, rng.choice(SEEDS)), options(rng)
        try:
            whole += try_input(data, chosen)
        except Exception:
            print(f"input {number} of seed {arguments.seed}: {data!r} {chosen}", file=sys.stderr)
            raise
        if (number + 1) % 100_000 == 0:
            print(f"{number + 1} inputs, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"{arguments.inputs} inputs, {whole} of them valid, no crash, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
