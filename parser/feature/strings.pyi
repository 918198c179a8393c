from collections.abc import Iterable, Mapping

import numpy as np
from typing_extensions import Buffer

Array = Buffer | np.ndarray

class Memory:
    def __init__(self, values: Array, name: str) -> None: ...

class Ints(Memory): ...

class Strings:
    def __init__(
        self,
        data: Array,
        offsets: Array,
        codes: Array | None = None,
        valid: Array | None = None,
        first_bit: int = 0,
    ) -> None: ...
    @staticmethod
    def of(strings: Iterable[str]) -> Strings: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> str | None: ...

class Words:
    n_sentences: int
    first: int
    n_words: int
    def __init__(self, columns: Mapping[str, Strings | None], offsets: Array, number: int = 0) -> None: ...
    def pieces(self, most_words: int) -> list[int]: ...
    def place(self, sentence: int) -> int: ...
