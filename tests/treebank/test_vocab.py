"""String tables: ids in order of first occurrence, frozen tables, the reserved ids, many strings."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.treebank import StringTable, Vocab


@given(st.lists(st.text(max_size=40)))
def test_ids_are_those_of_a_dict(texts):
    """The twin is a dict; strings of 0 to 40 characters take every way through the memo."""
    table, twin = StringTable(), {}
    for text in texts:
        assert table.add(text) == twin.setdefault(text, len(twin) + 3)
    for text, number in twin.items():
        assert table[text] == number
        assert table.string(number) == text
        assert text in table
    assert table.strings() == list(twin)
    assert len(table) == len(twin) + 3


def test_strings_that_agree_at_both_ends_are_kept_apart():
    table = StringTable()
    texts = ["12345678" + middle + "87654321" for middle in ("", "a", "b", "ab", "ba", "x" * 100, "y" * 100)]
    texts += ["a\0", "a", "a\0\0", "\0", ""]
    numbers = [table.add(text) for text in texts * 3]
    assert numbers == list(range(3, 3 + len(texts))) * 3


def test_a_frozen_table_knows_what_it_knew():
    table = StringTable("form")
    table.add("known")
    assert not table.frozen
    table.freeze()
    assert table.add("known") == table["known"] == 3
    assert table.add("new") == table["new"] == 1
    assert "new" not in table
    assert table.add("a much longer new string") == 1
    assert len(table) == 4


def test_reserved_ids_have_names_and_no_string_gets_one():
    table = StringTable()
    assert [table.string(number) for number in range(3)] == ["_", "<unknown>", "<root>"]
    assert table.add("_") == 3
    assert table.add("<root>") == 4
    for number in (-1, 5):
        with pytest.raises(IndexError, match=r"id -?\d is not in 0\.\.4"):
            table.string(number)


def test_many_strings():
    table = StringTable()
    texts = [f"word number {k}" for k in range(200_000)]
    assert [table.add(text) for text in texts] == list(range(3, 200_003))
    assert [table[text] for text in texts[::997]] == list(range(3, 200_003))[::997]
    assert table.string(150_000) == texts[149_997]


def test_a_string_longer_than_a_block():
    table = StringTable()
    long = "x" * 300_000
    assert table.add(long) == 3
    assert table.add("short") == 4
    assert table.string(3) == long
    assert table.string(4) == "short"


def test_pickled_tables_keep_ids_and_frozenness():
    table = StringTable("form")
    for text in ("b", "a", "ä"):
        table.add(text)
    table.freeze()
    again = pickle.loads(pickle.dumps(table))
    assert again.strings() == ["b", "a", "ä"]
    assert again.frozen
    assert again.name == "form"


def test_vocab_has_a_table_per_column():
    vocab = Vocab()
    vocab["form"].add("x")
    assert list(vocab) == ["form", "lemma", "upos", "xpos", "feats", "deprel"]
    assert repr(vocab) == "Vocab(form 1, lemma 0, upos 0, xpos 0, feats 0, deprel 0)"
    vocab.freeze()
    assert all(vocab[column].frozen for column in vocab)
