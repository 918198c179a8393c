"""The data contract: what a corpus holds, and one clear line for everything it cannot hold."""

import numpy as np
import pytest
from plain_corpus import Sentence, Word, corpus_of, read_text, write_text

from parser.evaluate.corpus import Column, Corpus, CorpusError, Ranges, share

GOOD = {
    "offsets": [0, 2, 3],
    "heads": [0, 1, 0],
    "forms": ["a", "b", "a"],
    "upos": ["X", "X", "Y"],
    "xpos": ["_", "_", "_"],
    "deprels": ["root", "obj", "root"],
    "names": ["s1", "s2"],
    "lines": [2, 7],
    "source": "file.conllu",
}


def build(**changed):
    return Corpus.from_columns(**{**GOOD, **changed})


def test_columns_are_coded():
    corpus = build()
    assert (corpus.n_words, corpus.n_sentences) == (3, 2)
    assert corpus.forms.strings == ("a", "b")
    assert corpus.forms.codes.tolist() == [0, 1, 0]
    assert corpus.forms[2] == "a"
    assert corpus.lengths.tolist() == [2, 1]
    assert corpus.sentence_of_word.tolist() == [0, 0, 1]
    assert corpus.head_words.tolist() == [-1, 0, -1]
    assert corpus.heads.dtype == np.int32
    assert corpus.offsets.dtype == np.int64


def test_arrays_and_coded_columns_are_taken_over_without_a_copy():
    heads, forms = np.array([0, 1, 0], dtype=np.int32), Column(np.array([1, 0, 1], dtype=np.int32), ("b", "a"))
    corpus = build(heads=heads, forms=forms)
    assert corpus.heads is heads
    assert corpus.forms is forms


def test_names_lines_and_ranges_may_be_left_out():
    corpus = Corpus.from_columns([0, 1], [0], ["a"], ["X"], ["_"], ["root"])
    assert corpus.place(0) == "corpus: sentence 1"
    assert len(corpus.ranges) == 0


def test_a_corpus_may_be_empty():
    corpus = Corpus.from_columns([0], [], [], [], [], [])
    assert (corpus.n_words, corpus.n_sentences) == (0, 0)


def test_place_names_file_line_and_sentence():
    assert build().place(1) == "file.conllu:7: sentence 2 (s2)"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"offsets": []}, "file.conllu: offsets are missing, expected 0..3 for 3 words"),
        ({"offsets": [0, 2]}, "file.conllu: offsets are 0..2, expected 0..3 for 3 words"),
        ({"offsets": [1, 3]}, "file.conllu: offsets are 1..3, expected 0..3 for 3 words"),
        ({"offsets": [0, 0, 3]}, "file.conllu:2: sentence 1 (s1) has 0 words, expected at least 1"),
        ({"offsets": [0, 4, 3]}, "file.conllu:7: sentence 2 (s2) has -1 words, expected at least 1"),
        ({"offsets": [[0, 3]]}, "file.conllu: offsets have 2 dimensions, expected a flat sequence of integers"),
        ({"heads": [0, 1, 0.5]}, "file.conllu: heads are float64 values, expected integers that fit int32"),
        ({"heads": [0, 1, 2**40]}, "file.conllu: heads are int64 values, expected integers that fit int32"),
        ({"heads": ["0", "1", "0"]}, "file.conllu: heads are <U1 values, expected integers that fit int32"),
        ({"heads": [0, 3, 0]}, "file.conllu:2: sentence 1 (s1), word 2: head is 3, expected 0..2"),
        ({"heads": [0, 1, -1]}, "file.conllu:7: sentence 2 (s2), word 1: head is -1, expected 0..1"),
        ({"upos": ["X"]}, "file.conllu: 1 upos, expected 3"),
        ({"names": ["s1"]}, "file.conllu: 1 sentence names, expected 2"),
        ({"lines": [1, 2, 3]}, "file.conllu: 3 line numbers, expected 2"),
        ({"forms": Column(np.array([0, 1, 2]), ("a", "b"))}, "file.conllu: code 2 in forms, expected 0..1"),
        ({"forms": Column(np.array([0, -1, 0]), ("a", "b"))}, "file.conllu: code -1 in forms, expected 0..1"),
        (
            {"forms": Column(np.array([0, 1, 0]), ("a", "a"))},
            "file.conllu: 2 forms listed, 1 distinct, expected no repeats",
        ),
        ({"forms": Column(np.zeros(3), ("a",))}, "file.conllu: codes of forms are no flat array of integers"),
        ({"ranges": [(2, 1, 1, "x")]}, "file.conllu: a range in sentence 2, expected 0..1"),
        ({"ranges": [(-1, 1, 1, "x")]}, "file.conllu: a range in sentence -1, expected 0..1"),
        (
            {"ranges": [(0, 1, 3, "x")]},
            "file.conllu:2: sentence 1 (s1): range 1-3, expected ranges in order within 1..2 that do not overlap",
        ),
        (
            {"ranges": [(0, 0, 1, "x")]},
            "file.conllu:2: sentence 1 (s1): range 0-1, expected ranges in order within 1..2 that do not overlap",
        ),
        (
            {"ranges": [(0, 2, 1, "x")]},
            "file.conllu:2: sentence 1 (s1): range 2-1, expected ranges in order within 1..2 that do not overlap",
        ),
        (
            {"ranges": [(0, 1, 2, "x"), (0, 2, 2, "x")]},
            "file.conllu:2: sentence 1 (s1): range 2-2, expected ranges in order within 1..2 that do not overlap",
        ),
        (
            {"ranges": [(1, 1, 1, "x"), (0, 1, 2, "x")]},
            "file.conllu:2: sentence 1 (s1): range 1-2, expected ranges in order within 1..2 that do not overlap",
        ),
        (
            {"ranges": Ranges(np.array([0]), np.array([1]), np.array([]), Column.of("x"))},
            "file.conllu: 0 lasts of ranges, expected 1",
        ),
        (
            {"ranges": Ranges(np.array([0]), np.array([1]), np.array([2]), Column(np.array([1]), ("x",)))},
            "file.conllu: code 1 in forms of ranges, expected 0..0",
        ),
    ],
)
def test_bad_columns_get_one_clear_line(changed, message):
    with pytest.raises(CorpusError) as caught:
        build(**changed)
    assert str(caught.value) == message


def test_share_puts_columns_into_one_table():
    (a, b), strings = share(Column.of(["x", "y", "x"]), Column.of(["z", "x"]))
    assert strings == ("x", "y", "z")
    assert a.tolist() == [0, 1, 0]
    assert b.tolist() == [2, 0]


def test_a_mapped_column_joins_what_becomes_equal():
    column = Column.of(["nmod:poss", "obj", "nmod"]).mapped(lambda s: s.split(":")[0])
    assert column.strings == ("nmod", "obj")
    assert column.codes.tolist() == [0, 1, 0]


def test_where_and_lookup_of_an_empty_column():
    assert Column.of([]).where("x".__eq__).tolist() == []


def test_the_plain_reader_of_the_tests_reads_what_it_writes():
    sentences = [
        Sentence([Word("a b", 2, "nmod:poss", "NOUN", "NN"), Word("c", 0, "root")], [(1, 2, "abc")], "", 1),
        Sentence([Word("d", 0, "root")], [], "", 5),
    ]
    assert read_text(write_text(sentences)) == sentences
    assert corpus_of(sentences).ranges.forms.strings == ("abc",)


def test_the_plain_reader_skips_comments_and_empty_nodes():
    text = "# sent_id = first\n1\ta\t_\tX\tx\t_\t0\troot\t_\t_\n1.1\tgap\t_\t_\t_\t_\t_\t_\t0:root\t_\n\n"
    assert read_text(text) == [Sentence([Word("a", 0, "root")], [], "first", 2)]
