"""The state as plain lists: what exhaustive.py's configurations leave out, worked out anew from the list of arcs."""

from exhaustive import Variant, initial, steps


class ListModel:
    def __init__(self, variant: Variant, n: int):
        self.variant = variant
        self.n = n
        self.config = initial(variant, n)
        self.arcs = []  # (head, dependent, label)

    def names(self):
        return {step.name: step for step in steps(self.variant, self.config)}

    def apply(self, name, label):
        step = self.names()[name]
        if step.dep > 0:
            self.arcs.append((step.head, step.dep, label))
        self.config = step.after

    def place(self, word):
        return self.n + 1 if word == 0 and self.variant.root == "last" else word

    def node(self, word):
        """The same facts as the C state keeps up to date."""
        mine = [(dep, label) for head, dep, label in self.arcs if head == word]
        left = sorted((dep, label) for dep, label in mine if dep < self.place(word))
        right = sorted((dep, label) for dep, label in mine if dep > self.place(word))
        own = [(head, label) for head, dep, label in self.arcs if dep == word] or [(-1, -1)]
        return {
            "head": own[0][0],
            "label": own[0][1],
            "on_stack": word in self.config.stack,
            "l1": left[0][0] if left else -1,
            "l2": left[1][0] if len(left) > 1 else -1,
            "r1": right[-1][0] if right else -1,
            "r2": right[-2][0] if len(right) > 1 else -1,
            "lval": len(left),
            "rval": len(right),
            "left_labels": sorted({label for _, label in left}),
            "right_labels": sorted({label for _, label in right}),
        }

    def span(self, word):
        """(first, last) word of the partial tree below, ROOT itself not counted."""
        words = {word} - {0}
        while True:
            more = {dep for head, dep, _ in self.arcs if head in words or head == word} - words
            if not more:
                return (min(words), max(words)) if words else (1, 0)
            words |= more
