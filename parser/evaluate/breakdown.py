"""Where the errors are: by label, by length of arc (McDonald & Nivre 2007), by length of sentence; labels confused."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from parser.evaluate.comparison import Comparison, Labels, Words, right_words
from parser.evaluate.score import Score

# the first length of each bin
ARC_BINS = (1, 2, 3, 7, 11, 21)
SENTENCE_BINS = (1, 11, 21, 31, 41, 51)


@dataclass(frozen=True, slots=True)
class LabelScore:
    label: str
    label_alone: Score  # the label is right, whatever the head
    with_attachment: Score  # head and label are right


@dataclass(frozen=True, slots=True)
class LengthScore:
    name: str  # "3-6", "21+", or "ROOT" for arcs from ROOT
    unlabeled: Score
    labeled: Score


@dataclass(frozen=True, slots=True)
class Confusion:
    gold: str
    system: str
    count: int  # words with these two labels
    head_right: int  # how many of them have the right head


def by_label(comparison: Comparison, words: Words, labels: Labels) -> list[LabelScore]:
    """One row per label in use, the most frequent gold label first. Precision is over the words the system gave it."""
    n = len(labels.names)
    has_partner = comparison.alignment.system_of_gold >= 0

    def counted(mask: np.ndarray) -> list[int]:
        return np.bincount(labels.gold[words.gold & mask], minlength=n).tolist()

    gold, aligned = counted(words.gold), counted(has_partner)
    system = np.bincount(labels.system[words.system], minlength=n).tolist()
    alone, attached = counted(labels.right), counted(labels.right & comparison.head_right)
    totals = list(zip(gold, system, aligned, strict=True))
    rows = [
        LabelScore(name, Score(alone[k], *totals[k]), Score(attached[k], *totals[k]))
        for k, name in enumerate(labels.names)
        if gold[k] or system[k]
    ]
    return sorted(rows, key=lambda row: (-row.label_alone.gold, -row.label_alone.system, row.label))


def confusions(comparison: Comparison, words: Words, labels: Labels) -> list[Confusion]:
    """Pairs of different labels on partners, the most frequent first."""
    n = len(labels.names)
    partner = comparison.alignment.system_of_gold
    g = np.flatnonzero(words.gold & (partner >= 0) & ~labels.right)
    pairs = labels.gold[g].astype(np.int64) * n + labels.system[partner[g]]
    distinct, where = np.unique(pairs, return_inverse=True)
    counts = np.bincount(where, minlength=len(distinct)).tolist()
    right = np.bincount(where[comparison.head_right[g]], minlength=len(distinct)).tolist()
    rows = [
        Confusion(labels.names[pair // n], labels.names[pair % n], count, heads)
        for pair, count, heads in zip(distinct.tolist(), counts, right, strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.count, row.gold, row.system))


def by_arc_length(comparison: Comparison, words: Words, bins: Sequence[int] = ARC_BINS) -> list[LengthScore]:
    """Recall over the gold arcs of a length, precision over the system's.

    Lengths are counted in gold words wherever both ends of a system's arc have partners, so that a right arc is in the
    same bin on both sides.
    """
    names = ["ROOT", *bin_names(bins)]
    gold, system = comparison.gold, comparison.system
    gold_bins = arc_bins(np.arange(gold.n_words), gold.head_words, bins)
    own_bins = arc_bins(np.arange(system.n_words), system.head_words, bins)
    partner = comparison.alignment.gold_of_system
    head_partner = np.where(system.head_words < 0, -1, np.append(partner, -1)[system.head_words])
    mapped = (partner >= 0) & ((system.head_words < 0) | (head_partner >= 0))
    system_bins = np.where(mapped, arc_bins(partner, head_partner, bins), own_bins)
    return length_scores(comparison, words, names, gold_bins, system_bins)


def arc_bins(words: np.ndarray, heads: np.ndarray, bins: Sequence[int]) -> np.ndarray:
    """0 for an arc from ROOT (head -1), else 1 + the bin of its length."""
    return np.where(heads < 0, 0, 1 + np.searchsorted(bins, np.abs(words - heads), side="right") - 1)


def by_sentence_length(comparison: Comparison, words: Words, bins: Sequence[int] = SENTENCE_BINS) -> list[LengthScore]:
    """Lengths are those of the gold sentences, all words counted; a system's word belongs to its partner's sentence."""
    gold_sentences, system_sentences = comparison.gold.sentence_of_word, comparison.alignment.sentence_of_system
    bin_of_sentence = np.searchsorted(bins, comparison.gold.lengths, side="right") - 1
    return length_scores(
        comparison, words, bin_names(bins), bin_of_sentence[gold_sentences], bin_of_sentence[system_sentences]
    )


def bin_names(bins: Sequence[int]) -> list[str]:
    """("1", "2", "3-6", "7+") for bins that start at 1, 2, 3 and 7."""
    if len(bins) == 0 or bins[0] != 1 or any(a >= b for a, b in pairwise(bins)):
        raise ValueError(f"bins start at {list(bins)}, expected ascending numbers from 1")
    closed = [str(a) if b == a + 1 else f"{a}-{b - 1}" for a, b in pairwise(bins)]
    return [*closed, f"{bins[-1]}+"]


def length_scores(
    comparison: Comparison, words: Words, names: list[str], gold_bins: np.ndarray, system_bins: np.ndarray
) -> list[LengthScore]:
    n = len(names)
    has_partner = comparison.alignment.system_of_gold >= 0

    def counted(mask: np.ndarray) -> list[int]:
        return np.bincount(gold_bins[words.gold & mask], minlength=n).tolist()

    gold, aligned = counted(words.gold), counted(has_partner)
    system = np.bincount(system_bins[words.system], minlength=n).tolist()
    heads, both = counted(right_words(comparison, "UAS")), counted(right_words(comparison, "LAS"))
    totals = list(zip(gold, system, aligned, strict=True))
    return [LengthScore(name, Score(heads[k], *totals[k]), Score(both[k], *totals[k])) for k, name in enumerate(names)]
