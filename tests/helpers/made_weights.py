"""Finished weights that nobody has learned."""

import numpy as np

from parser.score.weights import Weights


def no_weights(n_actions):
    kinds = ((0, np.uint64), (1, np.int64), (0, np.uint16), (0, np.float32))
    return Weights(n_actions, *(np.zeros(n, kind) for n, kind in kinds))


def random_weights(rng, keys, n_actions):
    counts = rng.integers(1, min(n_actions, 40) + 1, len(keys))
    actions = [np.sort(rng.choice(n_actions, count, replace=False)) for count in counts]
    total = int(counts.sum())
    return Weights(
        n_actions,
        np.array(keys, np.uint64),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        np.concatenate(actions).astype(np.uint16),
        (rng.normal(size=total) * rng.choice([0.1, 1, 30], total)).astype(np.float32),
    ).check()


def weights_of(values, n_actions):
    """From a number for each feature key and action."""
    keys = sorted({key for key, _ in values})
    rows = [sorted(action for other, action in values if other == key) for key in keys]
    return Weights(
        n_actions,
        np.array(keys, np.uint64),
        np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        np.concatenate(rows).astype(np.uint16),
        np.array([values[key, action] for key, row in zip(keys, rows, strict=True) for action in row], np.float32),
    ).check()
