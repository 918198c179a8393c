"""Filling a string table from packed strings, as a model file has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.model import ModelFile, write_model
from parser.treebank import StringTable


def packed(strings):
    encoded = [text.encode() for text in strings]
    return np.cumsum([0, *map(len, encoded)], dtype=np.uint32), np.frombuffer(b"".join(encoded), np.uint8)


@given(st.lists(st.text(max_size=20), unique=True, max_size=30))
def test_the_same_table_as_by_adding_one_by_one(strings):
    one_by_one, at_once = StringTable("x"), StringTable("x")
    for text in strings:
        one_by_one.add(text)
    at_once.extend(*packed(strings))
    assert at_once.strings() == one_by_one.strings() == strings
    assert [at_once[text] for text in strings] == list(range(3, 3 + len(strings)))


def test_through_a_model_file(tmp_path):
    strings = [f"w{i}é" for i in range(5000)]
    write_model(tmp_path / "m", strings={"form": strings})
    table = StringTable("form")
    table.extend(*ModelFile(tmp_path / "m").packed_strings("form"))
    assert table.strings() == strings
    assert table["w77é"] == 80


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 1, 2], "form: string 1 is there twice"),
        ([0, 3], "form: string 0 ends at 3 of 2 bytes"),
        ([0, 2, 1], "form: string 1 ends at 1 of 2 bytes"),
        ([2**32 - 1, 1], "form: string 0 ends at 1 of 2 bytes"),
    ],
)
def test_what_does_not_fit_is_told(offsets, message):
    with pytest.raises(ValueError, match=message):
        StringTable("form").extend(np.array(offsets, np.uint32), np.frombuffer(b"aa", np.uint8))


def test_a_frozen_table_stays():
    table = StringTable("form")
    table.freeze()
    with pytest.raises(ValueError, match="form: the table is frozen"):
        table.extend(*packed(["a"]))


def test_no_strings():
    table = StringTable("form")
    table.extend(*packed([]))
    table.extend(np.empty(0, np.uint32), np.empty(0, np.uint8))
    assert len(table) == 3
