"""A treebank file -> the corpus that evaluation works on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parser.evaluate.corpus import Column, Corpus, CorpusError, Ranges
from parser.treebank import Reader, StringTable

FIELDS = ("form", "upos", "xpos", "deprel")


def read_corpus(path: str, format: str = "auto", roots: str = "warn") -> tuple[Corpus, int]:
    """The corpus, and how many of its sentences have several roots. TreebankError where a sentence is faulty."""
    heads, lengths, lines, names, ranges = [], [], [], [], []
    ids: dict[str, list[np.ndarray]] = {field: [] for field in FIELDS}
    with Reader(path, format=format, intern=FIELDS, roots=roots) as reader:
        for batch in reader.batches():
            heads.append(batch.heads)
            lengths.append(np.diff(batch.offsets))
            for field in FIELDS:
                ids[field].append(batch.column_ids(field))
            for sentence in batch:
                if not sentence.is_parsed:
                    raise CorpusError("has no heads, expected trees to compare", reader.file, sentence.line)
                ranges += [(len(lines), first, last, form) for first, last, form in sentence.multiwords]
                lines.append(sentence.line)
                names.append("")
    corpus = Corpus.from_columns(
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
        np.concatenate(heads),
        *(column(ids[field], reader.vocab[field], field) for field in FIELDS),
        ranges=Ranges.of(ranges),
        names=names,
        lines=lines,
        source=reader.file,
    )
    return corpus, reader.several_roots


def column(ids: list[np.ndarray], table: StringTable, field: str) -> Column:
    """Ids from 3 on are strings; in all columns but FORM id 0 is `_`."""
    codes = np.concatenate(ids)
    if field == "form":
        return Column(codes - 3, tuple(table.strings()))
    return Column(np.maximum(codes - 2, 0), ("_", *table.strings()))


def with_trees(gold: Corpus, heads: np.ndarray, labels: np.ndarray, names: Sequence[str], source: str) -> Corpus:
    """The same words with other trees: label ids into `names`."""
    deprels = Column.of(names[i] for i in labels.tolist())
    return replace(gold, heads=heads.astype(np.int32), deprels=deprels, source=source)
