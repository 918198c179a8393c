"""Presets of the papers, and the combinations that make no sense."""

import pytest

from parser.search.options import NEVER, PRESETS, Exploration, OptionError, TrainOptions, exploration


def test_presets_follow_errors_as_the_papers_do():
    """Goldberg & Nivre's 2012 p is the probability of staying, their 2013 p of following: both follow nine in ten."""
    assert PRESETS["goldberg-nivre-2012"] == Exploration("errors", 2, 0.9, "random")
    assert PRESETS["goldberg-nivre-2013"] == Exploration("errors", 1, 0.9, "best")
    assert PRESETS["chang-2015"] == Exploration("errors", 1, 1.0, "best")
    assert PRESETS["ambiguity"] == Exploration("errors", NEVER, 0.0, "random")
    assert not PRESETS["none"].leaves_gold
    assert not PRESETS["ambiguity"].leaves_gold
    assert PRESETS["sample"].leaves_gold


def test_changed_presets():
    assert exploration("sample", k=1).k == 1
    assert exploration("err", k=1, p=0.5) == Exploration("errors", 1, 0.5, "best")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: exploration("explore"),
            "unknown exploration 'explore', expected none, ambiguity, goldberg-nivre-2012",
        ),
        (lambda: exploration("none", k=1), "exploration 'none' has no k and no p"),
        (lambda: exploration("sample", p=0.5), "exploration 'sample' has no p"),
        (lambda: exploration("err", p=1.5), "p=1.5: a probability lies between 0 and 1"),
        (lambda: exploration("err", k=-1), "k=-1: the number of iterations"),
        (lambda: Exploration("walk"), "exploration kind 'walk', expected errors or sample"),
        (lambda: Exploration(fallback="worst"), "fallback 'worst', expected best or random"),
        (lambda: TrainOptions(oracle="best"), "oracle 'best', expected static, nondeterministic, dynamic"),
        (lambda: TrainOptions(update="sgd"), "update 'sgd', expected perceptron or logistic"),
        (lambda: TrainOptions(oracle="static"), "the static oracle knows nothing of states off the gold path"),
    ],
)
def test_errors(make, message):
    with pytest.raises(OptionError) as error:
        make()
    assert message in str(error.value)
