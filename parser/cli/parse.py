"""`arcspeed parse`: a treebank file, or a stream, with the parser's trees."""

from parser.cli.console import Progress, note, warn
from parser.pipeline import Parser


def run(model: str, source: str, target: str, format: str, scores: bool, threads: int, on_error: str) -> int:
    parser = Parser.load(model)
    if scores and parser.provenance.get("score_factor") is None:
        warn(f"{model} was trained without a development set: its scores are not calibrated probabilities")
    with Progress("parsed") as progress:
        options = {"format": format, "scores": scores, "threads": threads, "on_error": on_error}
        reader = parser.parse_file(source, target, progress=progress, **options)
    for fault in reader.faults:
        note(str(fault))
    if reader.skipped:
        warn(f"{reader.skipped} faulty sentences were left out")
    return 1 if reader.skipped else 0
