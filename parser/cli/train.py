"""`arcspeed train`: a treebank in, a parser out."""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from parser.cli.console import counted, note, unheard_at_worst
from parser.config import Config
from parser.train.run import Setup, Tick
from parser.train.session import Display, TrainingRun
from parser.train.shrink import Cost

ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def run(train: Sequence[str], dev: Sequence[str], output: Path, config: Config, options: dict) -> int:
    quiet = options.pop("quiet")
    display = Display() if quiet else TerminalDisplay()
    with going_on_unheard(), stopping_in_order():
        training = TrainingRun(train, dev, config, output, display=display, **options)
        try:
            with display:
                training.run()
        except KeyboardInterrupt:
            tell_of_interruption(training, output)
            return 130
        if not quiet:
            note(f"arcspeed: wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    return 0


def tell_of_interruption(training: TrainingRun, output: Path) -> None:
    if training.left_model:
        note(f"arcspeed: interrupted; {output} holds the best parser so far")
    elif output.exists():
        note(f"arcspeed: interrupted; {output} is as it was before")
    else:
        note(f"arcspeed: interrupted; {output} was not written")
    if training.has_last:
        note(f"arcspeed: the same command with --resume goes on from {training.last_path}")
    elif training.last_path.exists() and training.unsaved is None:
        note(f"arcspeed: {training.last_path} is still the earlier run's: with --resume that one is gone on with")
    else:
        note("arcspeed: there is nothing yet from which --resume could go on: it is kept from the first epoch on")


@contextmanager
def stopping_in_order() -> Iterator[None]:
    """Being told to end (`kill`, a batch system, a terminal that is closed) is taken as Ctrl-C is. What comes after the
    first is ignored, to the end of the program: it is busy saving what it has."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in ENDINGS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop_once)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is stop_once:
                signal.signal(number, handler)


def stop_once(*_: object) -> None:
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def going_on_unheard() -> Iterator[None]:
    """Whoever reads the messages may end first (Ctrl-C ends `| tee log`, too): that is no reason to lose the model."""
    can = hasattr(signal, "SIGPIPE") and threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN) if can else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)


class TerminalDisplay(Display):
    """A line an epoch on standard error, and on a terminal a bar that shows where the epoch stands."""

    def __init__(self) -> None:
        self.bar = None
        self.epochs = 0

    def __enter__(self) -> "TerminalDisplay":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("epoch {task.fields[epoch]}"),
                BarColumn(),
                TextColumn("{task.fields[speed]:,.0f} words/s, {task.fields[accuracy]:.2f} % right"),
                TimeRemainingColumn(),
            )
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task("", total=None, epoch="1", speed=0.0, accuracy=0.0)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            with unheard_at_worst():
                self.bar.stop()

    def started(self, setup: Setup) -> None:
        trees = setup.trees
        note(
            f"{counted(len(trees.kept), 'sentence')}, {counted(trees.n_words, 'word')}, "
            f"{counted(len(trees.names), 'label')}, {counted(len(setup.assembly.templates), 'template')}"
            + (f"; {counted(trees.lifted, 'non-projective tree')} lifted" if trees.lifted else "")
            + (f"; {counted(trees.dropped, 'sentence')} left out" if trees.dropped else "")
        )
        note("epoch    loss  right %   words/s  LAS dev  without punctuation")

    def ticked(self, tick: Tick) -> None:
        if self.bar is not None:
            total = tick.of_words * tick.epochs
            done = tick.of_words * (tick.epoch - 1) + tick.words
            speed = tick.words / max(tick.seconds, 1e-9)
            with unheard_at_worst():
                self.bar.update(
                    self.task, total=total, completed=done, epoch=f"{tick.epoch}/{tick.epochs}", speed=speed,
                    accuracy=tick.accuracy,
                )  # fmt: skip

    def epoch_done(self, line: dict, best: int) -> None:
        scores = f"{line['dev']['las']:9.2f}{line['dev']['las_no_punct']:9.2f}" if "dev" in line else ""
        mark = "  best" if "dev" in line and best == line["epoch"] else ""
        counts = f"{line['epoch']:5d} {line['loss']:7.3f} {line['accuracy']:8.2f} {line['words_per_second']:9,}"
        self.say(counts + scores + mark)

    def rows_left_out(self, kept: int, of: int) -> None:
        self.say(f"      from here on with {kept:,} of {of:,} rows, those with the largest weights")

    def say(self, text: str) -> None:
        """Above the bar, where there is one."""
        if self.bar is not None:
            with unheard_at_worst():
                self.bar.console.print(text, highlight=False)
        else:
            note(text)

    def compiled(self, floats: float, integers: float) -> None:
        note(f"LAS dev {floats:.2f} in floating point, {integers:.2f} as integers, with which it parses")

    def shrunk(self, budget: int, before: Cost, after: Cost) -> None:
        note(cost_line(budget, before, after))

    def stopped_early(self, epoch: int) -> None:
        note(f"no better epoch for as long as the patience lasts: stopped after {epoch}")

    def unjudged(self, why: str) -> None:
        note(f"{why}: scores are not made probabilities")

    def saving(self, path: Path) -> None:
        self.say(f"interrupted: saving the best parser so far in {path} ...")


def cost_line(budget: int, before: Cost, after: Cost) -> str:
    """What it cost to fit into a budget."""
    if before is after:
        return f"within {budget / 1e6:.2f} MB: {before.n_bytes / 1e6:.2f} MB, nothing left out"
    las = "" if before.las is None else f"LAS dev {before.las:.2f} -> {after.las:.2f}, "
    return (
        f"within {budget / 1e6:.2f} MB: {las}{before.rows:,} -> {after.rows:,} rows, "
        f"{before.weights:,} -> {after.weights:,} weights, {before.n_bytes / 1e6:.2f} -> {after.n_bytes / 1e6:.2f} MB"
    )
