"""`arcspeed check`: what is in treebank files, and what is wrong with them."""

from parser.cli.console import counted, note, print_json, print_table
from parser.treebank.statistics import compare, measure

ROWS = (
    ("sentences", "sentences"),
    ("words", "words"),
    ("multiword tokens", "multiwords"),
    ("empty nodes", "empty_nodes"),
    ("longest sentence", "longest"),
    ("sentences without heads", "unparsed_sentences"),
    ("non-projective sentences", "nonprojective_sentences"),
    ("non-projective words", "nonprojective_words"),
    ("sentences with several roots", "several_roots"),
    ("sentences left out", "skipped"),
)


def run(files: list[str], format: str, as_json: bool) -> int:
    found = [measure(file, format) for file in files]
    comparisons = [compare(found[0], other) for other in found[1:]]
    if as_json:
        results = [statistics.as_dict() for statistics in found]
        for result, lines in zip(results[1:], comparisons, strict=True):
            result["compared"] = lines
        print_json(results)
    else:
        print_counts(found)
        for statistics, lines in zip(found, [[], *comparisons], strict=True):
            print_findings(statistics, lines)
    return 1 if any(statistics.skipped for statistics in found) else 0


def print_counts(found) -> None:
    names = short_names([statistics.file for statistics in found])
    rows = [[title, *(getattr(statistics, field) for statistics in found)] for title, field in ROWS]
    rows.append(["different forms", *(len(statistics.forms) for statistics in found)])
    for field, title in (("upos", "UPOS tags"), ("xpos", "XPOS tags"), ("feats", "FEATS"), ("deprel", "labels")):
        rows.append([f"different {title}", *(statistics.distinct(field) for statistics in found)])
    print_table(["", *names], rows)


def print_findings(statistics, comparison) -> None:
    lines = [*statistics.problems, *comparison]
    if lines:
        print(f"\n{statistics.file} ({statistics.format}):")
    for line in lines:
        print(f"  {line}")
    for fault in statistics.faults:
        note(str(fault))
    if statistics.skipped > len(statistics.faults):
        further = counted(statistics.skipped - len(statistics.faults), "further faulty sentence")
        note(f"{statistics.file}: {further} not listed")


def short_names(files: list[str]) -> list[str]:
    """The file names without the folders that all of them share."""
    parts = [file.split("/") for file in files]
    shared = 0
    while len(files) > 1 and all(len(part) > shared + 1 and part[shared] == parts[0][shared] for part in parts):
        shared += 1
    return ["/".join(part[shared:]) if len(files) > 1 else part[-1] for part in parts]
