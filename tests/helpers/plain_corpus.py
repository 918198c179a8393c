"""Sentences as plain Python lists, read from and written to CoNLL-U text in the obvious way: to test evaluation."""

from collections.abc import Sequence
from typing import NamedTuple

from parser.evaluate.corpus import Corpus


class Word(NamedTuple):
    form: str
    head: int
    deprel: str
    upos: str = "X"
    xpos: str = "x"


class Sentence(NamedTuple):
    words: list[Word]
    ranges: Sequence[tuple[int, int, str]] = ()  # (first, last, form)
    name: str = ""
    line: int = 0


def read_text(text: str) -> list[Sentence]:
    sentences, words, ranges, name, first = [], [], [], "", 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.startswith("# sent_id = "):
            name = line.removeprefix("# sent_id = ")
        elif line.startswith("#"):
            continue
        elif line == "":
            if words:
                sentences.append(Sentence(words, ranges, name, first))
            words, ranges, name, first = [], [], "", 0
        else:
            cells = line.split("\t")
            first = first or number
            if "-" in cells[0]:
                begin, end = cells[0].split("-")
                ranges.append((int(begin), int(end), cells[1]))
            elif "." not in cells[0]:
                words.append(Word(cells[1], int(cells[6]), cells[7], cells[3], cells[4]))
    return sentences


def write_text(sentences: list[Sentence]) -> str:
    lines = []
    for sentence in sentences:
        ranges = {first: (last, form) for first, last, form in sentence.ranges}
        for i, word in enumerate(sentence.words, 1):
            if i in ranges:
                lines.append("\t".join([f"{i}-{ranges[i][0]}", ranges[i][1], *"________"]))
            cells = [str(i), word.form, "_", word.upos, word.xpos, "_", str(word.head), word.deprel, "_", "_"]
            lines.append("\t".join(cells))
        lines.append("")
    return "".join(line + "\n" for line in lines)


def corpus_of(sentences: list[Sentence], source: str = "corpus") -> Corpus:
    offsets, words, ranges = [0], [], []
    for s, sentence in enumerate(sentences):
        words += sentence.words
        offsets.append(len(words))
        ranges += [(s, *r) for r in sentence.ranges]
    return Corpus.from_columns(
        offsets,
        [w.head for w in words],
        [w.form for w in words],
        [w.upos for w in words],
        [w.xpos for w in words],
        [w.deprel for w in words],
        ranges=ranges,
        names=[s.name for s in sentences],
        lines=[s.line for s in sentences],
        source=source,
    )


def load(path) -> Corpus:
    return corpus_of(read_text(path.read_text(encoding="utf-8")), str(path))
