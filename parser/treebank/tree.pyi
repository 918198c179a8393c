from collections.abc import Sequence
from enum import IntFlag

import numpy as np

Heads = Sequence[int] | np.ndarray

SCRATCH: int
MESSAGES: dict[TreeProblem, str]

class TreeProblem(IntFlag):
    OK = 0
    HEAD_OUT_OF_RANGE = 1
    OWN_HEAD = 2
    CYCLE = 3
    NO_ROOT = 4
    SEVERAL_ROOTS = 5
    NO_HEAD = 6

class TreeError(ValueError): ...

def problem(heads: Heads, single_root: bool = False) -> str | None: ...
def is_projective(heads: Heads) -> bool: ...
def nonprojective_words(heads: Heads) -> list[int]: ...
def lift(heads: Heads) -> tuple[list[int], int]: ...
def depths(heads: Heads) -> list[int]: ...
def children(heads: Sequence[int]) -> list[list[int]]: ...
