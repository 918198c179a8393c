"""Sentences as arrays: columns of strings in, heads and labels out, parsed in pieces by any number of threads."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from operator import index
from typing import NamedTuple

import numpy as np

from parser.feature.strings import Strings, Words
from parser.search.session import Parses

PIECE = 1 << 16  # words that a thread parses at a time: it looks for Ctrl-C in between


class ParsedArrays(NamedTuple):
    """Trees of many sentences, one number a word."""

    heads: np.ndarray  # int32, 1-based within the sentence, 0 is ROOT
    labels: np.ndarray  # int32, positions in the parser's `labels`
    scores: np.ndarray | None  # float32, two rows: probability of the head; of head and label. None if not asked for


def as_strings(values, name: str) -> Strings:
    """A column as it may be given: Strings, or the arguments of Strings as a tuple."""
    if isinstance(values, Strings):
        return values
    if not isinstance(values, tuple) or not 2 <= len(values) <= 5:
        raise TypeError(f"{name}: expected Strings or a tuple (data, offsets, ...), not {type(values).__name__}")
    try:
        return Strings(*values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def require_threads(threads: object) -> None:
    """TypeError or ValueError for what is no number of threads."""
    require_whole("threads", threads)
    if threads < 1:
        raise ValueError(f"threads: {threads}, expected 1 or more")


def require_whole(name: str, value: object) -> None:
    try:
        index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r}, expected a whole number") from None


def parse_words(parser, words: Words, scores: bool = False, threads: int = 1) -> ParsedArrays:
    """Trees of all sentences of `words`. The result is the same for any number of threads."""
    require_threads(threads)
    n = words.n_words
    heads, labels = np.empty(n, np.int32), np.empty(n, np.int32)
    chances = np.empty((2, n), np.float32) if scores else None
    found = Parses(heads, labels, *(chances if scores else (None, None)))
    pieces = list(pairwise(words.pieces(piece_size(n, threads))))

    def parse(piece: tuple[int, int]) -> None:
        parser.parse_piece(words, *piece, found)

    if min(threads, len(pieces)) <= 1:
        for piece in pieces:
            parse(piece)
    else:
        from concurrent.futures import ThreadPoolExecutor  # 5 ms that one thread need not wait for

        with ThreadPoolExecutor(min(threads, len(pieces)), thread_name_prefix="parse") as pool:
            deque(pool.map(parse, pieces), maxlen=0)  # waits for all, raises what one of them raised
    return ParsedArrays(heads, labels, chances)


def piece_size(n_words: int, threads: int) -> int:
    """Some pieces for each thread, so that all are busy to the end."""
    return PIECE if threads == 1 else max(256, min(PIECE, n_words // (4 * threads)))


def words_of(sentences: Sequence[Mapping[str, Sequence[str]]], first: int = 0) -> Words:
    """Sentences as lists of strings by column; what one does not have says `_`. first: the number of the first."""
    offsets = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(sentence["form"]) for sentence in sentences], out=offsets[1:])
    try:
        columns = columns_of(sentences)
    except (TypeError, ValueError):
        for number, sentence in enumerate(sentences, first):
            try:
                columns_of([sentence])
            except (TypeError, ValueError) as error:
                raise type(error)(f"sentence {number}: {error}") from None
        raise
    return Words(columns, offsets, first)


def columns_of(sentences: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, Strings]:
    names = ["form", *sorted({name for sentence in sentences for name in sentence} - {"form"})]
    return {name: Strings.of(strings_of(sentences, name)) for name in names}


def strings_of(sentences: Sequence[Mapping[str, Sequence[str]]], name: str) -> Iterable[str]:
    return chain.from_iterable(
        sentence[name] if name in sentence else ["_"] * len(sentence["form"]) for sentence in sentences
    )
