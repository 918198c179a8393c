"""AdaGrad-RDA against the formulas in float64, the gradient against finite differences."""

import math

import numpy as np
import pytest
from slow_learners import CompactRDA, DenseRDA, as_dict, random_states, wide_states

from parser.learn import AdaGradRDA


def rounded(learner):
    return {key: round(value, 6) for key, value in as_dict(learner.finalise()).items()}


@pytest.mark.parametrize("compact", [False, True])
def test_worked_example(compact):
    """Three states by hand: gradients, growing threshold, lazy weights with the current count, a weight cut to 0."""
    a, b = 101, 202
    learner = AdaGradRDA(4, l1=0.05, compact=compact)
    learner.visit([a], [1, 2, 3], [1, 2])
    assert rounded(learner) == {(a, 1): 0.660377, (a, 2): 0.660377, (a, 3): -0.825243}
    learner.visit([a, b], [1, 2], [1])
    expected = {(a, 1): 1.055154, (a, 2): -0.434475, (a, 3): -0.679612, (b, 1): 0.784314, (b, 2): -0.784314}
    assert rounded(learner) == expected
    learner.visit([b], [1, 2, 3], [3])
    expected = {(a, 1): 0.962052, (a, 2): -0.341373, (a, 3): -0.533981, (b, 2): -0.904304, (b, 3): 0.782558}
    assert {key: pytest.approx(value, abs=1.1e-6) for key, value in expected.items()} == rounded(learner)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("alpha", "l1"), [(1, 0.001), (0.1, 0.01), (0.3, 0)])
def test_dense_rows_are_the_formulas(inside, alpha, l1):
    fast = AdaGradRDA(15, l1=l1, alpha=alpha, ridge_inside_sqrt=inside, compact=False)
    slow = DenseRDA(15, l1, alpha=alpha, ridge_inside_sqrt=inside)
    for state in random_states(3, 400, 15, gold=True):
        np.testing.assert_allclose(fast.scores(state[0]), slow.scores(state[0]), rtol=2e-3, atol=2e-3)
        fast.visit(*state)
        slow.visit(*state)
    compare(as_dict(fast.finalise()), slow.final(), 2e-3)


def test_ranges_of_illegal_actions_are_left_out_of_no_formula():
    fast, slow = AdaGradRDA(200, l1=0.001, alpha=0.1, compact=False), DenseRDA(200, 0.001, alpha=0.1)
    for feats, legal, zero in wide_states(200):
        expected = slow.scores(feats)
        np.testing.assert_allclose(fast.scores(feats, legal)[legal], expected[legal], rtol=2e-3, atol=2e-3)
        fast.visit(feats, legal, zero)
        slow.visit(feats, legal, zero)
    compare(as_dict(fast.finalise()), slow.final(), 2e-3)


def compare(final, expected, tolerance):
    assert len(expected) > 20
    for key in final.keys() | expected.keys():
        assert final.get(key, 0) == pytest.approx(expected.get(key, 0), abs=tolerance)


@pytest.mark.parametrize("gate", [1, 3])
@pytest.mark.parametrize("dense_above", [4, 8, 64])
def test_compact_rows_are_their_definition(gate, dense_above):
    options = {"birth": 0.1, "quiet": 0.05, "gate": gate}
    fast = AdaGradRDA(24, l1=0.001, n_tokens=100, alpha=0.3, dense_above=dense_above, **options)
    slow = CompactRDA(24, 0.001, alpha=0.3, largest_sparse=min(dense_above, 16), **options)
    for state in random_states(4, 400, 24, gold=True):
        fast.visit(*state)
        slow.visit(*state)
    dump = fast.dump()
    entries = {int(k): int(n) for k, n in zip(dump["keys"], dump["counts"], strict=True)}
    assert entries == {key: len(row) for key, row in slow.entries.items()}
    compare(as_dict(fast.finalise()), slow.final(), 2e-3)


def test_compact_without_limits_is_dense():
    """birth 0, quiet 0: an action without gradient so far has weight 0 anyway."""
    compact, dense = AdaGradRDA(30, l1=1e-3, birth=0, quiet=0), AdaGradRDA(30, l1=1e-3, compact=False)
    for state in random_states(6, 300, 30, gold=True):
        compact.visit(*state)
        dense.visit(*state)
    for name, array in dense.finalise().arrays().items():
        assert np.array_equal(array, getattr(compact.finalise(), name)), name
    assert compact.shape_counts() != dense.shape_counts()


def loss_of(scores, legal, zero):
    total = math.log(sum(math.exp(scores[a]) for a in legal))
    return total - math.log(sum(math.exp(scores[a]) for a in zero))


@pytest.mark.parametrize("n_zero", [1, 2, 3])
def test_gradient_is_that_of_the_loss(n_zero):
    """Finite differences of the loss in float64 at the learner's own scores, 20 states."""
    rng = np.random.default_rng(n_zero)
    learner = AdaGradRDA(10, l1=0, compact=False)
    for i in range(20):
        legal = sorted(rng.choice(10, size=int(rng.integers(n_zero + 1, 10)), replace=False).tolist())
        zero = legal[:n_zero]
        learner.add_row([1], rng.normal(size=10).astype(np.float32))
        scores = learner.scores([1, 1000 + i]).astype(np.float64)
        learner.loss = 0
        learner.visit([1, 1000 + i], legal, zero)
        assert learner.loss == pytest.approx(loss_of(scores, legal, zero), abs=1e-6)
        dump = learner.dump()
        row = int(np.flatnonzero(dump["keys"] == 1000 + i)[0])
        gradient = dump["hot"][10 * row : 10 * row + 10]
        for a in range(10):
            nudge = np.eye(10)[a] * 1e-5
            slope = (loss_of(scores + nudge, legal, zero) - loss_of(scores - nudge, legal, zero)) / 2e-5
            assert gradient[a] == pytest.approx(-slope, abs=1e-6)


def test_loss_falls():
    learner, means = AdaGradRDA(6, n_tokens=1000), []
    for _ in range(3):
        learner.loss = 0
        for state in random_states(1, 1000, 6, gold=True):
            learner.visit(*state)
        means.append(learner.loss)
    assert means[0] > means[1] > means[2]


def test_threshold_after_fifteen_rounds_is_one_and_a_half():
    """2 states per token and 15 rounds: whatever the size of the corpus, |g| must exceed 1.5 to leave a weight."""
    for n_tokens in (10, 200):
        learner = AdaGradRDA(4, n_tokens=n_tokens)
        learner.add_one([7], 0, 1.49)
        learner.add_one([7], 1, 1.51)
        learner.add_one([7], 2, -1.51)
        for _ in range(2 * n_tokens * 15):
            learner.count_state()
        assert sorted(as_dict(learner.finalise())) == [(7, 1), (7, 2)]


def test_states_without_a_choice_only_count():
    learner = AdaGradRDA(4, n_tokens=10)
    learner.visit([1], [2], [2])
    learner.visit([1], [0, 2, 3], [0, 2, 3])
    assert (learner.steps, learner.n_rows, learner.updates, learner.loss) == (2, 0, 0, 0)


def test_illegal_actions_learn_nothing():
    learner = AdaGradRDA(5, n_tokens=10, compact=False)
    learner.visit([1], [0, 3], [3])
    assert learner.scores([1])[[1, 2, 4]].tolist() == [0, 0, 0]
    assert learner.scores([1])[3] > 0 > learner.scores([1])[0]


def test_primitives_are_gradients():
    learner = AdaGradRDA(3, l1=0, compact=False)
    learner.add_one([1], 2, 0.5)
    learner.add_one([1], 2, 0.5)
    learner.add_row([2], [0, 0.5, -0.25])
    assert learner.scores([1])[2] == pytest.approx(1 / (math.sqrt(0.5) + 0.01))
    assert learner.scores([2]).tolist() == pytest.approx([0, 0.5 / 0.51, -0.25 / 0.26])


def test_rows_changed_seldom_neither_score_nor_stay():
    learner = AdaGradRDA(3, l1=0, min_updates=2)
    learner.visit([1, 2], [0, 1], [1])
    assert learner.scores([1, 2]).tolist() == [0, 0, 0]
    learner.visit([2], [0, 1], [1])
    assert learner.scores([1]).tolist() == [0, 0, 0]
    assert learner.scores([2])[1] > 0
    assert {key for key, _ in as_dict(learner.finalise())} == {2}


def test_default_penalty():
    assert AdaGradRDA(3, n_tokens=200).l1 == 1 / 4000


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0},
        {"rho": 0},
        {"birth": -1},
        {"quiet": -0.1},
        {"gate": 0},
        {"gate": 256},
        {"l1": -1},
        {"min_updates": -1},
    ],
)
def test_impossible_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        AdaGradRDA(3, n_tokens=10, **options)


@pytest.mark.parametrize("options", [{}, {"n_tokens": 0}, {"l1": 0.1, "gate": 2}])
def test_the_number_of_tokens_is_needed(options):
    with pytest.raises(ValueError, match="number of training tokens"):
        AdaGradRDA(3, **options)
