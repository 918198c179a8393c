"""A gold corpus and a system's output word by word: who is whose partner, and what is right about each word."""

from dataclasses import dataclass

import numpy as np

from parser.evaluate.align import Alignment, align
from parser.evaluate.corpus import Corpus, CorpusError, share
from parser.evaluate.punctuation import convention
from parser.evaluate.score import Score

# UD relations of content words, for CLAS (Nivre & Fang 2017). Function words (aux cop mark det clf case cc), punct and
# anything that is no relation of UD version 2 are left out.
CONTENT_RELATIONS = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)


def universal(deprel: str) -> str:
    """The relation without its subtype: nmod for nmod:poss."""
    return deprel.partition(":")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of both sides as codes into one table, and per gold word whether its partner has the same one."""

    names: tuple[str, ...]
    gold: np.ndarray
    system: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    gold: Corpus
    system: Corpus
    alignment: Alignment
    head_right: np.ndarray  # per gold word: it has a partner, whose head is the partner of its head (or ROOT)
    full: Labels  # deprels as they stand
    universal: Labels  # deprels without subtypes


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words that are scored, on each side."""

    gold: np.ndarray
    system: np.ndarray


def compare(gold: Corpus, system: Corpus) -> Comparison:
    """Raises CorpusError where the two cannot be compared."""
    alignment = align(gold, system)
    return Comparison(
        gold,
        system,
        alignment,
        heads_right(gold, system, alignment),
        compared_labels(gold, system, alignment, stripped=False),
        compared_labels(gold, system, alignment, stripped=True),
    )


def heads_right(gold: Corpus, system: Corpus, alignment: Alignment) -> np.ndarray:
    """A head is right if it is ROOT on both sides or both heads are partners."""
    # the system's heads as gold words: -1 ROOT, -2 a word without partner
    partner = np.append(np.where(alignment.gold_of_system < 0, -2, alignment.gold_of_system), -1)
    system_heads = np.append(partner[system.head_words], -2)  # of words; last: of no word
    return system_heads[alignment.system_of_gold] == gold.head_words


def compared_labels(gold: Corpus, system: Corpus, alignment: Alignment, stripped: bool) -> Labels:
    columns = (c.deprels.mapped(universal) if stripped else c.deprels for c in (gold, system))
    (gold_codes, system_codes), names = share(*columns)
    partners = np.append(system_codes, -1)[alignment.system_of_gold]
    return Labels(names, gold_codes, system_codes, partners == gold_codes)


def all_words(comparison: Comparison) -> Words:
    return Words(np.ones(comparison.gold.n_words, bool), np.ones(comparison.system.n_words, bool))


def without_punctuation(comparison: Comparison, name: str) -> Words:
    """The gold tags decide, for the system's words too where they have a partner."""
    is_punctuation = convention(name)
    gold = ~is_punctuation(comparison.gold)
    partner = comparison.alignment.gold_of_system
    own = ~is_punctuation(comparison.system)
    return Words(gold, np.where(partner >= 0, np.append(gold, False)[partner], own))


def content_words(comparison: Comparison) -> Words:
    """Each side's own labels decide, as in the CoNLL 2018 scorer."""
    labels = comparison.universal
    is_content = np.array([name in CONTENT_RELATIONS for name in labels.names], dtype=bool)
    return Words(is_content[labels.gold], is_content[labels.system])


def score(comparison: Comparison, right: np.ndarray, words: Words) -> Score:
    """`right` is per gold word."""
    has_partner = comparison.alignment.system_of_gold >= 0
    return Score(
        int((right & words.gold).sum()),
        int(words.gold.sum()),
        int(words.system.sum()),
        int((has_partner & words.gold).sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCounts:
    """The counts of a Score, per gold sentence: what the bootstrap resamples."""

    correct: np.ndarray
    gold: np.ndarray
    system: np.ndarray


def sentence_counts(comparison: Comparison, right: np.ndarray, words: Words) -> SentenceCounts:
    """A system's word counts where its partner is, or where it starts if it has none."""
    n, sentences = comparison.gold.n_sentences, comparison.gold.sentence_of_word
    return SentenceCounts(
        np.bincount(sentences[right & words.gold], minlength=n),
        np.bincount(sentences[words.gold], minlength=n),
        np.bincount(comparison.alignment.sentence_of_system[words.system], minlength=n),
    )


# what a word must have right for each metric
METRICS = ("UAS", "LAS", "LAS universal", "LA", "LA universal")


def right_words(comparison: Comparison, metric: str) -> np.ndarray:
    """Per gold word: is it right by this metric? One of METRICS."""
    head, full, base = comparison.head_right, comparison.full.right, comparison.universal.right
    rules = {"UAS": head, "LAS": head & full, "LAS universal": head & base, "LA": full, "LA universal": base}
    if metric not in rules:
        raise CorpusError(f"no metric {metric!r}, expected one of {', '.join(METRICS)}")
    return rules[metric]
