"""Weights that are learned once for a file of tests."""

import pytest
from made_corpus import SYSTEMS, made_text, read

from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.feature.templates import parse_templates
from parser.learn.perceptron import Perceptron
from parser.search.corpus import Corpus
from parser.search.greedy import GreedyTrainer
from parser.search.options import TrainOptions
from parser.search.rng import Random
from parser.transition import get_system


@pytest.fixture(scope="module")
def trained():
    """Weights by (system, templates, options), learned once."""
    known = {}

    def train(name, templates=None, **options):
        key = (name, templates, tuple(sorted(options.items())))
        if key not in known:
            kind, root, features = SYSTEMS[name]
            templates = parse_templates(templates, "t") if templates else named_set(features)
            batches, labels = read(made_text(40))
            system = get_system(kind, labels=[*labels, "never"], root=root, **options)
            extractor = Extractor(templates, "xpos")
            corpus = Corpus(extractor, system.labels)
            for batch in batches:
                corpus.add_batch(batch)
            learner = Perceptron(system.core.n_actions)
            trainer = GreedyTrainer(system, extractor, learner, TrainOptions())
            for epoch in range(1, 3):
                trainer.train(corpus, Random(1).order(len(corpus)), epoch, Random(1))
            known[key] = system, templates, learner.finalise()
        return known[key]

    return train
