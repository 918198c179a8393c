"""Float weights -> integers of one scale, so that scores are exact sums: the same trees on every machine.

A score is the sum of at most one weight per template, and of the bias. So for every action the sum of its largest so
many weights bounds what any state can score. With the scale for which no such sum leaves 16 bits, scores come nowhere
near: up to FINER times that scale rounds so much less. The engine sees, state by state, whether 16 bits might all the
same have made the highest sum wrong, and scores such a state in 32.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parser.score.weights import Weights

LIMIT = 32766  # weights, and scores of 16 bits, stay within +-LIMIT; -32768 marks what is not legal
FINER = 2.75
# What a state is taken to add up: so many rows with weights as large as the largest of COMMON_ROWS rows are on average.
# Measured: then less than 1 state in 1,000 needs 32 bits with the default, 1 in 100 in any case (both learners, zn11
# and rich features, seven treebanks).
# Small models have fewer such rows, one in twenty at most: else up to a third of their states would.
USUAL_ROWS, COMMON_ROWS, COMMON_PART = 55, 2000, 20
TYPES = {"keys": np.uint64, "offsets": np.int64, "columns": np.uint16, "values": np.int16}


@dataclass(frozen=True, eq=False)
class Quantised:
    """Row i: feature keys[i], columns[offsets[i]:offsets[i + 1]] with their values, none of them 0.

    Columns stand for the actions that have weights, and for a few others; actions[column] is the action. All actions
    without a column score 0 in every state.
    """

    scale: float  # a weight is value / scale
    actions: np.ndarray  # int32
    keys: np.ndarray  # uint64, ascending
    offsets: np.ndarray  # int64, one more than keys
    columns: np.ndarray  # uint16
    values: np.ndarray  # int16


def quantise(
    weights: Weights,
    n_templates: int,
    others: Sequence[int] = (),
    frequency: np.ndarray | None = None,
    head: int | None = None,
) -> Quantised:
    """`others`: actions that get a column though they may have no weight. Only the order of the columns depends on
    `frequency`, of the actions' labels, or a guess, and on `head`, how many columns do not share bounds with others."""
    scale = chosen_scale(weights, n_templates + 1)
    values = np.rint(weights.weights.astype(np.float64) * scale).astype(np.int64)
    kept = values != 0
    rows = np.repeat(np.arange(weights.n_rows), np.diff(weights.offsets))[kept]
    actions, values = weights.actions[kept].astype(np.int64), values[kept]
    found = column_order(weights.n_actions, actions, values, others, frequency, head)
    column_of = np.full(weights.n_actions, -1, np.int64)
    column_of[found] = np.arange(len(found))
    columns = column_of[actions]
    order = np.lexsort((columns, rows))
    counts = np.bincount(rows, minlength=weights.n_rows)
    return Quantised(
        scale,
        found.astype(np.int32),
        np.ascontiguousarray(weights.keys[counts > 0]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[counts > 0])]),
        columns[order].astype(np.uint16),
        values[order].astype(np.int16),
    )


def column_order(
    n_actions: int,
    actions: np.ndarray,
    values: np.ndarray,
    others: Sequence[int],
    frequency: np.ndarray | None,
    head: int | None,
) -> np.ndarray:
    """The actions that have columns, first those that are likely to be chosen: with large weights and a frequent label.

    Not those with many weights: the action for a sentence's root has few, and is chosen in every sentence. Behind the
    `head` columns that share a bound, the largest of their weights, stand side by side: these are to be alike.
    """
    wanted = np.bincount(actions, minlength=n_actions) > 0
    wanted[list(others)] = True
    worth = np.bincount(actions, np.maximum(values, 0).astype(np.float64) ** 2, minlength=n_actions)
    order = np.argsort(-worth if frequency is None else -worth * frequency, kind="stable")
    order = order[wanted[order]]
    largest = np.zeros(n_actions, np.int64)
    np.maximum.at(largest, actions, values)
    behind = order[head:] if head is not None else order[:0]
    return np.concatenate([order[: len(order) - len(behind)], behind[np.argsort(-largest[behind], kind="stable")]])


def chosen_scale(weights: Weights, most_fired: int) -> float:
    safe = largest_scale(weights, most_fired)
    starts = weights.offsets[:-1][np.diff(weights.offsets) > 0]
    if not len(starts):
        return safe
    common = min(COMMON_ROWS, max(len(starts) // COMMON_PART, 1))
    largest = np.sort(np.maximum.reduceat(np.abs(weights.weights.astype(np.float64)), starts))[-common:]
    usual = LIMIT / max(USUAL_ROWS * largest.mean(), 1e-30)
    return min(max(min(FINER * safe, usual), safe), largest_scale(weights, 1))


def largest_scale(weights: Weights, most_fired: int) -> float:
    """The scale at which the action with the largest possible score just fits; rounding may add 1/2 per weight."""
    most = largest_sum(weights.actions, weights.weights.astype(np.float64), most_fired)
    return (LIMIT - (most_fired + 1) // 2) / most if most > 0 else 1.0


def largest_sum(columns: np.ndarray, values: np.ndarray, most_fired: int):
    """Over columns and signs: the largest sum of `most_fired` values of one column and sign."""
    most = 0
    for sign in (1, -1):
        chosen = sign * values > 0
        order = np.lexsort((-np.abs(values[chosen]), columns[chosen]))
        sorted_columns, sizes = columns[chosen][order], np.abs(values[chosen][order])
        if not len(sizes):
            continue
        starts = np.flatnonzero(np.r_[True, sorted_columns[1:] != sorted_columns[:-1]])
        rank = np.arange(len(sizes)) - np.repeat(starts, np.diff(np.r_[starts, len(sizes)]))
        sums = np.bincount(sorted_columns[rank < most_fired], sizes[rank < most_fired])
        most = max(most, sums.max())
    return most


def plain_sums(model: Quantised, keys: np.ndarray, n_columns: int) -> np.ndarray:
    """The scores of a state with these feature keys, one by one: the slow twin of the engine."""
    total = np.zeros(n_columns, np.int64)
    at = np.searchsorted(model.keys, keys)
    for key, row in zip(keys, at, strict=True):
        if row < len(model.keys) and model.keys[row] == key:
            span = slice(model.offsets[row], model.offsets[row + 1])
            total[model.columns[span]] += model.values[span]
    return total
