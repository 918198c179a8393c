"""docs/embedding.md: its Python runs, block after block in one namespace, on a small model. docs/testing.md is true."""

import re
from importlib.util import find_spec

import pytest

from parser import Parser
from parser.treebank.generate import generate

BLOCK = re.compile(r"(<!-- needs pyarrow -->\n)?```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def page(source_root):
    path = source_root / "docs" / "embedding.md"
    if not path.exists():
        pytest.skip("reads docs/: runs where they stand beside the tests, as in a checkout")
    return path.read_text()


@pytest.fixture(scope="module")
def blocks(page):
    return [(bool(found[1]), found[2], page[: found.start()].count("\n") + 2) for found in BLOCK.finditer(page)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, seed in (("train", 1), ("dev", 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(60, seed)))
    Parser.train(folder / "train.conllu", folder / "dev.conllu", features="zn11", epochs=2).save(folder / "my.model")
    return folder


def run(blocks, folder, monkeypatch, with_arrow):
    """Every block with its place in the page, so that a traceback shows it."""
    monkeypatch.chdir(folder)
    names: dict = {}
    for needs_arrow, text, line in blocks:
        if with_arrow or not needs_arrow:
            exec(compile("\n" * (line - 1) + text, "docs/embedding.md", "exec"), names)
    return names


def test_embedding(blocks, folder, monkeypatch, capsys):
    assert len(blocks) >= 12
    names = run(blocks, folder, monkeypatch, with_arrow=False)
    out = capsys.readouterr().out
    assert (folder / "out.conllu").exists()
    assert "a Parser is not pickled" in out
    assert len(names["heads"]) == 4


def test_embedding_with_arrow(blocks, folder, monkeypatch, capsys):
    if find_spec("pyarrow") is None:
        pytest.skip("needs pyarrow: runs with the extra `arrow` (pip install 'arcspeed[arrow]')")
    assert sum(needs for needs, _, _ in blocks) >= 2
    run(blocks, folder, monkeypatch, with_arrow=True)
    assert "'head_probability': [" in capsys.readouterr().out


def test_the_page_of_tests_names_what_is_there(source_root):
    """Files, and the tests said to be in them."""
    path = source_root / "docs" / "testing.md"
    if not path.exists():
        pytest.skip("reads docs/: runs where they stand beside the tests, as in a checkout")
    named = re.findall(r"`(tests/[\w/]+\.py)`((?:[:,] `test_\w+`)*)", path.read_text())
    assert len(named) > 30
    for file, tests in named:
        text = (source_root / file).read_text()
        for test in re.findall(r"`(\w+)`", tests):
            assert f"def {test}(" in text, f"{file}: {test}"


def test_the_page_shows_every_way_in(page):
    for name in ("parse", "parse_batch", "parse_arrays", "parse_table", "parse_batches", "parse_file", "explain"):
        assert f"{name}(" in page, name
