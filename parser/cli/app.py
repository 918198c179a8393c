"""The commands and their options; what they do stands in a module each."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from parser.treebank.errors import TreebankError

app = typer.Typer(
    name="arcspeed",
    help="A trainable dependency parser for people who have a lot of text and a CPU.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class OnError(StrEnum):
    stop = "stop"
    skip = "skip"


class Roots(StrEnum):
    error = "error"
    warn = "warn"
    ignore = "ignore"


FormatOption = Annotated[
    str, typer.Option("--format", help="Format of the input: conllu, conllx, conll09, or auto: by name, else by rows.")
]
OnErrorOption = Annotated[
    OnError, typer.Option(help="At a faulty sentence: stop with exit code 1, or skip, count and report it.")
]
RootsOption = Annotated[Roots, typer.Option(help="What a sentence with several words under ROOT is.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON for programs instead of tables.")]


def show_version(wanted: bool) -> None:
    if wanted:
        from parser.version import __version__

        print(f"arcspeed {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(help="Treebank files, the training file first; - is standard input.")],
    format: FormatOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Count what is in treebank files and show every problem found.

    Faulty sentences are listed as file:line: what is wrong. With several files, each is compared with the first:
    sentences in both, forms and labels that the first does not have. Exit code 1 if any sentence is faulty.
    """
    from parser.cli.check import run

    raise typer.Exit(run(files, format, as_json))


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - is standard output.")],
    format: FormatOption = "auto",
    to: Annotated[
        str, typer.Option(help="Format of the output: conllu, conllx, conll09, or auto: by OUT's name, else IN's.")
    ] = "auto",
    on_error: OnErrorOption = OnError.stop,
    roots: RootsOption = Roots.ignore,
) -> None:
    """Rewrite a treebank in another format, or in the same one, strictly: LF line ends, one blank line, no BOM.

    Names that end in .gz, .xz or .zst are unpacked and packed on the way.
    """
    from parser.cli.convert import run

    raise typer.Exit(run(source, target, format, to, on_error.value, roots.value))


@app.command()
def demo(
    treebank: Annotated[
        Path | None,
        typer.Option(help="A folder with a train and a dev file (.conllu) instead of the treebank that is downloaded."),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Use made-up sentences; download nothing.")] = False,
) -> None:
    """Show what arcspeed does on a real treebank, in under a minute.

    The Turkish Web Treebank (Apache-2.0, 4,851 sentences) is downloaded once through pip and kept in the user cache.
    """
    from parser.cli.demo import run

    raise typer.Exit(run(treebank, offline))


def run(arguments: list[str]) -> int:
    """Runs one command and returns the exit code; data errors become one line on standard error."""
    try:
        return app(arguments, prog_name="arcspeed") or 0
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    except TreebankError as error:
        print(f"arcspeed: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
