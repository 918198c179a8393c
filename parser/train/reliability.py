"""How often arcs of a probability are right, on a development set: isotonic regression (Zadrozny & Elkan 2002).

The parser's own number for an arc says how sure it was when it made it, given all decisions before. That earlier ones
may have been wrong it does not know; how often arcs are right all the same can be counted.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from parser.pipeline import Parser
from parser.score.reliability import Reliability
from parser.search.session import Session
from parser.train.data import Treebank
from parser.train.dev import gold_labels

POINTS = 32  # of a curve: a file of a model has the same size whatever they are
LEAST = 20  # words for each


def reliable(parser: Parser, dev: Treebank) -> Parser:
    """The parser with probabilities that are shares of right arcs; itself if the treebank is too small to tell."""
    found = fitted(parser, dev)
    return parser if found is None else replace(parser, reliability=found, stored=parser.compiled)


def fitted(parser: Parser, dev: Treebank) -> Reliability | None:
    found = judged(parser, dev, None)
    if not is_enough(len(found.head)):
        return None
    return Reliability(curve(found.head, found.head_right), curve(found.label, found.label_right))


def is_enough(n_words: int) -> bool:
    return n_words >= POINTS * LEAST


def any_curves(n_words: int) -> Reliability | None:
    """Curves of the size that a treebank of so many words gives; None where it is too small."""
    one = curve(np.full(1, 0.5, np.float32), np.ones(1, bool))
    return Reliability(one, one) if is_enough(n_words) else None


class Judged(NamedTuple):
    """Of all words: the probability of the head and is it right, of head and label and are they."""

    head: np.ndarray
    head_right: np.ndarray
    label: np.ndarray
    label_right: np.ndarray


def judged(parser: Parser, dev: Treebank, reliability: Reliability | None) -> Judged:
    """reliability: None for the parser's own numbers."""
    session = Session(parser.sentence_parser, parser.clusters, reliability)
    parts = [session.parse_batch(batch, True) for batch in dev.batches]
    heads, labels, arcs, labelled = (np.concatenate(found) for found in zip(*parts, strict=True))
    parser.assembly.restorer.decode_all(heads, labels, dev.offsets)
    right = heads == dev.heads
    return Judged(arcs, right, labelled, right & (labels == gold_labels(dev, parser.labels)))


def curve(p: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Points of equal numbers of words, with shares that ascend; those that are certain are counted apart."""
    certain = p >= 1
    order = np.argsort(p[~certain], kind="stable")
    parts = [part for part in np.array_split(order, POINTS) if len(part)]
    x = np.array([p[~certain][part].astype(np.float64).mean() for part in parts] or [0.5])
    counts = np.array([len(part) for part in parts] or [0])
    hits = np.array([right[~certain][part].sum() for part in parts] or [0])
    y = ascending((hits + 0.5) / (counts + 1), counts)
    sure = (right[certain].sum() + y[-1]) / (certain.sum() + 1)  # where there are none: as the likeliest of the others
    x, y = (np.pad(values, (0, POINTS - len(values)), mode="edge") for values in (x, y))
    below_one = np.nextafter(np.float32(1), np.float32(0))
    return np.concatenate([np.clip(x.astype(np.float32), 1e-30, below_one), [1], y, [sure]]).astype(np.float32)


def ascending(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The nearest numbers that do not fall: neighbours that do share their mean (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(values, weights, strict=True):
        pools.append((float(value), float(weight), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, w, n), (other, v, m) = pools[-2:]
            pools[-2:] = [((one * w + other * v) / (w + v), w + v, n + m)]
    return np.repeat([mean for mean, _, _ in pools], [n for _, _, n in pools])
