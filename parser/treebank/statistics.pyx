"""What is in a treebank file: counts for people, and everything that looks wrong."""

from collections import Counter

from libc.stdint cimport int32_t, uint32_t

from parser.treebank.batch cimport HAS_EXTRA_ROWS, UNPARSED, Batch, SentenceC
from parser.treebank.tree cimport tree_is_projective, tree_nonprojective

import numpy as np

from parser.treebank.reader import Reader

UNIVERSAL_TAGS = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split())
MANY_LABELS = 120       # the largest UD treebanks have about 60 relations with subtypes
MANY_TAGS = 3000


class TreebankStatistics:
    """Counts of one file. `problems` are sentences a person should read; `faults` are the sentences left out."""

    def __init__(self, file):
        self.file = file
        self.format = None
        self.sentences = self.words = self.multiwords = self.empty_nodes = 0
        self.unparsed_sentences = self.nonprojective_sentences = self.nonprojective_words = 0
        self.several_roots = self.skipped = self.longest = 0
        self.faults = []
        self.problems = []
        self.counts = {field: Counter() for field in ("upos", "xpos", "feats", "deprel")}
        self.forms = set()
        self.lengths = Counter()
        self.root_labels = Counter()
        self.inner_root_label = 0
        self.sentence_keys = set()

    def distinct(self, field):
        return len([value for value in self.counts[field] if value != "_"])

    def as_dict(self):
        """Plain numbers for JSON."""
        return {
            "file": self.file,
            "format": self.format,
            "sentences": self.sentences,
            "words": self.words,
            "multiword_tokens": self.multiwords,
            "empty_nodes": self.empty_nodes,
            "distinct_forms": len(self.forms),
            "longest_sentence": self.longest,
            "unparsed_sentences": self.unparsed_sentences,
            "nonprojective_sentences": self.nonprojective_sentences,
            "nonprojective_words": self.nonprojective_words,
            "several_roots": self.several_roots,
            "skipped_sentences": self.skipped,
            "tags": {field: self.distinct(field) for field in ("upos", "xpos", "feats")},
            "labels": dict(self.counts["deprel"].most_common()),
            "faults": [str(fault) for fault in self.faults],
            "problems": list(self.problems),
        }


def measure(path, format="auto"):
    """Reads a whole file, faults included, and says what is in it."""
    found = TreebankStatistics(str(path))
    cdef Batch batch = Batch()
    with Reader(path, format=format, on_error="skip") as reader:
        totals = {field: np.zeros(0, dtype=np.int64) for field in found.counts}
        while reader.fill(batch):
            add_trees(found, batch)
            add_sentences(found, batch, reader.vocab)
            for field in totals:
                counted = np.bincount(batch.column_ids(field), minlength=len(reader.vocab[field]))
                counted[:totals[field].size] += totals[field]
                totals[field] = counted
        for field, numbers in totals.items():
            table = reader.vocab[field]
            found.counts[field].update({table.string(k): int(count) for k, count in enumerate(numbers) if count})
        found.forms = set(reader.vocab["form"].strings())
        found.format = reader.layout.title if reader.layout else None
        found.skipped = reader.skipped
        found.faults = reader.faults
        found.several_roots = reader.several_roots
    find_problems(found)
    return found


cdef int add_trees(found, Batch batch) except -1:
    """Projectivity of every parsed sentence."""
    cdef uint32_t k, n
    cdef int32_t words, sentences_off = 0, words_off = 0, unparsed = 0
    cdef SentenceC* sentence
    cdef const int32_t* heads
    for k in range(batch.c.n_sentences):
        sentence = &batch.c.sentences[k]
        n = sentence[1].first_word - sentence.first_word
        if sentence.marks & UNPARSED:
            unparsed += 1
            continue
        heads = batch.c.heads + sentence.first_word
        batch.reserve_scratch(7 * (n + 1))
        if not tree_is_projective(heads, n, batch.c.scratch):
            sentences_off += 1
            words = tree_nonprojective(heads, n, batch.c.scratch, batch.c.scratch + 6 * (n + 1))
            words_off += words
    found.unparsed_sentences += unparsed
    found.nonprojective_sentences += sentences_off
    found.nonprojective_words += words_off
    return 0


cdef int add_sentences(found, Batch batch, vocab) except -1:
    """Counts that need Python objects: few per sentence."""
    offsets = batch.offsets
    lengths = np.diff(offsets)
    forms = batch.column_ids("form")
    found.sentences += len(batch)
    found.words += batch.n_words
    found.longest = max(found.longest, int(lengths.max()))
    found.lengths.update(lengths.tolist())
    heads, deprels = batch.heads, batch.column_ids("deprel")
    root = vocab["deprel"]["root"]
    found.inner_root_label += int(np.count_nonzero((deprels == root) & (heads > 0)))
    for label, count in zip(*np.unique(deprels[heads == 0], return_counts=True)):
        found.root_labels[vocab["deprel"].string(label)] += int(count)
    table = vocab["form"]
    cdef uint32_t k
    for k in range(batch.c.n_sentences):
        words = forms[offsets[k]:offsets[k + 1]]
        found.sentence_keys.add(tuple(table.string(word) for word in words.tolist()))
        if batch.c.sentences[k].marks & HAS_EXTRA_ROWS:
            multiwords = len(batch[k].multiwords)
            found.multiwords += multiwords
            found.empty_nodes += len(batch[k].empty_nodes)
    return 0


def find_problems(found):
    """Counts that look wrong, each as one line."""
    labels = found.counts["deprel"]
    add = found.problems.append
    if found.skipped:
        add(f"sentences left out because they cannot be read: {found.skipped}")
    if found.several_roots:
        add(f"sentences with several words under ROOT, which the official UD scorer refuses: {found.several_roots}")
    if found.unparsed_sentences:
        add(f"sentences without heads: {found.unparsed_sentences}")
    if found.distinct("deprel") > MANY_LABELS:
        add(f"{found.distinct('deprel')} different labels: is DEPREL really the label column?")
    once = sorted(label for label, count in labels.items() if count == 1)
    if once:
        add(f"labels that occur once: {first_ones(once)}")
    if labels["_"] and found.unparsed_sentences < found.sentences:
        add(f"words without a label: {labels['_']}")
    if found.inner_root_label:
        add(f"words labelled root that are not under ROOT: {found.inner_root_label}")
    if len(found.root_labels) > 1:
        shares = ", ".join(f"{label} {count}" for label, count in found.root_labels.most_common(8))
        add(f"{len(found.root_labels)} different labels of words under ROOT: {shares}")
    strange = sorted(tag for tag in found.counts["upos"] if tag not in UNIVERSAL_TAGS)
    if strange and found.format == "CoNLL-U":
        add(f"UPOS values that are no universal tags: {first_ones(strange)}")
    for field in ("upos", "xpos"):
        if found.distinct(field) > MANY_TAGS or found.distinct(field) > max(60, found.words // 5):
            add(f"{found.distinct(field)} different {field.upper()} tags for {found.words} words: is it a tag column?")
    if found.counts["upos"]["_"] == found.words and found.counts["xpos"]["_"] == found.words:
        add("neither UPOS nor XPOS is filled: a parser will have to do without tags")


def first_ones(names):
    """How many there are, and the first ten of them."""
    return f"{len(names)} ({', '.join(names[:10])}{', ...' if len(names) > 10 else ''})"


def compare(train, other):
    """Lines on how a second file (dev, test) relates to the first."""
    lines = []
    shared = len(train.sentence_keys & other.sentence_keys)
    if shared:
        lines.append(f"different sentences that also stand in {train.file}: {shared} of {len(other.sentence_keys)}")
    unknown = len(other.forms - train.forms)
    lines.append(f"forms that do not occur in {train.file}: {unknown} of {len(other.forms)}")
    for field, what in (("deprel", "labels"), ("upos", "UPOS tags"), ("xpos", "XPOS tags")):
        new = sorted(set(other.counts[field]) - set(train.counts[field]) - {"_"})
        if new:
            lines.append(f"{what} that do not occur in {train.file}: {first_ones(new)}")
    return lines
