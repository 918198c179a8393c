"""`arcspeed calibrate`: are the model's probabilities true?"""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from parser.cli.console import UsageError, note, print_json, print_table
from parser.evaluate.calibration import Calibration, calibrate
from parser.pipeline import Parser
from parser.train.data import Treebank, read_treebank
from parser.train.decisions import Judge
from parser.train.reliability import judged
from parser.treebank import TreebankError, refuse_same_file

TITLES = {"heads": "heads", "labels": "heads and labels", "decisions": "decisions"}


def run(model: str, path: str, format: str, plot: str | None, as_json: bool) -> int:
    if plot is not None:
        require_drawable(plot)
        refuse_same_file([model, path], plot)
    parser = Parser.load(model, verify=True)
    treebank = read_treebank([path], format)
    arcs = arc_calibrations(parser, treebank)
    found, left_out = calibration_of(parser, treebank)
    if plot is not None:
        draw({**arcs, "decisions": found}, plot)
    if as_json:
        of_arcs = {name: asdict(calibration) for name, calibration in arcs.items()}
        print_json({**asdict(found), **of_arcs, "sentences_left_out": left_out})
        return 0
    for name, calibration in arcs.items():
        title = f"{model} on {path}: {TITLES[name]}"
        print_table(["from", "words", "mean p %", "right %"], rows_of(calibration), title)
        print(f"\nExpected calibration error: {calibration.error:.2f} points over {calibration.decisions:,} words\n")
    print_table(["from", "decisions", "mean p %", "correct %"], rows_of(found), f"{model} on {path}: decisions")
    print(f"\nExpected calibration error: {found.error:.2f} points over {found.decisions:,} decisions")
    print(f"without the {found.forced:,} forced ones: {found.error_unforced:.2f} points")
    if left_out:
        note(f"sentences left out, whose trees the oracle cannot judge: {left_out}")
    return 0


def rows_of(calibration: Calibration) -> list[list]:
    return [[f"{b.low:.1f}", b.count, 100 * b.mean, 100 * b.correct] for b in calibration.bins]


def arc_calibrations(parser: Parser, treebank: Treebank) -> dict[str, Calibration]:
    """Of the probabilities that `arcspeed parse --scores` writes."""
    found = judged(parser, treebank, parser.reliability)
    none_forced = np.zeros(len(found.head), bool)
    return {
        "heads": calibrate(found.head, found.head_right, none_forced),
        "labels": calibrate(found.label, found.label_right, none_forced),
    }


def calibration_of(parser: Parser, treebank: Treebank) -> tuple[Calibration, int]:
    """By the dynamic oracle in each state that the parser itself comes to; and how many sentences cannot be judged."""
    extractor = parser.sentence_parser.extractor
    judge = Judge(treebank, parser.assembly, parser.clusters, extractor=extractor)
    found = judge.decisions(parser.sentence_parser)
    return calibrate(found.p, found.correct, found.forced), judge.left_out


def require_drawable(path: str) -> None:
    """UsageError unless a diagram can be drawn into that file: to be asked before everything else."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("--plot needs matplotlib: pip install 'arcspeed[plot]'") from None
    endings = Figure().canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in endings or Path(path).is_dir():
        raise UsageError(f"--plot {path}: expected a file name that ends in one of {', '.join(sorted(endings))}")


def draw(found: dict[str, Calibration], path: str) -> None:
    """A reliability diagram: what share was right, over what was promised; and how many heads there are."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5.5), layout="constrained")
    axes, counts = figure.subplots(2, 1, height_ratios=[4, 1], sharex=True)
    axes.plot([0, 1], [0, 1], color="0.7", linestyle="--", label="as promised")
    for name, calibration in found.items():
        label = f"{TITLES[name]}: ECE {calibration.error:.2f} points"
        axes.plot([b.mean for b in calibration.bins], [b.correct for b in calibration.bins], marker="o", label=label)
    axes.set(ylabel="share that is right, or costs nothing", ylim=(0, 1.02))
    axes.legend()
    heads = found["heads"].bins
    counts.bar([b.mean for b in heads], [b.count for b in heads], width=0.05)
    counts.set(xlabel="probability", ylabel="heads", yscale="log", xlim=(0, 1.02))
    try:
        figure.savefig(path)
    except OSError as error:
        raise TreebankError(f"cannot be written: {error.strerror or error}", path) from None
