"""What all tests share: the folders with real data, and what is left out of an ordinary run, with its reason."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does, and no test of these asks for it.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")

SOURCE_ROOT = Path(__file__).resolve().parent.parent


def folder_from(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).resolve() if value else None


def pytest_collection_modifyitems(items):
    slow = pytest.mark.skip(reason="slow: runs with ARCSPEED_SLOW=1 (make slow)")
    source = pytest.mark.skip(reason="reads the source tree: runs only from a checkout (make test)")
    for item in items:
        if "slow" in item.keywords and os.environ.get("ARCSPEED_SLOW") != "1":
            item.add_marker(slow)
        if "source" in item.keywords and not (SOURCE_ROOT / "parser" / "version.py").exists():
            item.add_marker(source)


@pytest.fixture(scope="session")
def source_root() -> Path:
    return SOURCE_ROOT


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of treebanks named by ARCSPEED_TREEBANKS: one folder per treebank with train.conllu and dev.conllu."""
    folder = folder_from("ARCSPEED_TREEBANKS")
    if folder is None:
        pytest.skip("needs real treebanks: runs where ARCSPEED_TREEBANKS names their folder")
    return folder


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of exact oracle costs named by ARCSPEED_VECTORS."""
    folder = folder_from("ARCSPEED_VECTORS")
    if folder is None:
        pytest.skip("needs the oracle vectors: runs where ARCSPEED_VECTORS names their folder")
    return folder
