"""Pseudo-projective encoding and its inverse, slowly: marks are set arc by arc while lifting, targets are found level
by level from scratch for every lifted word."""

import plain_tree


def encode(heads, labels, encoding):
    """(heads, [(label, label of the lost head or None, on a path?)]) with the marks set during the lifts."""
    heads, original = list(heads), list(heads)
    path = set()
    while plain_tree.nonprojective(heads):
        d = min(plain_tree.nonprojective(heads), key=lambda d: (abs(heads[d - 1] - d), d))
        path.add(heads[d - 1])
        heads[d - 1] = heads[heads[d - 1] - 1]
    marks = []
    for d, label in enumerate(labels, 1):
        lost = None
        if heads[d - 1] != original[d - 1]:
            lost = "" if encoding == "path" else labels[original[d - 1] - 1]
        marks.append((label, lost, encoding != "head" and d in path))
    return heads, marks


def children(heads, node):
    return [d for d, h in enumerate(heads, 1) if h == node]


def levels(heads, top, passes):
    """The nodes below top, level by level, going through words that pass."""
    level = [top]
    while level:
        level = [d for node in level for d in children(heads, node) if passes(d)]
        yield from level


def target(heads, marks, word):
    wanted = marks[word - 1][1]
    above = heads[word - 1]

    def marked(d):
        return marks[d - 1][2]

    for d in levels(heads, above, lambda d: d != word and marked(d)):
        if wanted == "" and not any(marked(child) for child in children(heads, d)):
            return d
        if wanted != "" and marks[d - 1][0] == wanted:
            return d
    for d in levels(heads, above, lambda d: d != word):
        if wanted != "" and marks[d - 1][0] == wanted:
            return d
    return None


def decode(heads, marks):
    heads = list(heads)
    for word in list(levels(heads, 0, bool)):
        if marks[word - 1][1] is not None:
            found = target(heads, marks, word)
            heads[word - 1] = heads[word - 1] if found is None else found
    return heads, [label for label, _, _ in marks]
