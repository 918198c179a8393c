"""Fewer weights: which of them a model can do without."""

import math

import numpy as np

from parser.score.weights import Weights


def useful_rows(weights: Weights, share: float) -> np.ndarray:
    """The keys of so many of the rows, those with the largest weights; ascending."""
    if not weights.n_rows:
        return weights.keys
    largest = np.maximum.reduceat(np.abs(weights.weights), weights.offsets[:-1])
    first = np.argsort(-largest, kind="stable")[: math.ceil(share * weights.n_rows)]
    return np.sort(weights.keys[first])


def order_of_use(weights: Weights) -> np.ndarray:
    """Numbers of all weights, the one that would be missed most first.

    By size times that of the largest in its row. Of the orders that were compared it loses least over all sizes: whole
    rows by their largest weight lose up to 1.8 LAS more where little is left, and weights by their own size alone leave
    more rows, each of which takes room for its key.
    """
    sizes = np.abs(weights.weights)
    if not len(sizes):
        return np.zeros(0, np.int64)
    largest = np.maximum.reduceat(sizes, weights.offsets[:-1])
    return np.argsort(-(sizes * np.repeat(largest, np.diff(weights.offsets))), kind="stable")


def with_only(weights: Weights, kept: np.ndarray) -> Weights:
    """The weights with these numbers (or where a mask is set); rows without any are gone."""
    mask = np.zeros(weights.n_weights, bool)
    mask[kept] = True
    counts = np.add.reduceat(mask, weights.offsets[:-1], dtype=np.int64) if weights.n_rows else np.zeros(0, np.int64)
    return Weights(
        weights.n_actions,
        np.ascontiguousarray(weights.keys[counts > 0]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[counts > 0], dtype=np.int64)]),
        np.ascontiguousarray(weights.actions[mask]),
        np.ascontiguousarray(weights.weights[mask]),
    )


def rows_among(weights: Weights, order: np.ndarray) -> np.ndarray:
    """How many rows the first 0, 1, 2, ... weights of an order stand in."""
    rows = np.repeat(np.arange(weights.n_rows), np.diff(weights.offsets))[order]
    new = np.zeros(len(order) + 1, np.int64)
    new[np.unique(rows, return_index=True)[1] + 1] = 1
    return np.cumsum(new)
