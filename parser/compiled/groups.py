"""Which templates are looked up together: the plan of the engine, made from a template set by general rules.

Templates are first sorted into *chunks* by what they look at: one stack element with its relatives, the buffer, or
several of these (cross). Inside a chunk templates form *groups* with one key: all values they look at. What a group's
rows add up to is remembered under that key, so a group costs one lookup however many templates it holds.

A missing node is a constant. So groups are made anew for every *pattern* of a chunk's nodes that are there: without a
head the templates of head and word need no more than the word, and join the group of the word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import product

from parser.feature.attributes import Attribute
from parser.feature.plan import KINDS, MOST_COMBINED, STEPS, Part, Plan

CROSS = -1
MOST_BITS = 8
MOST_PLANNING = 50_000  # pairs of groups over all patterns of a chunk: some hundredths of a second
FEW_RULES = 2
LABEL = KINDS.index("L")
SIDE_OF = {LABEL: "h"}
SIDE_OF |= {KINDS.index(f"{kind} {side}"): side[0] for kind in ("valency", "labelset") for side in ("left", "right")}
DIST = KINDS.index("dist")
NEAR = 2  # affixes up to this length have few values
MOST_GROWTH = 1  # how many levels a group may rise by joining another

Words = dict[int, frozenset[Attribute]]  # node -> attributes of its word


def level(attribute: Attribute) -> int:
    """How many values there are: 0 tags, 1 some hundreds, 2 as many as there are words."""
    match attribute.kind:
        case "u" | "x" | "adp" | "cc":
            return 0
        case "t" | "f" | "feat" | "shape" | "cluster":
            return 1
        case "prefix" | "suffix":
            return 1 if int(attribute.argument) <= NEAR else 2
    return 2


def is_whole(attribute: Attribute) -> bool:
    """The whole cell, which says what any part of it says."""
    return attribute.kind in ("w", "f", "m", "u", "x")


def reduced(attributes: Iterable[Attribute]) -> frozenset[Attribute]:
    """Without those that others determine: words equal in a whole cell are equal in its parts."""
    found = frozenset(attributes)
    cells = {a.column for a in found if is_whole(a)}
    return frozenset(a for a in found if is_whole(a) or a.column not in cells) if cells else found


def level_of(attributes: Iterable[Attribute]) -> int:
    return max((level(a) for a in attributes), default=0)


class once:
    """functools.cached_property without its lock, which takes 4 of a plan's 44 ms before Python 3.12."""

    def __init__(self, make) -> None:
        self.make, self.name = make, make.__name__

    def __get__(self, owner, _):
        value = owner.__dict__[self.name] = self.make(owner)
        return value


@dataclass(frozen=True)
class Group:
    """rules: their numbers in the plan; the rest is the key."""

    rules: frozenset[int]
    words: tuple[tuple[int, frozenset[Attribute]], ...]  # by node
    parts: frozenset[Part]
    absent: frozenset[int]  # missing nodes that the rules look at
    least: int  # the level of the rule that has fewest keys

    @once
    def by_node(self) -> Words:
        return dict(self.words)

    @once
    def nodes(self) -> frozenset[int]:
        found = {node for node, _ in self.words}
        for part in self.parts:
            found |= {part.node, part.other} if part.kind == DIST else {part.node}
        return frozenset(found)

    @once
    def sides(self) -> frozenset[str]:
        return frozenset(SIDE_OF.get(part.kind, "other") for part in self.parts)

    @once
    def total(self) -> int:
        return sum(level_of(attributes) for _, attributes in self.words)

    @once
    def has_words(self) -> bool:
        """Are there nodes with as many values as there are words?"""
        return any(level_of(attributes) > 1 for _, attributes in self.words)

    @once
    def order(self) -> tuple:
        return min(self.rules), len(self.rules)

    @once
    def is_of_tags(self) -> bool:
        return bool(self.words) and self.total == 0 and not self.parts

    @once
    def is_about_a_word(self) -> bool:
        """Does the group look at one word alone, and not only at its tag?"""
        return len(self.words) == 1 and not self.parts and self.total > 0

    @once
    def kinship(self) -> tuple[tuple, ...]:
        """What two groups must share one of for `joining` to allow it: their nodes, or that they look at no words or at
        tags alone."""
        kind = self.is_about_a_word or (self.has_words, bool(self.parts))
        own = (kind, self.nodes)
        return (own, (kind, None)) if self.is_of_tags or not self.words else (own,)

    def joined(self, other: "Group") -> "Group":
        words = dict(self.by_node)
        for node, attributes in other.words:
            words[node] = reduced(words.get(node, frozenset()) | attributes)
        least = min(self.least, other.least)
        return make_group(self.rules | other.rules, words, self.parts | other.parts, self.absent | other.absent, least)


def make_group(rules, words: Words, parts, absent=frozenset(), least: int | None = None) -> Group:
    if least is None:
        least = sum(level_of(attributes) for attributes in words.values())
    return Group(frozenset(rules), tuple(sorted(words.items())), frozenset(parts), frozenset(absent), least)


@dataclass(frozen=True)
class Pattern:
    present: frozenset[int]  # of the chunk's bits
    groups: tuple[Group, ...]
    direct: tuple[int, ...]  # rules that are looked up one by one


@dataclass(frozen=True)
class Chunk:
    anchor: int  # the node that it is about, without which nothing is looked up; or CROSS
    bits: tuple[int, ...]  # the nodes whose presence makes the pattern
    patterns: tuple[Pattern, ...]


def make_chunks(plan: Plan) -> list[Chunk]:
    rules: dict[int, list[int]] = {}
    for number in range(len(plan.rules)):
        rules.setdefault(chunk_of(plan, number), []).append(number)
    return [make_chunk(plan, anchor, rules[anchor]) for anchor in sorted(rules)]


def nodes_of(plan: Plan, number: int) -> set[int]:
    """All nodes that a rule looks at."""
    rule = plan.rules[number]
    found = set(bits_of(rule.any_of))
    for part in (plan.parts[i] for i in rule.parts):
        found |= {part.node, part.other} if part.kind == DIST else {part.node}
    for i, (node, _) in enumerate(plan.conditions):
        if rule.need >> (40 + i) & 1:
            found.add(node)
    return found


def bits_of(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def base_of(plan: Plan, node: int) -> int:
    step, argument = plan.nodes[node]
    return node if STEPS[step] in ("stack", "buffer", "pair") else base_of(plan, argument)


def chunk_of(plan: Plan, number: int) -> int:
    """The node of the stack or the buffer that a rule is about, with its relatives; CROSS: more than one.

    What is about the buffer alone is all about its first element.
    """
    bases = {base_of(plan, node) for node in nodes_of(plan, number)}
    if all(STEPS[plan.nodes[base][0]] == "buffer" for base in bases):
        waiting = [i for i, (step, _) in enumerate(plan.nodes) if STEPS[step] == "buffer"]
        return min(waiting, key=lambda i: plan.nodes[i][1])
    return min(bases) if len(bases) == 1 else CROSS


def make_chunk(plan: Plan, anchor: int, rules: list[int]) -> Chunk:
    used: dict[int, int] = {}
    for number in rules:
        for node in nodes_of(plan, number):
            while True:
                used[node] = used.get(node, 0) + 1
                if base_of(plan, node) == node:
                    break
                node = plan.nodes[node][1]
    costs = Costs()
    groups = join_all([base_group(plan, number) for number in rules], costs)
    n_bits = MOST_BITS
    while n_bits > 0 and len(groups) ** 2 << n_bits > MOST_PLANNING:
        n_bits -= 1
    bits = tuple(sorted(sorted(used, key=lambda node: (-used[node], node))[:n_bits]))
    needs = [before(plan, node) for node in range(len(plan.nodes))]
    found = tuple(
        make_pattern(plan, present, join_all(list(in_pattern(plan, groups, bits, present, needs)), costs))
        for present in patterns(plan, bits)
    )
    return Chunk(anchor, bits, found)


def make_pattern(plan: Plan, present: frozenset[int], groups: list[Group]) -> Pattern:
    direct = [group for group in groups if is_direct(plan, group, present)]
    return Pattern(
        present,
        tuple(group for group in groups if group not in direct),
        tuple(sorted(rule for group in direct for rule in group.rules)),
    )


def is_direct(plan: Plan, group: Group, present: frozenset[int]) -> bool:
    """Words together with something else give too many keys to remember, most of them of sums without any weight: a
    filter tells so sooner. Not where many templates share a key. (And the rules must be sure to fire.)"""
    if len(group.nodes) + len(group.parts) < 2 or group.total < 2 or (group.total < 4 and len(group.rules) > FEW_RULES):
        return False
    rules = [plan.rules[number] for number in group.rules]
    return all(not r.need and set(bits_of(r.any_of)) & present for r in rules)


def patterns(plan: Plan, bits: tuple[int, ...]) -> Iterator[frozenset[int]]:
    """Sets of nodes that can be there together: no relative without its word, no n1 without n0."""
    below = {node: before(plan, node) & set(bits) for node in bits}
    for choice in product((False, True), repeat=len(bits)):
        present = frozenset(node for node, there in zip(bits, choice, strict=True) if there)
        if all(below[node] <= present for node in present):
            yield present


def before(plan: Plan, node: int) -> set[int]:
    """The nodes that are there if this one is."""
    step, argument = plan.nodes[node]
    if STEPS[step] in ("stack", "buffer"):
        return {i for i, (other, k) in enumerate(plan.nodes) if other == step and k < argument}
    if STEPS[step] == "pair":
        return set()
    found = {argument} | before(plan, argument)
    if STEPS[step] in ("l2", "r2"):
        found |= {i for i, n in enumerate(plan.nodes) if n == (STEPS.index(STEPS[step][0]), argument)}
    return found


def base_group(plan: Plan, number: int) -> Group:
    """A rule alone."""
    rule = plan.rules[number]
    words: dict[int, set[Attribute]] = {}
    others = set()
    stored = [(plan.parts[i].node, plan.parts[i].other) for i in rule.parts if plan.parts[i].kind == 0]
    stored += [condition for i, condition in enumerate(plan.conditions) if rule.need >> (40 + i) & 1]
    for node, value in stored:
        words.setdefault(node, set()).update(plan.attributes[a] for a in plan.stored[value])
    for part in (plan.parts[i] for i in rule.parts):
        if part.kind != 0:
            others.add(part)
    return make_group([number], {node: reduced(found) for node, found in words.items()}, others)


def in_pattern(
    plan: Plan, groups: list[Group], bits: tuple[int, ...], present: frozenset[int], needs: list[set[int]]
) -> Iterator[Group]:
    """The groups as they are where just these of the nodes are there; those of which nothing can fire are left out."""
    absent = frozenset(bits) - present
    gone = {node for node, needed in enumerate(needs) if needed & absent} | absent
    for group in groups:
        live = [r for r in group.rules if not set(bits_of(plan.rules[r].any_of)) <= gone]
        if not live:
            continue
        looked_at = set().union(*(nodes_of(plan, r) for r in live))
        words = {node: found for node, found in group.words if node not in gone}
        parts = {part for part in group.parts if not is_constant(plan, part, gone)}
        left = sum(level_of(attributes) for attributes in words.values())
        yield make_group(live, words, parts, (looked_at | group.absent) & gone, min(group.least, left))


def is_constant(plan: Plan, part: Part, gone: set[int]) -> bool:
    if part.node in gone or (part.kind == DIST and part.other in gone):
        return True
    if part.kind not in SIDE_OF:
        return False
    child = (STEPS.index(SIDE_OF[part.kind]), part.node)
    return child in plan.nodes and plan.nodes.index(child) in gone


class Costs:
    """What joining two groups costs, asked for once however many patterns have them."""

    def __init__(self) -> None:
        self.faces: dict[tuple, int] = {}  # all that `joining` looks at -> a number
        self.known: dict[tuple[int, int], tuple[int, int, int] | None] = {}

    def face(self, group: Group) -> int:
        return self.faces.setdefault((group.words, group.parts, group.least), len(self.faces))

    def of(self, a: Group, b: Group, faces: tuple[int, int]) -> tuple[int, int, int] | None:
        if faces not in self.known:
            self.known[faces] = joining(a, b)
        return self.known[faces]


def join_all(groups: list[Group], costs: Costs) -> list[Group]:
    """Joins groups as long as two may be, the cheapest pair first."""
    groups = sorted(groups, key=lambda group: group.order)
    here: set[int] = set()
    kin: dict[tuple, list[int]] = {}  # only groups that have one of these in common may be joined
    pairs: list[tuple] = []
    faces: list[int] = []

    def add(new: int) -> None:
        found = {i for name in groups[new].kinship for i in kin.setdefault(name, []) if i in here}
        faces.append(costs.face(groups[new]))
        for a, b in [(i, new) for i in found] + [(new, i) for i in found]:
            cost = costs.of(groups[a], groups[b], (faces[a], faces[b]))
            if cost is not None:
                heappush(pairs, (cost, groups[a].order, groups[b].order, a, b))
        here.add(new)
        for name in groups[new].kinship:
            kin[name].append(new)

    for number in range(len(groups)):
        add(number)
    while pairs:
        *_, a, b = heappop(pairs)
        if a in here and b in here:
            here -= {a, b}
            groups.append(groups[b].joined(groups[a]))
            add(len(groups) - 1)
    return sorted((groups[i] for i in here), key=lambda group: group.order)


def joining(a: Group, b: Group) -> tuple[int, int, int] | None:
    """What it costs to look up group a together with b; None: they stay apart.

    Everything that a looks at must be known to b, or be something with few values that hardly adds keys. Templates that
    look at less have rows of their own: there are few of them, with weights for most actions, and they are needed
    again and again; what a template of more values adds to them is for few actions, and takes a short row. Not tags:
    there are few of those either way.
    """
    if any(len(reduced(found | b.by_node.get(node, frozenset()))) > MOST_COMBINED for node, found in a.words):
        return None
    if a.is_of_tags and b.is_of_tags and a.nodes < b.nodes:
        return (0, 0, -len(b.nodes)) if all(found <= b.by_node[node] for node, found in a.words) else None
    one_word = len(a.nodes | b.nodes) <= 1 and len(a.sides | b.sides) <= 1
    if one_word and a.is_about_a_word and b.is_about_a_word:
        return 0, 0, -b.total  # a record knows the sum: one row per word instead of several
    if a.has_words != b.has_words or bool(a.parts) != bool(b.parts):
        return None
    if not a.words and not b.words and len(a.parts | b.parts) <= 2:
        return 0, 0, 0
    if a.nodes != b.nodes or not (one_word or a.parts <= b.parts):
        return None
    extended = 0
    for node, attributes in a.words:
        own = b.by_node.get(node, frozenset())
        added = reduced(own | attributes) - own
        if added and ((not own and not one_word) or (level_of(own) < 2 and level_of(added) > 0)):
            return None
        extended += bool(added)
    return 1 + b.total - a.least, extended, -b.total
