"""What a call from Python costs beyond the parse itself, and how fast whole batches are on each way in.

    python benchmarks/embedding.py MODEL --on dev.conllu

One sentence: a sentence of 20 words of the file is parsed by `parser.parse(words, tags)` again and again. The parse
itself is what a session takes for the same sentence, many times in one call, with its words turned into numbers before
(Session.parse_corpus). The rest is what the call costs: strings to numbers, memory, and a Tree of lists.

Whole batches: words a second of CPU through parse_batch, parse_arrays, parse_table (where pyarrow is installed) and a
loop over parse, all of the file's sentences, over and over.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from parser import Parser, Strings
from parser.search.corpus import Corpus
from parser.search.session import Session
from parser.treebank import Reader


def best(function: Callable[[], object], seconds: float = 1.5) -> float:
    """CPU seconds of the fastest of many calls."""
    fastest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        function()
        fastest = min(fastest, time.process_time() - start)
    return fastest


def many(function: Callable[[], object], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            function()

    return run


def read(path: str, column: str) -> list[tuple[list[str], list[str]]]:
    with Reader(path, intern=(), heads="ignore") as reader:
        return [(sentence.words, sentence.column(column)) for sentence in reader]


def one_sentence(parser: Parser, words: list[str], tags: list[str], times: int = 200) -> dict[str, float]:
    """Microseconds: of the parse itself, of the whole call, the difference; the same with probabilities."""
    found = {}
    corpus = Corpus(parser.sentence_parser.extractor, parser.labels, parser.clusters)
    for _ in range(times):
        corpus.add({"form": words, parser.assembly.pos: tags})
    session = Session(parser.sentence_parser, parser.clusters)
    for scores in (False, True):
        itself = best(lambda scores=scores: session.parse_corpus(corpus, scores)) / times * 1e6
        whole = best(many(lambda scores=scores: parser.parse(words, tags, scores=scores), times)) / times * 1e6
        name = "with probabilities" if scores else "trees"
        found[name] = (itself, whole, whole - itself)
    return found


def batches(parser: Parser, given: list[tuple[list[str], list[str]]]) -> dict[str, float]:
    """Millions of words a second of CPU."""
    pos = parser.assembly.pos
    offsets = np.concatenate([[0], np.cumsum([len(words) for words, _ in given])])
    forms = Strings.of(word for words, _ in given for word in words)
    tags = Strings.of(tag for _, tags in given for tag in tags)
    ways: dict[str, Callable[[], object]] = {
        "parse": lambda: [parser.parse(words, tags) for words, tags in given],
        "parse_batch": lambda: parser.parse_batch(given),
        "parse_arrays": lambda: parser.parse_arrays(forms, tags, offsets),
    }
    if find_spec("pyarrow"):
        import pyarrow as pa

        table = pa.table({"form": [words for words, _ in given], pos: [tags for _, tags in given]})
        ways["parse_table"] = lambda: parser.parse_table(table)
    return {name: offsets[-1] / best(way, 4) / 1e6 for name, way in ways.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model")
    options.add_argument("--on", required=True, help="a treebank file")
    given = options.parse_args()
    parser = Parser.load(given.model)
    sentences = read(given.on, parser.assembly.pos)
    words, tags = next(pair for pair in sentences if len(pair[0]) == 20)
    print("one sentence of 20 words, microseconds | the parse itself | the call | beyond the parse")
    for name, times in one_sentence(parser, words, tags).items():
        print(f"{name} | " + " | ".join(f"{time:.1f}" for time in times))
    print("\nwhole batches | million words a second")
    for name, speed in batches(parser, sentences).items():
        print(f"{name} | {speed:.2f}", flush=True)


if __name__ == "__main__":
    main()
