"""A dependency tree as text: one word a line, in the order of the sentence, arcs drawn at the left."""

from collections.abc import Sequence

from parser.treebank.tree import children

LAST, MIDDLE, FIRST, PASS, GAP = "└─", "├─", "┌─", "│ ", "  "


def draw(words: Sequence[str], heads: Sequence[int], labels: Sequence[str]) -> list[str]:
    """Words of a subtree stand together: where arcs cross, a word may stand beside its subtree."""
    below = children(heads)
    lines: list[str] = []
    stack = [subtree(root, GAP, "", GAP, below, words, labels, lines) for root in reversed(below[0])]
    while stack:
        deeper = next(stack[-1], None)
        if deeper is None:
            stack.pop()
        else:
            stack.append(deeper)
    return lines


def subtree(node, above, here, under, below, words, labels, lines):
    """Writes the node's line between those of its dependents, which are handed back as generators of the same kind, so
    that a chain of thousands of words needs no recursion.

    above, here, under: what stands at the left of the lines above the node's own, of its own, and under it.
    """
    left = [child for child in below[node] if child < node]
    right = [child for child in below[node] if child > node]
    for i, child in enumerate(left):
        first = i == 0
        yield subtree(
            child, above + (GAP if first else PASS), above + (FIRST if first else MIDDLE), above + PASS,
            below, words, labels, lines,
        )  # fmt: skip
    lines.append(f"{here}{words[node - 1]}  {labels[node - 1]}")
    for i, child in enumerate(right):
        last = i == len(right) - 1
        yield subtree(
            child, under + PASS, under + (LAST if last else MIDDLE), under + (GAP if last else PASS),
            below, words, labels, lines,
        )  # fmt: skip
