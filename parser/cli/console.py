"""How commands speak: data on standard output, messages on standard error, ornament only on a terminal."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from parser.errors import UserError


class UsageError(UserError):
    """Options that do not go together."""

    exit_code = 2


def note(message: str) -> None:
    """A message for the person at the terminal."""
    with unheard_at_worst():
        print(message, file=sys.stderr)


@contextmanager
def unheard_at_worst() -> Iterator[None]:
    """Messages that cannot be written, because the terminal is gone or the disk full, end nothing: silence follows."""
    try:
        yield
    except OSError:
        silence(2)


def silence(descriptor: int) -> None:
    """What could not be written is not tried again, with a traceback, when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def warn(message: str) -> None:
    note(f"arcspeed: warning: {message}")


def counted(n: int, what: str) -> str:
    """1 sentence, 2 sentences."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def warn_of_loss(dropped: dict[str, int], faults: Sequence[Exception], skipped: int) -> None:
    """What of the input is not in the output: rows without a place in its format, faulty sentences."""
    kinds = ", ".join(
        counted(count, kind.removesuffix("s").replace("_", " ")) for kind, count in dropped.items() if count
    )
    if kinds:
        warn(f"the output's format has no place for {kinds}: left out")
    for fault in faults:
        note(str(fault))
    if skipped:
        warn(f"{counted(skipped, 'faulty sentence')} left out")


TAGS = {"text": "write word_TAG, from the first line on", "vertical": "write token TAB tag"}


def warn_of_no_tags(what: str, column: str, model: str, format: str) -> None:
    """Words alone are parsed, too, but not as the model has learnt it."""
    other = "upos" if column == "xpos" else "xpos"
    remedy = TAGS.get(format, f"fill the column, or train with --pos {other}")
    warn(f"{what}: no word has {column.upper()}, which {model} takes for tags: expect wrong trees; {remedy}")


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Columns for people; numbers to the right. On a terminal with rich's lines, in a pipe as plain aligned text."""
    cells = [[show(value) for value in row] for row in rows]
    numeric = [all(is_number(row[k]) for row in cells) and bool(cells) for k in range(len(header))]
    if sys.stdout.isatty():
        print_rich_table(header, cells, numeric, title)
        return
    if title:
        print(title)
    widths = [max(len(row[k]) for row in [list(header), *cells]) for k in range(len(header))]
    for row in [list(header), *cells]:
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        print("  ".join(aligned).rstrip())


def print_rich_table(header, cells, numeric, title) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for name, right in zip(header, numeric, strict=True):
        table.add_column(name, justify="right" if right else "left")
    for row in cells:
        table.add_row(*row)
    Console().print(table)


def show(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def is_number(cell: str) -> bool:
    return cell in ("", "-") or cell.rstrip("%").lstrip("+-").replace(",", "").replace(".", "", 1).isdigit()


class Progress:
    """A line that counts words on standard error, on a terminal only; `advance` is cheap to call for every batch."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.bar = None
        self.task = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                TextColumn("{task.completed:,} words"),
                TextColumn("{task.fields[speed]}"),
                TimeElapsedColumn(),
            )
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.what, total=None, speed="")
        return self

    def advance(self, words: int) -> None:
        if self.bar is not None:
            self.bar.advance(self.task, words)
            seconds = self.bar.tasks[0].elapsed or 1e-9
            self.bar.update(self.task, speed=f"{self.bar.tasks[0].completed / seconds:,.0f} words/s")

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
