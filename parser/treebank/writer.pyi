from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import BinaryIO

import numpy as np

from parser.treebank.batch import Batch, Sentence
from parser.treebank.layout import Layout

class Labels:
    n: int
    def __init__(self, names: Iterable[str]) -> None: ...
    def __iter__(self) -> Iterator[str]: ...

class Writer:
    stream: BinaryIO
    layout: Layout | None
    keep_deps: bool
    check: bool
    hold: bool
    dropped: dict[str, int]
    def __init__(
        self,
        stream: BinaryIO,
        layout: Layout | str | None = None,
        keep_deps: bool = False,
        check: bool = True,
        hold: bool = False,
    ) -> None: ...
    def write(
        self,
        sentences: Batch | Sentence,
        heads: Sequence[int] | np.ndarray | None = None,
        labels: Sequence[int] | np.ndarray | None = None,
        label_names: Iterable[str] | Labels | None = None,
        probabilities: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None: ...
    def flush(self) -> None: ...
    def __enter__(self) -> Writer: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

def padded(values: object, n: int, name: str, dtype: type) -> np.ndarray: ...
