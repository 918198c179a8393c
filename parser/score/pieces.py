"""Long rows of numbers that are made piece by piece while they are written: whole they would double the memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pieces:
    """`make(start, end)` gives the numbers of some of `n` things, one or more for each; good as long as they stay."""

    dtype: type
    length: int  # numbers in all
    n: int
    step: int  # things in a piece
    make: Callable[[int, int], np.ndarray]

    def __iter__(self) -> Iterator[np.ndarray]:
        for start in range(0, self.n, self.step):
            yield self.make(start, min(start + self.step, self.n))

    def whole(self) -> np.ndarray:
        return np.concatenate([np.empty(0, self.dtype), *self])
