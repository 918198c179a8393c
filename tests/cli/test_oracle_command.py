"""`arcspeed oracle`: derivations and the check, for every system, and trees that cannot be derived."""

import pytest

from parser.cli.app import run
from parser.treebank.generate import generate

ROW = "{}\tw\t_\tX\t_\t_\t{}\t{}\t_\t_\n"


def tree_text(*words):
    return "".join(ROW.format(i, head, label) for i, (head, label) in enumerate(words, 1)) + "\n"


GOOD = "# sent_id = good\n" + tree_text((2, "x"), (0, "top"), (2, "x"))
CROSSING = "# sent_id = crossing\n" + tree_text((3, "x"), (4, "x"), (0, "top"), (3, "x"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "trees.conllu"
    path.write_text(GOOD)
    return path


def test_derivations_are_printed_one_move_a_line(path, capsys):
    assert run(["oracle", "--system", "arc-eager", "--root", "last", str(path)]) == 0
    assert capsys.readouterr().out == "# good\nSHIFT\nLEFT:x\nSHIFT\nRIGHT:x\nREDUCE\nLEFT:top\n\n"
    assert run(["oracle", "--system", "arc-hybrid", "--root", "none", str(path)]) == 0
    assert capsys.readouterr().out == "# good\nSHIFT\nLEFT:x\nSHIFT\nSHIFT\nRIGHT:x\n\n"


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "arc-hybrid", "easy-first"])
@pytest.mark.parametrize("single_root", [[], ["--single-root"]])
def test_check_of_every_system(tmp_path, capsys, system, single_root):
    path = tmp_path / "made.conllu"
    path.write_text("".join(generate(40)))
    assert run(["oracle", "--check", "--system", system, *single_root, str(path)]) == 0
    assert capsys.readouterr().out == "40 trees: 40 rebuilt by zero-cost transitions, 0 not, 0 refused\n"


def test_nonprojective_trees(path, capsys):
    path.write_text(GOOD + CROSSING)
    assert run(["oracle", str(path)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"arcspeed: error: {path}: crossing: the tree is not projective")
    assert line.endswith("; --nonprojective lift or drop goes on with such trees")
    assert run(["oracle", "--check", str(path)]) == 0
    assert capsys.readouterr().out.startswith("2 trees: 1 rebuilt by zero-cost transitions, 0 not, 1 refused\n")
    assert run(["oracle", "--check", "--nonprojective", "lift", str(path)]) == 0
    assert capsys.readouterr().out == "2 trees: 2 rebuilt by zero-cost transitions, 0 not, 0 refused\n"
    assert run(["oracle", "--check", "--nonprojective", "drop", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.out == "1 trees: 1 rebuilt by zero-cost transitions, 0 not, 0 refused\n"
    assert captured.err == "non-projective sentences left out: 1\n"


def test_no_tree_is_left(path, capsys):
    path.write_text(CROSSING)
    for check in ([], ["--check"]):
        assert run(["oracle", *check, "--nonprojective", "drop", str(path)]) == 1
        told = "has no tree that is projective, expected some or --nonprojective lift"
        assert capsys.readouterr().err == f"arcspeed: error: {path}: {told}\n"


def test_lifting_is_no_remedy_for_several_roots(path, capsys):
    path.write_text(tree_text((0, "top"), (0, "top")))
    assert run(["oracle", "--single-root", str(path)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "--nonprojective" not in line


def test_options_that_do_not_go_together(path, capsys):
    assert run(["oracle", "--system", "arc-standard", "--root", "last", str(path)]) == 2
    assert "arc-standard: root='last', expected 'first'" in capsys.readouterr().err
    path.write_text(tree_text(("_", "_"), ("_", "_")))
    assert run(["oracle", str(path)]) == 1
    assert "has no heads, expected gold trees" in capsys.readouterr().err
