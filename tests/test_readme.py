"""What the README shows is true: its Python runs, its commands exist, its links lead somewhere."""

import gzip
import re

import pytest

from parser import Parser
from parser.cli.app import app
from parser.treebank.generate import generate

pytestmark = pytest.mark.source


@pytest.fixture(scope="module")
def readme(source_root):
    return (source_root / "README.md").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme")
    for name, seed in (("train", 1), ("dev", 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(60, seed)))
    with gzip.open(folder / "in.conllu.gz", "wt") as stream:
        stream.write("".join(generate(10, 3)))
    Parser.train(folder / "train.conllu", features="zn11", epochs=2).save(folder / "my.model")
    return folder


def test_python_blocks_run(readme, folder, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(blocks) >= 2
    monkeypatch.chdir(folder)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert (folder / "out.conllu").read_bytes() == gzip.decompress((folder / "in.conllu.gz").read_bytes())
    assert "made-1-1" in capsys.readouterr().out


def test_commands_exist(readme):
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    used = set(re.findall(r"^(?:\S*/)?arcspeed ([a-z]+)", readme, re.MULTILINE))
    assert len(used) >= 8
    assert used <= known


def test_links_lead_somewhere(source_root):
    for page in (source_root / "README.md", *source_root.glob("*.md"), *source_root.glob("docs/*.md")):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name} -> {link}"
