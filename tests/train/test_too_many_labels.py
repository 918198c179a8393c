"""A column that is no column of labels has too many different cells for the numbers of actions."""

import pytest

from parser import Parser
from parser.config import Config
from parser.model.layout import ModelFileError
from parser.train.data import read_treebank
from parser.train.run import set_up
from parser.treebank import TreebankError
from parser.treebank.generate import generate


@pytest.mark.parametrize(
    ("system", "most", "more"),
    [("arc-standard", 16383, 32769), ("arc-eager", 16383, 32770), ("easy-first", 32767, 65536)],
)
def test_more_labels_than_actions_can_have_numbers(tmp_path, system, most, more):
    config = Config().with_overrides([f"system={system}"])
    for n in (most, most + 1):
        path = tmp_path / f"{n}.conllu"
        path.write_text("".join(f"1\tw\t_\tX\t_\t_\t0\tl{i}\t_\t_\n\n" for i in range(n)))
        treebank = read_treebank([str(path)])
        if n == most:
            assert set_up(config, treebank, None).assembly.n_actions == more - 2
            continue
        with pytest.raises(TreebankError) as caught:
            set_up(config, treebank, None)
        fit = "65,535" if system == "easy-first" else "32,768"
        told = f"{path}: {n:,} labels make {more:,} actions, expected so few that there are at most {fit} actions"
        assert str(caught.value) == told


def test_a_model_whose_actions_have_no_ranks_is_refused(tmp_path, monkeypatch):
    (tmp_path / "t.conllu").write_text("".join(generate(60, 1)))
    parser = Parser.train(tmp_path / "t.conllu", epochs=1, features="zn11")
    n = len(parser.compiled.actions)
    monkeypatch.setattr("parser.pipeline.MOST_COLUMNS", n - 1)
    with pytest.raises(ModelFileError, match=rf"^{n} actions have weights, expected at most {n - 1}$"):
        Parser(parser.assembly, parser.weights).parse(["a"])
