"""Pseudo-projective trees (Nivre & Nilsson 2005): lift non-projective arcs and note in the labels where they came from.

An arc from h to d is lifted when d is given to an ancestor of h. What the label of a word becomes, by encoding:

    head        d's label ↑ label of h      where d was lifted
    path        d's label ↑                 where d was lifted,     label ↓ where the word is on a lifted arc's path
    head+path   d's label ↑ label of h      where d was lifted,     label ↓ where the word is on a lifted arc's path

The path of a lifted arc leads from h up to the new head of d, which is not on it. A word may bear both marks: `a↑b↓`.
The way back is in parser.treebank.pseudo_restore.
"""

from collections.abc import Sequence

import numpy as np

from parser.treebank.errors import TreebankError
from parser.treebank.tree import lift

ENCODINGS = ("head", "path", "head+path")
UP, DOWN = "↑", "↓"


def split_label(name: str) -> tuple[str, str | None, bool]:
    """(plain label, label of the lost head or None, on a path?). `a↑` gives the empty string: a lost head unnamed."""
    on_path = name.endswith(DOWN)
    plain, mark, wanted = name.removesuffix(DOWN).partition(UP)
    return plain, wanted if mark else None, on_path


def join_label(plain: str, wanted: str | None, on_path: bool) -> str:
    return plain + ("" if wanted is None else UP + wanted) + (DOWN if on_path else "")


def path_words(heads: Sequence[int], lifted: Sequence[int]) -> set[int]:
    """The words on the path of any lifted arc.

    They are read off the unlifted tree: where a word of a path was itself lifted before, its own path has the rest.
    """
    words = set()
    for head, goal in zip(heads, lifted, strict=True):
        while head != goal:
            words.add(head)
            head = heads[head - 1]
    return words


class Encoder:
    """Encodes tree after tree. Ids of plain labels stay what they are, new labels take the next ones when first met."""

    def __init__(self, encoding: str, labels: Sequence[str]) -> None:
        if encoding not in ENCODINGS:
            raise ValueError(f"no pseudo-projective encoding {encoding!r}, expected one of {', '.join(ENCODINGS)}")
        for label in labels:
            if UP in label or DOWN in label:
                raise TreebankError(f"label {label!r} contains '{UP}' or '{DOWN}', which mark lifted arcs: rename it")
        self.encoding = encoding
        self.names = list(labels)
        self.counts = [0] * len(labels)  # how often each label has been given out
        self.n_plain = len(labels)
        self.ids = {name: i for i, name in enumerate(self.names)}
        if len(self.ids) != self.n_plain:
            raise ValueError("pseudo-projective encoding: a label is given twice")

    def encode(self, heads: Sequence[int], labels: Sequence[int]) -> tuple[list[int], list[int]]:
        """Heads and label ids of the projective tree; a projective one comes back as it was."""
        heads = [int(head) for head in heads]
        labels = [int(label) for label in labels]
        lifted, n_lifts = lift(heads)
        if n_lifts:
            labels = [self.id(name) for name in self.encoded_names(heads, lifted, [self.names[i] for i in labels])]
        for label in labels:
            self.counts[label] += 1
        return lifted, labels

    def encoded_names(self, heads: list[int], lifted: list[int], names: list[str]) -> list[str]:
        on_path = path_words(heads, lifted) if self.encoding != "head" else set()
        wanted = [names[head - 1] if self.encoding != "path" else "" for head in heads]
        return [
            join_label(names[i], wanted[i] if lifted[i] != heads[i] else None, i + 1 in on_path)
            for i in range(len(names))
        ]

    def id(self, name: str) -> int:
        if name not in self.ids:
            self.ids[name] = len(self.names)
            self.names.append(name)
            self.counts.append(0)
        return self.ids[name]

    def drop_rare(self, least: int) -> tuple[list[str], np.ndarray]:
        """(names, new id of every old one): marked labels given out fewer than `least` times fall back to their plain
        label, the arc staying lifted. Plain labels all stay, with their ids."""
        keep = [i < self.n_plain or count >= least for i, count in enumerate(self.counts)]
        names = [name for name, kept in zip(self.names, keep, strict=True) if kept]
        ids = {name: i for i, name in enumerate(names)}
        new = [ids[name] if kept else ids[split_label(name)[0]] for name, kept in zip(self.names, keep, strict=True)]
        return names, np.array(new, dtype=np.int32)
