"""`arcspeed parse`: a treebank file, a stream or plain text, with the parser's trees."""

from parser.cli.console import Progress, warn, warn_of_loss
from parser.pipeline import Parser


def run(model: str, source: str, target: str, options: dict) -> int:
    parser = Parser.load(model)
    if options["scores"] and parser.provenance.get("score_factor") is None:
        warn(f"{model} was trained without a development set: its scores are not calibrated probabilities")
    with Progress("parsed") as progress:
        report = parser.parse_file(source, target, progress=progress, **options)
    warn_of_loss(report.dropped, report.faults, report.skipped)
    return 1 if report.skipped else 0
