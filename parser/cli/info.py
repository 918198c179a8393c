"""`arcspeed info`: what is in a model file."""

import os

from parser.cli.console import counted, print_json, print_table
from parser.compiled.engine import kernel_names
from parser.pipeline import Parser


def run(path: str, features: bool, as_json: bool) -> int:
    parser = Parser.load(path, verify=True)
    if features and as_json:
        print_json(parser.assembly.templates.text.splitlines())
    elif features:
        print(parser.assembly.templates.text, end="")
    elif as_json:
        print_json(facts(path, parser))
    else:
        show(path, parser)
    return 0


def facts(path: str, parser: Parser) -> dict:
    assembly = parser.assembly
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "config": assembly.config.tables(),
        "pos": assembly.pos,
        "single_root": assembly.single_root,
        "root_label": assembly.root_label,
        "labels": list(assembly.labels),
        "features": {"name": assembly.templates.name, "templates": assembly.templates.text.splitlines()},
        **parser.size,
        "slim": parser.is_slim,
        "probabilities": "arcs" if parser.reliability else "decisions",
        "provenance": parser.provenance,
    }


def show(path: str, parser: Parser) -> None:
    known = facts(path, parser)
    provenance = parser.provenance
    rows = [
        ["size", f"{known['bytes'] / 1e6:.1f} MB"],
        ["weights", f"{known['weights']:,} in {counted(known['rows'], 'row')}{', slim' if known['slim'] else ''}"],
        ["parses with", parses_with(parser)],
        ["labels", len(known["labels"])],
        ["features", f"{known['features']['name']}, {counted(len(known['features']['templates']), 'template')}"],
        ["tags", f"{known['pos'].upper()} where a template says p"],
        ["one root a sentence", "yes" if known["single_root"] else "no"],
        ["probabilities", probabilities_of(parser)],
        ["made by", f"arcspeed {provenance['arcspeed']}"],
        ["trained on", described(provenance["train"])],
        ["judged on", described(provenance["dev"])],
        ["licence of the data", provenance["licence"] or "not stated"],
    ]
    for seed in provenance["seeds"]:
        if seed["dev"]:
            scores = f"LAS {seed['dev']['las']:.2f}, UAS {seed['dev']['uas']:.2f}, without punctuation "
            scores += f"{seed['dev']['las_no_punct']:.2f}, {seed['dev']['uas_no_punct']:.2f}"
            rows.append([f"seed {seed['seed']}", f"best epoch {seed['best_epoch']} of {seed['epochs']}: {scores}"])
    print_table(["", ""], rows, path)
    print("\n" + parser.assembly.config.to_toml(), end="")


def parses_with(parser: Parser) -> str:
    kernel, _, code = kernel_names()[-1].partition("-")
    written = ", some of it written for the model" if code and not parser.assembly.is_easy_first else ""
    return f"{parser.compiled.n_bytes / 1e6:.1f} MB of tables, code for {kernel} processors{written}"


def probabilities_of(parser: Parser) -> str:
    return "say how many arcs are right" if parser.reliability else "of single decisions, too high for arcs"


def described(data: list[dict] | None) -> str:
    if not data:
        return "-"
    (facts,) = data
    names = ", ".join(file["name"] for file in facts["files"])
    return f"{names}: {counted(facts['sentences'], 'sentence')}, {counted(facts['words'], 'word')}"
