"""parse_arrays: the trees of parse, from every layout of strings and numbers, in parts, by threads; errors."""

import array
import mmap

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given as given_
from hypothesis import settings

from parser import Parser, Strings
from parser.treebank import Reader
from parser.treebank.generate import generate

WIDTHS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


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
        return [{name: s.column(name) for name in ("form", "lemma", "upos", "xpos", "feats")} for s in reader]


def column(sentences, name):
    return [string for sentence in sentences for string in sentence[name]]


def offsets_of(sentences):
    return np.cumsum([0, *(len(sentence["form"]) for sentence in sentences)])


def plain(strings, dtype=np.int32):
    """(data, offsets), the obvious way."""
    encoded = [string.encode() for string in strings]
    return b"".join(encoded), np.cumsum([0, *map(len, encoded)]).astype(dtype)


def dictionary(strings, dtype=np.int16):
    distinct = sorted(set(strings))
    return *plain(distinct), np.array([distinct.index(string) for string in strings], dtype)


def one_by_one(model, sentences, scores=False):
    trees = []
    for sentence in sentences:
        columns = dict(sentence)
        trees.append(model.parse(columns.pop("form"), scores=scores, **columns))
    return trees


def flat(trees):
    heads = [head for tree in trees for head in tree.heads]
    return heads, [label for tree in trees for label in tree.labels]


def same(model, found, trees):
    heads, labels = flat(trees)
    assert found.heads.dtype == found.labels.dtype == np.int32
    assert found.heads.tolist() == heads
    assert [model.labels[code] for code in found.labels.tolist()] == labels
    if trees and trees[0].head_probabilities:
        assert found.scores.dtype == np.float32
        assert found.scores[0].tolist() == [p for tree in trees for p in tree.head_probabilities]
        assert found.scores[1].tolist() == [p for tree in trees for p in tree.label_probabilities]
    else:
        assert found.scores is None


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("layout", [plain, dictionary, Strings.of])
def test_arrays_give_the_trees_of_single_sentences(model, given, layout, threads):
    sentences = given * 8
    columns = {name: layout(column(sentences, name)) for name in ("lemma", "upos", "xpos", "feats")}
    forms, offsets = layout(column(sentences, "form")), offsets_of(sentences)
    found = model.parse_arrays(forms, None, offsets, scores=True, threads=threads, **columns)
    same(model, found, one_by_one(model, given, scores=True) * 8)
    tags = columns.pop(model.assembly.pos)
    again = model.parse_arrays(forms, tags, offsets, threads=threads, **columns)
    same(model, again, one_by_one(model, given) * 8)


def test_real_text_gives_the_trees_of_the_reader(model, treebanks):
    """Columns of batches as arrays against the batches themselves; the model knows none of these words."""
    files = sorted(treebanks.glob("*/dev.conllu"))
    assert files
    for path in files:
        with Reader(path, intern=(), heads="ignore") as reader:
            batch = next(reader.batches())
        others = {name: batch.column_bytes(name) for name in ("lemma", "upos", "xpos", "feats")}
        found = model.parse_arrays(batch.column_bytes("form"), None, batch.offsets, scores=True, threads=2, **others)
        expected = model.parse_rows(batch, scores=True)
        assert np.array_equal(found.heads, expected.heads)
        assert np.array_equal(found.labels, expected.labels)
        assert np.array_equal(found.scores, [expected.arcs, expected.labelled])


@pytest.mark.parametrize("dtype", WIDTHS)
def test_whole_numbers_of_any_width(model, dtype):
    sentences = [{"form": ["ab", "c"], "xpos": ["NN", "DT"]}, {"form": ["d", "ab"], "xpos": ["VF", "NN"]}]
    forms, tags = column(sentences, "form"), column(sentences, "xpos")
    offsets = offsets_of(sentences).astype(dtype)
    trees = one_by_one(model, sentences)
    same(model, model.parse_arrays(plain(forms, dtype), dictionary(tags, dtype), offsets), trees)


def test_whatever_has_a_buffer(model, given, tmp_path):
    """bytes, bytearray, memoryview, array.array, a read-only mapped file, read-only and offset numpy arrays."""
    sentences = given[:5]
    data, offsets = plain(column(sentences, "form"))
    tags = dictionary(column(sentences, "xpos"))
    ends = offsets_of(sentences)
    expected = model.parse_arrays((data, offsets), tags, ends)
    (tmp_path / "data").write_bytes(data)
    with open(tmp_path / "data", "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        frozen = np.frombuffer(offsets.tobytes(), np.int32)
        assert not frozen.flags.writeable
        longer = np.concatenate([[7], ends, [9]])[1:-1]
        for text in (bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), np.frombuffer(data, "i1")):
            found = model.parse_arrays((text, array.array("i", offsets.tolist())), tags, longer)
            assert np.array_equal(found.heads, expected.heads)
        found = model.parse_arrays((mapped, frozen), tags, memoryview(ends))
        assert np.array_equal(found.labels, expected.labels)
        del found


def test_a_part_of_the_sentences(model, given):
    forms, tags, ends = plain(column(given, "form")), plain(column(given, "xpos")), offsets_of(given)
    whole = model.parse_arrays(forms, tags, ends, scores=True)
    for first, end in ((0, 1), (3, 17), (39, 40), (5, 5), (0, 40)):
        part = model.parse_arrays(forms, tags, ends[first : end + 1], scores=True)
        words = slice(ends[first], ends[end])
        assert np.array_equal(part.heads, whole.heads[words])
        assert np.array_equal(part.labels, whole.labels[words])
        assert np.array_equal(part.scores, whole.scores[:, words])


def test_values_that_are_missing(model):
    """No value, a negative code and an empty tag say what `_` says; a form that is missing is `_`."""
    tree = model.parse(["a", "_", "b"], ["NN", "_", "_"])
    forms, ends = Strings(b"aXXb", [0, 1, 3, 4] @ np.eye(4, dtype=int), None, b"\x0a", 1), np.array([0, 3])
    assert [forms[i] for i in range(3)] == ["a", None, "b"]
    for tags in (
        Strings(b"NN", np.array([0, 2, 2, 2])),
        Strings(b"NN", np.array([0, 2]), np.array([0, -1, -5], np.int8)),
        Strings(b"NN?", np.array([0, 2, 3]), np.array([0, 99, 77], np.uint8), b"\xf9\xff"),
        Strings(b"NN_", np.array([0, 2, 3]), np.array([0, 1, 1])),
    ):
        same(model, model.parse_arrays(forms, tags, ends), [tree])


def test_nothing_to_parse(model):
    found = model.parse_arrays(Strings.of([]), None, [0] @ np.eye(1, dtype=int), scores=True, threads=2)
    assert (len(found.heads), len(found.labels), found.scores.shape) == (0, 0, (2, 0))
    found = model.parse_arrays(Strings.of(["a"]), None, np.array([0, 0, 1, 1]))
    assert found.heads.tolist() == [0]


@pytest.mark.parametrize("n", [1, 100_000])
def test_short_and_long_sentences(model, n):
    words, tags = (["la", "hundo", "sistait"] * n)[:n], (["DT", "NN", "VF"] * n)[:n]
    tree = model.parse(words, tags)
    assert (len(tree), tree.heads.count(0)) == (n, 1)
    found = model.parse_arrays(Strings.of(words), Strings.of(tags), np.array([0, n]), threads=2)
    same(model, found, [tree])
    assert model.parse_batch([(words, tags)]) == [tree]


def test_strings_as_a_sequence():
    strings = ["Kaj", "ŝi", "", "😀"]
    made = Strings.of(iter(strings))
    assert (len(made), [made[i] for i in range(4)], made[-1]) == (4, strings, "😀")
    with pytest.raises(IndexError, match="word 4 of 4"):
        made[4]


INTS = np.array([0, 1, 2])


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("ab", INTS), TypeError, "data: expected a numpy array or another buffer, not str"),
        ((b"ab", [0, 1, 2]), TypeError, "offsets: expected a numpy array or another buffer, not list"),
        ((b"ab", INTS.astype(float)), TypeError, "offsets: elements of format 'd', expected whole numbers"),
        ((b"ab", INTS.astype(">i4")), TypeError, "offsets: elements of format '>i', expected whole numbers"),
        ((b"ab", INTS.astype(bool)), TypeError, r"offsets: elements of format '\?'"),
        ((b"ab", np.arange(6)[::2]), ValueError, "offsets: elements are 16 bytes apart, expected contiguous memory"),
        ((b"ab", np.zeros((2, 2), int)), ValueError, "offsets: 2 dimensions, expected 1"),
        ((b"ab", np.frombuffer(bytes(33), np.int64, 2, 1)), ValueError, "offsets: elements are not aligned to their 8"),
        ((b"ab", INTS[:0]), ValueError, "offsets: none, expected one more than there are strings"),
        ((b"ab", np.array([0, 2, 1])), ValueError, "offsets: 2 is followed by 1, expected ascending numbers"),
        ((b"ab", np.array([0, 1, 3])), ValueError, "offsets: 0 to 3, expected 0 to at most 2, the bytes of data"),
        ((b"ab", np.array([-1, 1])), ValueError, "offsets: -1 to 1, expected 0 to"),
        ((b"ab", np.array([0, 2**63 - 1, -(2**63)])), ValueError, "offsets: "),
        ((b"ab", np.array([0, 2**64 - 1], np.uint64)), ValueError, "offsets: 0 is followed by -1"),
        ((b"a\xff", INTS), ValueError, "data: byte 0xFF at 1 is not valid UTF-8"),
        (("ĉ".encode(), INTS), ValueError, "offsets: 1 is inside of a character of data"),
        ((np.zeros(2, int), INTS), TypeError, "data: elements of 8 bytes, expected bytes"),
        (
            (b"ab", INTS, np.array([0, 2])),
            ValueError,
            "codes: 2 of word 1, expected less than 2, the number",
        ),
        ((b"ab", INTS, np.array([0, 1]), b""), ValueError, "valid: 0 bits, expected 2"),
        ((b"ab", INTS, None, b"\xff", 7), ValueError, "valid: 8 bits, expected 9"),
        ((b"ab", INTS, None, b"\xff", -1), ValueError, "valid: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_that_are_none(model, arguments, kind, message):
    with pytest.raises(kind, match="^" + message):
        Strings(*arguments)
    with pytest.raises(kind, match="^form: " + message):
        model.parse_arrays(arguments, None, np.array([0, 2]))


@pytest.mark.parametrize(
    ("offsets", "kind", "message"),
    [
        (np.array([0, 3]), ValueError, "sentence offsets: up to 3, but 2 values of form"),
        (np.array([0, 2, 1]), ValueError, "sentence offsets: 2 is followed by 1"),
        (np.array([-1, 2]), ValueError, "sentence offsets: -1 is followed by -1, expected numbers from 0 on"),
        (np.array([], int), ValueError, "sentence offsets: none, expected one more than there are sentences"),
        ([0, 2], TypeError, "sentence offsets: expected a numpy array or another buffer, not list"),
    ],
    ids=repr,
)
def test_sentences_that_are_none(model, offsets, kind, message):
    with pytest.raises(kind, match="^" + message):
        model.parse_arrays((b"ab", INTS), None, offsets)


def test_wrong_calls_are_told(model):
    forms, ends = (b"ab", INTS), np.array([0, 2])
    with pytest.raises(ValueError, match="column 'xpos' is given twice"):
        model.parse_arrays(forms, forms, ends, xpos=forms)
    with pytest.raises(ValueError, match="sentence offsets: up to 2, but 1 values of upos"):
        model.parse_arrays(forms, None, ends, upos=(b"ab", INTS[:2]))
    with pytest.raises(ValueError, match="sentence 1: word 0 is empty, expected words of at least one character"):
        model.parse_arrays((b"a", np.array([0, 1, 1])), None, np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="threads: 0, expected 1 or more"):
        model.parse_arrays(forms, None, ends, threads=0)
    with pytest.raises(TypeError, match=r"form: expected Strings or a tuple \(data, offsets, ...\), not list"):
        model.parse_arrays(["a", "b"], None, ends)


@st.composite
def almost_right(draw):
    """(arguments of Strings, sentence offsets): right, or one beyond what is right here and there."""
    data = draw(st.one_of(st.binary(max_size=6), st.text("aé見😀b", max_size=8).map(str.encode)))

    def ascending(highest, length):
        least = draw(st.sampled_from([0, 0, 0, 0, 0, -1]))
        numbers = draw(st.lists(st.integers(least, highest), min_size=1, max_size=length))
        return numbers if draw(st.integers(0, 9)) == 0 else sorted(numbers)

    offsets = ascending(len(data) + draw(st.sampled_from([0, 0, 0, 1])), 6)
    last = len(offsets) - draw(st.sampled_from([2, 2, 2, 1]))
    codes = draw(st.one_of(st.none(), st.lists(st.integers(-2, max(last, -2)), max_size=6)))
    n = len(offsets) - 1 if codes is None else len(codes)
    valid = draw(st.one_of(st.none(), st.binary(min_size=1, max_size=2)))
    return (data, offsets, codes, valid, draw(st.integers(0, 9))), ascending(n + draw(st.sampled_from([0, 0, 1])), 4)


@settings(max_examples=400, deadline=None)
@given_(almost_right())
def test_whatever_the_numbers_are_it_is_parsed_or_refused(model, made):
    """With nothing between: what would be read outside of the arrays, the sanitizers see."""
    (data, offsets, codes, *valid), ends = made
    column = (data, np.array(offsets), None if codes is None else np.array(codes, np.int64), *valid)
    try:
        found = model.parse_arrays(column, None, np.array(ends))
    except ValueError:
        return
    assert len(found.heads) == ends[-1] - ends[0]
    words = Strings(*column)
    assert all(text is None or text.encode() in data for text in (words[i] for i in range(len(words))))


def test_nothing_is_copied():
    """What is written into the caller's memory is what the column says."""
    data, offsets, codes = bytearray(b"abc"), np.array([0, 1, 2, 3]), np.array([2, 0], np.uint8)
    strings = Strings(data, offsets, codes)
    data[2] = ord("z")
    codes[1] = 1
    assert [strings[0], strings[1]] == ["z", "b"]
    with pytest.raises(BufferError):
        data.append(1)
