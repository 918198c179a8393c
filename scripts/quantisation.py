"""What integers cost: python scripts/quantisation.py [-t TREEBANK ...] [option=value ...]

Trains a parser on each treebank (folders, by default those of ARCSPEED_TREEBANKS) and scores its development set twice,
with the floating point weights and with the integers that parsing uses. Printed: LAS of all words of both, the share of
words with the same arc and label, and by how many points the bin of a tenth of probability (with 200 decisions or more)
that moved most has moved, and how many decisions it has.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from runs import find_treebanks

from parser.errors import UserError
from parser.evaluate.calibration import bins_of
from parser.pipeline import Parser
from parser.search.session import Session
from parser.train.data import read_treebank
from parser.train.decisions import Judge
from parser.train.dev import gold_labels

LEAST_DECISIONS = 200


def parses(parser: Parser, sentence_parser, treebank):
    """Heads and labels of all words, marks of lifted arcs resolved."""
    session = Session(sentence_parser, parser.clusters)
    found = [session.parse_batch(batch) for batch in treebank.batches]
    heads = np.concatenate([part.heads for part in found])
    labels = np.concatenate([part.labels for part in found])
    parser.assembly.restorer.decode_all(heads, labels, treebank.offsets)
    return heads, labels


def gaps(parser: Parser, sentence_parser, treebank) -> dict[float, tuple[float, int]]:
    """Mean probability minus share of right decisions, in points, and how many decisions, by bin."""
    judge = Judge(treebank, parser.assembly, parser.clusters, extractor=sentence_parser.extractor)
    found = judge.decisions(sentence_parser)
    bins = bins_of(found.p[~found.forced], found.correct[~found.forced])
    return {b.low: (100 * (b.mean - b.correct), b.count) for b in bins if b.count >= LEAST_DECISIONS}


def compare(folder: Path, options: dict[str, str]) -> list[object]:
    parser = Parser.train(folder / "train.conllu", folder / "dev.conllu", **options)
    treebank = read_treebank([str(folder / "dev.conllu")])
    gold = treebank.heads, gold_labels(treebank, parser.labels)
    floats, integers = parser.assembly.sentence_parser(parser.weights), parser.sentence_parser
    trees = [parses(parser, which, treebank) for which in (floats, integers)]
    las = [100 * float(((heads == gold[0]) & (labels == gold[1])).mean()) for heads, labels in trees]
    same = 100 * float(((trees[0][0] == trees[1][0]) & (trees[0][1] == trees[1][1])).mean())
    before, after = gaps(parser, floats, treebank), gaps(parser, integers, treebank)
    moved, count = max((abs(before[low][0] - after[low][0]), after[low][1]) for low in before.keys() & after.keys())
    figures = f"{las[0]:.2f}", f"{las[1]:.2f}", f"{las[1] - las[0]:+.3f}", f"{same:.2f} %", f"{moved:.2f} ({count:,})"
    return [folder.name, *figures]


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("-t", "--treebank", action="append", default=[], help="folder, instead of ARCSPEED_TREEBANKS")
    parse.add_argument("options", nargs="*", help="of training, as in arcspeed train --set")
    arguments = parse.parse_args()
    try:
        folders = find_treebanks(arguments.treebank)
    except UserError as error:
        sys.exit(str(error))
    header = ["treebank", "LAS, float", "LAS, integers", "", "same arc and label", "worst bin moved by"]
    print(f"| {' | '.join(header)} |\n{'|---' * len(header)}|")
    for folder in map(Path, folders):
        row = compare(folder, dict(option.split("=", 1) for option in arguments.options))
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
