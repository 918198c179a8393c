"""`arcspeed convert`: one treebank format into another."""

from parser.cli.console import Progress, warn, warn_of_loss
from parser.treebank import Batch, Reader, TreebankError, Writer, open_output
from parser.treebank.layout import find_layout, layout_of_path


def run(source: str, target: str, format: str, to: str, on_error: str, roots: str) -> int:
    layout = find_layout(to) if to != "auto" else layout_of_path(target)
    with Reader(source, format=format, intern=(), roots=roots, on_error=on_error) as reader:
        refuse_same_file(source, target)
        with open_output(target) as stream, Writer(stream, layout) as writer, Progress("converted") as progress:
            batch = Batch()
            while reader.fill(batch):
                writer.write(batch)
                progress.advance(batch.n_words)
    warn_of_loss(writer.dropped, reader.faults, reader.skipped)
    if reader.several_roots and roots == "warn":
        warn(f"{reader.several_roots} sentences have several words under ROOT")
    return 1 if reader.skipped else 0


def refuse_same_file(source: str, target: str) -> None:
    import os

    if "-" not in (source, target) and os.path.exists(target) and os.path.samefile(source, target):
        raise TreebankError("is both input and output, expected two files", target)
