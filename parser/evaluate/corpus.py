"""What evaluation needs to know of a treebank file: column arrays over all its words, checked once when built."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parser.treebank.errors import TreebankError


class CorpusError(TreebankError):
    """Columns that are no corpus, or two corpora that cannot be compared; the message is one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of strings: strings[codes[i]] is the value of word i; `strings` are distinct."""

    codes: np.ndarray
    strings: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str]) -> "Column":
        """Codes in order of first appearance."""
        table: dict[str, int] = {}
        codes = [table.setdefault(value, len(table)) for value in values]
        return cls(np.array(codes, dtype=np.int32), tuple(table))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: int) -> str:
        return self.strings[self.codes[i]]

    def where(self, wanted: Callable[[str], bool]) -> np.ndarray:
        """True where the value is wanted; asked once per distinct string."""
        return self.lookup([wanted(s) for s in self.strings], bool)

    def lookup(self, values: Sequence, dtype: type) -> np.ndarray:
        """One value per distinct string, spread over the words."""
        return np.asarray(values, dtype=dtype)[self.codes]

    def mapped(self, change: Callable[[str], str]) -> "Column":
        """The column with every string changed; strings that become equal share a code."""
        changed = Column.of(map(change, self.strings))
        return Column(changed.codes[self.codes], changed.strings)


def share(*columns: Column) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """The codes of all columns in one common table, and that table."""
    table: dict[str, int] = {}
    shared = []
    for column in columns:
        codes = np.array([table.setdefault(s, len(table)) for s in column.strings], dtype=np.int32)
        shared.append(codes[column.codes])
    return shared, tuple(table)


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Multiword tokens in text order: words first..last (1-based) of a sentence (0-based) are written as one form."""

    sentences: np.ndarray
    firsts: np.ndarray
    lasts: np.ndarray
    forms: Column

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, str]]) -> "Ranges":
        """From (sentence, first, last, form) rows."""
        rows = list(rows)
        numbers = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        return cls(numbers[:, 0], numbers[:, 1], numbers[:, 2], Column.of(row[3] for row in rows))

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The words of a treebank file. Sentence s is the words offsets[s]..offsets[s + 1] - 1 of every column."""

    offsets: np.ndarray  # int64, n_sentences + 1
    heads: np.ndarray  # int32: position of the head in the sentence, 1-based; 0 is ROOT
    forms: Column
    upos: Column
    xpos: Column
    deprels: Column
    ranges: Ranges
    names: Sequence[str]  # of the sentences, for messages; "" where unknown
    lines: np.ndarray  # int64: line of each sentence's first row, for messages; 0 where unknown
    source: str  # the file, for messages

    @classmethod
    def from_columns(
        cls,
        offsets,
        heads,
        forms: Column | Sequence[str],
        upos: Column | Sequence[str],
        xpos: Column | Sequence[str],
        deprels: Column | Sequence[str],
        *,
        ranges: Ranges | Iterable[tuple[int, int, int, str]] = (),
        names: Sequence[str] | None = None,
        lines=None,
        source: str = "corpus",
    ) -> "Corpus":
        """The corpus of these columns, or CorpusError. Arrays of the right type are taken over without a copy."""
        n_sentences = max(len(offsets) - 1, 0)
        corpus = cls(
            integers(offsets, np.int64, "offsets", source),
            integers(heads, np.int32, "heads", source),
            *(c if isinstance(c, Column) else Column.of(c) for c in (forms, upos, xpos, deprels)),
            ranges if isinstance(ranges, Ranges) else Ranges.of(ranges),
            [""] * n_sentences if names is None else names,
            integers(np.zeros(n_sentences) if lines is None else lines, np.int64, "lines", source),
            source,
        )
        check(corpus)
        return corpus

    @property
    def n_words(self) -> int:
        return len(self.heads)

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Words of each sentence."""
        return np.diff(self.offsets)

    @property
    def sentence_of_word(self) -> np.ndarray:
        return np.repeat(np.arange(self.n_sentences), self.lengths)

    @property
    def head_words(self) -> np.ndarray:
        """The head of each word as an index into the corpus; -1 is ROOT."""
        first = np.repeat(self.offsets[:-1], self.lengths)
        return np.where(self.heads == 0, -1, first + self.heads - 1)

    def place(self, sentence: int) -> str:
        """How a message names a sentence: file, line, number and name, as far as they are known."""
        line = f":{self.lines[sentence]}" if self.lines[sentence] else ""
        name = f" ({self.names[sentence]})" if self.names[sentence] else ""
        return f"{self.source}{line}: sentence {sentence + 1}{name}"


def integers(values, dtype: type, what: str, source: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise CorpusError(f"{source}: {what} have {array.ndim} dimensions, expected a flat sequence of integers")
    exact = array.astype(dtype, copy=False)
    if array.size and not (array.dtype.kind in "iuf" and np.array_equal(exact, array)):
        raise CorpusError(f"{source}: {what} are {array.dtype} values, expected integers that fit {np.dtype(dtype)}")
    return exact


def check(corpus: Corpus) -> None:
    """Raises CorpusError at the first thing that is wrong."""
    check_lengths(corpus)
    for name in ("forms", "upos", "xpos", "deprels"):
        check_column(getattr(corpus, name), name, corpus.source)
    check_column(corpus.ranges.forms, "forms of ranges", corpus.source)
    check_heads(corpus)
    check_ranges(corpus)


def check_lengths(corpus: Corpus) -> None:
    source, offsets, n = corpus.source, corpus.offsets, corpus.n_words
    if offsets.size == 0 or offsets[0] != 0 or offsets[-1] != n:
        ends = f"{offsets[0]}..{offsets[-1]}" if offsets.size else "missing"
        raise CorpusError(f"{source}: offsets are {ends}, expected 0..{n} for {n} words")
    for what, found, wanted in (
        *((name, len(getattr(corpus, name)), n) for name in ("forms", "upos", "xpos", "deprels")),
        ("sentence names", len(corpus.names), corpus.n_sentences),
        ("line numbers", len(corpus.lines), corpus.n_sentences),
        *(
            (f"{name} of ranges", len(getattr(corpus.ranges, name)), len(corpus.ranges))
            for name in ("firsts", "lasts", "forms")
        ),
    ):
        if found != wanted:
            raise CorpusError(f"{source}: {found} {what}, expected {wanted}")
    empty = np.flatnonzero(corpus.lengths < 1)
    if empty.size:
        words = corpus.lengths[empty[0]]
        raise CorpusError(f"{corpus.place(empty[0])} has {words} words, expected at least 1")


def check_column(column: Column, name: str, source: str) -> None:
    distinct = len(set(column.strings))
    if distinct != len(column.strings):
        raise CorpusError(f"{source}: {len(column.strings)} {name} listed, {distinct} distinct, expected no repeats")
    codes = column.codes
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise CorpusError(f"{source}: codes of {name} are no flat array of integers")
    if codes.size and (codes.min() < 0 or codes.max() >= distinct):
        worst = codes.min() if codes.min() < 0 else codes.max()
        raise CorpusError(f"{source}: code {worst} in {name}, expected 0..{distinct - 1}")


def check_heads(corpus: Corpus) -> None:
    lengths = np.repeat(corpus.lengths, corpus.lengths)
    wrong = np.flatnonzero((corpus.heads < 0) | (corpus.heads > lengths))
    if wrong.size:
        word = wrong[0]
        sentence = np.searchsorted(corpus.offsets, word, side="right") - 1
        position = word - corpus.offsets[sentence] + 1
        raise CorpusError(
            f"{corpus.place(sentence)}, word {position}: head is {corpus.heads[word]}, expected 0..{lengths[word]}"
        )


def check_ranges(corpus: Corpus) -> None:
    ranges = corpus.ranges
    outside = np.flatnonzero((ranges.sentences < 0) | (ranges.sentences >= corpus.n_sentences))
    if outside.size:
        sentence = ranges.sentences[outside[0]]
        raise CorpusError(f"{corpus.source}: a range in sentence {sentence}, expected 0..{corpus.n_sentences - 1}")
    firsts, lasts = ranges.firsts, ranges.lasts
    wrong = (firsts < 1) | (lasts < firsts) | (lasts > corpus.lengths[ranges.sentences])
    starts, ends = (corpus.offsets[ranges.sentences] + side for side in (firsts, lasts))
    wrong[1:] |= starts[1:] <= ends[:-1]
    if wrong.any():
        r = np.flatnonzero(wrong)[0]
        sentence = ranges.sentences[r]
        raise CorpusError(
            f"{corpus.place(sentence)}: range {firsts[r]}-{lasts[r]}, expected ranges in order"
            f" within 1..{corpus.lengths[sentence]} that do not overlap"
        )
