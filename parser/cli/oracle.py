"""`arcspeed oracle`: how a transition system derives the trees of a treebank."""

from collections import Counter
from collections.abc import Iterator

from parser.cli.console import UsageError, note
from parser.transition import GoldError, TransitionError, get_system
from parser.transition.report import check_trees, derivation_lines
from parser.treebank import Reader, TreebankError
from parser.treebank.tree import is_projective, lift


def run(path: str, format: str, options: dict, nonprojective: str, check: bool) -> int:
    dropped: list[str] = []
    trees = list(read_trees(path, format, nonprojective, dropped))
    if not trees:
        raise TreebankError("has no tree that is projective, expected some or --nonprojective lift", path)
    try:
        system = get_system(labels=all_labels(trees), root_label=root_label(trees), **options)
        lines, code = checked(system, trees) if check else (derivation_lines(system, trees), 0)
        for line in lines:
            print(line)
    except GoldError as error:
        hint = "; --nonprojective lift or drop goes on with such trees" if "not projective" in str(error) else ""
        raise TreebankError(f"{error}{hint}", path) from None
    except TransitionError as error:
        raise UsageError(str(error)) from None
    if dropped:
        note(f"non-projective sentences left out: {len(dropped)}")
    return code


def checked(system, trees) -> tuple[list[str], int]:
    summary = check_trees(system, trees)
    return summary.lines(), 0 if summary.ok else 1


def all_labels(trees: list[tuple]) -> list[str]:
    return sorted({label for _, _, labels in trees for label in labels})


def root_label(trees: list[tuple]) -> str:
    """The most frequent label of words under ROOT; systems without ROOT give it to the word that is left."""
    found = Counter(label for _, heads, labels in trees for head, label in zip(heads, labels, strict=True) if head == 0)
    return found.most_common(1)[0][0]


def read_trees(path: str, format: str, nonprojective: str, dropped: list[str]) -> Iterator[tuple]:
    """(name, heads, labels) of every sentence; `nonprojective` says what becomes of those trees."""
    with Reader(path, format=format, intern=()) as reader:
        for sentence in reader:
            if not sentence.is_parsed:
                raise TreebankError("has no heads, expected gold trees", reader.file, sentence.line)
            heads = sentence.heads.tolist()
            if nonprojective != "refuse" and not is_projective(heads):
                if nonprojective == "drop":
                    dropped.append(sentence.name)
                    continue
                heads, _ = lift(heads)
            yield sentence.name, heads, sentence.labels
