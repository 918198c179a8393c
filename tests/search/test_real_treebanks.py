"""What the algorithms promise, on real sentences. Needs ARCSPEED_TREEBANKS."""

import numpy as np
import pytest
import slow_search

from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.learn.adagrad_rda import AdaGradRDA
from parser.learn.perceptron import Perceptron
from parser.score.linear import LinearModel
from parser.search.corpus import Corpus
from parser.search.easy import EasyParser, EasyTrainer
from parser.search.greedy import GreedyParser, GreedyTrainer
from parser.search.options import PRESETS, TrainOptions
from parser.search.rng import Random
from parser.search.session import Session
from parser.transition import get_system
from parser.treebank import Reader
from parser.treebank.tree import lift

SETTINGS = {
    "arc-eager": ("last", "rich"),
    "arc-standard": ("first", "zn11-standard"),
    "arc-hybrid": ("first", "zn11-hybrid"),
    "easy-first": ("first", "easyfirst"),
}


def batches_of(path):
    return list(Reader(path, roots="ignore").batches())


def projective_corpus(extractor, batches, labels):
    corpus = Corpus(extractor, labels)
    for batch in batches:
        heads, offsets = batch.heads, batch.offsets
        for k in range(len(batch)):
            here = slice(offsets[k], offsets[k + 1])
            heads[here] = lift(heads[here])[0]
        corpus.add_batch(batch, heads=heads)
    return corpus


@pytest.fixture(scope="module")
def turkish(treebanks):
    folder = treebanks / "Turkish-IMST"
    if not folder.is_dir():
        pytest.skip("needs Turkish-IMST among the treebanks of ARCSPEED_TREEBANKS")
    train, dev = batches_of(folder / "train.conllu"), batches_of(folder / "dev.conllu")
    return train, dev, sorted({label for batch in train + dev for s in batch for label in s.labels})


def learned(system, extractor, corpus, learner, options, epochs):
    trainer = (EasyTrainer if system.name == "easy-first" else GreedyTrainer)(system, extractor, learner, options)
    rng = Random(1)
    for iteration in range(1, epochs + 1):
        trainer.train(corpus, rng.order(len(corpus)), iteration, rng)
    return LinearModel(learner.finalise())


@pytest.mark.parametrize("name", ["arc-eager", "arc-standard", "arc-hybrid"])
def test_random_zero_cost_actions_rebuild_real_trees(turkish, name):
    """Hundred sentences, at each state a random one of the actions without cost."""
    train, _, labels = turkish
    root, features = SETTINGS[name]
    extractor = Extractor(named_set(features), "xpos")
    corpus = projective_corpus(extractor, train[:1], labels)
    system = get_system(name, labels=labels, root=root)
    options = TrainOptions("dynamic", PRESETS["ambiguity"])
    trainer = GreedyTrainer(system, extractor, Perceptron(system.core.n_actions), options)
    rng = Random(2)
    for k in range(100):
        n, heads, tags = corpus.example(k)
        state = system.initial(n)
        for action in trainer.train_path(corpus, k, 1, rng):
            slow_search.take(state, action)
        assert state.cursor.tree() == (heads, tags)


def test_random_correct_attachments_rebuild_real_trees(turkish):
    """The same for easy-first: at each state a random one of the correct pairs and labels."""
    train, _, labels = turkish
    corpus = projective_corpus(Extractor(named_set("easyfirst"), "xpos"), train[:1], labels)
    system, rng = get_system("easy-first", labels=labels), Random(3)
    for k in range(100):
        n, heads, tags = corpus.example(k)
        gold, state = system.gold(heads, [labels[tag] for tag in tags]), system.initial(n)
        while not state.is_final():
            found = slow_search.correct_candidates(state, gold, False)
            slow_search.take_candidate(state, found[int(rng.unit() * len(found))])
        assert state.cursor.tree() == (heads, tags)


@pytest.mark.parametrize("name", SETTINGS)
def test_two_epochs_give_a_usable_parser(turkish, name):
    train, dev, labels = turkish
    root, features = SETTINGS[name]
    extractor = Extractor(named_set(features), "xpos")
    system = get_system(name, labels=labels, root=root)
    actions = 2 * len(labels) if name == "easy-first" else system.core.n_actions
    corpus, test = projective_corpus(extractor, train, labels), Corpus(extractor, labels)
    model = learned(system, extractor, corpus, Perceptron(actions), TrainOptions(), 2)
    for batch in dev:
        test.add_batch(batch)
    parser = (EasyParser if name == "easy-first" else GreedyParser)(system, extractor, model)
    found = Session(parser).parse_corpus(test)
    gold = np.concatenate([test.example(k)[1] for k in range(len(test))])
    assert 100 * (found.heads == gold).mean() > 55


def test_decisions_of_arc_eager_are_two_a_token(turkish):
    """And they are calibrated after a fashion: sure decisions are right more often (Goldberg 2013, table 4)."""
    train, dev, labels = turkish
    extractor = Extractor(named_set("zn11"), "xpos")
    system = get_system("arc-eager", labels=labels)
    corpus, test = projective_corpus(extractor, train, labels), projective_corpus(extractor, dev, labels)
    learner = AdaGradRDA(system.core.n_actions, n_tokens=corpus.n_words, alpha=0.1)
    model = learned(system, extractor, corpus, learner, TrainOptions("dynamic", PRESETS["sample"]), 2)
    found = Session(GreedyParser(system, extractor, model)).judge(test)
    assert len(found.p) == 2 * test.n_words
    free = ~found.forced
    bins = np.minimum((found.p[free] * 10).astype(int), 9)
    counts = np.bincount(bins, minlength=10)
    assert counts.sum() == free.sum()
    right = [found.correct[free][bins == b].mean() for b in (5, 7, 9)]
    assert right == sorted(right)
    assert right[2] > 0.85
