"""A small treebank to train on."""

import pytest

from parser.treebank.generate import generate


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, n, seed in (("train", 300, 1), ("dev", 60, 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder
