"""parse_table and parse_batches: the trees of parse, from every kind of Arrow column that can hold sentences."""

import subprocess
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given as given_
from hypothesis import settings

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: runs with the extra `arrow` (pip install 'arcspeed[arrow]')")

from parser import Parser  # noqa: E402
from parser.treebank import Reader  # noqa: E402
from parser.treebank.generate import generate  # noqa: E402

NAMES = ("form", "lemma", "upos", "xpos", "feats")
STRINGS = pa.list_(pa.string())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    for name, n, seed in (("train", 150, 1), ("dev", 40, 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return Parser.train(folder / "train.conllu", folder / "dev.conllu", epochs=3)


@pytest.fixture(scope="module")
def given(folder):
    with Reader(folder / "dev.conllu") as reader:
        return [{name: s.column(name) for name in NAMES} for s in reader]


@pytest.fixture(scope="module")
def trees(model, given):
    return model.parse_batch(given, scores=True)


def table_of(given, kind=STRINGS):
    return pa.table({name: pa.array([sentence[name] for sentence in given], kind) for name in NAMES})


def same(found, trees, scores=False):
    names = {"head": "heads", "deprel": "labels"}
    if scores:
        names |= {"head_probability": "head_probabilities", "label_probability": "label_probabilities"}
    for name, attribute in names.items():
        expected = [None if tree is None else getattr(tree, attribute) for tree in trees]
        assert found.column(name).to_pylist() == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_a_table_gets_the_trees_of_single_sentences(model, given, trees, threads):
    table = table_of(given * 10).append_column("id", pa.array(range(400))).replace_schema_metadata({"a": "b"})
    found = model.parse_table(table, scores=True, threads=threads)
    same(found, trees * 10, scores=True)
    assert found.drop_columns(["head", "deprel", "head_probability", "label_probability"]).equals(table)
    assert found.schema.metadata == {b"a": b"b"}
    assert found.column_names == [*NAMES, "id", "head", "deprel", "head_probability", "label_probability"]
    assert found.schema.field("head").type == pa.list_(pa.int32())
    assert found.schema.field("deprel").type == STRINGS
    assert found.schema.field("head_probability").type == pa.list_(pa.float32())
    found.validate(full=True)


KINDS = {
    "list of large_string": pa.list_(pa.large_string()),
    "large_list": pa.large_list(pa.string()),
    "dictionary": pa.list_(pa.dictionary(pa.int32(), pa.string())),
    "dictionary of 8 bits": pa.large_list(pa.dictionary(pa.int8(), pa.large_string())),
    "dictionary without sign": pa.list_(pa.dictionary(pa.uint16(), pa.string())),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_type_of_lists_of_strings(model, given, trees, kind):
    some = [{name: column[:100] for name, column in sentence.items()} for sentence in given[:9]]
    small = pa.types.is_dictionary(kind.value_type) and kind.value_type.index_type.bit_width == 8
    some = some[: 4 if small else 9]  # at most 128 different strings
    same(model.parse_table(table_of(some, kind)), trees[: len(some)])


def test_views_and_lists_of_one_size(model, given, trees):
    for kind in (pa.list_view(pa.string()), pa.large_list_view(pa.string()), pa.list_(pa.string_view())):
        table = table_of(given[:7], kind)
        same(model.parse_table(table), trees[:7])
        same(model.parse_table(table.slice(2, 3)), trees[2:5])
    pairs = pa.table({"form": pa.array([["a", "b"], ["c", "d"], None], pa.list_(pa.string(), 2)),
                      "xpos": pa.array([["NN", "VF"], None, None], pa.list_(pa.string(), 2))})  # fmt: skip
    same(model.parse_table(pairs), [model.parse(["a", "b"], ["NN", "VF"]), model.parse(["c", "d"]), None])


@pytest.mark.parametrize("kind", [STRINGS, KINDS["dictionary"]], ids=["strings", "dictionary"])
def test_slices_and_chunks(model, given, trees, kind):
    table = table_of(given, kind)
    for start, length in ((0, 40), (1, 1), (7, 20), (39, 1), (11, 0), (40, 0)):
        part = table.slice(start, length)
        same(model.parse_table(part), trees[start : start + length])
        (batch,) = part.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        same(model.parse_table(batch.slice(0, 5)), trees[start : start + min(length, 5)])
    uneven = pa.table({
        name: pa.chunked_array([table[name].chunk(0)[:cut], table[name].chunk(0)[cut:cut], table[name].chunk(0)[cut:]])
        for name, cut in zip(NAMES, (3, 20, 3, 0, 40), strict=True)
    })  # fmt: skip
    same(model.parse_table(uneven), trees)


@pytest.mark.parametrize("kind", [STRINGS, KINDS["dictionary"], KINDS["large_list"]], ids=["list", "dict", "large"])
def test_what_is_null_says_nothing(model, kind):
    rows = [
        (["a", "b"], ["NN", None]),
        (None, None),
        ([], []),
        (["a", None, "c"], None),
        (["_"], [None]),
        (["x", "y"], ["VF", "_"]),
    ]
    table = pa.table({"form": pa.array([f for f, _ in rows], kind), "xpos": pa.array([t for _, t in rows], kind)})
    trees = [
        model.parse(["a", "b"], ["NN", "_"]), None, model.parse([]), model.parse(["a", "_", "c"]), model.parse(["_"]),
        model.parse(["x", "y"], ["VF", "_"]),
    ]  # fmt: skip
    same(model.parse_table(table), trees)
    same(model.parse_table(table.slice(1, 4)), trees[1:5])
    same(
        model.parse_table(table.set_column(1, "xpos", pa.nulls(6))),
        [t if t is None else model.parse(t.words) for t in trees],
    )


def test_nulls_that_hide_values(model):
    """Arrow allows a null list to have a range of values, a null string to have text, a dictionary to hold null."""
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 5], pa.int32()), pa.array(["a", "b", "x", "y", "c"]), mask=pa.array([False, True, False])
    )
    tags = pa.array([["NN", "VF"], None, ["DT"]])
    found = model.parse_table(pa.table({"form": hidden, "xpos": tags}))
    same(found, [model.parse(["a", "b"], ["NN", "VF"]), None, model.parse(["c"], ["DT"])])
    texts = pa.StringArray.from_buffers(2, *(pa.py_buffer(x) for x in (np.array([0, 2, 4], np.int32), b"NNVF", b"\2")))
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), pa.array(["VF", None]))
    for values in (texts, codes):
        lists = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), values)
        table = pa.table({"form": [["a", "b"]], "xpos": lists})
        same(model.parse_table(table), [model.parse(["a", "b"], ["_", "VF"])])


def test_an_iterator_of_record_batches(model, given, trees):
    table = table_of(given)
    asked = []

    def batches():
        for k in range(0, 40, 10):
            asked.append(k)
            yield from table.slice(k, 10).to_batches()

    stream = model.parse_batches(batches(), scores=True, dictionary=True)
    assert asked == []
    first = next(stream)
    assert asked == [0], "batches are taken one by one"
    same(first, trees[:10], scores=True)
    same(pa.Table.from_batches([first, *stream]), trees, scores=True)
    assert first.schema.field("deprel").type == pa.list_(pa.dictionary(pa.int32(), pa.string()))
    assert list(model.parse_batches([])) == []
    with pytest.raises(TypeError, match=r"^expected pyarrow RecordBatches, not ChunkedArray: see parse_table$"):
        list(model.parse_batches(table))


def test_other_names_old_trees_and_other_libraries(model, given, trees):
    table = table_of(given).rename_columns(["tokens", "lemma", "upos", "tags", "feats"])
    table = table.add_column(0, "head", pa.array([None] * 40, pa.string()))
    found = model.parse_table(table, columns={"form": "tokens", "xpos": "tags"})
    assert found.column_names == [*table.column_names, "deprel"]
    same(found, trees)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table_of(given).__arrow_c_stream__(requested_schema)

    same(model.parse_table(Stream()), trees)


def test_buffers_are_read_where_they_are(given):
    from parser import arrow

    table = table_of(given).combine_chunks()
    array = table["form"].chunk(0)
    data, offsets = arrow.text_of(arrow.ListColumn.of(array.slice(3, 9), "form").values)
    assert data.address == array.values.buffers()[2].address
    first = array.values.buffers()[1].address
    assert first < offsets.ctypes.data < first + array.values.buffers()[1].size


WORDS = st.lists(st.one_of(st.none(), st.sampled_from(["a", "la", "ŝi", "_", "見る", "x" * 20])), max_size=4)
ROWS = st.lists(st.one_of(st.none(), WORDS), max_size=8)


@settings(max_examples=150, deadline=None)
@given_(data=st.data(), forms=ROWS, kind=st.sampled_from([STRINGS, *KINDS.values()]))
def test_random_tables_against_single_sentences(model, data, forms, kind):
    tags = [
        None if row is None else data.draw(st.one_of(st.none(), st.lists(st.sampled_from(["NN", "VF", "_", None]),
                                                     min_size=len(row), max_size=len(row)))) for row in forms
    ]  # fmt: skip
    start, length = data.draw(st.integers(0, len(forms))), data.draw(st.integers(0, 9))
    cut = data.draw(st.integers(0, len(forms)))
    columns = [pa.array(values, kind) for values in (forms, tags)]
    chunks = [pa.chunked_array([columns[0]]), pa.chunked_array([columns[1][:cut], columns[1][cut:]])]
    found = model.parse_table(pa.table(chunks, names=["form", "xpos"]).slice(start, length))
    trees = []
    for words, cells in list(zip(forms, tags, strict=True))[start : start + length]:
        said = [cell or "_" for cell in cells] if cells is not None else None
        trees.append(None if words is None else model.parse([word or "_" for word in words], said))
    same(found, trees)
    found.validate(full=True)


@pytest.mark.parametrize(
    ("columns", "kind", "message"),
    [
        ({"form": [["a"]]}, ValueError, "the table has no column 'xpos' for the tags, only form: columns="),
        ({"xpos": [["a"]]}, ValueError, "the table has no column 'form' for the words, only xpos: columns="),
        ({"form": ["a b"], "xpos": [["a"]]}, TypeError, "column 'form' is of string, expected lists of strings"),
        ({"form": [["a"]], "xpos": [[1]]}, TypeError, "column 'xpos' has lists of int64, expected strings"),
        ({"form": [["a"], ["b", "c"]], "xpos": [["A"], ["B"]]}, ValueError, "row 1: 2 words but 1 values of xpos"),
        ({"form": [["a"], None], "xpos": [["A"], ["B"]]}, ValueError, "row 1: 0 words but 1 values of xpos"),
        ({"form": [["a"], ["b", ""]], "xpos": [["A"], ["B", "C"]]}, ValueError, "sentence 1: word 1 is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tables_that_cannot_be_parsed(model, columns, kind, message):
    table = pa.table(columns)
    with pytest.raises(kind, match=r"^" + message):
        model.parse_table(table)
    if "1" in message.split(":")[0]:
        good = pa.table({name: pa.array([["x"]] * 5, table.schema.field(name).type) for name in columns})
        with pytest.raises(kind, match=message.replace(" 1:", " 6:")):
            model.parse_table(pa.concat_tables([good, table]))


def test_wrong_calls_are_told(model):
    with pytest.raises(TypeError, match="expected a pyarrow Table or RecordBatch, not list"):
        model.parse_table([["a"]])
    with pytest.raises(ValueError, match="columns: 'tokens', expected form, lemma"):
        model.parse_table(pa.table({"tokens": [["a"]]}), columns={"tokens": "form"})
    with pytest.raises(ValueError, match="no column 'lem' for lemma"):
        model.parse_table(pa.table({"form": [["a"]], "xpos": [["a"]]}), columns={"lemma": "lem"})
    twice = pa.table([pa.array([["a"]])] * 3, names=["form", "xpos", "xpos"])
    with pytest.raises((ValueError, KeyError)):
        model.parse_table(twice)


def test_pyarrow_is_loaded_when_it_is_needed(model, folder):
    model.save(folder / "m")
    program = (
        "import sys, parser; m = parser.load(sys.argv[1]); m.parse(['a']); assert 'pyarrow' not in sys.modules\n"
        "sys.modules['pyarrow'] = None\n"
        "try: m.parse_table(None)\n"
        "except ImportError as error: print(error)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, folder / "m"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert answer.stdout == "tables and Parquet need pyarrow: pip install 'arcspeed[arrow]'\n"
