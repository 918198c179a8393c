"""`arcspeed shrink`: a model within a budget of bytes."""

from collections.abc import Sequence
from pathlib import Path

from parser.cli.console import note
from parser.cli.train import cost_line
from parser.model.file import check_output
from parser.pipeline import Parser
from parser.train.data import Treebank, read_treebank
from parser.train.decisions import Judge, NothingToJudgeError
from parser.train.reliability import reliable
from parser.train.shrink import cost_of, shrunk
from parser.train.temperature import SENTENCES
from parser.treebank import refuse_same_file


def run(model: str, output: Path, budget: int, slim: bool, dev: Sequence[str], format: str) -> int:
    refuse_same_file([model, *dev], output)
    check_output(output)
    parser = Parser.load(model, verify=True)
    parser.require_weights("be made smaller")
    treebank = read_treebank(dev, format) if dev else None
    judge = judge_of(parser, treebank) if treebank else None
    before = cost_of(parser, slim, treebank)
    small = shrunk(parser, budget, slim, judge)
    if treebank and parser.reliability and small is not parser:
        small = reliable(small, treebank)
    small.save(output, slim=slim)
    note(cost_line(budget, before, before if small is parser else cost_of(small, slim, treebank)))
    return 0


def judge_of(parser: Parser, treebank: Treebank) -> Judge | None:
    """None where the trees say nothing about probabilities: they stay as smaller scores make them."""
    try:
        return Judge(treebank, parser.assembly, parser.clusters, SENTENCES)
    except NothingToJudgeError as error:
        note(f"{error}: probabilities are not made right again")
        return None
