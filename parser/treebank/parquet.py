"""Parsed sentences as a Parquet file, a row each. This module is imported when it is needed: it loads pyarrow."""

import io
from types import TracebackType

import numpy as np

from parser.errors import MissingPackageError
from parser.treebank.batch import Batch
from parser.treebank.errors import TreebankError
from parser.treebank.writer import Labels

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    raise MissingPackageError("tables and Parquet need pyarrow: pip install 'arcspeed[arrow]'") from None

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
PROBABILITIES = ("head_probability", "label_probability")
GROUP = 1 << 18  # words of a row group, about


class ParquetWriter:
    """Columns sent_id; form, lemma, upos, xpos, feats: lists of strings, null where a cell is `_`; head, deprel; and
    head_probability, label_probability where there are any: what `Parser.parse_table` gives, and takes again."""

    def __init__(self, stream, scores: bool = False) -> None:
        self.sink = Sink(stream)
        self.schema = schema_of(scores)
        self.writer: pq.ParquetWriter | None = None
        self.waiting: list[pa.RecordBatch] = []
        self.words = 0
        self.dropped: dict[str, int] = {}

    def prepare(
        self, batch: Batch, heads: np.ndarray, labels: np.ndarray, names: Labels, probabilities=None
    ) -> tuple[pa.RecordBatch, int]:
        return rows_of(batch, heads, labels, names, probabilities), batch.n_words

    def put(self, prepared: tuple[pa.RecordBatch, int]) -> None:
        rows, n_words = prepared
        self.waiting.append(rows)
        self.words += n_words
        if self.words >= GROUP:
            self.flush()

    def flush(self) -> None:
        """Writes what is waiting as one row group."""
        if self.waiting:
            self.open_writer().write_table(pa.Table.from_batches(self.waiting).combine_chunks())
        self.waiting, self.words = [], 0

    def open_writer(self) -> pq.ParquetWriter:
        if self.writer is None:
            self.writer = pq.ParquetWriter(self.sink, self.schema)
        return self.writer

    def __enter__(self) -> "ParquetWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # as with the other formats, what stands before a fault of the input is good
        if kind is None or issubclass(kind, TreebankError):
            self.flush()
            self.open_writer()  # without sentences, too, it is to be a Parquet file
        else:
            self.sink.stream = None  # the file is given up: closing it writes nothing more
        if self.writer is not None:
            self.writer.close()


class Sink(io.RawIOBase):
    """A stream to which everything is written whole; it need not know where it stands."""

    def __init__(self, stream) -> None:
        self.stream = stream
        self.at = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def write(self, content) -> int:
        left = memoryview(content)
        self.at += len(left)
        while self.stream is not None and left:
            left = left[self.stream.write(left) :]
        return len(content)


def schema_of(scores: bool) -> pa.Schema:
    types = {"sent_id": pa.string(), **dict.fromkeys(COLUMNS, pa.list_(pa.string()))}
    types |= {"head": pa.list_(pa.int32()), "deprel": pa.list_(pa.string())}
    return pa.schema(types | (dict.fromkeys(PROBABILITIES, pa.list_(pa.float32())) if scores else {}))


def rows_of(batch: Batch, heads, labels, names: Labels, probabilities=None) -> pa.RecordBatch:
    offsets = pa.array(batch.offsets, pa.int32())
    columns = {"sent_id": pa.array([sentence.name for sentence in batch], pa.string())}
    for field in COLUMNS:
        columns[field] = pa.ListArray.from_arrays(offsets, strings_of(batch, field))
    columns["head"] = pa.ListArray.from_arrays(offsets, pa.array(heads))
    deprel = pa.array(list(names), pa.string()).take(pa.array(labels))
    columns["deprel"] = pa.ListArray.from_arrays(offsets, deprel)
    if probabilities is not None:
        for name, values in zip(PROBABILITIES, probabilities, strict=True):
            columns[name] = pa.ListArray.from_arrays(offsets, pa.array(values))
    return pa.RecordBatch.from_pydict(columns)


def strings_of(batch: Batch, field: str) -> pa.Array:
    """A column; `_` is null, but for forms, and lemmas of the form `_`."""
    data, offsets = batch.column_bytes(field)
    valid = None
    if field != "form":
        missing = underscores(data, offsets)
        if field == "lemma":
            missing &= ~underscores(*batch.column_bytes("form"))
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.StringArray.from_buffers(batch.n_words, pa.py_buffer(offsets), pa.py_buffer(data), valid)


def underscores(data: bytearray, offsets: np.ndarray) -> np.ndarray:
    characters = np.frombuffer(data, np.uint8)
    return (np.diff(offsets) == 1) & (characters[offsets[:-1]] == ord("_"))
