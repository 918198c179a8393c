"""What a smaller model costs: python scripts/budget.py MODEL --on dev.conllu [--sizes 8MB 5MB ...] [--words N]

Makes the model (not a slim one) fit into each size, as a slim file, and prints rows and weights that are left, LAS of
all words of the file, and millions of words a second of CPU, parsing only, in the best round.
"""

import argparse
import time

from parser.cli.options import bytes_of
from parser.pipeline import Parser
from parser.search.corpus import Corpus
from parser.search.session import Session
from parser.train.data import Treebank, read_treebank
from parser.train.shrink import cost_of

HEADER = ("MB", "rows", "weights", "LAS", "", "million words/s")


def speed(parser: Parser, dev: Treebank, words: int) -> float:
    corpus = Corpus(parser.sentence_parser.extractor, parser.labels, parser.clusters)
    for batch in dev.batches:
        corpus.add_batch(batch)
    session, times = Session(parser.sentence_parser, parser.clusters), []
    for _ in range(max(words // corpus.n_words, 2)):
        start = time.process_time()
        session.parse_corpus(corpus)
        times.append(time.process_time() - start)
    return corpus.n_words / min(times) / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model")
    options.add_argument("--on", required=True, help="a CoNLL-U file")
    options.add_argument("--sizes", nargs="+", default=["8MB", "5MB", "3MB", "2MB", "1MB"])
    options.add_argument("--words", type=int, default=500_000)
    given = options.parse_args()
    whole, dev = Parser.load(given.model), read_treebank([given.on])
    full = None
    print(f"| {' | '.join(HEADER)} |\n{'|---' * len(HEADER)}|")
    for size in [None, *map(bytes_of, given.sizes)]:
        parser = whole if size is None else whole.shrunk(size, slim=True)
        cost = cost_of(parser, True, dev)
        full = full or cost
        cells = [f"{cost.n_bytes / 1e6:.2f}", f"{cost.rows:,}", f"{cost.weights:,}", f"{cost.las:.2f}"]
        cells += [f"{cost.las - full.las:+.2f}", f"{speed(parser, dev, given.words):.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
