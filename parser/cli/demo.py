"""`arcspeed demo`: a newcomer's first minute. A treebank is checked, learned from, and parsed."""

import tempfile
import time
from itertools import islice
from pathlib import Path

from parser.cli import check
from parser.cli.console import note
from parser.cli.demo_data import find_treebank, made_up_treebank, turkish_web_treebank
from parser.cli.draw import draw
from parser.cli.train import TerminalDisplay
from parser.config import Config
from parser.pipeline import Parser
from parser.train.session import TrainingRun
from parser.treebank import Reader, TreebankError

EPOCHS = 5
SHOWN = 3  # sentences
SHORT = range(5, 13)  # words of a sentence that is nice to look at


def run(folder: Path | None, offline: bool, epochs: int = EPOCHS) -> int:
    train, dev, source = choose(folder, offline)
    print(f"Treebank: {source}\n")
    check.run([str(train), str(dev)], "auto", as_json=False)
    print(f"\nTraining, {epochs} passes over it:\n", flush=True)
    parser, seconds = trained(train, dev, epochs)
    show_scores(parser, dev, seconds)
    show_trees(parser, dev)
    print("\nThe same by hand:")
    print(f"  arcspeed train {train} --dev {dev} -o my.model")
    print(f"  arcspeed parse my.model {dev} -o parsed.conllu")
    print(f"  arcspeed evaluate {dev} parsed.conllu")
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


def trained(train: Path, dev: Path, epochs: int) -> tuple[Parser, float]:
    config = Config().with_overrides([f"epochs={epochs}"])
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, TerminalDisplay() as display:
        model = Path(folder) / "demo.model"
        parser = TrainingRun([str(train)], [str(dev)], config, model, keep_last=False, display=display).run()
    return parser, time.perf_counter() - start


def show_scores(parser: Parser, dev: Path, seconds: float) -> None:
    scores = parser.evaluate(dev)
    found = {
        (words, metric): scores[words]["scores"][metric]["f1"]
        for words in ("with_punctuation", "without_punctuation")
        for metric in ("UAS", "LAS")
    }
    print(f"\nTrained in {seconds:.0f} seconds. On sentences it has not seen, the parser gets")
    print(f"  {found['with_punctuation', 'UAS']:.2f} % of the heads right (UAS), ", end="")
    print(f"{found['with_punctuation', 'LAS']:.2f} % of heads and labels (LAS);")
    print(f"  without punctuation UAS {found['without_punctuation', 'UAS']:.2f}, ", end="")
    print(f"LAS {found['without_punctuation', 'LAS']:.2f}.")


def show_trees(parser: Parser, dev: Path) -> None:
    with Reader(dev) as reader:
        short = list(islice((s for s in reader if len(s) in SHORT), SHOWN))
    for sentence in short:
        tree = parser.parse(sentence)
        print("\n" + " ".join(sentence.words) + "\n")
        print("\n".join("  " + line for line in draw(tree.words, tree.heads, tree.labels)))
