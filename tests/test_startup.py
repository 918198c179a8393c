"""What is imported when: nothing heavy before it is needed."""

import subprocess
import sys

HEAVY = ("numpy", "typer", "rich", "backports", "lzma", "zipfile", "subprocess", "hypothesis", "pyarrow", "spacy")


def modules_after(statement: str) -> set[str]:
    program = f"import sys; before = set(sys.modules); {statement}; print(' '.join(set(sys.modules) - before))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] if not name.startswith("parser") else name for name in answer.stdout.split()}


def test_import_parser_loads_the_package_and_its_version_only():
    assert modules_after("import parser") <= {"parser", "parser.version", "typing", "importlib"}


def test_the_command_line_loads_nothing_heavy_before_a_command_runs():
    assert not modules_after("import parser.cli") & set(HEAVY)


def test_the_treebank_package_does_not_load_the_command_line():
    loaded = modules_after("import parser.treebank")
    assert not loaded & {"typer", "rich", "backports", "lzma", "zipfile", "hypothesis"}
    assert not any(name.startswith(("parser.cli", "parser.transition", "parser.evaluate")) for name in loaded)
