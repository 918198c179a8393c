import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import BinaryIO

from parser.treebank.batch import Batch, Sentence
from parser.treebank.errors import TreebankError
from parser.treebank.layout import Layout
from parser.treebank.vocab import Vocab

BOM: bytes
DEFAULT_BLOCK: int
LONGEST: int

class Reader:
    file: str
    vocab: Vocab
    layout: Layout | None
    columns: tuple[str, ...]
    roots: str
    skipped: int
    faults: list[TreebankError]
    n_sentences: int
    n_words: int
    several_roots: int
    never_waits: bool
    def __init__(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        format: str = "auto",
        vocab: Vocab | None = None,
        intern: Iterable[str] = ...,
        heads: str = "check",
        roots: str = "warn",
        on_error: str = "stop",
        block_size: int = ...,
        tags: str = "both",
        may_be_empty: bool = False,
    ) -> None: ...
    def close(self) -> None: ...
    def batches(self) -> Iterator[Batch]: ...
    def fill(self, batch: Batch) -> bool: ...
    def __enter__(self) -> Reader: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def __iter__(self) -> Iterator[Sentence]: ...

def expect(option: str, value: str, choices: Iterable[str]) -> None: ...
def scanned(text: bytes, name: str) -> tuple[list[int], list[int], list[int], int]: ...
def scans() -> list[str]: ...
