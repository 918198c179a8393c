"""`arcspeed demo`: a newcomer's first minute."""

from pathlib import Path

from parser.cli import check
from parser.cli.console import note
from parser.cli.demo_data import find_treebank, made_up_treebank, turkish_web_treebank
from parser.treebank import TreebankError


def run(folder: Path | None, offline: bool) -> int:
    train, dev, source = choose(folder, offline)
    print(f"Treebank: {source}\n")
    check.run([str(train), str(dev)], "auto", as_json=False)
    print("\nTraining and parsing will join this demo. To go on by hand:")
    print(f"  arcspeed check {train} {dev}")
    print(f"  arcspeed convert {dev} dev.conllx")
    return 0


def choose(folder: Path | None, offline: bool) -> tuple[Path, Path, str]:
    """Train file, dev file and where they come from."""
    if folder is not None:
        return find_treebank(folder)
    if not offline:
        try:
            return turkish_web_treebank()
        except TreebankError as error:
            note(f"arcspeed: {error}; using made-up sentences instead")
    return made_up_treebank()
