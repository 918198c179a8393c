"""`arcspeed parse`: a treebank file, a stream or plain text, or a folder of them, with the parser's trees."""

from collections.abc import Sequence

from parser.cli.console import Progress, UsageError, counted, note, warn, warn_of_loss, warn_of_no_tags
from parser.pipeline import FileReport, Parser
from parser.shards import begin, digest_of, plan_shards, wants_folder
from parser.treebank import partial_name, refuse_same_file
from parser.treebank.stream import display_name


def run(model: str, sources: Sequence[str], target: str, resume: bool, options: dict) -> int:
    if wants_folder(sources, target):
        return run_shards(model, sources, target, resume, options)
    if resume:
        raise UsageError("--resume goes on with a folder: name several files, or a folder, to parse into --output")
    refuse_same_file([model, sources[0]], target, partial_name(target))
    parser = Parser.load(model, verify=True)
    warn_of_chances(parser, model, options)
    with Progress("parsed") as progress:
        report = parser.parse_file(sources[0], target, progress=progress, **options)
    if report.untagged:
        warn_of_no_tags(display_name(sources[0]), parser.tag_column, model, options["format"])
    return tell(report)


def run_shards(model: str, sources: Sequence[str], folder: str, resume: bool, options: dict) -> int:
    """One file after the other: what is there is left alone."""
    shards = plan_shards(sources, folder, options["format"], options["to"])
    parser = Parser.load(model, verify=True)
    facts = {"model": digest_of(model), **{name: value for name, value in options.items() if name != "threads"}}
    left = begin(folder, shards, facts, resume)
    warn_of_chances(parser, model, options)
    if len(left) < len(shards):
        note(f"arcspeed: {len(shards) - len(left)} of {len(shards)} files were done")
    code = untagged = 0
    with Progress("parsed") as progress:
        for shard in left:
            report = parser.parse_file(shard.source, shard.target, progress=progress, **options)
            code, untagged = max(code, tell(report)), untagged + report.untagged
    if untagged:
        warn_of_no_tags(f"{folder}: {counted(untagged, 'file')}", parser.tag_column, model, options["format"])
    return code


def warn_of_chances(parser: Parser, model: str, options: dict) -> None:
    if options["scores"] and parser.reliability is None:
        warn(
            f"{model}: probabilities are those of single decisions, too high for arcs; a development set of some size, "
            "when it was trained, would have told by how much"
        )


def tell(report: FileReport) -> int:
    warn_of_loss(report.dropped, report.faults, report.skipped)
    return 1 if report.skipped else 0
