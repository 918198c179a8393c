from collections import Counter

from parser.treebank.errors import TreebankError

MANY_LABELS: int
MANY_TAGS: int
UNIVERSAL_TAGS: frozenset[str]

class TreebankStatistics:
    file: str
    format: str | None
    sentences: int
    words: int
    multiwords: int
    empty_nodes: int
    unparsed_sentences: int
    nonprojective_sentences: int
    nonprojective_words: int
    several_roots: int
    skipped: int
    longest: int
    faults: list[TreebankError]
    problems: list[str]
    counts: dict[str, Counter[str]]
    forms: set[str]
    lengths: Counter[int]
    root_labels: Counter[str]
    inner_root_label: int
    sentence_keys: set[tuple[str, ...]]
    def __init__(self, file: str) -> None: ...
    def distinct(self, field: str) -> int: ...
    def as_dict(self) -> dict[str, object]: ...

def measure(path: str, format: str = "auto") -> TreebankStatistics: ...
def find_problems(found: TreebankStatistics) -> None: ...
def first_ones(names: list[str]) -> str: ...
def compare(train: TreebankStatistics, other: TreebankStatistics) -> list[str]: ...
