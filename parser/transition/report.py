"""Derivations of gold trees as text, and the check that zero-cost transitions rebuild them. Nothing is printed here."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parser.transition.handle import Gold, GoldError, State, System

Tree = tuple[str, Sequence[int], Sequence[str]]  # name of the sentence, heads, label names


@dataclass
class CheckSummary:
    """`refused`: (name, message) of trees that no derivation builds; `wrong`: names of trees not rebuilt."""

    trees: int = 0
    rebuilt: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        first = [
            f"{self.trees} trees: {self.rebuilt} rebuilt by zero-cost transitions, {len(self.wrong)} not, "
            f"{len(self.refused)} refused"
        ]
        return [
            *first,
            *(f"not rebuilt: {name}" for name in self.wrong),
            *(f"refused: {message}" for _, message in self.refused),
        ]

    @property
    def ok(self) -> bool:
        return not self.wrong


def static_moves(gold: Gold, state: State) -> Iterator[str]:
    """The static oracle's derivation; each transition is applied after it has been given out."""
    while not state.is_final():
        move = gold.static(state)
        if move is None:
            raise GoldError(f"the static oracle has no move in {state!r}")
        yield move
        state.apply(move)


def derivation_lines(system: System, trees: Iterable[Tree]) -> Iterator[str]:
    """Per tree "# name", its static derivation one move a line, an empty line. A refused tree raises GoldError."""
    for name, heads, labels in trees:
        gold = system.gold(heads, labels, name=name)
        yield f"# {name}"
        yield from static_moves(gold, system.initial(len(heads)))
        yield ""


def check_trees(system: System, trees: Iterable[Tree]) -> CheckSummary:
    """Follows the lowest zero-cost transition, and the static oracle, from the initial state of every tree."""
    summary = CheckSummary()
    for name, heads, labels in trees:
        summary.trees += 1
        try:
            gold = system.gold(heads, labels, name=name)
        except GoldError as error:
            summary.refused.append((name, str(error)))
            continue
        if rebuilds(system, gold):
            summary.rebuilt += 1
        else:
            summary.wrong.append(name)
    return summary


def rebuilds(system: System, gold: Gold) -> bool:
    state = system.initial(len(gold.heads))
    while not state.is_final():
        zero = next((move for move, cost in gold.costs(state).items() if cost == 0), None)
        if zero is None:
            return False
        state.apply(zero)
    followed = system.initial(len(gold.heads))
    for _ in static_moves(gold, followed):
        pass
    return is_gold(state, gold) and is_gold(followed, gold)


def is_gold(state: State, gold: Gold) -> bool:
    """The tree is the gold tree, labels of words that no transition attached to ROOT apart."""
    heads, labels = state.tree()
    same_labels = all(
        label == right for label, right, head in zip(labels, gold.labels, state.heads, strict=True) if head >= 0
    )
    return heads == gold.heads and same_labels
