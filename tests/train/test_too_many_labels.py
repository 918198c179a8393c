"""A column that is no column of labels has too many different cells for the numbers of actions."""

import pytest

from parser.config import Config
from parser.train.data import read_treebank
from parser.train.run import set_up
from parser.treebank import TreebankError


@pytest.mark.parametrize(
    ("system", "most", "more"),
    [("arc-standard", 32767, 65537), ("arc-eager", 32766, 65536), ("easy-first", 32767, 65536)],
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
        told = f"{path}: {n:,} labels make {more:,} actions, expected so few that there are at most 65,535 actions"
        assert str(caught.value) == told
