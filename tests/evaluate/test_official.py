"""Agreement with the official UD scorer, which is run as a program and never imported.

ARCSPEED_UDEVAL names the executable `udeval` of the package udtools (0.2.9 was compared), installed in an
environment of its own; ARCSPEED_UDEVAL_DATA the folder tests/test-cases/eval of that package's source archive.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest
from plain_corpus import Sentence, corpus_of, load, read_text, write_text
from random_corpora import random_letters, random_words, reparsed, retokenized, tokenized

from parser.evaluate.attachment import official
from parser.evaluate.comparison import compare
from parser.treebank.tree import problem

TREEBANKS = [
    "Basque-BDT",
    "Chinese-GSD",
    "English-EWT",
    "French-Sequoia",
    "Korean-GSD",
    "Swedish-Talbanken",
    "Turkish-IMST",
]


@pytest.fixture(scope="module")
def udeval():
    path = os.environ.get("ARCSPEED_UDEVAL")
    if not path:
        pytest.skip("needs the official scorer: runs where ARCSPEED_UDEVAL names the udeval executable of udtools")

    def run(gold: Path, system: Path, *options: str) -> dict[str, list[str]]:
        command = [path, "-v", "--no-enhanced", "--multiple-roots-okay", *options, str(gold), str(system)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return table_of(done.stdout)

    return run


def table_of(text: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "|" in line]
    return {row[0]: row[1:] for row in cells[1:]}


def percentages(scores) -> dict[str, list[str]]:
    """Our figures as the official scorer prints them."""
    return {
        name: [f"{p:.2f}" for p in (s.precision, s.recall, s.f1)]
        + [f"{s.aligned_accuracy:.2f}" if name in ("UAS", "LAS", "CLAS") and s.aligned else ""]
        for name, s in scores.items()
    }


def counted(scores) -> dict[str, list[str]]:
    """Our counts as the official scorer prints them: an aligned count of 0 stays empty."""
    return {name: [str(s.correct), str(s.gold), str(s.system), str(s.aligned or "")] for name, s in scores.items()}


def agree(udeval, gold: Path, system: Path):
    ours = official(compare(load(gold), load(system)))
    theirs, their_counts = udeval(gold, system), udeval(gold, system, "-c")
    assert {name: theirs[name] for name in ours} == percentages(ours)
    assert {name: their_counts[name] for name in ours} == counted(ours)
    return ours


def written(folder: Path, name: str, sentences: list[Sentence]) -> Path:
    path = folder / name
    path.write_text(write_text(sentences), encoding="utf-8")
    return path


def perturbed(rng, sentences: list[Sentence], keep: float) -> list[Sentence]:
    """Other trees in some sentences, and labels of other words of the corpus."""
    labels = [w.deprel for s in sentences for w in s.words]
    changed = []
    for sentence in sentences:
        words = sentence.words
        if rng.random() > keep:
            heads = [w.head for w in random_words(rng, [w.form for w in words])]
            words = [w._replace(head=h) for w, h in zip(words, heads, strict=True)]
        words = [w._replace(deprel=rng.choice(labels)) if rng.random() > keep else w for w in words]
        changed.append(sentence._replace(words=words))
    return changed


def resplit(rng, sentences: list[Sentence]) -> list[Sentence]:
    """The words as they are, but sentences joined or cut, single words joined, split, or made multiword tokens."""
    changed = []
    for sentence in sentences:
        again = retokenized(rng, [sentence]) if rng.random() < 0.3 else [sentence]
        if rng.random() < 0.1 and changed:
            again[0] = joined(changed.pop(), again[0])
        changed += again
    return changed


def joined(first: Sentence, second: Sentence) -> Sentence:
    n = len(first.words)
    words = [w._replace(head=w.head + n if w.head else 1) for w in second.words]
    ranges = [(a + n, b + n, form) for a, b, form in second.ranges]
    return Sentence([*first.words, *words], [*first.ranges, *ranges])


@pytest.mark.parametrize("treebank", TREEBANKS)
@pytest.mark.parametrize("tokenization", ["same", "other"])
def test_scores_of_perturbed_treebanks(udeval, treebanks, tmp_path, treebank, tokenization):
    rng = random.Random(treebank + tokenization)
    text = (treebanks / treebank / "dev.conllu").read_text(encoding="utf-8")
    sentences = [s for s in read_text(text) if problem([w.head for w in s.words]) is None]
    system = perturbed(rng, sentences, keep=0.8)
    if tokenization == "other":
        system = resplit(rng, system)
    ours = agree(udeval, written(tmp_path, "gold.conllu", sentences), written(tmp_path, "system.conllu", system))
    assert 20 < ours["LAS"].f1 < 95
    assert (ours["Words"].f1 == 100) == (tokenization == "same")


def test_scores_of_random_corpora(udeval, tmp_path):
    for seed in range(30):
        rng = random.Random(seed)
        letters = random_letters(rng, 300)
        gold = tokenized(rng, letters, rng.choice([0, 0.1, 0.5]))
        system = [
            lambda letters=letters, rng=rng: tokenized(rng, letters),
            lambda gold=gold, rng=rng: retokenized(rng, gold),
            lambda gold=gold, rng=rng: reparsed(rng, gold),
        ][seed % 3]()
        gold_path, system_path = written(tmp_path, "g.conllu", gold), written(tmp_path, "s.conllu", system)
        their_counts = udeval(gold_path, system_path, "-c")
        ours = counted(official(compare(corpus_of(gold), corpus_of(system))))
        assert {name: their_counts[name] for name in ours} == ours, f"seed {seed}"


@pytest.fixture(scope="module")
def czech():
    value = os.environ.get("ARCSPEED_UDEVAL_DATA")
    if not value:
        pytest.skip("needs the official scorer's data: runs where ARCSPEED_UDEVAL_DATA names udtools' test-cases/eval")
    folder = Path(value)
    (system,) = folder.glob("cs_pud-udpipe*.conllu")
    return folder / "cs_pud-gold.conllu", system, folder / "eval.txt"


def test_real_output_with_other_tokens(udeval, czech):
    gold, system, _ = czech
    assert agree(udeval, gold, system)["Words"].f1 < 100


def test_published_scores_of_the_real_output(czech):
    gold, system, published = czech
    theirs = table_of(published.read_text(encoding="utf-8"))
    ours = percentages(official(compare(load(gold), load(system))))
    assert {name: theirs[name] for name in ours} == ours
    assert ours["UAS"][2] == "92.27"
