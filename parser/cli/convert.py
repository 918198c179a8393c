"""`arcspeed convert`: one treebank format into another."""

from parser.cli.console import Progress, UsageError, counted, warn, warn_of_loss
from parser.treebank import Batch, Reader, Writer, open_output, partial_name, refuse_same_file
from parser.treebank.layout import find_layout, layout_of_path
from parser.treebank.tree_writer import other_format


def run(source: str, target: str, format: str, to: str, on_error: str, roots: str) -> int:
    if to == "auto" and other_format(target) is not None:
        raise UsageError(f"{target}: convert writes CoNLL formats; arcspeed parse writes {other_format(target)}, too")
    layout = find_layout(to) if to != "auto" else layout_of_path(target)
    refuse_same_file([source], target, partial_name(target))
    with (
        Reader(source, format=format, intern=(), roots=roots, on_error=on_error) as reader,
        open_output(target) as stream,
        Writer(stream, layout) as writer,
        Progress("converted") as progress,
    ):
        batch = Batch()
        while reader.fill(batch):
            writer.write(batch)
            progress.advance(batch.n_words)
    warn_of_loss(writer.dropped, reader.faults, reader.skipped)
    if reader.several_roots and roots == "warn":
        warn(f"{counted(reader.several_roots, 'sentence')} with several words under ROOT")
    return 1 if reader.skipped else 0
