"""The slow, obvious twin of the transition systems: list models and a search over all completions.

Written from the definitions of the systems alone. A configuration is a tuple; `steps` lists what can be done in it;
costs come from trying everything. Single root is not a rule here but an outcome: a step is allowed iff some completion
after it has exactly one word under ROOT.
"""

from functools import cache
from typing import NamedTuple

IMPOSSIBLE = 10**6


class Variant(NamedTuple):
    system: str
    root: str
    attach_aware: bool = False
    single_root: bool = False

    def __str__(self):
        return "-".join(
            [
                self.system,
                self.root,
                *(["aware"] if self.attach_aware else []),
                *(["single"] if self.single_root else []),
            ]
        )


class Config(NamedTuple):
    stack: tuple  # the whole list, for easy-first
    buffer: tuple
    headed: frozenset  # words that have a head
    roots: int  # words with head ROOT, 2 standing for all more


class Step(NamedTuple):
    name: str  # "SHIFT", "LEFT", "LEFT@3", ...
    head: int  # -1: no arc
    dep: int
    after: Config


BASES = [
    Variant("arc-eager", "first"),
    Variant("arc-eager", "first", attach_aware=True),
    Variant("arc-eager", "last"),
    Variant("arc-standard", "first"),
    Variant("arc-hybrid", "first"),
    Variant("arc-hybrid", "last"),
    Variant("arc-hybrid", "none"),
    Variant("easy-first", "first"),
    Variant("easy-first", "none"),
]
VARIANTS = BASES + [v._replace(single_root=True) for v in BASES if v.root != "none"]


def initial(variant, n):
    words = tuple(range(1, n + 1))
    nothing = frozenset()
    if variant.system == "easy-first":
        return Config((0, *words) if variant.root == "first" else words, (), nothing, 0)
    if variant.root == "last":
        return Config((), (*words, 0), nothing, 0)
    if variant.root == "none":
        return Config((), words, nothing, 0)
    if variant.system == "arc-eager":
        return Config((0,), words, nothing, 0)
    return Config((), (0, *words), nothing, 0)


def is_final(variant, c):
    if variant.system == "easy-first":
        return len(c.stack) == 1
    if variant.system == "arc-eager":
        return not c.buffer if variant.root == "first" else (c.stack, c.buffer) == ((), (0,))
    if variant.root == "last":
        return (c.stack, c.buffer) == ((), (0,))
    return len(c.stack) == 1 and not c.buffer


def with_arc(c, head, dep, stack, buffer):
    return Config(stack, buffer, c.headed | {dep}, min(2, c.roots + (head == 0)))


@cache
def steps(variant, c):
    if is_final(variant, c):
        return ()
    return tuple(
        {"arc-eager": eager, "arc-standard": standard, "arc-hybrid": hybrid, "easy-first": easy}[variant.system](c)
    )


def eager(c):
    stack, buffer = c.stack, c.buffer
    b = buffer[0] if buffer else None
    if b:
        yield Step("SHIFT", -1, -1, c._replace(stack=(*stack, b), buffer=buffer[1:]))
    if stack and stack[-1] in c.headed:
        yield Step("REDUCE", -1, -1, c._replace(stack=stack[:-1]))
    if stack and stack[-1] != 0 and stack[-1] not in c.headed and buffer:
        yield Step("LEFT", b, stack[-1], with_arc(c, b, stack[-1], stack[:-1], buffer))
    if stack and b:
        yield Step("RIGHT", stack[-1], b, with_arc(c, stack[-1], b, (*stack, b), buffer[1:]))


def standard(c):
    stack, buffer = c.stack, c.buffer
    if buffer:
        yield Step("SHIFT", -1, -1, c._replace(stack=(*stack, buffer[0]), buffer=buffer[1:]))
    if len(stack) >= 2:
        s1, s0 = stack[-2:]
        if s1 != 0:
            yield Step("LEFT", s0, s1, with_arc(c, s0, s1, (*stack[:-2], s0), buffer))
        yield Step("RIGHT", s1, s0, with_arc(c, s1, s0, stack[:-1], buffer))


def hybrid(c):
    stack, buffer = c.stack, c.buffer
    # a ROOT behind words is never pushed; a ROOT before them is, first of all
    if buffer and (buffer[0] != 0 or len(buffer) > 1):
        yield Step("SHIFT", -1, -1, c._replace(stack=(*stack, buffer[0]), buffer=buffer[1:]))
    if buffer and stack and stack[-1] != 0:
        yield Step("LEFT", buffer[0], stack[-1], with_arc(c, buffer[0], stack[-1], stack[:-1], buffer))
    if len(stack) >= 2:
        s1, s0 = stack[-2:]
        yield Step("RIGHT", s1, s0, with_arc(c, s1, s0, stack[:-1], buffer))


def easy(c):
    items = c.stack
    for i in range(2, len(items) + 1):  # i: 1-based index of the head
        head, dep = items[i - 1], items[i - 2]
        if dep != 0:
            yield Step(f"LEFT@{i}", head, dep, with_arc(c, head, dep, items[: i - 2] + items[i - 1 :], ()))
    for i in range(1, len(items)):
        head, dep = items[i - 1], items[i]
        yield Step(f"RIGHT@{i}", head, dep, with_arc(c, head, dep, items[:i] + items[i + 1 :], ()))


class Search:
    """Least loss of all completions, for one gold tree; labels and weights as in the loss of the papers."""

    def __init__(self, variant, heads, labels, n_labels, weights, root_label):
        self.variant = variant
        self.heads, self.labels = heads, labels
        self.n_labels = n_labels
        self.weights = weights
        self.root_label = root_label
        self.known = {}

    def arc_loss(self, head, dep, label):
        if self.heads[dep - 1] != head:
            return self.weights[0]
        return 0 if self.labels[dep - 1] == label else self.weights[1]

    def final_loss(self, c):
        left = [d for d in range(1, len(self.heads) + 1) if d not in c.headed]
        if self.variant.single_root and c.roots + len(left) != 1:
            return IMPOSSIBLE
        if self.variant.system == "arc-eager" and not self.variant.attach_aware:
            return self.weights[0] * len(left)
        return sum(self.arc_loss(0, d, self.root_label) for d in left)

    def best(self, c):
        """The least loss still to come."""
        if c not in self.known:
            if is_final(self.variant, c):
                self.known[c] = self.final_loss(c)
            else:
                self.known[c] = min(self.after(step) for step in steps(self.variant, c))
        return self.known[c]

    def after(self, step):
        """Of the step and all that follows it, with the best label."""
        if step.dep < 0:
            return self.best(step.after)
        return self.best(step.after) + min(self.arc_loss(step.head, step.dep, b) for b in range(self.n_labels))

    def costs(self, c):
        """{(name, label or -1): cost} of the allowed steps."""
        best = self.best(c)
        found = {}
        for step in steps(self.variant, c):
            rest = self.best(step.after)
            if rest >= IMPOSSIBLE:
                continue
            if step.dep < 0:
                found[step.name, -1] = rest - best
            else:
                for label in range(self.n_labels):
                    found[step.name, label] = self.arc_loss(step.head, step.dep, label) + rest - best
        return found


def allowed(search, c):
    return [step for step in steps(search.variant, c) if search.best(step.after) < IMPOSSIBLE]


def all_trees(n):
    """All projective trees of n words, as head vectors."""

    def attach(heads, word):
        if word > n:
            if is_tree(heads) and is_projective(heads):
                yield tuple(heads)
            return
        for head in range(n + 1):
            if head != word:
                yield from attach([*heads, head], word + 1)

    return list(attach([], 1))


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        seen = set()
        while word != 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def is_projective(heads):
    """Every word between the ends of an arc descends from its head."""

    def descends(word, head):
        while word != 0 and word != head:
            word = heads[word - 1]
        return word == head

    return all(
        descends(k, head) for dep, head in enumerate(heads, 1) for k in range(min(head, dep) + 1, max(head, dep))
    )


trees = cache(all_trees)


def single_root_trees(n):
    return [heads for heads in trees(n) if heads.count(0) == 1]
