"""Do probabilities of arcs hold on other text? python scripts/calibration.py [-t TREEBANK ...] [option=value ...]

Trains a parser on each treebank (folders, by default those of ARCSPEED_TREEBANKS) with the first half of the
development set as its development set, and compares the probabilities of heads, and of heads with labels, in the second
half with how many are right: expected calibration error in points, of the parser's own numbers and of those it gives
out.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from runs import find_treebanks

from parser.errors import UserError
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
    parse.add_argument("-t", "--treebank", action="append", default=[], help="folder, instead of ARCSPEED_TREEBANKS")
    parse.add_argument("options", nargs="*", help="of training, as in arcspeed train --set")
    given = parse.parse_args()
    try:
        tell(find_treebanks(given.treebank), dict(option.partition("=")[::2] for option in given.options))
    except UserError as error:
        sys.exit(str(error))


def tell(folders: Sequence[str], options: dict[str, str]) -> None:
    print("| treebank | heads, own | heads | labels, own | labels |\n|---|--:|--:|--:|--:|")
    for folder in map(Path, folders):
        print(
            f"| {folder.name} | " + " | ".join(f"{error:.1f}" for error in errors(folder, options)) + " |", flush=True
        )


if __name__ == "__main__":
    main()
