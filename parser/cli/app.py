"""The commands and their options; what they do stands in a module each."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from parser.cli.console import UsageError, note, silence
from parser.errors import UserError

OptionError = typer.BadParameter.__base__  # whatever the option parser finds wrong with a call

app = typer.Typer(
    name="arcspeed",
    help="A trainable dependency parser for people who have a lot of text and a CPU.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class System(StrEnum):
    arc_eager = "arc-eager"
    arc_standard = "arc-standard"
    arc_hybrid = "arc-hybrid"
    easy_first = "easy-first"


class Root(StrEnum):
    first = "first"
    last = "last"
    none = "none"


class LeftArc(StrEnum):
    early = "early"
    late = "late"


class OracleTrees(StrEnum):
    refuse = "refuse"
    lift = "lift"
    drop = "drop"


class Punctuation(StrEnum):
    auto = "auto"
    ud = "ud"
    unicode = "unicode"
    ptb = "ptb"
    chinese = "chinese"
    udt = "udt"


class OnError(StrEnum):
    stop = "stop"
    skip = "skip"


class Roots(StrEnum):
    error = "error"
    warn = "warn"
    ignore = "ignore"


FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        help="Format of the input: conllu, conllx, conll09, text, vertical (see arcspeed parse -h), or auto: by name, "
        "else by rows.",
    ),
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
def train(
    files: Annotated[list[str], typer.Argument(metavar="TRAIN...", help="Treebank files to learn from.")],
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    dev: Annotated[
        list[str], typer.Option(help="Development file: scored after every epoch, the best one is kept. Repeatable.")
    ] = [],  # noqa: B006 (typer reads it, nobody changes it)
    system: Annotated[
        System | None, typer.Option(help="Transition system. [arc-standard, or the one that --features is for]")
    ] = None,
    root: Annotated[Root | None, typer.Option(help="Place of ROOT. [last for arc-eager, else first]")] = None,
    features: Annotated[
        str | None,
        typer.Option(
            help="A named feature set or a file of templates. "
            "[rich-standard; by system rich, rich-hybrid, rich-easyfirst]"
        ),
    ] = None,
    learner: Annotated[
        str | None, typer.Option(help="perceptron, passive-aggressive, adagrad-rda or regression. [perceptron]")
    ] = None,
    oracle: Annotated[str | None, typer.Option(help="static, nondeterministic or dynamic. [dynamic]")] = None,
    explore: Annotated[
        str | None,
        typer.Option(
            help="none, ambiguity, goldberg-nivre-2012, goldberg-nivre-2013, chang-2015, sample, err. "
            "[with the dynamic oracle goldberg-nivre-2013, or sample for adagrad-rda]"
        ),
    ] = None,
    k: Annotated[int | None, typer.Option(help="Epochs without exploration.")] = None,
    p: Annotated[
        float | None,
        typer.Option(
            help="Probability of following a wrong prediction; Goldberg & Nivre 2012 call that of not following it p. "
            "[0.9; chang-2015 1]"
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the training data. [10]")] = None,
    patience: Annotated[
        int | None, typer.Option(help="Stop after so many epochs without a better dev score; 0 never. [0]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random. [1]")] = None,
    ensemble: Annotated[
        int | None, typer.Option(help="Train so many seeds and add up their weights into one model. [1]")
    ] = None,
    pos: Annotated[str | None, typer.Option(help="What p is in templates: auto, xpos or upos. [auto]")] = None,
    clusters: Annotated[
        str | None, typer.Option(metavar="FILE", help="Word clusters, for templates with cluster(...).")
    ] = None,
    nonprojective: Annotated[
        str | None,
        typer.Option(help="Non-projective trees: drop, lift, or lift and mark: head, path, head+path. [head]"),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file with options; those given here win, and must go with it.")
    ] = None,
    set_: Annotated[list[str], typer.Option("--set", help="Any option by name: learner.margin=50. Repeatable.")] = [],  # noqa: B006
    resume: Annotated[bool, typer.Option("--resume", help="Go on from OUTPUT.last.")] = False,
    slim: Annotated[
        bool, typer.Option("--slim", help="Keep only what parsing needs: no OUTPUT.last, a quarter of the size.")
    ] = False,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="The most that OUTPUT may take, as 5MB: see arcspeed shrink.")
    ] = None,
    licence: Annotated[str, typer.Option(help="Licence of the data, to be noted in the model.")] = "",
    format: FormatOption = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing.")] = False,
) -> None:
    """Train a parser on a treebank.

    Writes OUTPUT (the best epoch on the development set, else the last), OUTPUT.log (a JSON line an epoch; of the other
    seeds of an ensemble OUTPUT.2.log, ...) and OUTPUT.last (the last state, for --resume). Ctrl-C leaves the best
    parser so far in OUTPUT. The same data, options and seed give the same bytes.
    """
    from parser.cli.options import bytes_of, model_name, training_config
    from parser.cli.train import run

    given = {
        "system.name": system.value if system else None,
        "system.root": root.value if root else None,
        "features.name": features,
        "features.pos": pos,
        "features.clusters": clusters,
        "learner.name": learner,
        "oracle.name": oracle,
        "explore.name": explore,
        "explore.k": k,
        "explore.p": p,
        "train.epochs": epochs,
        "train.patience": patience,
        "train.seed": seed,
        "train.ensemble": ensemble,
        "trees.nonprojective": nonprojective,
    }
    options = {"resume": resume, "keep_last": not slim, "format": format, "licence": licence, "quiet": quiet}
    options["budget"] = None if budget is None else bytes_of(budget)
    options["also_reads"] = [] if config is None else [config]
    raise typer.Exit(run(files, dev, model_name(output), training_config(config, given, set_), options))


@app.command()
def shrink(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file, not a slim one.")],
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    budget: Annotated[str, typer.Option(metavar="SIZE", help="The most that OUTPUT may take: 5MB, 800kB, 2.5MiB.")],
    slim: Annotated[bool, typer.Option("--slim", help="Keep only what parsing needs: a quarter of the size.")] = False,
    dev: Annotated[
        list[str],
        typer.Option(help="Development file: tells what it costs, and keeps probabilities right."),
    ] = [],  # noqa: B006
    format: FormatOption = "auto",
) -> None:
    """Make a model smaller: leave out the weights that it will miss least, until the file fits.

    What is kept decides as before. Says how many weights are left, and with --dev what that costs.
    """
    from parser.cli.options import bytes_of, model_name
    from parser.cli.shrink import run

    raise typer.Exit(run(model, model_name(output), bytes_of(budget), slim, dev, format))


@app.command()
def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file.")],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[IN...]", help="File to parse; - is standard input. Several, or a folder, into a folder."
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="File to write; - is standard output. A folder for several files, or if it is one."
        ),
    ] = "-",
    scores: Annotated[
        bool, typer.Option("--scores", help="Probabilities into MISC: HeadProb, and LabelProb of head and label.")
    ] = False,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads that parse; the output is the same.")] = 1,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format of the input: conllu, conllx, conll09, auto (by name, else by rows); text: a pre-tokenized "
            "sentence a line, word or word_TAG as all of the first line are; vertical: a token, or token TAB tag, a "
            "line.",
        ),
    ] = "auto",
    to: Annotated[
        str,
        typer.Option(
            help="Format of the output: conllu, conllx, conll09, jsonl, parquet (a row a sentence; needs the extra "
            "arrow), or auto: by name, else as IN."
        ),
    ] = "auto",
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Several files, or a folder of them, into a folder: go on where an earlier run stopped. What is "
            "finished is left alone; the model and the options must be the same.",
        ),
    ] = False,
    on_error: OnErrorOption = OnError.stop,
) -> None:
    """Parse a treebank file or stream: HEAD and DEPREL are replaced, everything else stays as it is.

    Output has its name when it is complete; before, `.partial` is in it. Several files, or a folder, are parsed into a
    folder, a file each.
    """
    from parser.cli.parse import run

    options = {"format": format, "to": to, "scores": scores, "threads": threads, "on_error": on_error.value}
    raise typer.Exit(run(model, sources or ["-"], output, resume, options))


@app.command()
def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file.")],
    features: Annotated[bool, typer.Option("--features", help="Only the feature templates, one a line.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is in a model file: options, features, labels, size, and where and how it was trained."""
    from parser.cli.info import run

    raise typer.Exit(run(model, features, as_json))


@app.command()
def calibrate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file.")],
    dev: Annotated[str, typer.Argument(metavar="DEV", help="File with the right trees.")],
    plot: Annotated[
        str | None, typer.Option(help="Draw a reliability diagram into this file (.png, .svg); needs the plot extra.")
    ] = None,
    format: FormatOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Compare the probabilities of a parser's decisions with how many of them are right."""
    from parser.cli.calibrate import run

    raise typer.Exit(run(model, dev, format, plot, as_json))


@app.command()
def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File with the right trees.")],
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="[SYSTEM...]", help="Outputs to score; - is standard input.")
    ] = None,
    model: Annotated[list[str], typer.Option(help="Parse GOLD with this model and score the result. Repeatable.")] = [],  # noqa: B006
    format: FormatOption = "auto",
    punctuation: Annotated[
        Punctuation,
        typer.Option(
            help="Which words are punctuation in the scores without it: ud (UPOS PUNCT), unicode (forms of punctuation "
            "characters, as CoNLL-X), ptb (the Penn tags of Chen & Manning 2014), chinese (XPOS PU), udt (UPOS .), or "
            "auto: ud where the gold file has it, else unicode."
        ),
    ] = Punctuation.auto,
    subtypes: Annotated[
        bool, typer.Option("--subtypes/--no-subtypes", help="List labels with their subtypes (nmod:poss) or without.")
    ] = True,
    details: Annotated[
        bool, typer.Option("--details", help="Also by label, arc length, sentence length, and confusions of labels.")
    ] = False,
    resamples: Annotated[
        int, typer.Option(min=100, help="Resamples of the paired bootstrap between outputs.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    roots: RootsOption = Roots.warn,
    as_json: JsonOption = False,
) -> None:
    """Score parser outputs against gold trees; with several outputs, test each against the first.

    UAS, LAS and label accuracy with and without punctuation, CLAS, complete matches, roots, and the official UD
    scorer's table. Where words are divided differently, they are aligned by their characters as that scorer does.
    """
    from parser.cli.evaluate import run

    options = {
        "format": format,
        "punctuation": punctuation.value,
        "subtypes": subtypes,
        "resamples": resamples,
        "seed": seed,
        "roots": roots.value,
    }
    if not systems and not model:
        raise UsageError("evaluate: nothing to score: name outputs, or a model by --model")
    raise typer.Exit(run(gold, systems or [], model, options, as_json, details))


@app.command()
def oracle(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Treebank file; - is standard input.")],
    system: Annotated[System, typer.Option(help="The transition system.")] = System.arc_eager,
    root: Annotated[
        Root | None, typer.Option(help="Where ROOT is placed. Default: last for arc-eager, first for the others.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Follow zero-cost transitions, say whether they rebuild every tree.")
    ] = False,
    single_root: Annotated[
        bool, typer.Option("--single-root", help="Only transitions that leave one word under ROOT.")
    ] = False,
    attach_aware: Annotated[
        bool,
        typer.Option("--attach-aware", help="Arc-eager, ROOT first: costs count words that are attached at the end."),
    ] = False,
    left_arc: Annotated[
        LeftArc, typer.Option(help="Arc-standard: when its static oracle attaches left dependents.")
    ] = LeftArc.early,
    root_label_only: Annotated[
        bool, typer.Option("--root-label-only", help="Arc-standard: arcs from ROOT, and no others, have its label.")
    ] = False,
    nonprojective: Annotated[
        OracleTrees, typer.Option(help="Trees that no derivation builds: refuse them, lift their arcs, or drop them.")
    ] = OracleTrees.refuse,
    format: FormatOption = "auto",
) -> None:
    """Print how a transition system derives the trees of a treebank, one move a line, by its static oracle.

    With --check nothing is printed but a summary: how many trees are rebuilt by following zero-cost transitions, and
    which are refused because they are not projective. Exit code 1 if a tree is not rebuilt.
    """
    from parser.cli.oracle import run

    options = {
        "name": system.value,
        "root": root.value if root else None,
        "single_root": single_root,
        "attach_aware": attach_aware,
        "left_arc": left_arc.value,
        "root_label_only": root_label_only,
    }
    raise typer.Exit(run(file, format, options, nonprojective.value, check))


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
        code = call(arguments)
        sys.stdout.flush()
        return code
    except UserError as error:
        note(f"arcspeed: error: {error}")
        return error.exit_code
    except OSError as error:
        note(f"arcspeed: error: {error.filename or '<stdout>'}: {error.strerror or error}")
        silence(1)
    except KeyboardInterrupt:
        return 130
    return 1


def call(arguments: list[str]) -> int:
    try:
        return app(arguments, prog_name="arcspeed", standalone_mode=False) or 0
    except OptionError as error:
        if not arguments:  # the help
            error.show()
            return error.exit_code
        raise UsageError(one_line(error)) from None


def one_line(error: OptionError) -> str:
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    return f"{message}; see {error.ctx.command_path} -h" if error.ctx else message
