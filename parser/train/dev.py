"""The development set: parsed after every epoch, scored as `arcspeed evaluate` does on equal words."""

from dataclasses import dataclass

import numpy as np

from parser.assemble import Assembly
from parser.search.corpus import Corpus
from parser.search.session import Session
from parser.train.data import Treebank


@dataclass(frozen=True)
class DevScores:
    """Percentages; with punctuation, and without words whose UPOS is PUNCT."""

    uas: float
    las: float
    uas_no_punct: float
    las_no_punct: float


class DevSet:
    def __init__(self, treebank: Treebank, assembly: Assembly, clusters) -> None:
        self.assembly = assembly
        self.corpus = Corpus(assembly.extractor, assembly.labels, clusters)
        for batch in treebank.batches:
            self.corpus.add_batch(batch)
        self.offsets = treebank.offsets
        self.heads = treebank.heads
        self.labels = gold_labels(treebank, assembly.labels)
        self.counted = ~punctuation(treebank)

    def score(self, weights) -> DevScores:
        parses = Session(self.assembly.sentence_parser(weights)).parse_corpus(self.corpus)
        self.assembly.restorer.decode_all(parses.heads, parses.labels, self.offsets)
        head = parses.heads == self.heads
        both = head & (parses.labels == self.labels)
        return DevScores(percent(head), percent(both), percent(head[self.counted]), percent(both[self.counted]))


def gold_labels(treebank: Treebank, names) -> np.ndarray:
    """Ids in the model's labels, -2 for labels that it does not have: such words cannot be right."""
    ids = {name: i for i, name in enumerate(names)}
    table = treebank.vocab["deprel"]
    by_vocab = np.array([ids.get(table.string(i), -2) for i in range(len(table))], np.int32)
    return by_vocab[treebank.column_ids("deprel")]


def punctuation(treebank: Treebank) -> np.ndarray:
    table = treebank.vocab["upos"]
    if "PUNCT" not in table:
        return np.zeros(treebank.n_words, bool)
    return treebank.column_ids("upos") == table["PUNCT"]


def percent(right: np.ndarray) -> float:
    return 100.0 * float(right.mean()) if right.size else 0.0
