"""Finished weights in a file, with as many bytes as they need, and out of it.

Everything that indexes something else is checked before C code may use it.
"""

from collections.abc import Mapping

import numpy as np

from parser.model.layout import ModelFileError
from parser.score.weights import TYPES, Weights

MOST_ACTIONS = 65535


def packed_weights(weights: Weights) -> dict[str, np.ndarray]:
    """Lengths of rows instead of offsets, actions in one byte where that is enough."""
    return {
        "keys": weights.keys,
        "counts": np.diff(weights.offsets).astype(np.uint16),  # of different actions: fewer than 2**16
        "actions": weights.actions.astype(np.uint8 if weights.n_actions <= 256 else np.uint16),
        "weights": weights.weights,
    }


def unpacked_weights(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of Weights, not yet checked; they may also be stored as they are."""
    found = dict(arrays)
    counts, actions = found.pop("counts", None), found.get("actions")
    if counts is not None:
        if counts.dtype != np.uint16 or counts.ndim != 1:
            raise ModelFileError("weights: array 'counts' is not a row of uint16")
        found["offsets"] = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    if actions is not None and actions.dtype == np.uint8:
        found["actions"] = actions.astype(np.uint16)
    return found


def validate_weights(arrays: Mapping[str, np.ndarray], n_actions: int) -> Weights:
    """The arrays `keys`, `offsets`, `actions` and `weights` as Weights; ModelFileError unless they fit together."""
    if type(n_actions) is not int or not 1 <= n_actions <= MOST_ACTIONS:
        raise ModelFileError(f"weights: {n_actions} actions, expected 1 to {MOST_ACTIONS}")
    missing = sorted(TYPES.keys() - arrays.keys())
    if missing:
        raise ModelFileError(f"weights: array {missing[0]!r} is missing")
    offsets = arrays["offsets"]
    # before the differences of offsets are looked at: those of numbers near the ends of int64 overflow
    if offsets.size and ((offsets < 0) | (offsets > arrays["weights"].size)).any():
        raise ModelFileError("weights: the offsets do not lead from row to row")
    try:
        return Weights(n_actions, **{name: arrays[name] for name in TYPES}).check()
    except ValueError as error:
        raise ModelFileError(str(error)) from None
