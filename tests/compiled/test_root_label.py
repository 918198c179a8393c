"""A parser that knows the one label of words under ROOT, against one that does not: the plain way, and compiled."""

import numpy as np
import pytest
from made_corpus import made_text, n_actions, read, setting
from made_weights import random_weights

from parser.compiled.compile import compile_model
from parser.compiled.easy_parser import CompiledEasyParser
from parser.compiled.parser import CompiledParser
from parser.learn.perceptron import Perceptron
from parser.score.linear import LinearModel
from parser.search.easy import EasyParser, EasyTrainer
from parser.search.greedy import GreedyParser, GreedyTrainer
from parser.search.options import TrainOptions
from parser.search.rng import Random
from parser.search.session import Session

LABEL = 3


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("name", ["eager", "hybrid-last", "easy"])
def test_the_one_label_under_root_is_given_without_a_look(name, is_compiled):
    """Such arcs are certain, and nothing else changes."""
    system, extractor, corpus = setting(name, made_text(40), single_root=True)
    weights = weights_for(system, extractor, corpus)
    kinds = (EasyParser, CompiledEasyParser) if name == "easy" else (GreedyParser, CompiledParser)

    def session(under_root):
        if is_compiled:
            model = compile_model(weights, extractor.templates, "xpos", system, under_root)
            return Session(kinds[1](system, model))
        return Session(kinds[0](system, extractor, LinearModel(weights), under_root))

    known, free, different = session(LABEL), session(-1), 0
    for batch in read(made_text(40, seed=8))[0]:
        one, other = known.parse_batch(batch, scores=True), free.parse_batch(batch, scores=True)
        root = one.heads == 0
        assert np.array_equal(one.heads, other.heads)
        assert (one.labels[root] == LABEL).all()
        assert (one.labelled[root] == 1).all()
        assert np.array_equal(one.labels[~root], other.labels[~root])
        assert np.array_equal(one.labelled[~root], other.labelled[~root])
        assert np.array_equal(known.parse_batch(batch).labels, one.labels), "without probabilities"
        different += int((other.labels[root] != LABEL).sum())
    assert different > 10


def weights_for(system, extractor, corpus):
    """Random ones, which know nothing of ROOT's label, of the features that training meets."""
    learner = Perceptron(n_actions(system))
    trainer = EasyTrainer if system.name == "easy-first" else GreedyTrainer
    trainer(system, extractor, learner, TrainOptions()).train(corpus, Random(1).order(len(corpus)), 1, Random(1))
    return random_weights(np.random.default_rng(2), learner.finalise().keys.tolist(), n_actions(system))
