"""The scripts from start to end, on treebanks of a made-up language."""

import json
import re
import sys
from argparse import Namespace

import numpy as np
import pytest

REASON = "the benchmarks are beside the tests only in a checkout"
accuracy = pytest.importorskip("accuracy", reason=REASON)
calibration = pytest.importorskip("calibration", reason=REASON)
quantisation = pytest.importorskip("quantisation", reason=REASON)
reproduce = pytest.importorskip("reproduce", reason=REASON)
readings = pytest.importorskip("readings", reason=REASON)
training = pytest.importorskip("training", reason=REASON)
screening = pytest.importorskip("screening", reason=REASON)


def call(monkeypatch, script, *arguments) -> None:
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    script.main()


def test_reproduce_writes_tables_and_goes_on_where_it_was(two_treebanks, tmp_path, monkeypatch, capsys):
    arguments = [two_treebanks, "--seeds", 1, "--epochs", 1, "--jobs", 2, "--store", tmp_path / "runs"]
    arguments += ["-o", tmp_path, "--only", "goldberg-nivre-2012"]
    call(monkeypatch, reproduce, *arguments)
    first = capsys.readouterr()
    assert first.err.count("UAS") == 6  # three regimes, two treebanks
    text = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert "| UAS | paper | mean | dev. | A-One | B-Two |" in text
    assert "| exploration gains 1.5 LAS | 1.51 |" in text
    summary = json.loads((tmp_path / "reproduction.json").read_text())["goldberg-nivre-2012"]
    assert set(summary["scores"]["static"]["A-One"]) == {"1"}
    assert len(summary["verdicts"]) == 3
    call(monkeypatch, reproduce, *arguments[:2], 2, *arguments[3:])
    assert capsys.readouterr().err.count("seed 1 ") == 0


def test_reproduce_takes_fewer_seeds_of_one_treebank(two_treebanks, tmp_path, monkeypatch, capsys):
    arguments = [two_treebanks, "--seeds", 2, "--epochs", 1, "--jobs", 1, "--store", tmp_path / "runs"]
    arguments += ["-o", tmp_path, "--only", "goldberg-nivre-2012"]
    call(monkeypatch, reproduce, *arguments, "--seeds-of", "A-One=1")
    found = capsys.readouterr()
    assert found.err.count("A-One seed") == 3
    assert found.err.count("B-Two seed") == 6
    assert "Seeds: 2, A-One 1." in found.out
    for wrong, message in (("C=1", "--seeds-of C: no such treebank, expected one of A-One, B-Two"), ("A-One=0", None)):
        with pytest.raises(SystemExit) as stop:
            call(monkeypatch, reproduce, *arguments, "--seeds-of", wrong)
        assert stop.value.code == (message or 2)


def test_readings_prints_its_three_tables(two_treebanks, tmp_path, monkeypatch, capsys):
    arguments = [two_treebanks, "--epochs", 1, "--store", tmp_path / "runs", "--size-treebank", "B-Two"]
    call(monkeypatch, readings, *arguments)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| easy-first, easyfirst") for line in lines) == 2
    assert sum(line.startswith("| hybrid, zn11-hybrid |") for line in lines) == 1
    names = [line.split(" |")[0] for line in lines if "kept" in line or "penalty" in line or "steps" in line]
    assert names == [
        "| every gradient kept",
        "| the same, half the penalty",
        "| four times the penalty",
        "| steps of 0.1",
        "| ERR for sampling, steps of 0.1",
    ]
    words = [int(line.split("|")[2]) for line in lines if line.startswith(("| 1/", "| all"))]
    assert words == sorted(words)
    assert words[0] < words[-1] / 4
    with pytest.raises(SystemExit, match="no treebank C"):
        call(monkeypatch, readings, *arguments[:-1], "C", "--only", "size")


def test_the_grid_is_drawn_where_there_is_matplotlib(tmp_path, monkeypatch):
    values = {(k, p): 80 + p - k for k in (0, 1) for p in (0.0, 1.0)}
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not reproduce.draw_grid(values, tmp_path / "grid.png")
    monkeypatch.undo()
    pytest.importorskip("matplotlib", reason="draws with matplotlib: runs where the plot extra is installed")
    assert reproduce.draw_grid(values, tmp_path / "grid.png")
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")


def test_accuracy_prints_what_is_there(two_treebanks, tmp_path, monkeypatch, capsys):
    arguments = ["-t", two_treebanks, "--epochs", 2, "--also", 1, "--store", tmp_path, "small: features=zn11", "zn11"]
    call(monkeypatch, accuracy, *arguments)
    found = capsys.readouterr()
    assert found.out.count("| small | 1 |") == found.out.count("| zn11 | 1 |") == 2
    assert "| setting | seeds | mean | dev. | A-One | B-Two |" in found.out
    call(monkeypatch, accuracy, *arguments, "--kept")
    again = capsys.readouterr()
    assert again.out == found.out
    assert again.err == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [("nothing", "unknown setting 'nothing', expected one of"), ("x: wrong=1", "no option 'wrong'")],
)
def test_accuracy_with_a_wrong_setting(text, message, two_treebanks, tmp_path, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        call(monkeypatch, accuracy, text, "-t", two_treebanks, "--store", tmp_path)
    assert message in str(ended.value.code)


def test_accuracy_leaves_a_blank_where_treebanks_are_missing():
    result = {"scores": {"las": 80.0}, "by_epoch": {"1": {"las": 70.0}}}
    rows = accuracy.rows_of(["A", "B"], [("s", ())], {("s", "A"): [result, result]}, None, "las")
    assert list(rows) == [["s", 2, None, 0.0, 80.0, None]]
    assert accuracy.values_of([result], 1, "las") == [70.0]
    assert accuracy.values_of([result], 5, "las") == []


def test_calibration_compares_halves(two_treebanks, monkeypatch, capsys):
    call(monkeypatch, calibration, "-t", two_treebanks, "epochs=1")
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["A-One", "B-Two"]
    assert all(0 <= float(error) <= 100 for row in rows for error in row[1:])
    with pytest.raises(SystemExit, match="no option 'wrong'"):
        call(monkeypatch, calibration, "-t", two_treebanks, "wrong=1")


def test_calibration_leaves_no_sentence_out(two_treebanks, tmp_path):
    dev = two_treebanks / "A-One" / "dev.conllu"
    first, second = calibration.halves(dev, tmp_path)
    assert first.read_text() + second.read_text() == dev.read_text()
    assert first.read_text().count("\n\n") - second.read_text().count("\n\n") in (0, 1)


def test_quantisation_prints_a_row_for_every_treebank(two_treebanks, monkeypatch, capsys):
    monkeypatch.setattr(quantisation, "LEAST_DECISIONS", 1)
    call(monkeypatch, quantisation, "-t", two_treebanks, "epochs=1")
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["A-One", "B-Two"]
    assert all(abs(float(row[3])) < 1 for row in rows)


def test_training_measures_every_setting(two_treebanks):
    found = training.table(Namespace(treebank=str(two_treebanks / "A-One"), epochs=1, only=["zn11"], all=False))
    lines = found.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| perceptron, zn11", "| AdaGrad-RDA, zn11"]


def test_peak_memory_is_that_of_the_process():
    assert 10 < training.peak_mb() < 100_000


def test_screening_finds_what_groups_are_worth():
    """Three treebanks, three groups with known effects, noise of 0.01."""
    names, truth = ["a", "b", "c"], np.array([[-1, 0, 1], [-0.5, -0.5, -0.5], [0, 0.25, 0]])
    missing = screening.draw(names, 200, 0.4, 1)
    lacks = np.array([[name in lacking for name in names] for lacking in missing], float)
    scores = 80 + lacks @ truth + np.random.default_rng(1).normal(0, 0.01, (200, 3))
    found, errors = screening.effects(names, missing, scores)
    assert found == pytest.approx(truth, abs=0.02)
    assert ((errors > 0) & (errors < 0.002)).all()


def test_screening_prints_a_row_for_every_group(two_treebanks, tmp_path, monkeypatch, capsys):
    (tmp_path / "set.txt").write_text(
        "# words (1)\ns0.w\n# tags, in pairs (2)\ns0.p n0.p; n0.p n1.p\n# bits (1)\nn0.w\n"
    )
    arguments = [tmp_path / "set.txt", "--sets", 6, "--store", tmp_path / "runs", "--share", 0.3]
    for name in ("A-One", "B-Two"):
        arguments += ["-t", two_treebanks / name]
    call(monkeypatch, screening, *arguments)
    printed = capsys.readouterr()
    rows = [line.split("|")[1].strip() for line in printed.out.splitlines()[2:] if line]
    assert sorted(rows) == ["bits", "tags, in pairs", "words"]
    assert len(re.findall(r"seed 1 ", printed.err)) == 12
    call(monkeypatch, screening, *arguments)
    assert capsys.readouterr() == (printed.out, "")
