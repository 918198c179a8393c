"""Regressions of actions' worth: the worked numbers of their rules, and a slow twin."""

import math
from collections import defaultdict

import numpy as np
import pytest
from slow_learners import as_dict, random_states, wide_states

from parser.learn import Regression


def test_adaptive_steps_by_hand():
    """Three examples: predictions, then weights (Vowpal Wabbit's default, all values 1)."""
    learner = Regression(2)
    found = [learner.fit(*example) for example in [([1, 2], 1, 1), ([1], 1, 0), ([1, 2, 3], 1, 1)]]
    assert found == pytest.approx([0, 0.253466, 0.424095], abs=1e-6)
    assert [learner.scores([key])[1] for key in (1, 2, 3)] == pytest.approx([0.270203, 0.355413, 0.204279], abs=1e-6)
    assert learner.scores([1, 2, 3])[0] == 0


def test_proximal_steps_by_hand():
    """Three gradients on one weight (McMahan et al. 2013), alpha 0.005, beta 0.1."""
    learner, found = Regression(2, rule="ftrl", alpha=0.005, beta=0.1), []
    for gradient in (1, -0.5, 2):
        learner.add_one([5], 0, -gradient)
        found.append(learner.scores([5])[0])
    assert found == pytest.approx([-0.00454545, -0.00249297, -0.00667481], abs=1e-8)


def test_plain_steps_by_hand():
    """0.1 t^-0.5 times twice the error: 0.2, then (1 - 0.4) 0.2 / sqrt 2."""
    learner = Regression(1, rule="sgd", alpha=0.1)
    assert learner.fit([1, 2], 0, 1) == 0
    assert learner.scores([1, 2])[0] == pytest.approx(0.4)
    assert learner.fit([1, 2], 0, 1) == pytest.approx(0.4)
    assert learner.scores([1])[0] == pytest.approx(0.2 + 0.12 / math.sqrt(2))


class SlowRegression:
    """The rules as they are written down, in float64, one number after the other; longer rows take all actions."""

    def __init__(self, n_actions, rule, alpha, beta=0.1, birth=0.0, largest_sparse=8):
        self.n_actions, self.rule, self.alpha, self.beta, self.birth = n_actions, rule, alpha, beta, birth
        self.w, self.G, self.z, self.n = (defaultdict(float) for _ in range(4))
        self.entries, self.largest_sparse = defaultdict(set), largest_sparse
        self.examples, self.T, self.S = 0, 0, 0

    def scores(self, feats):
        return [sum(self.w[f, a] for f in feats) for a in range(self.n_actions)]

    def visit(self, feats, legal, zero):
        scores = self.scores(feats)
        for a in legal:
            self.examples += 1
            y, p = float(a in zero), min(max(scores[a], 0.0), 1.0)
            if y == p:
                continue
            for f in feats:
                if abs(y - p) >= self.birth:
                    self.entries[f].add(a)
                if len(self.entries[f]) > self.largest_sparse:
                    self.entries[f].update(range(self.n_actions))
            keys = [(f, a) for f in feats if a in self.entries[f]]
            if keys:
                getattr(self, self.rule)(keys, y, p)

    def sgd(self, keys, y, p):
        for key in keys:
            self.w[key] -= self.alpha * self.examples**-0.5 * 2 * (p - y)

    def adaptive(self, keys, y, p):
        for key in keys:
            self.G[key] += (2 * (p - y)) ** 2
        self.T, self.S = self.T + 1, self.S + len(keys)
        m = math.sqrt(self.T / self.S)
        q = m * sum(self.G[key] ** -0.5 for key in keys)
        u = (y - p) * (1 - math.exp(-2 * self.alpha * q)) / q
        for key in keys:
            self.w[key] += u * m * self.G[key] ** -0.5

    def ftrl(self, keys, y, p):
        gradient = 2 * (p - y)
        for key in keys:
            sigma = (math.sqrt(self.n[key] + gradient**2) - math.sqrt(self.n[key])) / self.alpha
            self.z[key] += gradient - sigma * self.w[key]
            self.n[key] += gradient**2
            self.w[key] = -self.z[key] * self.alpha / (self.beta + math.sqrt(self.n[key]))


@pytest.mark.parametrize("birth", [0, 0.35])
@pytest.mark.parametrize(("rule", "alpha"), [("sgd", 0.1), ("adaptive", 0.5), ("adaptive", 0.02), ("ftrl", 0.05)])
def test_rules_are_what_they_say(rule, alpha, birth):
    fast = Regression(12, rule=rule, alpha=alpha, birth=birth, dense_above=8)
    slow = SlowRegression(12, rule, alpha, birth=birth, largest_sparse=8)
    for state in random_states(3, 300, 12, gold=True):
        np.testing.assert_allclose(fast.scores(state[0]), slow.scores(state[0]), rtol=1e-3, atol=1e-3)
        fast.visit(*state)
        slow.visit(*state)
    final = as_dict(fast.finalise())
    assert len(final) > 50
    assert all(action in slow.entries[feature] for feature, action in final)
    assert final == pytest.approx({key: slow.w[key] for key in final}, abs=1e-3)


@pytest.mark.parametrize("rule", ["sgd", "adaptive", "ftrl"])
def test_errors_whose_square_no_float_holds_change_nothing(rule):
    learner = Regression(2, rule=rule, dense_above=0)
    learner.fit([1], 0, 1)  # a dense row: the other action has a weight too, of which nothing is known
    before = learner.scores([1]).tolist()
    learner.fit([1], 1, 1e-30)
    assert learner.scores([1]).tolist() == before
    assert np.isfinite(before).all()


def test_small_errors_make_no_weights():
    learner = Regression(2, birth=0.5)
    learner.fit([1], 0, 0.4)
    assert (len(learner.finalise().keys), learner.updates) == (0, 0)
    learner.fit([1], 0, 0.6)
    learner.fit([1, 2], 0, 0.3)  # changes the weight that is there
    assert as_dict(learner.finalise()).keys() == {(1, 0)}
    assert learner.updates == 2


@pytest.mark.parametrize(("rule", "alpha"), [("sgd", 0.5), ("adaptive", 0.5), ("ftrl", 0.05)])
def test_it_learns_what_can_be_learned(rule, alpha):
    learner = Regression(12, rule=rule, alpha=alpha, birth=0.3)
    states = [state for state in random_states(8, 300, 12, gold=True) if len(state[2]) == 1]
    first, last = 0, 0
    for epoch in range(20):
        for feats, legal, zero in states:
            predicted, _ = learner.visit(feats, legal, zero)
            first += epoch == 0 and predicted not in zero
            last += epoch == 19 and predicted not in zero
    assert last < first / 3


def test_wide_rows_become_dense():
    learner = Regression(200, dense_above=8)
    for state in wide_states(200):
        learner.visit(*state)
    assert learner.shape_counts()["dense"] > 20


@pytest.mark.parametrize("options", [{"alpha": 0}, {"beta": -1}, {"birth": -1}, {"rule": "newton"}])
def test_impossible_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Regression(3, **options)


def test_without_features_nothing_is_learned():
    learner = Regression(3)
    learner.visit([0], [0, 1], [1])
    assert (learner.n_rows, learner.steps, learner.updates) == (0, 1, 0)


def test_training_weights_of_another_learner_are_refused():
    with pytest.raises(ValueError, match="'examples'"):
        Regression(3).restore({})
