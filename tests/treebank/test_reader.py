"""Reading: what good files give, and the one line that every kind of bad file gives."""

import io
import itertools
import os
import threading

import numpy as np
import pytest
import samples
from plain_conllu import read_plain
from samples import tabs

from parser.treebank import Batch, Reader, TreebankError, Vocab


def reader_of(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return Reader(io.BytesIO(data), **{"format": "conllu", **options})


def sentences_of(text, **options):
    return list(reader_of(text, **options))


def error_of(text, **options):
    with pytest.raises(TreebankError) as caught:
        sentences_of(text, **options)
    return str(caught.value)


def test_words_columns_and_marks():
    one, two, three, four = sentences_of(samples.ALL)
    assert one.words == ["Mi", "vidas", "."]
    assert one.column("upos") == ["PRON", "VERB", "PUNCT"]
    assert one.heads.tolist() == [2, 0, 2]
    assert one.labels == ["nsubj", "root", "punct"]
    assert one.name == "one"
    assert one.line == 1
    assert one.comments == ["# sent_id = one", "# text = Mi vidas."]
    assert two.words == ["à", "le", "10 000", "_"]
    assert two.multiwords == [(1, 2, "au")]
    assert two.empty_nodes == [(3, 1, "elided"), (3, 2, "too")]
    assert two.line == 7
    assert three.empty_nodes == [(0, 1, "he")]
    assert three.name == "sentence 3"
    assert not four.is_parsed
    assert four.heads.tolist() == [-1, -1]
    assert four.labels == ["_", "_"]


def test_ids_follow_the_first_occurrence_and_underscore_is_missing_but_for_forms():
    vocab = Vocab()
    batch = Batch()
    assert reader_of(samples.ALL, vocab=vocab).fill(batch)
    forms = [word for sentence in read_plain(samples.ALL) for word in sentence.column(1)]
    assert [vocab["form"].string(k) for k in batch.column_ids("form")] == forms
    assert batch.column_ids("form")[:3].tolist() == [3, 4, 5]
    assert batch.column_ids("xpos")[3] == 0
    lemmas = dict(zip(forms, batch.column_ids("lemma").tolist(), strict=True))
    assert lemmas["so"] == 0, "a lemma `_` is missing"
    assert vocab["lemma"].string(lemmas["_"]) == "_", "the lemma of the form `_` may be `_` itself"
    assert lemmas["_"] >= 3
    assert batch.offsets.tolist() == [0, 3, 7, 8, 10]
    assert batch.heads.dtype == np.int32


def test_a_frozen_vocab_gives_unknown_for_new_strings():
    vocab = Vocab()
    sentences_of(samples.PLAIN, vocab=vocab)
    vocab.freeze()
    batch = Batch()
    reader_of(samples.PLAIN.replace("vidas", "dormas"), vocab=vocab).fill(batch)
    assert batch.column_ids("form").tolist() == [3, 1, 5]


def test_only_interned_columns_have_ids():
    batch = Batch()
    reader_of(samples.PLAIN, intern=["form"]).fill(batch)
    assert batch.column_ids("form").tolist() == [3, 4, 5]
    with pytest.raises(KeyError, match="column 'upos' was not interned"):
        batch.column_ids("upos")


@pytest.mark.parametrize("block_size", [64, 100, 1000, 1 << 19])
def test_sentences_are_never_split_whatever_the_block(block_size):
    text = samples.ALL * 50
    found = [s.text for s in sentences_of(text, block_size=block_size)]
    assert found == [s.text().removesuffix("\n") for s in read_plain(text)]


@pytest.mark.parametrize(
    "changed",
    [
        samples.ALL.replace("\n", "\r\n"),
        "\ufeff" + samples.ALL,
        "\ufeff" + samples.ALL.replace("\n", "\r\n"),
        samples.ALL[:-1],
        samples.ALL[:-2],
        samples.ALL[:-2].replace("\n", "\r\n"),
        samples.ALL[:-2].replace("\n", "\r\n") + "\r",
        "\n\n" + samples.ALL + "\n\n\n",
        samples.ALL.replace("\n\n", "\n\n\n\n"),
        samples.ALL.replace("\n\n", "\n \t \n"),
    ],
    ids=["crlf", "bom", "bom+crlf", "no final blank line", "no final newline", "crlf, no final newline",
         "crlf cut in two", "blank lines around", "blank lines between", "white space for blank lines"],
)  # fmt: skip
@pytest.mark.parametrize("block_size", [64, 1 << 19])
def test_what_is_tolerated_reads_like_the_clean_file(changed, block_size):
    assert [s.text for s in sentences_of(changed, block_size=block_size)] == [s.text for s in sentences_of(samples.ALL)]


def test_line_numbers_are_those_of_the_file():
    spoilt = "\r\n\r\n" + samples.PLAIN.replace("\n", "\r\n") + "1\tx\r\n"
    assert error_of(spoilt) == "<stream>:9: 2 columns, expected 10 columns"
    assert error_of(samples.PLAIN * 40 + "1\tx\n", block_size=64).startswith("<stream>:241: ")


ROW = tabs("{} | w | _ | _ | _ | _ | {} | x | _ | _\n")


def rows(*pairs):
    return "".join(ROW.format(number, head) for number, head in pairs) + "\n"


BAD = {
    "too few columns": ("1\tw\t_\n", 1, "3 columns, expected 10 columns"),
    "too many columns": (rows((1, 0)).replace("\tx", "\tx\tx"), 1, "11 columns, expected 10 columns"),
    "spaces for tabs": (
        "1 w _ _ _ _ 0 x _ _\n",
        1,
        "1 column, expected 10 columns, separated by tabs: this row has spaces instead",
    ),
    "an empty cell": (rows((1, 0)).replace("w", ""), 1, "column 2 is empty, expected a value or _"),
    "an empty last cell": ("1\tw\t_\t_\t_\t_\t0\tx\t_\t\n", 1, "column 10 is empty, expected a value or _"),
    "ids not from 1": (rows((2, 0)), 1, "ID is '2', expected 1"),
    "ids out of order": (rows((1, 0), (3, 1)), 2, "ID is '3', expected 2"),
    "an id twice": (rows((1, 0), (1, 1)), 2, "ID is '1', expected 2"),
    "an id with a zero before it": (rows((1, 0), ("02", 1)), 2, "ID is '02', expected 2"),
    "an id that is no number": (rows(("a", 0)), 1, "ID is 'a', expected 1"),
    "a range behind its word": (
        rows((1, 0), ("1-2", "_"), (2, 1)),
        2,
        "multiword range 1-2: expected one that starts at the next word (2), ends behind it and overlaps no other",
    ),
    "overlapping ranges": (
        rows(("1-3", "_"), (1, 0), ("2-3", "_"), (2, 1), (3, 1)),
        3,
        "multiword range 2-3: expected one that starts at the next word (2), ends behind it and overlaps no other",
    ),
    "a range of one": (
        rows(("1-1", "_"), (1, 0)),
        1,
        "multiword range 1-1: expected one that starts at the next word (1), ends behind it and overlaps no other",
    ),
    "a range beyond the end": (
        rows((1, 0), ("2-4", "_"), (2, 1)),
        3,
        "a multiword range ends at word 4, expected at most 2",
    ),
    "an empty node out of order": (
        rows((1, 0), ("1.2", "_")),
        2,
        "empty node 1.2: expected the next one behind word 1",
    ),
    "an empty node of another word": (
        rows((1, 0), ("2.1", "_")),
        2,
        "empty node 2.1: expected the next one behind word 1",
    ),
    "a head out of range": (rows((1, 0), (2, 3)), 2, "word 2 has head 3, expected 0..2"),
    "a head that is no number": (rows((1, "x")), 1, "HEAD is 'x', expected a number or _"),
    "a negative head": (rows((1, "-1")), 1, "HEAD is '-1', expected a number or _"),
    "a huge head": (rows((1, 99999999999)), 1, "HEAD is '99999999999', expected a number or _"),
    "its own head": (rows((1, 0), (2, 2)), 2, "word 2 is its own head"),
    "a cycle": (
        rows((1, 0), (2, 3), (3, 2)),
        2,
        "word 2 is on a cycle of heads, expected every word to reach ROOT",
    ),
    "no root": (rows((1, 2), (2, 1)), 1, "word 1 is on a cycle of heads, expected every word to reach ROOT"),
    "some heads missing": (
        rows((1, 0), (2, "_")),
        2,
        "HEAD is _, expected a number as in other words of the sentence",
    ),
    "a comment among the words": (
        rows((1, 0)).rstrip("\n") + "\n# late\n" + rows((2, 1)),
        2,
        "a comment between the words of a sentence, expected comments before the first word",
    ),
    "comments without words": ("# a\n# b\n\n", 2, "a sentence without words, expected word rows behind the comments"),
    "not UTF-8": (rows((1, 0)).encode().replace(b"w", b"\xff"), 1, "byte 0xFF is not valid UTF-8"),
    "half a character": (rows((1, 0)).encode().replace(b"w", b"\xe2\x82"), 1, "byte 0xE2 is not valid UTF-8"),
    "a surrogate": (rows((1, 0)).encode().replace(b"w", b"\xed\xa0\x80"), 1, "byte 0xED is not valid UTF-8"),
    "an overlong character": (rows((1, 0)).encode().replace(b"w", b"\xc0\xaf"), 1, "byte 0xC0 is not valid UTF-8"),
    "not UTF-8 in a comment": (b"# \x80\n" + rows((1, 0)).encode(), 1, "byte 0x80 is not valid UTF-8"),
    "a NUL byte": (rows((1, 0)).replace("w", "a\0b"), 1, "a NUL byte, expected text"),
    "a carriage return": (
        rows((1, 0)).replace("w", "a\rb"),
        1,
        "a carriage return inside a line, expected it only before a line end",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_gives_one_clear_line(what):
    text, line, message = BAD[what]
    assert error_of(text) == f"<stream>:{line}: {message}"


@pytest.mark.parametrize("what", BAD)
def test_bad_sentences_can_be_skipped_and_are_counted(what):
    text, line, message = BAD[what]
    good = samples.PLAIN.encode()
    bad = text if isinstance(text, bytes) else text.encode()
    reader = reader_of(good + bad.rstrip(b"\n") + b"\n\n" + good, on_error="skip")
    assert [s.words for s in reader] == [["Mi", "vidas", "."]] * 2
    assert reader.skipped == 1
    assert reader.n_words == 6
    assert [str(fault) for fault in reader.faults] == [f"<stream>:{line + 6}: {message}"]


def test_sentences_before_a_fault_are_given_out_first():
    reader = reader_of(samples.PLAIN + BAD["a cycle"][0])
    sentences = iter(reader)
    assert next(sentences).words == ["Mi", "vidas", "."]
    with pytest.raises(TreebankError, match="cycle"):
        next(sentences)


def test_several_roots_by_switch():
    text = rows((1, 0), (2, 0))
    assert len(sentences_of(text, roots="ignore")) == 1
    reader = reader_of(text, roots="warn")
    assert len(list(reader)) == 1
    assert reader.several_roots == 1
    expected = "<stream>:2: 2 words have head 0, expected one root (the second is word 2)"
    assert error_of(text, roots="error") == expected


def test_heads_can_be_ignored():
    (sentence,) = sentences_of(BAD["a cycle"][0], heads="ignore")
    assert sentence.heads.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "  \n\t\n"])
def test_an_empty_file_is_an_error(text):
    assert error_of(text) == "<stream>: holds no sentence, expected rows of tab-separated columns"


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(TreebankError, match=r"nothing\.conllu: cannot be read: No such file"):
        Reader(tmp_path / "nothing.conllu")
    with pytest.raises(TreebankError, match="is a directory, expected a file"):
        Reader(tmp_path)


def test_options_are_checked():
    for options in ({"heads": "x"}, {"roots": "x"}, {"on_error": "x"}):
        with pytest.raises(ValueError, match="expected one of"):
            reader_of(samples.PLAIN, **options)
    with pytest.raises(TreebankError, match="unknown format 'x'"):
        reader_of(samples.PLAIN, format="x")


def test_a_sentence_of_100_000_words():
    n = 100_000
    text = rows(*[(k, k - 1) for k in range(1, n + 1)])
    (sentence,) = sentences_of(text)
    assert len(sentence) == n
    assert sentence.heads.tolist() == list(range(n))


def test_conllx_and_conll09(tmp_path):
    (x,) = sentences_of(samples.CONLLX, format="conllx")
    assert x.heads.tolist() == [2, 0, 0]
    assert x.labels == ["SBJ", "ROOT", "P"]
    assert x.column("xpos") == ["PR", "VF", "."]
    (nine,) = sentences_of(samples.CONLL09, format="auto")
    assert nine.batch.layout.name == "conll09"
    assert nine.heads.tolist() == [2, 0]
    assert nine.labels == ["SBJ", "ROOT"]
    assert nine.column("xpos") == ["PR", "VF"]
    assert nine.column("upos") == ["_", "_"]
    path = tmp_path / "a.conllx"
    path.write_text(samples.CONLLX)
    (x,) = Reader(path)
    assert x.batch.layout.name == "conllx"
    expected = "<stream>:1: ID is '1-2', expected 1: CoNLL-X has no multiword rows or empty nodes"
    assert error_of(rows(("1-2", "_"), (1, 0)), format="conllx") == expected


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_compressed_files(tmp_path, suffix):
    from parser.treebank import open_output

    path = tmp_path / f"sample.conllu{suffix}"
    with open_output(path) as out:
        out.write(samples.ALL.encode())
    assert not list(tmp_path.glob("*.partial*"))
    assert [s.text for s in Reader(path)] == [s.text for s in sentences_of(samples.ALL)]
    if suffix:
        whole = path.read_bytes()
        assert whole != samples.ALL.encode()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(TreebankError, match="cannot be read on"):
            list(Reader(path))
        path.write_bytes(b"this is not compressed at all")
        with pytest.raises(TreebankError, match="cannot be read"):
            list(Reader(path))


def test_what_is_read_or_closed_already_is_told():
    """Nobody gets nothing, or the rest of it, for the whole file."""
    left, read, closed = reader_of(samples.ALL), reader_of(samples.ALL), reader_of(samples.ALL)
    for _ in left:
        break
    assert len(list(read)) == 4
    closed.close()
    for reader in (left, read, closed):
        with pytest.raises(TreebankError) as caught:
            list(reader)
        assert str(caught.value) == "<stream>: has been read or closed already, expected a new Reader to begin anew"


def test_a_pipe_answers_before_it_is_closed():
    """A sentence that has come in whole is given out although more may follow."""
    receive, send = os.pipe()
    done = threading.Event()

    def feed():
        os.write(send, samples.PLAIN.encode())
        done.wait(20)
        os.write(send, samples.MULTIWORD.encode())
        os.close(send)

    writer = threading.Thread(target=feed)
    writer.start()
    with open(receive, "rb", buffering=0) as stream:
        sentences = iter(Reader(stream, format="conllu"))
        assert next(sentences).words == ["Mi", "vidas", "."]
        done.set()
        assert next(sentences).words == ["à", "le", "10 000", "_"]
        assert next(sentences, None) is None
    writer.join()


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc: runs on Linux")
def test_streaming_keeps_memory_flat(tmp_path):
    """Peak memory of a fresh process that streams a file, and one ten times as large."""
    import subprocess
    import sys

    program = (
        "import sys; from parser.treebank import Batch, Reader\n"
        "reader, batch = Reader(sys.argv[1]), Batch()\n"
        "while reader.fill(batch): pass\n"
        "status = open('/proc/self/status').read()\n"
        "print(reader.n_words, status.split('VmHWM:')[1].split()[0])"
    )
    # AddressSanitizer holds freed memory back: not here, where memory is measured
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    peaks = []
    for times in (20_000, 200_000):
        path = tmp_path / f"{times}.conllu"
        path.write_text(samples.PLAIN * times)
        answer = subprocess.run(
            [sys.executable, "-c", program, path],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "ASAN_OPTIONS": sanitizer},
        )
        words, kilobytes = map(int, answer.stdout.split())
        assert words == 3 * times
        peaks.append(kilobytes)
    assert peaks[1] < peaks[0] + 2000


def test_a_stream_of_text_is_refused():
    for format in ("conllu", "text"):
        with pytest.raises(TypeError, match="a stream of text, expected one of bytes"):
            Reader(io.StringIO(samples.PLAIN), format=format)


def test_columns_as_bytes_and_offsets():
    batch = Batch()
    Reader(io.BytesIO(samples.ALL.encode()), format="conllu").fill(batch)
    for field in ("form", "lemma", "feats", "deprel"):
        data, offsets = batch.column_bytes(field)
        cells = [data[a:b].decode() for a, b in itertools.pairwise(offsets.tolist())]
        assert cells == [cell for sentence in batch for cell in sentence.column(field)]
    Reader(io.BytesIO(samples.CONLL09.encode()), format="conll09").fill(batch)
    assert batch.column_bytes("upos")[0] == b"_" * batch.n_words


def test_sentences_of_all_lengths_and_numbers_that_only_begin_like_the_right_one():
    row = "{}\tw\t_\tX\t_\t_\t0\troot\t_\t_\n"
    text = "".join("".join(row.format(i) for i in range(1, n + 1)) + "\n" for n in (1, 9, 10, 99, 100, 255, 256, 1001))
    assert [len(sentence) for sentence in sentences_of(text, heads="ignore")] == [1, 9, 10, 99, 100, 255, 256, 1001]
    for words in (0, 8, 9, 98, 99, 254, 255, 256, 999):
        for wrong in (f"{words + 1}0", f"0{words + 1}", f"{words + 1} ", f" {words + 1}", f"{words}", f"{words + 2}"):
            before = "".join(row.format(i) for i in range(1, words + 1))
            message = error_of(before + row.format(wrong) + "\n", heads="ignore")
            assert f":{words + 1}: ID is {wrong!r}, expected {words + 1}" in message


@pytest.mark.parametrize("wrong", [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe8\xa6"])
def test_bytes_that_are_not_utf8_are_found_wherever_they_stand(wrong):
    for n in range(0, 200, 3):
        row = b"1\t" + b"a" * n + wrong + b"a" * (150 - n % 64) + b"\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
        assert error_of(row, heads="ignore").endswith(f":1: byte 0x{wrong[0]:02X} is not valid UTF-8")
    good = ("1\t" + "é見\U0001f600" * 40 + "a" * 70 + "\t_\tX\t_\t_\t0\troot\t_\t_\n\n").encode()
    assert len(sentences_of(good)) == 1
