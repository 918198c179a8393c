"""Pre-tokenized text and vertical files, read as rows; and trees written as something else than they were read."""

import io
import json

import numpy as np
import pytest
import samples
from plain_conllu import read_plain

from parser.treebank import Batch, Reader, TreebankError, Writer
from parser.treebank.tree_writer import tree_writer
from parser.treebank.writer import Labels


def read(text, format, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return list(Reader(io.BytesIO(data), format=format, **options))


def test_words():
    first, second = read("The cat_s sleep .\n\n  \nSo   far\n", "text")
    assert first.words == ["The", "cat_s", "sleep", "."]
    assert first.column("xpos") == ["_"] * 4
    assert second.words == ["So", "far"]
    assert not second.is_parsed


@pytest.mark.parametrize(("tags", "upos", "xpos"), [("both", 1, 1), ("upos", 1, 0), ("xpos", 0, 1)])
def test_words_with_tags(tags, upos, xpos):
    (sentence,) = read("New_York_NNP ___X sleeps_VBZ", "text", tags=tags)
    assert sentence.words == ["New_York", "__", "sleeps"]
    expected = ["NNP", "X", "VBZ"]
    assert sentence.column("upos") == (expected if upos else ["_"] * 3)
    assert sentence.column("xpos") == (expected if xpos else ["_"] * 3)


def test_only_ascii_white_space_is_between_tokens():
    """Neither does another space divide a word, nor is a first line without tags because of one."""
    first, second = read("10\u00a0000_CD\tél_P \u00a0 dort_V\n\u00a0\nA\u2003B_N\n", "text")
    assert first.words == ["10\u00a0000", "él", "dort"]
    assert first.column("xpos") == ["CD", "P", "V"]
    assert second.words == ["A\u2003B"]


def test_the_first_line_says_whether_there_are_tags():
    first, second = read("Words\nThe_DT cat_NN\n", "text")
    assert (first.words, second.words) == (["Words"], ["The_DT", "cat_NN"])


def test_vertical():
    text = '<doc id="1">\n<s>\nThe\tDT\ncat\tNN\n<g/>\n.\t.\n</s>\n<p>\n<s n="2">\nSo\n\nfar\n'
    one, two, three = read(text, "vertical")
    assert one.comments == ['# <doc id="1">']
    assert one.words == ["The", "cat", "."]
    assert one.column("misc") == ["_", "SpaceAfter=No", "_"]
    assert one.column("xpos") == ["DT", "NN", "."]
    assert two.comments == ["# <p>"]
    assert (two.words, three.words) == (["So"], ["far"])


@pytest.mark.parametrize("block", [1, 7, 1 << 18])
def test_blocks_and_line_ends_make_no_difference(monkeypatch, block):
    monkeypatch.setattr("parser.treebank.plain.BLOCK", block)
    text = "\ufeff" + "Le_D chat_N\r\nél_P dort_V\r\n" * 3 + "fin_N"
    assert [s.words for s in read(text, "text")] == [["Le", "chat"], ["él", "dort"]] * 3 + [["fin"]]
    vertical = "\ufeff" + "Le\tD\r\nchat\tN\r\n\r\n" * 3 + "fin\tN"
    assert [s.words for s in read(vertical, "vertical")] == [["Le", "chat"]] * 3 + [["fin"]]


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("a_X b_Y\nc_Z d\n", "text", "<stream>:2: token 'd' has no tag, expected word_TAG as in the first line"),
        ("a\tb\tc\n", "vertical", "<stream>:1: 3 columns, expected token or token TAB tag"),
        ("a\n\tb\n", "vertical", "<stream>:2: 2 columns, expected token or token TAB tag"),
        (b"a b\nc \xff d\n", "text", "<stream>:2: byte 0xFF is not valid UTF-8"),
        ("a b\n\nc\0d\n", "text", "<stream>:3: a NUL byte, expected text"),
        ("\n\n", "text", "<stream>: holds no sentence, expected rows of tab-separated columns"),
    ],
)
def test_faults_name_the_line_of_the_text(text, format, message):
    with pytest.raises(TreebankError) as caught:
        read(text, format)
    assert str(caught.value) == message


@pytest.mark.parametrize("fault", [b"c_Z d\n", b"c\0_Z\n", b"\xff_Z\n"])
def test_sentences_before_a_fault_are_given(fault):
    reader, batch = Reader(io.BytesIO(b"a_X b_Y\n" * 3 + fault + b"e_X\n"), format="text"), Batch()
    assert reader.fill(batch)
    assert [sentence.words for sentence in batch] == [["a", "b"]] * 3
    with pytest.raises(TreebankError, match=r"^<stream>:4: "):
        reader.fill(batch)


def parsed_batch():
    batch = Batch()
    Reader(io.BytesIO(samples.ALL.encode()), format="conllu").fill(batch)
    heads = np.array([0, 1, 1, 2, 3, 0, 3, 0, 0, 1], np.int32)
    return batch, heads, (heads > 0).astype(np.int32), Labels(["root", "dep x"])


def test_new_trees_in_another_format():
    batch, heads, labels, names = parsed_batch()
    out = io.BytesIO()
    with tree_writer(out, "auto", "a.conllx.gz") as writer:
        writer.put(writer.prepare(batch, heads, labels, names))
    plain = read_plain(out.getvalue().decode())
    assert [head for s in plain for head in s.heads] == heads.tolist()
    assert plain[0].column(7) == ["root", "dep_x", "dep_x"]
    assert plain[1].words[2][:6] == ["3", "10_000", "10_000", "NUM", "_", "_"]
    assert writer.dropped == {"comments": 5, "multiwords": 1, "empty_nodes": 3}
    with pytest.raises(TreebankError, match="probabilities have no place in CoNLL-X made of CoNLL-U"):
        Writer(out, "conllx").write(batch, heads, labels, names, (heads, heads))


@pytest.mark.parametrize("target", ["a.conllu", "a.conllx", "a.jsonl", "a.parquet"])
def test_batches_are_prepared_in_any_order_and_put_in_theirs(target):
    if target == "a.parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow: runs with the extra `arrow`")
    batch, heads, labels, names = parsed_batch()
    others = np.zeros_like(heads), np.zeros_like(labels)
    one, two = io.BytesIO(), io.BytesIO()
    with tree_writer(one, "auto", target) as writer:
        for trees in (heads, labels), others, (heads, labels):
            writer.put(writer.prepare(batch, *trees, names))
    with tree_writer(two, "auto", target) as again:
        second, first = again.prepare(batch, *others, names), again.prepare(batch, heads, labels, names)
        assert two.getvalue() == b""
        again.put(first)
        third = again.prepare(batch, heads, labels, names)
        again.put(second)
        again.put(third)
    assert two.getvalue() == one.getvalue() != b""
    assert again.dropped == writer.dropped


@pytest.mark.parametrize("layout", ["conllu", "conllx"])
def test_batches_prepared_one_by_one_are_what_one_writer_makes_of_all(layout):
    batch, heads, labels, names = parsed_batch()
    others = np.zeros_like(heads), np.zeros_like(labels)
    one, two = io.BytesIO(), io.BytesIO()
    with Writer(one, layout, check=False) as alone, tree_writer(two, layout, "-") as writer:
        for trees in (heads, labels), others:
            alone.write(batch, *trees, names)
            writer.put(writer.prepare(batch, *trees, names))
    assert two.getvalue() == one.getvalue() != b""
    assert writer.dropped == alone.dropped


def test_json_lines():
    batch, heads, labels, names = parsed_batch()
    out = io.BytesIO()
    chances = np.full(10, 0.25, np.float32)
    for to, target in (("jsonl", "-"), ("auto", "a.jsonl"), ("auto", "a.jsonl.zst")):
        out = io.BytesIO()
        with tree_writer(out, to, target) as writer:
            writer.put(writer.prepare(batch, heads, labels, names, (chances, chances)))
        lines = [json.loads(line) for line in out.getvalue().decode().splitlines()]
        assert [line["id"] for line in lines] == ["one", "two", "sentence 3", "sentence 4"]
        assert lines[2] == {
            "id": "sentence 3",
            "words": ["見る"],
            "heads": [0],
            "labels": ["root"],
            "head_probabilities": [0.25],
            "label_probabilities": [0.25],
        }
        assert [head for line in lines for head in line["heads"]] == heads.tolist()
