"""`arcspeed convert`: one treebank format into another."""

from parser.cli.console import Progress, UsageError, counted, warn, warn_of_loss
from parser.treebank import Batch, Reader, Writer, open_output, partial_name, refuse_same_file
from parser.treebank.layout import Layout, find_layout, layout_of_path
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
        batch, lost = Batch(), set()
        while reader.fill(batch):
            writer.write(batch)
            lost |= lost_columns(batch, layout, lost)
            progress.advance(batch.n_words)
    warn_of_loss(writer.dropped, reader.faults, reader.skipped)
    if lost:
        warn_of_lost_columns(reader.layout, layout, lost)
    if reader.several_roots and roots == "warn":
        warn(f"{counted(reader.several_roots, 'sentence')} with several words under ROOT")
    return 1 if reader.skipped else 0


def lost_columns(batch: Batch, target: Layout | None, known: set[str]) -> set[str]:
    """Columns that hold something and are not in the output. Those that are known are not looked at again."""
    if target is None:
        return set()
    return {name for name in batch.layout.without_place_in(target) if name not in known and batch.has_values(name)}


def warn_of_lost_columns(source: Layout, target: Layout, lost: set[str]) -> None:
    names = [name.upper() for name in source.without_place_in(target) if name in lost]
    columns = "column" if len(names) == 1 else "columns"
    warn(f"{target.title} has no {columns} {', '.join(names)}: what stood there is left out")
