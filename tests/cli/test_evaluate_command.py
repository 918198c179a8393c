"""`arcspeed evaluate` from files: tables, JSON, several outputs, conventions, errors."""

import json

import pytest
import samples

from parser.cli.app import run
from parser.evaluate.load import read_corpus
from parser.treebank.generate import generate


@pytest.fixture
def files(tmp_path):
    """Gold trees; an output with all labels of determiners wrong; one with these heads wrong as well."""
    gold = "".join(generate(40, seed=3))
    labels = gold.replace("\tdet\t", "\tdep\t")
    heads = "\n".join(wrong_head(row) if "\tdet\t" in row else row for row in gold.split("\n"))
    for name, text in (("gold", gold), ("labels", labels), ("heads", heads)):
        (tmp_path / f"{name}.conllu").write_text(text)
    return {name: str(tmp_path / f"{name}.conllu") for name in ("gold", "labels", "heads")}, gold


def wrong_head(row):
    cells = row.split("\t")
    cells[6] = "0"
    return "\t".join(cells)


def test_json_holds_the_counts(files, capsys):
    paths, gold = files
    words, wrong = gold.count("\t_\t_\n"), gold.count("\tdet\t")
    assert wrong > 10
    assert run(["evaluate", "--json", "--resamples", "200", paths["gold"], paths["labels"], paths["heads"]]) == 0
    captured = capsys.readouterr()
    assert "several words under ROOT" in captured.err
    found = json.loads(captured.out)
    first, second = (e["with_punctuation"]["scores"] for e in found["evaluations"])
    assert (first["UAS"]["correct"], first["LAS"]["correct"]) == (words, words - wrong)
    assert (second["UAS"]["correct"], second["LAS"]["correct"]) == (words - wrong, words - wrong)
    assert first["LAS"]["f1"] == pytest.approx(100 * (words - wrong) / words)
    (test,) = found["significance"]
    assert test["tests"]["with_punctuation"]["LAS"]["difference"]["value"] == 0
    assert test["tests"]["with_punctuation"]["UAS"]["difference"]["value"] < 0
    without = found["evaluations"][0]["without_punctuation"]["scores"]["UAS"]
    assert without["gold"] == words - gold.count("\tPUNCT\t")


def test_tables(files, capsys):
    paths, _ = files
    assert run(["evaluate", "--details", paths["gold"], paths["gold"]]) == 0
    out = capsys.readouterr().out
    assert [line.split()[1] for line in out.splitlines() if line.startswith(("UAS ", "CLAS "))].count("100.00") == 4
    for title in ("Labels", "Arc lengths", "Sentence lengths", "Most frequent confusions"):
        assert f"{title}, with punctuation" in out or f"{title} of labels, with punctuation" in out


@pytest.mark.parametrize(
    ("tag", "form", "convention", "left_out"),
    [("PUNCT", ".", "auto", 1), ("X", "!?", "auto", 1), ("X", "a.", "auto", 0), ("X", ".", "ud", 0)],
)
def test_the_convention_for_punctuation(tmp_path, capsys, tag, form, convention, left_out):
    path = tmp_path / "g.conllu"
    path.write_text(f"1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n2\t{form}\t_\t{tag}\t_\t_\t1\tpunct\t_\t_\n\n")
    assert run(["evaluate", "--json", "--punctuation", convention, str(path), str(path)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["evaluations"]
    assert found["punctuation"]["words"] == left_out


def test_errors_are_one_line(files, tmp_path, capsys):
    paths, _ = files
    other = tmp_path / "other.conllu"
    other.write_text("".join(generate(40, seed=4)))
    assert run(["evaluate", paths["gold"], str(other)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("arcspeed: error: ")
    unparsed = tmp_path / "unparsed.conllu"
    unparsed.write_text(samples.UNPARSED)
    assert run(["evaluate", paths["gold"], str(unparsed)]) == 1
    assert capsys.readouterr().err == (f"arcspeed: error: {unparsed}:1: has no heads, expected trees to compare\n")
    assert run(["evaluate", "--roots", "error", paths["gold"], paths["heads"]]) == 1
    assert "expected one root" in capsys.readouterr().err


def test_the_corpus_is_that_of_the_plain_reader(tmp_path):
    from plain_conllu import read_plain

    path = tmp_path / "a.conllu"
    path.write_text(samples.PLAIN + samples.MULTIWORD + samples.EMPTY_FIRST)
    corpus, several_roots = read_corpus(str(path))
    plain = read_plain(path.read_text())
    assert several_roots == 0
    for column, number in ((corpus.forms, 1), (corpus.upos, 3), (corpus.xpos, 4), (corpus.deprels, 7)):
        expected = [cell for sentence in plain for cell in sentence.column(number)]
        assert [column[i] for i in range(corpus.n_words)] == expected
    assert corpus.heads.tolist() == [head for sentence in plain for head in sentence.heads]
    assert corpus.lines.tolist() == [1, 7, 17]
    assert (corpus.ranges.firsts[0], corpus.ranges.lasts[0], corpus.ranges.forms[0]) == (1, 2, "au")
