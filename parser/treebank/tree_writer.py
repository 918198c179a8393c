"""Where parsed trees go: a treebank format, JSON lines or Parquet.

A batch is written in two steps: `prepare` may be called by any thread, best by the one that has the batch in its cache,
`put` by one thread alone, in the order of the input.
"""

import json
from collections import Counter
from types import TracebackType
from typing import Self

import numpy as np

from parser.treebank.batch import Batch
from parser.treebank.layout import FormatError, Layout, find_layout, layout_of_path
from parser.treebank.stream import OPENERS, suffix_of
from parser.treebank.writer import Labels, Writer


def tree_writer(stream, to: str, target: str, scores: bool = False):
    """A TextWriter, or a JsonWriter or ParquetWriter with the same methods.

    to: a format's name, jsonl, parquet, or auto: by the target's name. scores: trees will have probabilities. The trees
    are a parser's, and are not looked at again.
    """
    if to == "auto":
        to = other_format(target)
        if to is None:
            return TextWriter(stream, layout_of_path(target))
    if to == "jsonl":
        return JsonWriter(stream)
    if to == "parquet":
        if suffix_of(target) in OPENERS:
            raise FormatError("Parquet packs for itself, expected a name without that ending", target)
        from parser.treebank.parquet import ParquetWriter

        return ParquetWriter(stream, scores)
    return TextWriter(stream, find_layout(to, ("jsonl", "parquet")))


def other_format(target: str) -> str | None:
    """jsonl or parquet, if that is what a file name tells, compression suffix aside."""
    name = target.lower()
    if suffix_of(name) in OPENERS:
        name = name.removesuffix(suffix_of(name))
    return next((kind for kind in ("jsonl", "parquet") if name.endswith(f".{kind}")), None)


class AtOnce:
    """Hands everything over with `put`: nothing is left to be written at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class TextWriter(AtOnce):
    """A treebank format: each batch by a Writer of its own, which is idle again when its rows have been handed over."""

    def __init__(self, stream, layout: Layout | None) -> None:
        self.stream, self.layout = stream, layout
        self.idle: list[Writer] = []
        self.every: list[Writer] = []

    @property
    def dropped(self) -> dict[str, int]:
        """What the format had no place for: see Writer."""
        found: Counter[str] = Counter()
        for writer in self.every:
            found.update(writer.dropped)
        return dict(found)

    def prepare(self, batch: Batch, heads: np.ndarray, labels: np.ndarray, names: Labels, probabilities=None) -> Writer:
        try:
            writer = self.idle.pop()  # atomic, so threads never share one
        except IndexError:
            writer = Writer(self.stream, self.layout, check=False, hold=True)
            self.every.append(writer)
        writer.write(batch, heads, labels, names, probabilities)
        return writer

    def put(self, prepared: Writer) -> None:
        prepared.flush()
        self.idle.append(prepared)


class JsonWriter(AtOnce):
    """One JSON object a line and sentence: id, words, heads, labels, and probabilities where there are any."""

    def __init__(self, stream) -> None:
        self.stream = stream
        self.dropped: dict[str, int] = {}

    def prepare(self, batch: Batch, heads: np.ndarray, labels: np.ndarray, names: Labels, probabilities=None) -> bytes:
        lines, text, start = [], list(names), 0
        for sentence in batch:
            words = slice(start, start + len(sentence))
            found = {
                "id": sentence.name,
                "words": sentence.words,
                "heads": heads[words].tolist(),
                "labels": [text[i] for i in labels[words].tolist()],
            }
            if probabilities is not None:
                for key, values in zip(("head_probabilities", "label_probabilities"), probabilities, strict=True):
                    found[key] = [round(p, 4) for p in values[words].tolist()]
            lines.append(json.dumps(found, ensure_ascii=False) + "\n")
            start = words.stop
        return "".join(lines).encode()

    def put(self, prepared: bytes) -> None:
        left = memoryview(prepared)
        while left:
            left = left[self.stream.write(left) :]
