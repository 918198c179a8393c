"""The benchmarks are scripts beside the package: their folder goes to the end of the path, so that it hides nothing."""

import sys
from pathlib import Path

import pytest

from parser.treebank.generate import generate

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "scripts")]


@pytest.fixture(scope="session")
def two_treebanks(tmp_path_factory) -> Path:
    """A folder with two treebanks of a made-up language."""
    folder = tmp_path_factory.mktemp("treebanks")
    for seed, name in enumerate(("A-One", "B-Two")):
        (folder / name).mkdir()
        (folder / name / "train.conllu").write_text("".join(generate(30 + 10 * seed, seed=seed)), encoding="utf-8")
        (folder / name / "dev.conllu").write_text("".join(generate(12, seed=seed + 50)), encoding="utf-8")
    return folder
