"""Evaluation speed: words scored per second, seconds of a bootstrap. Run from the root: python -m benchmarks.evaluate

The corpora are made up: sentences of about 20 words, 60,000 distinct forms, a tenth of the words in multiword tokens.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from parser.evaluate.comparison import all_words, compare, right_words, sentence_counts
from parser.evaluate.corpus import Column, Corpus, Ranges
from parser.evaluate.report import as_dict, evaluate
from parser.evaluate.significance import RESAMPLES, paired_bootstrap

LABELS = tuple(f"label{i}" for i in range(30)) + tuple(f"label{i}:sub{j}" for i in range(10) for j in range(2))
UPOS = (*(f"POS{i}" for i in range(16)), "PUNCT")


def made_up(n_words: int, seed: int) -> Corpus:
    """A gold corpus; words are spelled x<number>; so a text can be cut in one way only."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 36, n_words // 20 + 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    n = int(offsets[-1])
    forms = tuple(f"x{i}" for i in range(60_000))
    return Corpus.from_columns(
        offsets,
        heads_of(rng, lengths),
        Column(np.minimum(rng.zipf(1.3, n), len(forms)).astype(np.int32) - 1, forms),
        Column(rng.integers(0, len(UPOS), n).astype(np.int32), UPOS),
        Column(np.zeros(n, dtype=np.int32), ("_",)),
        Column(rng.integers(0, len(LABELS), n).astype(np.int32), LABELS),
        source="gold",
    )


def heads_of(rng: np.random.Generator, lengths: np.ndarray) -> np.ndarray:
    """Each word on one of the two before it, or ROOT."""
    position = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.maximum(position + 1 - rng.integers(1, 3, len(position)), 0).astype(np.int32)


def reparsed(gold: Corpus, seed: int, share: float = 0.1, ranges: Ranges | None = None) -> Corpus:
    """The same words; a share of heads and labels is drawn anew."""
    rng = np.random.default_rng(seed)
    new_head, new_label = rng.random((2, gold.n_words)) < share
    labels = rng.integers(0, len(LABELS), gold.n_words)
    return Corpus.from_columns(
        gold.offsets,
        np.where(new_head, heads_of(rng, gold.lengths), gold.heads),
        gold.forms,
        gold.upos,
        gold.xpos,
        Column(np.where(new_label, labels, gold.deprels.codes).astype(np.int32), LABELS),
        ranges=ranges or gold.ranges,
        source="system",
    )


def with_ranges(corpus: Corpus, every: int) -> Ranges:
    """Words 1-2 of every so many words joined to one token that spells both."""
    sentences = np.arange(0, corpus.n_sentences, max(1, every // 20))
    starts = corpus.offsets[sentences]
    forms = Column.of(corpus.forms[w] + corpus.forms[w + 1] for w in starts.tolist())
    ones = np.ones(len(sentences), dtype=np.int64)
    return Ranges(sentences, ones, 2 * ones, forms)


def best(times: int, work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--words", type=int, default=500_000)
    arguments.add_argument("--sentences", type=int, default=2_000)
    arguments.add_argument("--repeat", type=int, default=3)
    options = arguments.parse_args()

    gold = made_up(options.words, 1)
    same, other = reparsed(gold, 2), reparsed(gold, 3, ranges=with_ranges(gold, 20))
    print(f"{gold.n_words:,} words, {gold.n_sentences:,} sentences, {len(other.ranges):,} multiword tokens; one core")
    for name, work in (
        ("compare, same tokens", lambda: compare(gold, same)),
        ("compare, other tokens", lambda: compare(gold, other)),
        ("evaluate, same tokens", lambda: as_dict(evaluate(gold, same))),
        ("evaluate, other tokens", lambda: as_dict(evaluate(gold, other))),
    ):
        seconds = best(options.repeat, work)
        print(f"{name:24} {seconds:7.3f} s {gold.n_words / seconds / 1e6:7.2f} M words/s")

    gold = made_up(20 * options.sentences, 4)
    gold = first_sentences(gold, options.sentences)
    counts = []
    for seed in (5, 6):
        comparison = compare(gold, reparsed(gold, seed))
        counts.append(sentence_counts(comparison, right_words(comparison, "LAS"), all_words(comparison)))
    seconds = best(options.repeat, lambda: paired_bootstrap(*counts))
    print(f"paired bootstrap, {RESAMPLES:,} resamples of {options.sentences:,} sentences: {seconds:.3f} s")


def first_sentences(corpus: Corpus, n: int) -> Corpus:
    words = int(corpus.offsets[n])
    columns = (Column(c.codes[:words], c.strings) for c in (corpus.forms, corpus.upos, corpus.xpos, corpus.deprels))
    return Corpus.from_columns(corpus.offsets[: n + 1], corpus.heads[:words], *columns)


if __name__ == "__main__":
    main()
