"""CoNLL-U for peers that have no reader of their own: words in, trees out. Files are known to be right."""

from pathlib import Path

FORM, UPOS, XPOS, FEATS, HEAD, DEPREL = 1, 3, 4, 5, 6, 7


def read(path: str) -> list:
    """Sentences as lists of words, words as lists of ten columns; multiword tokens and empty nodes are left out."""
    blocks = Path(path).read_text(encoding="utf-8").split("\n\n")
    found = [[line.split("\t") for line in block.split("\n") if is_word(line)] for block in blocks]
    return [sentence for sentence in found if sentence]


def is_word(line: str) -> bool:
    return line.partition("\t")[0].isdigit()


def tag_of(word: list) -> str:
    """XPOS, or UPOS in treebanks without."""
    return word[UPOS] if word[XPOS] == "_" else word[XPOS]


def write_trees(source: str, target: str, trees: list) -> None:
    """The source with other trees: per sentence one (head, label) per word, heads 1-based, 0 for ROOT."""
    arcs = iter([arc for tree in trees for arc in tree])
    lines = [with_arc(line, next(arcs)) if is_word(line) else line for line in lines_of(source)]
    if next(arcs, None) is not None:
        raise ValueError(f"{source}: has fewer words than its trees")
    Path(target).write_text("\n".join(lines), encoding="utf-8")


def lines_of(path: str) -> list:
    return Path(path).read_text(encoding="utf-8").split("\n")


def with_arc(line: str, arc: tuple) -> str:
    columns = line.split("\t")
    columns[HEAD], columns[DEPREL] = str(arc[0]), arc[1]
    return "\t".join(columns)


def as_conllx(sentences: list) -> str:
    """CoNLL-X as the Java parsers read it: words only, no spaces inside columns, a tag for every word."""
    rows = []
    for sentence in sentences:
        rows += ["\t".join(conllx_row(word)) for word in sentence] + [""]
    return "\n".join(rows) + "\n"


def conllx_row(word: list) -> list:
    number, form, lemma, upos, _, feats, head, label = (column.replace(" ", "_") for column in word[:8])
    return [number, form, lemma, upos, tag_of(word), feats, head, label, "_", "_"]


def trees_of_conllx(path: str) -> list:
    """(head, label) of every word; words under ROOT are labelled `root`, whatever name their parser has for it."""
    return [[(int(w[HEAD]), w[DEPREL] if w[HEAD] != "0" else "root") for w in words] for words in read(path)]
