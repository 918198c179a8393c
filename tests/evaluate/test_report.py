"""The whole evaluation as a dict and as rows."""

import json
import random

import pytest
from plain_corpus import Sentence, Word, corpus_of
from random_corpora import random_letters, reparsed, retokenized, tokenized

from parser.evaluate.corpus import CorpusError
from parser.evaluate.report import (
    as_dict,
    confusion_rows,
    evaluate,
    label_rows,
    length_rows,
    official_rows,
    significance,
    significance_dict,
    significance_rows,
    summary_rows,
)

GOLD = [
    Sentence(
        [
            Word("cats", 2, "nsubj", "NOUN"),
            Word("sleep", 0, "root", "VERB"),
            Word("here", 2, "advmod:loc", "ADV"),
            Word(".", 2, "punct", "PUNCT"),
        ]
    )
]
SYSTEM = [
    Sentence(
        [
            Word("cats", 2, "obj", "X"),
            Word("sleep", 0, "root", "X"),
            Word("here", 2, "advmod", "X"),
            Word(".", 3, "punct", "X"),
        ]
    )
]


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(corpus_of(GOLD, "gold.conllu"), corpus_of(SYSTEM, "out.conllu"))


def test_summary_by_hand(evaluation):
    assert summary_rows(evaluation) == [
        ("metric", "with punctuation", "correct", "gold", "system", "without (ud)", "correct", "gold", "system"),
        ("UAS", "75.00", "3", "4", "4", "100.00", "3", "3", "3"),
        ("LAS", "25.00", "1", "4", "4", "33.33", "1", "3", "3"),
        ("LAS universal", "50.00", "2", "4", "4", "66.67", "2", "3", "3"),
        ("LA", "50.00", "2", "4", "4", "33.33", "1", "3", "3"),
        ("LA universal", "75.00", "3", "4", "4", "66.67", "2", "3", "3"),
        ("UCM", "0.00", "0", "1", "1", "100.00", "1", "1", "1"),
        ("LCM", "0.00", "0", "1", "1", "0.00", "0", "1", "1"),
        ("root accuracy", "100.00", "1", "1", "1", "100.00", "1", "1", "1"),
        ("CLAS", "", "", "", "", "33.33", "1", "3", "3"),
        ("CLAS universal", "", "", "", "", "66.67", "2", "3", "3"),
    ]


def test_official_by_hand(evaluation):
    assert official_rows(evaluation) == [
        ("metric", "precision", "recall", "F1", "aligned acc.", "correct", "gold", "system"),
        ("Tokens", "100.00", "100.00", "100.00", "", "4", "4", "4"),
        ("Sentences", "100.00", "100.00", "100.00", "", "1", "1", "1"),
        ("Words", "100.00", "100.00", "100.00", "100.00", "4", "4", "4"),
        ("UAS", "75.00", "75.00", "75.00", "75.00", "3", "4", "4"),
        ("LAS", "50.00", "50.00", "50.00", "50.00", "2", "4", "4"),
        ("CLAS", "66.67", "66.67", "66.67", "66.67", "2", "3", "3"),
    ]


def test_tokens_that_cannot_be_compared_stay_empty():
    gold = [Sentence([Word("de", 2, "case"), Word("le", 0, "root")], [(1, 2, "du")])]
    evaluation = evaluate(corpus_of(gold), corpus_of([gold[0]._replace(ranges=[])]))
    assert official_rows(evaluation)[1] == ("Tokens", "", "", "", "", "", "", "")
    assert as_dict(evaluation)["official"]["Tokens"] is None


def test_labels_and_confusions_by_hand(evaluation):
    rows = label_rows(evaluation.without_punctuation)
    assert rows[0] == ("label", "gold", "system", "correct", "P", "R", "F1", "and head", "P", "R", "F1")
    assert ("root", "1", "1", "1", "100.00", "100.00", "100.00", "1", "100.00", "100.00", "100.00") in rows
    assert ("nsubj", "1", "0", "0", "0.00", "0.00", "0.00", "0", "0.00", "0.00", "0.00") in rows
    assert confusion_rows(evaluation.with_punctuation) == [
        ("gold label", "system label", "words", "with right head"),
        ("advmod:loc", "advmod", "1", "1"),
        ("nsubj", "obj", "1", "1"),
    ]
    assert len(confusion_rows(evaluation.with_punctuation, most=1)) == 2


def test_lengths_by_hand(evaluation):
    rows = length_rows(evaluation.with_punctuation.arc_lengths, "arc length")
    assert rows[:4] == [
        ("arc length", "gold", "system", "heads right", "P", "R", "F1", "and labels", "P", "R", "F1"),
        ("ROOT", "1", "1", "1", "100.00", "100.00", "100.00", "1", "100.00", "100.00", "100.00"),
        ("1", "2", "3", "2", "66.67", "100.00", "80.00", "0", "0.00", "0.00", "0.00"),
        ("2", "1", "0", "0", "0.00", "0.00", "0.00", "0", "0.00", "0.00", "0.00"),
    ]


def test_subtypes_can_be_stripped_from_the_labels():
    evaluation = evaluate(corpus_of(GOLD), corpus_of(SYSTEM), subtypes=False)
    assert [row[0] for row in label_rows(evaluation.with_punctuation)[1:]] == [
        "advmod",
        "punct",
        "root",
        "nsubj",
        "obj",
    ]


def test_the_dict_survives_json(evaluation):
    found = json.loads(json.dumps(as_dict(evaluation), allow_nan=False))
    assert found == as_dict(evaluation)
    assert (found["gold"], found["system"]) == ("gold.conllu", "out.conllu")
    assert found["punctuation"] == {"convention": "ud", "words": 1}
    assert found["without_punctuation"]["scores"]["LAS universal"] == {
        "correct": 2,
        "gold": 3,
        "system": 3,
        "aligned": 3,
        "aligned_accuracy": 100 * (2 / 3),
        "precision": 100 * (2 / 3),
        "recall": 100 * (2 / 3),
        "f1": 100 * (4 / 6),
    }
    assert found["with_punctuation"]["complete"]["unlabeled"]["correct"] == 0
    assert found["with_punctuation"]["roots"]["recall"] == 100.0
    assert found["with_punctuation"]["confusions"][0] == {
        "gold": "advmod:loc",
        "system": "advmod",
        "count": 1,
        "head_right": 1,
    }


def test_an_unknown_convention_is_named():
    with pytest.raises(CorpusError, match="no punctuation convention 'conll', expected one of"):
        evaluate(corpus_of(GOLD), corpus_of(SYSTEM), punctuation="conll")


@pytest.fixture(scope="module")
def two_outputs():
    rng = random.Random(1)
    gold = tokenized(rng, random_letters(rng, 5) * 80)
    outputs = reparsed(rng, gold, keep=0.8), retokenized(rng, reparsed(rng, gold, keep=0.5))
    return [evaluate(corpus_of(gold), corpus_of(output)) for output in outputs]


def test_significance_tests_the_reported_scores(two_outputs):
    first, second = two_outputs
    tests = significance(first, second, resamples=200, seed=3)
    for words, section in (("with punctuation", "with_punctuation"), ("without punctuation", "without_punctuation")):
        for metric, test in tests[words].items():
            a, b = (getattr(e, section).attachment.scores[metric] for e in (first, second))
            assert (test.first.value, test.second.value) == pytest.approx((a.f1, b.f1))
            assert test.difference.value == pytest.approx(b.f1 - a.f1)
            assert test.difference.low <= test.difference.value <= test.difference.high
            assert (test.resamples, test.seed) == (200, 3)
    assert tests["with punctuation"]["UAS"].p_value == pytest.approx(1 / 201)


def test_significance_rows_and_dict(two_outputs):
    tests = significance(*two_outputs, resamples=100)
    rows = significance_rows(tests)
    assert rows[0] == ("metric", "words", "first", "second", "difference", "interval", "p")
    assert [row[:2] for row in rows[1:]] == [
        (metric, f"{which} punctuation") for which in ("with", "without") for metric in ("UAS", "LAS", "LAS universal")
    ]
    test = tests["without punctuation"]["LAS"]
    assert rows[5][2:5] == (f"{test.first.value:.2f}", f"{test.second.value:.2f}", f"{test.difference.value:+.2f}")
    assert rows[5][6] == f"{test.p_value:.4f}"
    as_json = json.loads(json.dumps(significance_dict(tests), allow_nan=False))
    assert as_json["without_punctuation"]["LAS"]["difference"]["value"] == test.difference.value
    assert as_json["with_punctuation"]["UAS"]["confidence"] == 0.95


def test_outputs_for_different_gold_sentences_are_not_compared(evaluation, two_outputs):
    with pytest.raises(CorpusError, match="for the same gold sentences"):
        significance(evaluation, two_outputs[0])


def test_a_test_uses_the_first_evaluations_convention(two_outputs):
    first, second = two_outputs
    gold = first.comparison.gold
    other = evaluate(gold, second.comparison.system, punctuation="unicode")
    assert significance(first, other, resamples=50) == significance(first, second, resamples=50)
