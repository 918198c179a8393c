"""Where parsed trees go: a treebank format, or JSON lines for programs."""

import json
from types import TracebackType

import numpy as np

from parser.treebank.batch import Batch
from parser.treebank.layout import FormatError, find_layout, layout_of_path
from parser.treebank.stream import OPENERS, suffix_of
from parser.treebank.writer import Labels, Writer


def tree_writer(stream, to: str, target: str, scores: bool = False):
    """A Writer, or a JsonWriter or ParquetWriter with the same `write`.

    to: a format's name, jsonl, parquet, or auto: by the target's name. scores: trees will have probabilities. The trees
    are a parser's, and are not looked at again.
    """
    if to == "auto":
        to = other_format(target)
        if to is None:
            return Writer(stream, layout_of_path(target), check=False)
    if to == "jsonl":
        return JsonWriter(stream)
    if to == "parquet":
        if suffix_of(target) in OPENERS:
            raise FormatError("Parquet packs for itself, expected a name without that ending", target)
        from parser.treebank.parquet import ParquetWriter

        return ParquetWriter(stream, scores)
    return Writer(stream, find_layout(to, ("jsonl", "parquet")), check=False)


def other_format(target: str) -> str | None:
    """jsonl or parquet, if that is what a file name tells, compression suffix aside."""
    name = target.lower()
    if suffix_of(name) in OPENERS:
        name = name.removesuffix(suffix_of(name))
    return next((kind for kind in ("jsonl", "parquet") if name.endswith(f".{kind}")), None)


class JsonWriter:
    """One JSON object a line and sentence: id, words, heads, labels, and probabilities where there are any."""

    def __init__(self, stream) -> None:
        self.stream = stream
        self.dropped: dict[str, int] = {}

    def write(self, batch: Batch, heads: np.ndarray, labels: np.ndarray, names: Labels, probabilities=None) -> None:
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
        self.send("".join(lines).encode())

    def send(self, content: bytes) -> None:
        left = memoryview(content)
        while left:
            left = left[self.stream.write(left) :]

    def __enter__(self) -> "JsonWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
