"""A small treebank to train on."""

import pytest

from parser.treebank.generate import generate


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "train.conllu").write_text("".join(generate(300, seed=1)))
    (folder / "dev.conllu").write_text("".join(generate(60, seed=2)))
    return folder
