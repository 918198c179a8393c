"""Do probabilities of arcs hold on other text? python scripts/calibration.py [-t TREEBANK ...] [option=value ...]

Trains a parser on each treebank (folders, by default those of ARCSPEED_TREEBANKS) with the first half of the
development set as its development set, and compares the probabilities of heads, and of heads with labels, in the second
half with how many are right: expected calibration error in points, of the parser's own numbers and of those it gives
out.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from parser.evaluate.calibration import bins_of, expected_error
from parser.pipeline import Parser
from parser.train.data import read_treebank
from parser.train.reliability import judged
from parser.treebank import Reader, Writer, open_output


def halves(source: Path, folder: Path) -> tuple[Path, Path]:
    """Files with the first and the second half of the sentences."""
    with Reader(source) as reader:
        sentences = sum(len(batch) for batch in reader.batches())
    first, second = folder / "first.conllu", folder / "second.conllu"
    with (
        Reader(source) as reader,
        open_output(first) as one,
        open_output(second) as other,
        Writer(one) as before,
        Writer(other) as behind,
    ):
        for k, sentence in enumerate(reader):
            (before if 2 * k < sentences else behind).write(sentence)
    return first, second


def errors(treebank: Path, options: dict[str, str]) -> list[float]:
    """Of heads, then of heads with labels: the parser's own numbers, and what it gives out."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = halves(treebank / "dev.conllu", Path(folder))
        parser = Parser.train(treebank / "train.conllu", first, **options)
        other = read_treebank([str(second)])
        raw, given = (judged(parser, other, reliability) for reliability in (None, parser.reliability))
    pairs = (raw.head, raw.head_right), (given.head, raw.head_right), (raw.label, raw.label_right)
    return [expected_error(bins_of(p, right)) for p, right in (*pairs, (given.label, raw.label_right))]


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("-t", "--treebank", type=Path, action="append", help="folder with train.conllu and dev.conllu")
    parse.add_argument("options", nargs="*", help="of training, as in arcspeed train --set")
    given = parse.parse_args()
    folders = given.treebank
    if not folders:
        if "ARCSPEED_TREEBANKS" not in os.environ:
            sys.exit("name a treebank, or set ARCSPEED_TREEBANKS")
        folders = sorted(path.parent for path in Path(os.environ["ARCSPEED_TREEBANKS"]).glob("*/train.conllu"))
    print("| treebank | heads, own | heads | labels, own | labels |\n|---|--:|--:|--:|--:|")
    for folder in folders:
        found = errors(folder, dict(option.split("=", 1) for option in given.options))
        print(f"| {folder.name} | " + " | ".join(f"{error:.1f}" for error in found) + " |", flush=True)


if __name__ == "__main__":
    main()
