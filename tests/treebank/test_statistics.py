"""Counts and complaints of `arcspeed check`, against a count by the plain reader."""

import plain_tree
import samples
from plain_conllu import read_plain

from parser.treebank.generate import generate
from parser.treebank.statistics import compare, measure


def measured(tmp_path, text, name="a.conllu"):
    path = tmp_path / name
    path.write_text(text)
    return measure(str(path))


def test_counts_are_those_of_the_plain_reader(tmp_path):
    text = samples.ALL + "".join(generate(50))
    found = measured(tmp_path, text)
    plain = read_plain(text)
    assert found.sentences == len(plain)
    assert found.words == sum(len(s.words) for s in plain)
    assert found.multiwords == sum(len(s.multiwords) for s in plain) == 1
    assert found.empty_nodes == 3
    assert found.longest == max(len(s.words) for s in plain)
    assert found.unparsed_sentences == 1
    assert found.forms == {form for s in plain for form in s.column(1)}
    assert found.counts["upos"]["NOUN"] == sum(s.column(3).count("NOUN") for s in plain)
    assert found.as_dict()["labels"]["root"] == sum(s.column(7).count("root") for s in plain)


def test_nonprojective_trees_are_counted(tmp_path):
    row = "{}\tw\t_\tX\t_\t_\t{}\tx\t_\t_\n"
    trees = [(3, 4, 0, 3), (2, 0, 2, 1), (0, 1, 2, 3)]
    text = "".join("".join(row.format(i, h) for i, h in enumerate(heads, 1)) + "\n" for heads in trees)
    found = measured(tmp_path, text)
    expected = [plain_tree.nonprojective(heads) for heads in trees]
    assert found.nonprojective_sentences == sum(map(bool, expected)) == 2
    assert found.nonprojective_words == sum(map(len, expected))


def problems_of(tmp_path, *changes):
    text = samples.PLAIN
    for old, new in changes:
        text = text.replace(old, new)
    return "\n".join(measured(tmp_path, text + "".join(generate(30))).problems)


def test_what_looks_wrong_is_said(tmp_path):
    several = problems_of(tmp_path, ("\t2\tpunct", "\t0\tpunct"))
    assert "sentences with several words under ROOT, which the official UD scorer refuses: 1" in several
    assert "2 different labels of words under ROOT: root 31, punct 1" in several
    assert "words labelled root that are not under ROOT: 1" in problems_of(tmp_path, ("2\tnsubj", "2\troot"))
    assert "UPOS values that are no universal tags: 1 (NOMEN)" in problems_of(tmp_path, ("PRON", "NOMEN"))
    assert "words without a label: 1" in problems_of(tmp_path, ("\tnsubj", "\t_"))
    assert "labels that occur once: 1 (seldom)" in problems_of(tmp_path, ("\tnsubj", "\tseldom"))
    assert "left out because they cannot be read: 1" in problems_of(tmp_path, ("2\tvidas", "7\tvidas"))
    assert problems_of(tmp_path) == ""


def test_a_tag_column_full_of_ids_is_noticed(tmp_path):
    rows = "".join(f"{i}\tw\t_\tX\ttag{i}\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 201))
    problems = measured(tmp_path, rows + "\n").problems
    assert "200 different XPOS tags for 200 words: is it a tag column?" in problems
    labels = "".join(f"{i}\tw\t_\tX\t_\t_\t{i - 1}\tx{i}\t_\t_\n" for i in range(1, 201))
    assert "200 different labels: is DEPREL really the label column?" in measured(tmp_path, labels + "\n").problems


def test_no_tags_at_all_is_noticed(tmp_path):
    text = "".join(generate(5)).split("\n")
    rows = ["\t".join([*row.split("\t")[:3], "_", "_", *row.split("\t")[5:]]) if "\t" in row else row for row in text]
    problems = measured(tmp_path, "\n".join(rows)).problems
    assert "neither UPOS nor XPOS is filled: a parser will have to do without tags" in problems


def test_files_are_compared(tmp_path):
    train = measured(tmp_path, samples.PLAIN + samples.UNPARSED)
    dev = measured(tmp_path, samples.ALL, "dev.conllu")
    assert compare(train, dev) == [
        f"different sentences that also stand in {train.file}: 2 of 4",
        f"forms that do not occur in {train.file}: 5 of 10",
        f"labels that do not occur in {train.file}: 3 (case, dep, det)",
        f"UPOS tags that do not occur in {train.file}: 4 (ADP, DET, NUM, SYM)",
    ]
