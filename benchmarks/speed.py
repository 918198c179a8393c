"""Words a second of models, on one core: python benchmarks/speed.py MODEL... --on dev.conllu [--words 2000000]

The file is read once and parsed over and over, until --words words are done. Per model: words a second of CPU for
parsing alone, in the first round (nothing remembered yet) and in the best of the later ones; the same for the plain
way, template by template with floating point weights (nan for slim models, which have none); for whole batches (words
turned into numbers, then parsed); and from CoNLL-U to CoNLL-U, through files; later rounds and files again, with
probabilities (chances). --kernel chooses an instruction set. Instructions: see instructions.py.

Timings of one run on a busy machine say little; compare the columns of one line, and lines of one run.
"""

import argparse
import tempfile
import time
from pathlib import Path

from parser.pipeline import Parser
from parser.search.corpus import Corpus
from parser.search.session import Session
from parser.treebank import Reader

COLUMNS = (
    "model",
    "columns",
    "MB",
    "first",
    "later",
    "plain",
    "batches",
    "files",
    "chances",
    "their files",
    "made/word",
)


def seconds(function) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def read(path: str, parser: Parser, sentence_parser) -> tuple[list, Corpus]:
    corpus = Corpus(sentence_parser.extractor, parser.labels, parser.clusters)
    batches = list(Reader(path, intern=(), roots="ignore").batches())
    for batch in batches:
        corpus.add_batch(batch)
    return batches, corpus


def speeds(parser: Parser, sentence_parser, path: str, rounds: int) -> tuple[float, float, float, float, Session]:
    """Millions of words a second: first round, best later one, best with probabilities, best of whole batches."""
    batches, corpus = read(path, parser, sentence_parser)
    session = Session(sentence_parser, parser.clusters)
    times = [seconds(lambda: session.parse_corpus(corpus)) for _ in range(max(rounds, 2))]
    chances = min(seconds(lambda: session.parse_corpus(corpus, scores=True)) for _ in range(max(rounds // 2, 1)))
    whole = min(seconds(lambda: [session.parse_batch(batch) for batch in batches]) for _ in range(max(rounds // 2, 1)))
    return *(corpus.n_words / t / 1e6 for t in (times[0], min(times[1:]), chances, whole)), session


def from_file_to_file(parser: Parser, path: str, rounds: int, scores: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.conllu"), Path(folder, "out.conllu")
        source.write_bytes(Path(path).read_bytes() * rounds)
        words = 0

        def parse() -> None:
            nonlocal words
            words = parser.parse_file(source, target, scores=scores).words

        return 1 / seconds(parse) * words / 1e6


def plain_speed(parser: Parser, on: str) -> float:
    if parser.weights is None:  # a slim model
        return float("nan")
    return speeds(parser, parser.assembly.sentence_parser(parser.weights), on, 2)[1]


def measure(path: str, on: str, words: int, kernel: str) -> list[str]:
    parser = Parser.load(path)
    fast = type(parser.sentence_parser)(parser.assembly.system, parser.compiled, kernel)
    n_words = sum(batch.n_words for batch in Reader(on, intern=(), roots="ignore").batches())
    rounds = max(words // n_words, 2)
    first, later, chances, batches, session = speeds(parser, fast, on, rounds)
    counts = session.work.own.counts()
    plain = plain_speed(parser, on)
    files, their_files = (from_file_to_file(parser, on, rounds, scores) for scores in (False, True))
    made = counts["made"] / n_words
    numbers = [f"{speed:.2f}" for speed in (first, later, plain, batches, files, chances, their_files)]
    size = f"{parser.compiled.n_bytes / 1e6:.1f}"
    return [Path(path).name, str(len(parser.compiled.actions)), size, *numbers, f"{made:.2f}"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="+")
    options.add_argument("--on", required=True, help="a CoNLL-U file")
    options.add_argument("--words", type=int, default=2_000_000)
    options.add_argument("--kernel", default="")
    given = options.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for model in given.models:
        print("| " + " | ".join(measure(model, given.on, given.words, given.kernel)) + " |", flush=True)


if __name__ == "__main__":
    main()
