"""Finished weights as plain arrays: what training hands over, and what a model file stores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TYPES = {"keys": np.uint64, "offsets": np.int64, "actions": np.uint16, "weights": np.float32}


@dataclass(frozen=True, eq=False)
class Weights:
    """Row i: feature keys[i], actions[offsets[i]:offsets[i + 1]] ascending, with their weights, none of them 0."""

    n_actions: int
    keys: np.ndarray  # uint64, ascending
    offsets: np.ndarray  # int64, one more than keys
    actions: np.ndarray  # uint16
    weights: np.ndarray  # float32

    @property
    def n_rows(self) -> int:
        return len(self.keys)

    @property
    def n_weights(self) -> int:
        return len(self.weights)

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in TYPES}

    def check(self) -> "Weights":
        """Raises ValueError unless the arrays fit together: for weights that come from a file."""
        for name, array in self.arrays().items():
            if array.dtype != TYPES[name] or array.ndim != 1 or not array.flags.c_contiguous:
                raise ValueError(f"weights: array '{name}' is not a row of {np.dtype(TYPES[name]).name}")
        if len(self.offsets) != len(self.keys) + 1 or self.offsets[0] != 0 or (np.diff(self.offsets) <= 0).any():
            raise ValueError("weights: the offsets do not lead from row to row")
        if not self.offsets[-1] == len(self.actions) == len(self.weights):
            raise ValueError("weights: the rows do not add up to the number of weights")
        if not valid_keys(self.keys):
            raise ValueError("weights: keys are not in ascending order")
        if len(self.actions) and int(self.actions.max()) >= self.n_actions:
            raise ValueError(f"weights: action {int(self.actions.max())}, but there are {self.n_actions}")
        same_row = np.ones(max(len(self.actions) - 1, 0), bool)
        same_row[self.offsets[1:-1] - 1] = False
        if (same_row & (self.actions[1:] <= self.actions[:-1])).any():
            raise ValueError("weights: actions of a row are not in ascending order")
        if not np.isfinite(self.weights).all():
            raise ValueError("weights: a weight is not a finite number")
        return self


def valid_keys(keys: np.ndarray) -> bool:
    """Ascending, none twice, and never 0."""
    return not len(keys) or (keys[0] != 0 and bool((keys[1:] > keys[:-1]).all()))


def check_training(arrays: dict[str, np.ndarray], n_actions: int, cold_type: type) -> None:
    """Raises ValueError unless the arrays could be the dump of a training table: for arrays that come from a file."""
    types = {"keys": np.uint64, "counts": np.uint16, "updates": np.uint32, "actions": np.uint16}
    for name, dtype in (types | {"hot": np.float32, "cold": cold_type}).items():
        array = arrays.get(name)
        if array is None or array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError(f"training weights: no array '{name}' of {np.dtype(dtype).name}")
    keys, counts, actions = arrays["keys"], arrays["counts"], arrays["actions"]
    total = int(counts.sum(dtype=np.int64))
    if not len(keys) == len(counts) == len(arrays["updates"]):
        raise ValueError("training weights: keys, counts and updates differ in length")
    if not total == len(actions) == len(arrays["hot"]) == len(arrays["cold"]):
        raise ValueError("training weights: the rows do not add up to the number of weights")
    if not valid_keys(keys):
        raise ValueError("training weights: keys are not in ascending order")
    if total and int(actions.max()) >= n_actions:
        raise ValueError(f"training weights: action {int(actions.max())}, but there are {n_actions}")
    entries = np.repeat(np.arange(len(keys), dtype=np.int64) * n_actions, counts) + actions
    if len(np.unique(entries)) != total:
        raise ValueError("training weights: an action twice in one row")


def merge(parts: Sequence[Weights]) -> Weights:
    """One model of several (of different seeds): the weights added up, in double precision, in the order given."""
    if not parts or len({part.n_actions for part in parts}) != 1:
        raise ValueError("only weights for the same number of actions can be added up")
    keys = np.concatenate([np.repeat(part.keys, np.diff(part.offsets)) for part in parts])
    actions = np.concatenate([part.actions for part in parts])
    weights = np.concatenate([part.weights for part in parts]).astype(np.float64)
    order = np.lexsort((actions, keys))  # stable: equal ones stay in the order of the parts
    keys, actions, weights = keys[order], actions[order], weights[order]
    if not len(keys):
        return parts[0]
    starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]) | (actions[1:] != actions[:-1])])
    sums = np.add.reduceat(weights, starts).astype(np.float32)
    kept = starts[sums != 0]
    return from_triples(parts[0].n_actions, keys[kept], actions[kept], sums[sums != 0])


def from_triples(n_actions: int, keys: np.ndarray, actions: np.ndarray, weights: np.ndarray) -> Weights:
    """Weights from parallel arrays sorted by key, then action."""
    rows, counts = np.unique(keys, return_counts=True)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return Weights(n_actions, rows.astype(np.uint64), offsets, actions, weights)
