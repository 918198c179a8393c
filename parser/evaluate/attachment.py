"""Attachment scores of a comparison: heads, labels, whole sentences, roots; and the official UD figures."""

from dataclasses import dataclass

import numpy as np

from parser.evaluate.comparison import (
    METRICS,
    Comparison,
    Words,
    all_words,
    content_words,
    right_words,
    score,
)
from parser.evaluate.score import Score


@dataclass(frozen=True, slots=True)
class Attachment:
    """Figures over one choice of scored words. "Universal" figures ignore subtypes of labels."""

    scores: dict[str, Score]  # by the names of METRICS
    unlabeled_complete: Score  # UCM: gold sentences with every scored head right
    labeled_complete: Score  # LCM: and every scored label
    roots: Score  # words under ROOT; the recall is the usual root accuracy


def attachment(comparison: Comparison, words: Words) -> Attachment:
    scores = {metric: score(comparison, right_words(comparison, metric), words) for metric in METRICS}
    return Attachment(
        scores,
        complete(comparison, right_words(comparison, "UAS"), words),
        complete(comparison, right_words(comparison, "LAS"), words),
        roots(comparison, words),
    )


def complete(comparison: Comparison, right: np.ndarray, words: Words) -> Score:
    """Sentences without an error in a scored word; one without any scored word has no error."""
    n = comparison.gold.n_sentences
    spoilt = np.zeros(n, dtype=bool)
    spoilt[comparison.gold.sentence_of_word[words.gold & ~right]] = True
    return Score(n - int(spoilt.sum()), n, n)


def roots(comparison: Comparison, words: Words) -> Score:
    gold_roots = (comparison.gold.heads == 0) & words.gold
    system_roots = (comparison.system.heads == 0) & words.system
    return score(comparison, comparison.head_right, Words(gold_roots, system_roots))


def clas(comparison: Comparison) -> dict[str, Score]:
    """Content-word labelled attachment (Nivre & Fang 2017), subtypes compared and not."""
    words = content_words(comparison)
    return {
        "CLAS": score(comparison, right_words(comparison, "LAS"), words),
        "CLAS universal": score(comparison, right_words(comparison, "LAS universal"), words),
    }


def official(comparison: Comparison) -> dict[str, Score | None]:
    """The figures of the official UD scorer under its own names: all words count, subtypes do not.

    Tokens is None where the two files have the same words but tokens that spell different texts.
    """
    every, alignment = all_words(comparison), comparison.alignment
    return {
        "Tokens": alignment.tokens,
        "Sentences": alignment.sentences,
        "Words": alignment.words,
        "UAS": score(comparison, right_words(comparison, "UAS"), every),
        "LAS": score(comparison, right_words(comparison, "LAS universal"), every),
        "CLAS": clas(comparison)["CLAS universal"],
    }
