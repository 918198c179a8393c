"""`arcspeed evaluate`: outputs against gold trees."""

from parser.cli.console import UsageError, counted, print_json, print_table, warn, warn_of_no_tags
from parser.evaluate import report
from parser.evaluate.corpus import Corpus
from parser.evaluate.load import read_corpus
from parser.evaluate.report import Evaluation


def run(gold_path: str, paths: list[str], models: list[str], options: dict, as_json: bool, details: bool) -> int:
    if models and gold_path == "-":
        raise UsageError("evaluate: standard input cannot be read twice: name a file for --model")
    gold = load(gold_path, options)
    convention = chosen_convention(gold, options["punctuation"])
    outputs = [load(path, options) for path in paths] + [parsed(model, gold, gold_path, options) for model in models]
    found = [report.evaluate(gold, output, punctuation=convention, subtypes=options["subtypes"]) for output in outputs]
    tests = [
        report.significance(found[0], other, resamples=options["resamples"], seed=options["seed"])
        for other in found[1:]
    ]
    names = paths + models
    if as_json:
        print_json(as_data(found, tests, names))
    else:
        show_all(found, tests, names, options["resamples"], details)
    return 0


def as_data(found: list[Evaluation], tests: list[dict], names: list[str]) -> dict:
    return {
        "evaluations": [report.as_dict(evaluation) for evaluation in found],
        "significance": [
            {"first": names[0], "second": name, "tests": report.significance_dict(test)}
            for name, test in zip(names[1:], tests, strict=True)
        ],
    }


def show_all(found: list[Evaluation], tests: list[dict], names: list[str], resamples: int, details: bool) -> None:
    for k, evaluation in enumerate(found):
        if k:
            print()
        show(evaluation, details)
    for name, test in zip(names[1:], tests, strict=True):
        header, *rows = report.significance_rows(test)
        print()
        print_table(header, rows, f"Paired bootstrap, {resamples:,} resamples: first = {names[0]}, second = {name}")


def parsed(model: str, gold: Corpus, path: str, options: dict) -> Corpus:
    """The gold file's words with a model's trees."""
    from parser.pipeline import Parser

    parser = Parser.load(model, verify=True)
    column = parser.tag_column
    if column and not any(tag != "_" for tag in getattr(gold, column).strings):
        warn_of_no_tags(path, column, model, options["format"])
    return parser.parse_corpus(gold, path, options["format"], source=model)


def load(path: str, options: dict):
    corpus, several_roots = read_corpus(path, options["format"], options["roots"])
    if several_roots and options["roots"] == "warn":
        found = counted(several_roots, "sentence")
        warn(f"{path}: {found} with several words under ROOT, which the official UD scorer refuses")
    return corpus


def chosen_convention(gold, name: str) -> str:
    """auto: UPOS PUNCT where the gold file uses it, else forms of punctuation characters only."""
    if name != "auto":
        return name
    return "ud" if "PUNCT" in gold.upos.strings else "unicode"


def show(evaluation: Evaluation, details: bool) -> None:
    comparison = evaluation.comparison
    header, *rows = report.summary_rows(evaluation)
    print_table(header, rows, f"{comparison.system.source} against {comparison.gold.source}")
    header, *rows = report.official_rows(evaluation)
    print()
    print_table(header, rows, "As the official UD scorer counts (labels without subtypes, punctuation included)")
    if details:
        show_details(evaluation)


def show_details(evaluation: Evaluation) -> None:
    for name, section in (
        ("with punctuation", evaluation.with_punctuation),
        (f"without punctuation ({evaluation.punctuation})", evaluation.without_punctuation),
    ):
        tables = {
            "Labels": report.label_rows(section),
            "Arc lengths": report.length_rows(section.arc_lengths, "arc length"),
            "Sentence lengths": report.length_rows(section.sentence_lengths, "sentence length"),
            "Most frequent confusions of labels": report.confusion_rows(section),
        }
        for title, (header, *rows) in tables.items():
            print()
            print_table(header, rows, f"{title}, {name}")
