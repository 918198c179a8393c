"""Slow, obvious definitions of what parser.treebank.tree computes fast."""

from itertools import product


def reaches_root(heads, word):
    seen = set()
    while word != 0 and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return word == 0


def is_tree(heads):
    return all(0 <= h <= len(heads) for h in heads) and all(reaches_root(heads, w) for w in range(1, len(heads) + 1))


def descends(heads, word, ancestor):
    while word != 0:
        if word == ancestor:
            return True
        word = heads[word - 1]
    return ancestor == 0


def nonprojective(heads):
    """Dependents of arcs over a word that does not descend from the arc's head."""
    return [
        d for d, h in enumerate(heads, 1) if not all(descends(heads, k, h) for k in range(min(h, d) + 1, max(h, d)))
    ]


def crosses(heads):
    """Do two arcs cross, ROOT being at position 0?"""
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, 1)]
    return any(a < c < b < e for a, b in arcs for c, e in arcs)


def lift(heads):
    heads = list(heads)
    while nonprojective(heads):
        d = min(nonprojective(heads), key=lambda d: (abs(heads[d - 1] - d), d))
        heads[d - 1] = heads[heads[d - 1] - 1]
    return heads


def all_trees(n):
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]
