"""What happened during training: a log of one JSON object per line, the best epoch, and when to stop.

Every line has an `event`: `start`, `epoch`, and whatever else the caller reports. The lines `epoch` are numbered
1, 2, ... and have the dev `score` where there is a dev set; all decisions follow from these scores, so training that
was interrupted and resumed decides as if it had not been.

The best epoch is the earliest of the highest score: a later one that only equals it is not better. Without scores it is
the last one. A line `rows` says that from here on training has fewer rows: such epochs are compared with one another
alone, since who asks for a small model gets one. With patience n training stops after n epochs in a row that were not
better than the best before them; patience 0 never stops.
"""

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path

from parser.errors import UserError
from parser.model.atomic import whole_file
from parser.model.layout import from_json


class HistoryError(UserError):
    """A training log that cannot be read or written; `str(error)` is the one line to show."""


def best_epoch(scores: Sequence[float | None]) -> int:
    """The number (from 1) of the best epoch, 0 before the first one."""
    known = [score for score in scores if score is not None]
    return scores.index(max(known)) + 1 if known else len(scores)


def should_stop(scores: Sequence[float | None], patience: int) -> bool:
    return patience > 0 and len(scores) - best_epoch(scores) >= patience


class History:
    """The log of one training run; with a path each line is on disk when `add` returns.

    An earlier log of that name stays until the first epoch is done, for it belongs to a state that can be gone on from.
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = path
        self.lines: list[dict] = []
        self.waits = False  # for the first epoch, to replace an earlier log
        if path is not None:
            self._append("")
            self.waits = os.path.getsize(path) > 0

    @classmethod
    def resume(cls, path: str | os.PathLike, epochs: int) -> "History":
        """The log as it was after so many epochs. What stands behind them, a torn last line included, is dropped."""
        lines = read_log(path)
        ends = [i for i, line in enumerate(lines) if line["event"] == "epoch"][:epochs]
        if len(ends) < epochs:
            raise HistoryError(f"{path}: has {len(ends)} epochs, expected at least {epochs}")
        history = cls()
        history.path = path
        history.lines = lines[: ends[-1] + 1] if epochs else [line for line in lines[:1] if line["event"] == "start"]
        history._replace(history.lines)
        return history

    @property
    def epochs(self) -> list[dict]:
        return [line for line in self.lines if line["event"] == "epoch"]

    @property
    def scores(self) -> list[float | None]:
        return [line.get("score") for line in self.epochs]

    @property
    def compared_from(self) -> int:
        """So many epochs are not compared: those before rows were left out, once there is one behind."""
        before = epochs = 0
        for line in self.lines:
            epochs += line["event"] == "epoch"
            before = epochs if line["event"] == "rows" else before
        return before if epochs > before else 0

    @property
    def best(self) -> int:
        first = self.compared_from
        return first + best_epoch(self.scores[first:])

    @property
    def last_is_best(self) -> bool:
        """To be asked after every epoch: are the weights of now those to keep as the best?"""
        return self.best == len(self.epochs) > 0

    def should_stop(self, patience: int) -> bool:
        return should_stop(self.scores[self.compared_from :], patience)

    def add_epoch(self, *, score: float | None = None, **more: object) -> None:
        if score is not None and not math.isfinite(score):
            raise ValueError(f"score {score} of an epoch is not a finite number")
        if any((before is None) != (score is None) for before in self.scores):
            raise ValueError("either all epochs have a score or none has")
        self.add("epoch", epoch=len(self.epochs) + 1, **({} if score is None else {"score": score}), **more)

    def add(self, event: str, **more: object) -> None:
        line = {"event": event, **more}
        text = line_of(line)
        if self.waits and event == "epoch":
            self._replace([*self.lines, line])
            self.waits = False
        elif self.path is not None and not self.waits:
            self._append(text)
        self.lines.append(line)

    def _replace(self, lines: list[dict]) -> None:
        with whole_file(self.path) as stream:
            stream.write("".join(map(line_of, lines)).encode())

    def _append(self, text: str) -> None:
        try:
            with open(self.path, "a", encoding="utf-8") as stream:
                stream.write(text)
        except OSError as error:
            raise HistoryError(f"{self.path}: cannot be written: {error.strerror or error}") from None


def line_of(line: dict) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def read_log(path: str | os.PathLike) -> list[dict]:
    """The lines of a log; a last line without its end (an interrupted program) does not count."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise HistoryError(f"{path}: cannot be read: {error.strerror or error}") from None
    lines: list[dict] = []
    n_epochs = 0
    for number, text in enumerate(content.split(b"\n")[:-1], 1):
        try:
            line = from_json(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not isinstance(line.get("event"), str):
            raise HistoryError(f"{path}:{number}: is not a line of a training log")
        if line["event"] == "epoch":
            n_epochs += 1
            if line.get("epoch") != n_epochs or not isinstance(line.get("score"), int | float | None):
                raise HistoryError(f"{path}:{number}: expected epoch {n_epochs} with its score")
        lines.append(line)
    return lines
