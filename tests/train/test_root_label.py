"""Training with root_label_only: trees that the parser cannot build are refused before anything is learned."""

import pytest

from parser.config import Config
from parser.train.data import read_treebank
from parser.train.run import set_up
from parser.treebank import TreebankError

GOOD = [(0, "root"), (1, "obj"), (1, "det")]


def conllu(*sentences):
    blocks = []
    for sentence in sentences:
        rows = [f"{i}\tw\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n" for i, (head, label) in enumerate(sentence, 1)]
        blocks.append("# a comment\n" + "".join(rows) + "\n")
    return "".join(blocks)


def prepared(path, *overrides):
    config = Config().with_overrides(["system=arc-standard", "root_label_only=yes", *overrides])
    return set_up(config, read_treebank([str(path)]), None)


@pytest.mark.parametrize(
    ("sentences", "told"),
    [
        ((GOOD, GOOD, [(2, "root"), (0, "root")]), "11: word 1 has head 2 and label 'root'"),
        ((GOOD, GOOD, [(0, "obj")]), "11: word 1 has head 0 and label 'obj'"),
        (([(0, "root")], [(0, "root"), (1, "root")]), "4: word 2 has head 1 and label 'root'"),  # its only label
    ],
)
def test_the_first_arc_that_cannot_be_made_is_named(tmp_path, sentences, told):
    path = tmp_path / "t.conllu"
    path.write_text(conllu(*sentences, [(0, "obj"), (1, "root")]))
    rule = "but with root_label_only the words under ROOT, and no others, are labelled 'root'"
    with pytest.raises(TreebankError) as caught:
        prepared(path)
    assert str(caught.value) == f"{path}:{told}, {rule}"
    prepared(path, "root_label_only=no")


def test_trees_that_are_left_out_do_not_count(tmp_path):
    path = tmp_path / "t.conllu"
    crossing = [(3, "root"), (4, "obj"), (0, "root"), (3, "obj")]
    path.write_text(conllu(GOOD, crossing, GOOD))
    assert prepared(path, "nonprojective=drop").trees.kept.tolist() == [0, 2]
    with pytest.raises(TreebankError, match=r"t\.conllu:6: word 1 has head 3 and label 'root'"):
        prepared(path, "nonprojective=lift")
