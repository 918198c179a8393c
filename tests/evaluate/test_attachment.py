"""Attachment scores: a small file counted by hand, every figure against its slow twin."""

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_evaluation import Naive
from plain_corpus import corpus_of, read_text
from random_corpora import random_letters, reparsed, retokenized, tokenized

from parser.evaluate.attachment import attachment, clas, official
from parser.evaluate.comparison import (
    CONTENT_RELATIONS,
    METRICS,
    all_words,
    compare,
    right_words,
    sentence_counts,
    without_punctuation,
)
from parser.evaluate.corpus import CorpusError
from parser.evaluate.punctuation import CONVENTIONS
from parser.evaluate.score import Score


def conllu(*sentences):
    """Rows of "form upos xpos head deprel"; one string per sentence."""
    lines = []
    for rows in sentences:
        for i, row in enumerate(rows.strip().splitlines(), 1):
            form, upos, xpos, head, deprel = row.split()
            lines.append("\t".join([str(i), form, "_", upos, xpos, "_", head, deprel, "_", "_"]))
        lines.append("")
    return corpus_of(read_text("\n".join(lines) + "\n"))


GOLD = conllu(
    """
    Her   PRON  PRP$ 2 nmod:poss
    cat   NOUN  NN   3 nsubj
    eats  VERB  VBZ  0 root
    fish  NOUN  NN   3 obj
    ,     PUNCT ,    3 punct
    %-)   SYM   SYM  3 discourse
    .     PUNCT .    3 punct
    """,
    """
    Good  ADJ   PU   2 amod
    morning NOUN .   0 root
    !     .     .    2 punct
    """,
)
# wrong: the label of Her (subtype only), head of fish, head and label of the comma, head of the last full stop;
# tags are all wrong and must not matter
SYSTEM = conllu(
    """
    Her   X x 2 nmod
    cat   X x 3 nsubj
    eats  X x 0 root
    fish  X x 2 obj
    ,     X x 4 dep
    %-)   X x 3 discourse
    .     X x 2 punct
    """,
    """
    Good  X x 2 amod
    morning X x 0 root
    !     X x 2 punct
    """,
)


def same_words(correct, scored):
    return Score(correct, scored, scored, scored)


@pytest.fixture(scope="module")
def comparison():
    return compare(GOLD, SYSTEM)


def test_with_punctuation_by_hand(comparison):
    found = attachment(comparison, all_words(comparison))
    assert found.scores == {
        "UAS": same_words(7, 10),
        "LAS": same_words(6, 10),
        "LAS universal": same_words(7, 10),
        "LA": same_words(8, 10),
        "LA universal": same_words(9, 10),
    }
    assert found.scores["LAS"].f1 == pytest.approx(60.0)
    assert found.unlabeled_complete == Score(1, 2, 2)
    assert found.labeled_complete == Score(1, 2, 2)
    assert found.roots == same_words(2, 2)


@pytest.mark.parametrize(
    ("convention", "left_out", "heads_right"),
    [
        ("ptb", 4, 5),  # , . "morning" (tagged .) and !; of the other six only fish is wrong
        ("chinese", 1, 6),  # Good, tagged PU
        ("unicode", 4, 5),  # , . ! and %-) too: all its characters are of category P
        ("udt", 1, 6),  # ! tagged .
        ("ud", 2, 7),  # , and .
    ],
)
def test_conventions_by_hand(comparison, convention, left_out, heads_right):
    words = without_punctuation(comparison, convention)
    assert attachment(comparison, words).scores["UAS"] == same_words(heads_right, 10 - left_out)


def test_a_symbol_is_no_punctuation_by_unicode():
    corpus = conllu("+ X x 0 root\n... X x 1 punct\na. X x 1 dep\n$ X x 1 dep")
    comparison = compare(corpus, corpus)
    assert without_punctuation(comparison, "unicode").gold.tolist() == [True, False, True, True]


def test_an_unknown_convention_is_named(comparison):
    with pytest.raises(CorpusError, match=r"^no punctuation convention 'none', expected one of ptb, chinese, "):
        without_punctuation(comparison, "none")


def test_an_unknown_metric_is_named(comparison):
    with pytest.raises(CorpusError, match=r"^no metric 'XAS', expected one of UAS, LAS, "):
        right_words(comparison, "XAS")


def test_clas_by_hand(comparison):
    # content words in gold: Her cat eats fish %-) Good morning; in the output the comma's "dep" is an eighth
    found = clas(comparison)
    assert found["CLAS"] == Score(5, 7, 8, 7)
    assert found["CLAS universal"] == Score(6, 7, 8, 7)
    assert found["CLAS"].precision == pytest.approx(100 * 5 / 8)
    assert found["CLAS"].recall == pytest.approx(100 * 5 / 7)
    assert found["CLAS"].f1 == pytest.approx(100 * 2 * 5 / 15)


def test_official_by_hand(comparison):
    assert official(comparison) == {
        "Tokens": Score(10, 10, 10),
        "Sentences": Score(2, 2, 2),
        "Words": same_words(10, 10),
        "UAS": same_words(7, 10),
        "LAS": same_words(7, 10),
        "CLAS": Score(6, 7, 8, 7),
    }


def test_roots_have_precision_and_recall():
    gold = conllu("a X x 0 root\nb X x 1 dep", "c X x 0 root")
    system = conllu("a X x 2 dep\nb X x 0 root", "c X x 0 root")
    comparison = compare(gold, system)
    assert attachment(comparison, all_words(comparison)).roots == Score(1, 2, 2, 2)


def test_a_sentence_of_nothing_but_punctuation_has_no_error():
    gold, system = conllu("? PUNCT . 0 root\n! PUNCT . 1 punct"), conllu("? X x 2 dep\n! X x 0 root")
    comparison = compare(gold, system)
    found = attachment(comparison, without_punctuation(comparison, "ud"))
    assert found.unlabeled_complete == Score(1, 1, 1)
    assert found.scores["UAS"] == same_words(0, 0)
    assert found.scores["UAS"].f1 == 0.0


def test_heads_are_compared_through_the_alignment():
    # the output joins "b c": d's head moves from position 4 to 3 and is still the same word
    gold = conllu("a X x 0 root\nb X x 1 dep\nc X x 1 dep\nd X x 1 dep\ne X x 4 dep")
    system = conllu("a X x 0 root\nbc X x 1 dep\nd X x 1 dep\ne X x 3 dep")
    comparison = compare(gold, system)
    assert comparison.head_right.tolist() == [True, False, False, True, True]
    assert attachment(comparison, all_words(comparison)).scores["UAS"] == Score(3, 5, 4, 3)


def test_a_head_without_partner_is_wrong():
    gold = conllu("a X x 2 dep\nb X x 0 root\nc X x 2 dep")
    system = conllu("a X x 2 dep\nbc X x 0 root")
    assert compare(gold, system).head_right.tolist() == [False, False, False]


def test_the_gold_tag_decides_for_a_partner_and_the_own_tag_for_the_rest():
    gold = conllu("a PUNCT x 0 root\nb X x 1 dep\nc PUNCT x 1 dep")
    system = conllu("a X x 0 root\nbc PUNCT x 1 dep")
    words = without_punctuation(compare(gold, system), "ud")
    assert words.gold.tolist() == [False, True, False]
    assert words.system.tolist() == [False, False]


def some_pair(rng, kind):
    letters = random_letters(rng, 40)
    gold = tokenized(rng, letters, rng.choice([0.0, 0.3]))
    other = {
        "other": lambda: tokenized(rng, letters),
        "retokenized": lambda: retokenized(rng, gold),
        "reparsed": lambda: reparsed(rng, gold),
    }
    return gold, other[kind]()


KINDS = st.sampled_from(["reparsed", "reparsed", "retokenized", "other"])


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), KINDS, st.sampled_from([None, *CONVENTIONS]))
def test_scores_equal_the_slow_twin(rng: random.Random, kind, convention):
    gold, system = some_pair(rng, kind)
    comparison, naive = compare(corpus_of(gold), corpus_of(system)), Naive(gold, system)
    scored = naive.scored(convention)
    words = all_words(comparison) if convention is None else without_punctuation(comparison, convention)
    found = attachment(comparison, words)
    assert found.scores == {metric: Score(*naive.score(metric, scored)) for metric in METRICS}
    assert found.unlabeled_complete == Score(*naive.complete("UAS", scored))
    assert found.labeled_complete == Score(*naive.complete("LAS", scored))
    assert found.roots == Score(*naive.roots(scored))
    content = naive.content(CONTENT_RELATIONS)
    assert clas(comparison) == {
        "CLAS": Score(*naive.score("LAS", content)),
        "CLAS universal": Score(*naive.score("LAS universal", content)),
    }
    for metric in METRICS:
        counts = sentence_counts(comparison, right_words(comparison, metric), words)
        table = np.stack([counts.correct, counts.gold, counts.system], axis=1)
        assert table.tolist() == naive.by_sentence(scored, metric)


@settings(max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False))
def test_gold_against_itself_is_perfect(rng: random.Random):
    gold = tokenized(rng, random_letters(rng, 40))
    comparison = compare(corpus_of(gold), corpus_of(gold))
    found = attachment(comparison, all_words(comparison))
    perfect = [*found.scores.values(), found.unlabeled_complete, found.labeled_complete, found.roots]
    assert [score.f1 for score in perfect] == [100.0] * len(perfect)


@settings(max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_same_words_without_ranges_score_word_by_word(rng: random.Random):
    gold = tokenized(rng, random_letters(rng, 40), 0.5)
    system = [sentence._replace(ranges=[]) for sentence in reparsed(rng, gold)]
    comparison = compare(corpus_of(gold), corpus_of(system))
    assume(comparison.alignment.tokens is None)  # sometimes the ranges spell what their words spell
    naive = Naive(gold, system, one_to_one=True)
    found = attachment(comparison, all_words(comparison))
    assert found.scores["LAS"] == Score(*naive.score("LAS", naive.scored()))
