"""One measured number: exact counts, and the percentages that follow from them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """`correct` of `gold` wanted and `system` given items; `aligned` gold words have a partner (None: not words).

    Where gold and system have the same words, precision, recall and F1 of an attachment score are all its accuracy.
    A percentage of nothing is 0.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return percent(self.correct, self.system)

    @property
    def recall(self) -> float:
        return percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        return percent(2 * self.correct, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float | None:
        return None if self.aligned is None else percent(self.correct, self.aligned)


def percent(part: int, whole: int) -> float:
    return 100 * (part / whole) if whole else 0.0
