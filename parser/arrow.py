"""Sentences as rows of Arrow tables: lists of strings in, lists of heads and labels beside them.

Strings stay in Arrow's buffers, which are read where they are. pyarrow is imported here and nowhere else but in the
writer of Parquet files; this module is imported when it is needed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from parser.arrays import ParsedArrays, parse_words
from parser.errors import MissingPackageError
from parser.feature.strings import Strings, Words

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError:
    raise MissingPackageError("tables and Parquet need pyarrow: pip install 'arcspeed[arrow]'") from None

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
LISTS = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view,
    pa.types.is_large_list_view,
)  # fmt: skip
MOST_WORDS = (1 << 31) - 1  # of a record batch: offsets of its lists have 32 bits


@dataclass(frozen=True)
class TableParser:
    """Parses record batches with a Parser. `columns`: what the table calls the columns, by the names used here."""

    parser: object
    columns: Mapping[str, str] = field(default_factory=dict)
    scores: bool = False
    threads: int = 1
    dictionary: bool = False

    def __post_init__(self) -> None:
        for name in self.columns:
            if name not in COLUMNS:
                raise ValueError(f"columns: {name!r}, expected form, lemma, upos, xpos or feats")

    def parse_table(self, data) -> pa.Table:
        table = as_table(data)
        batches = table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        return pa.Table.from_batches(list(self.parse_batches(batches)))

    def parse_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        row = 0
        for batch in batches:
            if not isinstance(batch, pa.RecordBatch):
                raise TypeError(f"expected pyarrow RecordBatches, not {type(batch).__name__}: see parse_table")
            yield self.parse_batch(batch, row)
            row += batch.num_rows

    def parse_batch(self, batch: pa.RecordBatch, row: int = 0) -> pa.RecordBatch:
        """The batch with trees. row: the number of its first row, for messages."""
        names = self.names_in(batch.schema)
        columns = {name: ListColumn.of(batch.column(there), there) for name, there in names.items()}
        forms = columns["form"]
        if forms.offsets[-1] > MOST_WORDS:
            raise ValueError(f"a record batch of {forms.offsets[-1]} words, at most {MOST_WORDS}: slice it")
        strings = {name: column.like(forms, row).strings() for name, column in columns.items()}
        found = parse_words(self.parser, Words(strings, forms.offsets, row), self.scores, self.threads)
        return with_columns(batch, self.tree_columns(found, forms))

    def names_in(self, schema: pa.Schema) -> dict[str, str]:
        """The table's own names of the columns that it has."""
        found = {name: self.columns.get(name, name) for name in COLUMNS}
        tags = self.parser.assembly.pos
        for name in {"form", tags, *self.columns}:
            if found[name] not in schema.names:
                what = {"form": "the words", tags: "the tags"}.get(name, name)
                raise ValueError(
                    f"the table has no column {found[name]!r} for {what}, only {', '.join(schema.names) or 'none'}: "
                    f"columns={{{name!r}: ...}} names another"
                )
        return {name: there for name, there in found.items() if there in schema.names}

    def tree_columns(self, found: ParsedArrays, forms: "ListColumn") -> dict[str, pa.Array]:
        labels = pa.DictionaryArray.from_arrays(found.labels, pa.array(self.parser.labels, pa.string()))
        values = {"head": pa.array(found.heads), "deprel": labels if self.dictionary else labels.cast(pa.string())}
        if found.scores is not None:
            values |= {"head_probability": pa.array(found.scores[0]), "label_probability": pa.array(found.scores[1])}
        return {name: forms.lists_of(column) for name, column in values.items()}


@dataclass(frozen=True)
class ListColumn:
    """A column of lists: all values behind each other, and where each list starts. A list that is null has none."""

    name: str
    values: pa.Array
    offsets: np.ndarray  # int64
    is_null: np.ndarray

    @classmethod
    def of(cls, array: pa.Array, name: str) -> "ListColumn":
        while isinstance(array, pa.ExtensionArray):
            array = array.storage
        if pa.types.is_null(array.type):
            array = array.cast(pa.list_(pa.string()))
        if not any(is_one(array.type) for is_one in LISTS):
            raise TypeError(f"column {name!r} is of {array.type}, expected lists of strings")
        lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(name, array.flatten(), offsets, array.is_null().to_numpy(zero_copy_only=False))

    def like(self, forms: "ListColumn", row: int) -> "ListColumn":
        """With as many values as there are words in every list: where this one is null, all are."""
        lengths, wanted = np.diff(self.offsets), np.diff(forms.offsets)
        wrong = np.flatnonzero((lengths != wanted) & ~self.is_null)
        if wrong.size:
            k = wrong[0]
            raise ValueError(f"row {row + k}: {wanted[k]} words but {lengths[k]} values of {self.name}")
        if np.array_equal(lengths, wanted):
            return self
        missing = np.repeat(self.is_null, wanted)
        places = np.cumsum(~missing) - 1
        # there is no `take` of string views
        values = self.values.cast(pa.large_string()) if pa.types.is_string_view(self.values.type) else self.values
        values = values.take(pa.array(places, mask=missing))
        return ListColumn(self.name, values, forms.offsets, self.is_null)

    def strings(self) -> Strings:
        """The values where they are; those of rare types are turned into strings first."""
        values = self.values
        if pa.types.is_dictionary(values.type):
            if is_text(values.dictionary.type) and values.dictionary.null_count == 0:
                data, offsets = text_of(values.dictionary)
                return Strings(data, offsets, numbers_of(values.indices), *valid_bits(values.indices))
            values = values.dictionary_decode()
        if pa.types.is_null(values.type) or pa.types.is_string_view(values.type):
            values = values.cast(pa.large_string())
        if not is_text(values.type):
            raise TypeError(f"column {self.name!r} has lists of {values.type}, expected strings")
        return Strings(*text_of(values), None, *valid_bits(values))

    def lists_of(self, values: pa.Array) -> pa.ListArray:
        """Lists of these values, as long as those here, null where those are."""
        mask = pa.array(self.is_null) if self.is_null.any() else None
        return pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), values, mask=mask)


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def text_of(array: pa.Array) -> tuple:
    """(characters, offsets) of an array of strings, without a copy."""
    if len(array) == 0:
        return b"", np.zeros(1, np.int32)
    _, offsets, data = array.buffers()
    kind = np.int32 if pa.types.is_string(array.type) else np.int64
    return data or b"", np.frombuffer(offsets, kind)[array.offset : array.offset + len(array) + 1]


def numbers_of(array: pa.Array) -> np.ndarray:
    if len(array) == 0:
        return np.zeros(0, np.int32)
    return np.frombuffer(array.buffers()[1], array.type.to_pandas_dtype())[array.offset : array.offset + len(array)]


def valid_bits(array: pa.Array) -> tuple:
    bits = array.buffers()[0]
    return (bits, array.offset) if bits is not None and len(array) else (None, 0)


def as_table(data) -> pa.Table:
    """A Table, a RecordBatch, or what else speaks Arrow's stream protocol."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    raise TypeError(f"expected a pyarrow Table or RecordBatch, not {type(data).__name__}")


def with_columns(batch: pa.RecordBatch, new: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """The batch with columns put in the place of those of their names, or behind all."""
    arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
    if len(arrays) < len(batch.columns):
        raise ValueError(f"two columns of one name: {', '.join(batch.schema.names)}")
    fields = {name: batch.schema.field(name) for name in arrays}
    fields |= {name: pa.field(name, array.type) for name, array in new.items()}
    schema = pa.schema(list(fields.values()), batch.schema.metadata)
    return pa.RecordBatch.from_arrays(list((arrays | dict(new)).values()), schema=schema)
