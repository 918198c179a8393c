"""Treebank files -> sentences ready for training: trees made projective, labels and words turned into numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from parser.feature.extract import Extractor
from parser.search.corpus import Corpus
from parser.treebank import Reader, TreebankError, Vocab
from parser.treebank.pseudo import ENCODINGS, Encoder
from parser.treebank.tree import is_projective, lift

COLUMNS = ("deprel", "xpos", "upos", "form")
FEW = 0.01  # a share of sentences with several roots up to which training goes on without them


@dataclass
class Treebank:
    """Files read as one, in memory; ids are those of `vocab`."""

    files: list[str]
    batches: list = field(default_factory=list)
    vocab: Vocab = field(default_factory=Vocab)
    n_sentences: int = 0
    n_words: int = 0
    several_roots: int = 0

    @property
    def has_xpos(self) -> bool:
        return bool(self.vocab["xpos"].strings())

    def concatenated(self, values) -> np.ndarray:
        return np.concatenate([np.asarray(value) for value in values])

    @property
    def heads(self) -> np.ndarray:
        return self.concatenated(batch.heads for batch in self.batches)

    def column_ids(self, column: str) -> np.ndarray:
        return self.concatenated(batch.column_ids(column) for batch in self.batches)

    @property
    def lengths(self) -> np.ndarray:
        return self.concatenated(np.diff(batch.offsets) for batch in self.batches)

    def place(self, k: int) -> tuple[str, int]:
        """File and line of sentence k."""
        for batch in self.batches:
            if k < len(batch):
                return batch.file, batch[k].line
            k -= len(batch)
        raise IndexError(f"sentence {k} behind the last")

    @property
    def offsets(self) -> np.ndarray:
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths)])


def read_treebank(paths: Sequence[str], format: str = "auto") -> Treebank:
    """TreebankError at the first faulty sentence, or one without a tree."""
    found = Treebank([str(path) for path in paths])
    for path in paths:
        with Reader(path, format=format, vocab=found.vocab, intern=COLUMNS) as reader:
            for batch in reader.batches():
                require_trees(batch, reader.file)
                found.batches.append(batch)
        found.n_sentences += reader.n_sentences
        found.n_words += reader.n_words
        found.several_roots += reader.several_roots
    return found


def require_trees(batch, file: str) -> None:
    if (batch.heads < 0).any():
        sentence = next(sentence for sentence in batch if not sentence.is_parsed)
        raise TreebankError("has no heads, expected gold trees", file, sentence.line)


def labels_by_frequency(treebank: Treebank) -> list[str]:
    """All labels, the most frequent first; equally frequent ones in alphabetical order."""
    table = treebank.vocab["deprel"]
    counts = np.bincount(treebank.column_ids("deprel"), minlength=len(table))
    names = [(-int(count), table.string(i)) for i, count in enumerate(counts) if count]
    return [name for _, name in sorted(names)]


def most_frequent_root_label(treebank: Treebank) -> str:
    roots = Counter(treebank.column_ids("deprel")[treebank.heads == 0].tolist())
    return treebank.vocab["deprel"].string(min(roots, key=lambda i: (-roots[i], i)))


def wants_single_root(setting: str, treebank: Treebank) -> bool:
    """auto: yes where all but very few sentences have one root word; training then does without those few."""
    if setting != "auto":
        return setting == "yes"
    return treebank.several_roots <= FEW * treebank.n_sentences


@dataclass
class TrainingTrees:
    """Trees that a transition system can build, over all sentences of a treebank."""

    heads: np.ndarray
    labels: np.ndarray
    names: list[str]  # labels by id; the first `n_plain` are the treebank's own
    n_plain: int
    kept: np.ndarray  # numbers of the sentences to train on
    lifted: int  # sentences whose trees were changed
    dropped: int  # sentences that are left out
    n_words: int  # of the sentences kept

    def have_all_under_root(self, label: str) -> bool:
        """Is that the label of all words under ROOT?"""
        return label in self.names and bool((self.labels[self.heads == 0] == self.names.index(label)).all())


def training_trees(treebank: Treebank, nonprojective: str, single_root: bool, min_marked: int) -> TrainingTrees:
    names = labels_by_frequency(treebank)
    own_id = {name: i for i, name in enumerate(names)}
    table = treebank.vocab["deprel"]
    own_of_vocab = np.array([own_id.get(table.string(i), 0) for i in range(len(table))], np.int32)
    heads, labels = treebank.heads, own_of_vocab[treebank.column_ids("deprel")]
    offsets = treebank.offsets
    encoder = Encoder(nonprojective, names) if nonprojective in ENCODINGS else None
    kept, lifted = [], 0
    for k, (start, end) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)):
        tree = heads[start:end].tolist()
        projective = is_projective(tree)
        if (not projective and nonprojective == "drop") or (single_root and tree.count(0) > 1):
            continue
        kept.append(k)
        if not projective:
            lifted += 1
            if encoder is None:
                heads[start:end] = lift(tree)[0]
            else:
                heads[start:end], labels[start:end] = encoder.encode(tree, labels[start:end])
    if encoder is not None:
        all_names, new_ids = encoder.drop_rare(min_marked)
        labels = new_ids[labels]
    return TrainingTrees(
        heads,
        labels,
        all_names if encoder is not None else names,
        len(names),
        np.array(kept, np.int32),
        lifted,
        treebank.n_sentences - len(kept),
        int(np.diff(offsets)[kept].sum()),
    )


def require_root_label(treebank: Treebank, trees: TrainingTrees, root_label: str) -> None:
    """TreebankError at the first arc that cannot be made where words under ROOT, and no others, have that label."""
    heads, labels, offsets = trees.heads, trees.labels, treebank.offsets
    wrong = (heads == 0) != (labels == trees.names.index(root_label))
    wrong &= np.repeat(np.isin(np.arange(treebank.n_sentences), trees.kept), treebank.lengths)
    if not wrong.any():
        return
    word = int(wrong.argmax())
    k = int(np.searchsorted(offsets, word, side="right")) - 1
    file, line = treebank.place(k)
    raise TreebankError(
        f"word {word - offsets[k] + 1} has head {heads[word]} and label {trees.names[labels[word]]!r}, but with "
        f"root_label_only the words under ROOT, and no others, are labelled {root_label!r}",
        file,
        line,
    )


def training_corpus(treebank: Treebank, trees: TrainingTrees, extractor: Extractor, clusters) -> Corpus:
    corpus = Corpus(extractor, trees.names, clusters)
    start = 0
    for batch in treebank.batches:
        end = start + batch.n_words
        corpus.add_batch(batch, trees.heads[start:end], trees.labels[start:end])
        start = end
    return corpus
