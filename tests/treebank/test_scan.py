"""The scan of a block, by every variant that this processor has, against a walk over its bytes."""

import io
import random

import hypothesis.strategies as st
import pytest
from hypothesis import given

from parser.treebank import Reader, TreebankError, Writer
from parser.treebank.reader import scanned, scans

CR, NUL, NON_ASCII, EMPTY_CELL, CHANCE = 2, 1, 4, 8, 16


def walked(text: bytes) -> tuple[list[int], list[int], list[int], int]:
    """Line starts, for each the index of its first tab, tabs, flags."""
    lines, first_tabs, tabs, flags = [0], [0], [], 0
    for at, byte in enumerate(text):
        before = text[at - 1 : at] if at else b"\n"
        flags |= {13: CR, 0: NUL}.get(byte, 0) | (NON_ASCII if byte >= 128 else 0)
        if byte == 9:
            tabs.append(at)
            flags |= EMPTY_CELL if before in (b"\t", b"\n") else 0
        if byte == 10:
            lines.append(at + 1)
            first_tabs.append(len(tabs))
            flags |= EMPTY_CELL if before == b"\t" else 0
        if byte == ord("=") and before == b"b":
            flags |= CHANCE
    return lines, first_tabs, tabs, flags


def test_the_plain_scan_is_always_there():
    assert scans()[0] == "plain"
    with pytest.raises(ValueError, match="scan 'none': this processor has plain"):
        scanned(b"", "none")


@pytest.mark.parametrize("name", scans())
@given(st.lists(st.sampled_from([b"\t", b"\n", b"a", b"b", b"=", b"1\tword\t_\n", b"x" * 61, b"\r", b"\0", b"\xc3"])))
def test_whatever_is_in_it(name, pieces):
    text = b"".join(pieces)
    assert scanned(text, name) == walked(text)


@pytest.mark.parametrize("name", scans())
def test_blocks_of_nothing_but_tabs_or_lines_and_all_lengths(name):
    for n in range(200):
        for text in (b"\t" * n, b"\n" * n, b"\t\n" * n, b"ab=\t" * n, b"-" * n + b"b=", b"-" * n + b"\t\t"):
            assert scanned(text, name) == walked(text)


@pytest.mark.parametrize("name", scans())
def test_long_texts_with_words_of_all_lengths(name):
    rng = random.Random(1)
    rows = [b"\t".join(b"w" * rng.randrange(30) for _ in range(rng.randrange(1, 14))) for _ in range(2000)]
    text = b"\n".join(rows)
    assert scanned(text, name) == walked(text)


class Pieces(io.BytesIO):
    """64 bytes at a time, as a pipe may give them: the scan goes on where it stood."""

    def readinto(self, room):
        return super().readinto(memoryview(room)[:64])


@pytest.mark.parametrize("n", range(64))
def test_what_stands_on_both_sides_of_64_bytes_that_were_scanned_apart(n):
    row = "1\t" + "w" * (n + 100) + "\t_\tX\t_\t_\t0\troot\t_\tHeadProb=0.5000\n\n"
    out = io.BytesIO()
    with Writer(out) as writer:
        for batch in Reader(Pieces(row.encode()), format="conllu").batches():
            writer.write(batch, [0], [0], ["root"])
    assert out.getvalue().decode() == row.replace("HeadProb=0.5000", "_")
    for spoilt in (row.replace("\tX", "\t\tX").replace("\t_\t_\t0", "\t_\t0"), row.replace("HeadProb=0.5000", "")):
        with pytest.raises(TreebankError, match="is empty, expected"):
            list(Reader(Pieces(spoilt.encode()), format="conllu"))
