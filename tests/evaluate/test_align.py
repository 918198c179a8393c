"""Alignment by characters, by hand and against the word-by-word walk."""

import random
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_evaluation import Naive
from plain_corpus import Sentence, Word, corpus_of
from random_corpora import random_letters, reparsed, retokenized, tokenized

from parser.evaluate.align import AlignmentError, align, without_spaces
from parser.evaluate.score import Score


def sentence(forms, ranges=(), name="", line=0):
    """Words of these forms, each on the one before it."""
    return Sentence([Word(form, i, "dep") for i, form in enumerate(forms.split())], list(ranges), name, line)


def aligned(gold, system):
    return align(corpus_of(gold, "gold"), corpus_of(system, "system"))


def test_same_words_are_paired_one_to_one():
    both = [sentence("a b c", [(2, 3, "x")]), sentence("d")]
    found = aligned(both, both)
    assert found.system_of_gold.tolist() == [0, 1, 2, 3]
    assert found.tokens == Score(3, 3, 3)
    assert found.sentences == Score(2, 2, 2)
    assert found.words == Score(4, 4, 4, 4)


def test_words_are_paired_by_their_characters():
    found = aligned([sentence("ab c de")], [sentence("a bc de")])
    assert found.system_of_gold.tolist() == [-1, -1, 2]
    assert found.gold_of_system.tolist() == [-1, -1, 2]
    assert found.tokens == Score(1, 3, 3)
    assert found.words == Score(1, 3, 3, 1)


def test_sentences_are_paired_by_their_characters():
    found = aligned([sentence("a b"), sentence("c d")], [sentence("a b"), sentence("c"), sentence("d")])
    assert found.system_of_gold.tolist() == [0, 1, 2, 3]
    assert found.sentences == Score(1, 2, 3)
    assert found.sentence_of_system.tolist() == [0, 0, 1, 1]


def test_an_unpaired_word_counts_in_the_gold_sentence_it_starts_in():
    found = aligned([sentence("a b"), sentence("c d")], [sentence("ab cd")])
    assert found.sentence_of_system.tolist() == [0, 1]


def test_spaces_in_a_form_do_not_count():
    gold = [Sentence([Word("1\u00a0000", 0, "root"), Word("x", 1, "dep")])]
    found = aligned(gold, [sentence("1000 x")])
    assert found.system_of_gold.tolist() == [0, 1]


def test_every_separator_of_unicode_is_a_space_and_nothing_else():
    everything = [chr(c) for c in range(sys.maxunicode + 1)]
    gone = [c for c in everything if without_spaces(f"a{c}") == "a"]
    assert gone == [c for c in everything if unicodedata.category(c) == "Zs"]
    assert " " in gone


def test_words_of_a_multiword_token_are_paired_by_form():
    # "vámonos" is one token on both sides: the first pair is a common subsequence without regard to case
    gold = [sentence("Vamos nos al mar", [(1, 2, "Vámonos")])]
    system = [sentence("vamos al mar", [(1, 1, "Vámonos")])]
    assert aligned(gold, system).system_of_gold.tolist() == [0, -1, 1, 2]


def test_words_of_a_multiword_token_keep_their_spaces():
    gold = [Sentence([Word("a b", 0, "root"), Word("c", 1, "dep")], [(1, 2, "x")])]
    system = [Sentence([Word("ab", 0, "root"), Word("c", 1, "dep")], [(1, 2, "x")])]
    assert aligned(gold, system).system_of_gold.tolist() == [-1, 1]


def test_a_multiword_token_meets_plain_words():
    gold = [sentence("do n't go", [(1, 2, "don't")])]
    assert aligned(gold, [sentence("do n't go")]).system_of_gold.tolist() == [0, 1, 2]
    assert aligned([sentence("do n't go")], gold).system_of_gold.tolist() == [0, 1, 2]


def test_a_word_that_sticks_out_of_a_region_joins_it_before_a_word_that_starts_with_it():
    """The official scorer counts two pairs here; were the system's word to go first, there would be none."""
    gold = [sentence("aA"), sentence("B b", [(1, 2, "b")])]
    system = [sentence("b", [(1, 1, "a")]), sentence("B b b", [(1, 3, "A")]), sentence("a", [(1, 1, "b")])]
    assert aligned(gold, system).system_of_gold.tolist() == [-1, 1, 2]


def test_the_same_words_without_their_multiword_tokens_are_paired_one_to_one():
    found = aligned([sentence("de le monde", [(1, 2, "du")])], [sentence("de le monde")])
    assert found.system_of_gold.tolist() == [0, 1, 2]
    assert found.tokens is None
    assert found.sentences == Score(1, 1, 1)


def test_empty_corpora_are_paired():
    found = aligned([], [])
    assert found.words == Score(0, 0, 0, 0)
    assert found.words.f1 == 0.0


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            [sentence("a b", name="one", line=3)],
            [sentence("a c")],
            "the two files spell different texts, expected the same characters:"
            " gold:3: sentence 1 (one) goes on with 'b', system: sentence 1 goes on with 'c'",
        ),
        (
            [sentence("a"), sentence("b c", name="two")],
            [sentence("ab")],
            "the two files spell different texts, expected the same characters:"
            " gold: sentence 2 (two) goes on with 'c', system ends",
        ),
        (
            [],
            [sentence("ab")],
            "the two files spell different texts, expected the same characters:"
            " gold ends, system: sentence 1 goes on with 'ab'",
        ),
        (
            [Sentence([Word("a", 0, "root"), Word("\u00a0", 1, "dep")], name="one", line=3)],
            [sentence("a")],
            "gold:3: sentence 1 (one), word 2: the form has no character but spaces, expected others too",
        ),
    ],
)
def test_other_texts_are_refused_in_one_line(gold, system, message):
    with pytest.raises(AlignmentError) as caught:
        aligned(gold, system)
    assert str(caught.value) == message


@given(st.integers(0, 60), st.sampled_from(["a", "b", "aa"]), st.integers(1, 60))
def test_the_first_difference_of_two_texts_is_found(at, other, length):
    letters = ["x"] * length
    changed = [*letters[:at], other, *letters[at + 1 :]]
    with pytest.raises(AlignmentError) as caught:
        aligned([sentence(" ".join(letters))], [sentence(" ".join(changed))])
    shown = ("".join(changed))[min(at, length) :][:20]
    assert repr(shown) in str(caught.value)


# how much of the text is in multiword tokens, on each side
@settings(max_examples=400)
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(["other", "retokenized", "reparsed"]),
    st.sampled_from([0.0, 0.2, 0.6]),
    st.sampled_from([0.0, 0.2, 0.6]),
)
def test_alignment_equals_the_walk_word_by_word(rng: random.Random, kind, gold_multiword, system_multiword):
    letters = random_letters(rng, 40)
    gold = tokenized(rng, letters, gold_multiword)
    system = {
        "other": lambda: tokenized(rng, letters, system_multiword),
        "retokenized": lambda: retokenized(rng, gold),
        "reparsed": lambda: reparsed(rng, gold),
    }[kind]()
    found, naive = aligned(gold, system), Naive(gold, system)
    index = {b.key: i for i, b in enumerate(naive.system)}
    wanted = [index[naive.system_of[a.key].key] if a.key in naive.system_of else -1 for a in naive.gold]
    assert found.system_of_gold.tolist() == wanted
    back = [-1] * len(naive.system)
    for g, s in enumerate(wanted):
        if s >= 0:
            back[s] = g
    assert found.gold_of_system.tolist() == back
    assert found.sentence_of_system.tolist() == [naive.home(b) for b in naive.system]
    assert found.tokens == Score(*naive.tokens())
    assert found.sentences == Score(*naive.sentences())
    assert found.words == Score(len(naive.system_of), len(wanted), len(back), len(naive.system_of))
