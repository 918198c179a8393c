"""Finished weights from a file: everything that indexes something else is checked before C code may use it."""

from collections.abc import Mapping

import numpy as np

from parser.model.layout import ModelFileError
from parser.score.weights import TYPES, Weights

MOST_ACTIONS = 65535


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
