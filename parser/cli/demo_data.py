"""Where the demo's sentences come from: a folder, a package with a real treebank, or the project's own generator."""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from parser.treebank.errors import TreebankError
from parser.treebank.generate import generate

PACKAGE = "turkish-treebanks==1.0.0"
SHA256 = "5a009c29a8e96e8f7e25059d59ac293c3baead6d746bf0fa4c9d3349b1e37ba0"
DOWNLOAD_SECONDS = 60
SPLITS = ("train", "dev", "test")


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "arcspeed"


def find_treebank(folder: Path) -> tuple[Path, Path, str]:
    """train.conllu and dev.conllu, or files whose names end in -train.conllu and -dev.conllu as UD has them."""
    found = []
    for split in ("train", "dev"):
        files = sorted([*folder.glob(f"{split}.conllu"), *folder.glob(f"*-{split}.conllu")])
        if not files:
            raise TreebankError(f"has no {split}.conllu or *-{split}.conllu", str(folder))
        found.append(files[0])
    return found[0], found[1], str(folder)


def turkish_web_treebank() -> tuple[Path, Path, str]:
    """The Turkish Web Treebank from its PyPI package, downloaded once; nothing of the package is installed or run."""
    folder = cache_folder() / "turkish-web-treebank-1.0.0"
    if not all((folder / f"{split}.conllu").exists() for split in SPLITS):
        with tempfile.TemporaryDirectory() as downloads:
            wheel = download(Path(downloads))
            unpack(wheel, folder)
    return folder / "train.conllu", folder / "dev.conllu", "Turkish Web Treebank 1.0.0 (Google, Apache-2.0)"


def download(folder: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise TreebankError("the Turkish Web Treebank is downloaded by pip, which this Python does not have")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input", "--retries", "1"]
    command += ["--disable-pip-version-check", "--dest", str(folder), PACKAGE]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=DOWNLOAD_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise TreebankError("the Turkish Web Treebank could not be downloaded (no network?)") from None
    (wheel,) = folder.glob("*.whl")
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise TreebankError("the downloaded Turkish Web Treebank has not the expected checksum")
    return wheel


def unpack(wheel: Path, folder: Path) -> None:
    """Its official split: of every ten sentences of a file the ninth is for development, the tenth for testing."""
    splits: dict[str, list[str]] = {split: [] for split in SPLITS}
    with zipfile.ZipFile(wheel) as archive:
        for name in ("data/web.conllu", "data/wiki.conllu"):
            blocks = archive.read(name).decode().split("\n\n")
            for k, block in enumerate(block.strip("\n") for block in blocks if block.strip()):
                splits[{8: "dev", 9: "test"}.get(k % 10, "train")].append(block + "\n\n")
    folder.mkdir(parents=True, exist_ok=True)
    for split, blocks in splits.items():
        write_whole(folder / f"{split}.conllu", "".join(blocks))


def made_up_treebank(sentences: int = 3000) -> tuple[Path, Path, str]:
    folder = cache_folder() / f"made-up-{sentences}"
    folder.mkdir(parents=True, exist_ok=True)
    for split, n, seed in (("train", sentences, 1), ("dev", sentences // 6, 2)):
        write_whole(folder / f"{split}.conllu", "".join(generate(n, seed)))
    return folder / "train.conllu", folder / "dev.conllu", f"{sentences} sentences of a made-up language"


def write_whole(path: Path, text: str) -> None:
    """A file that is there is complete."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8", newline="\n")
    partial.replace(path)
