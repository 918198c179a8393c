"""The plan of groups as programs: for every pattern of a chunk, how the keys of its lookups are added up.

A key is a seed plus one term for each value: the value times the factor of its place. A word's values are known when it
is first met, so its record holds the products (*slots*), and a term is one number to be read and added. Values that
depend on the partial tree (*locals*) are multiplied when they are read.

A group that looks at a single word, and at nothing else, needs no key: the record also has room for where its sum
stands (*refs*), filled when it is first asked for.
"""

from collections import Counter
from dataclasses import dataclass, field

from parser.compiled.groups import Chunk, Group, Pattern, bits_of
from parser.feature.hashing import seed_of
from parser.feature.plan import Part, Plan

MOST_REFS = 128  # of a record
PRESENCE = -1  # the kind of a local that tells whether a node is there
LOCAL = -1  # the "node" of a term that reads a local


@dataclass(frozen=True)
class Term:
    node: int
    slot: int


@dataclass(frozen=True)
class Local:
    part: Part
    place: int  # of the factor


@dataclass(frozen=True)
class Lookup:
    seed: int
    terms: tuple[Term, ...]
    rules: tuple[int, ...]


@dataclass(frozen=True)
class Ref:
    node: int
    slot: int
    lookup: Lookup  # what the slot is filled from


@dataclass(frozen=True)
class Program:
    locals: tuple[Local, ...]
    refs: tuple[Ref, ...]
    lookups: tuple[Lookup, ...]  # those with fewest terms first
    direct: tuple[Lookup, ...]  # of one template each, under its feature key


@dataclass
class Layout:
    """Of all programs of a model together with the records that they read."""

    plan: Plan
    chunks: list[Chunk]
    slots: dict[tuple[int, int], int] = field(default_factory=dict)  # (stored value, place) -> its number
    refs: dict[tuple, int] = field(default_factory=dict)  # identity of a group -> its number
    programs: dict[int, list[Program]] = field(default_factory=dict)  # by chunk, in the order of its patterns

    def __post_init__(self) -> None:
        self.refs = self.choose_refs()
        for number, chunk in enumerate(self.chunks):
            self.programs[number] = [self.program(chunk, pattern) for pattern in chunk.patterns]

    def choose_refs(self) -> dict[tuple, int]:
        """The groups of single words that most patterns have."""
        counts = Counter(
            identity(group)
            for chunk in self.chunks
            for pattern in chunk.patterns
            for group in pattern.groups
            if is_of_one_word(group)
        )
        order = sorted(counts, key=lambda found: (-counts[found], found))
        return {found: number for number, found in enumerate(order[:MOST_REFS])}

    def program(self, chunk: Chunk, pattern: Pattern) -> Program:
        here: dict[Local, int] = {}
        refs, lookups = [], []
        for group in pattern.groups:
            unsure = self.unsure(chunk, pattern, group)
            terms = self.terms(group, unsure, here)
            lookup = Lookup(seed_of(repr(identity(group))), terms, tuple(sorted(group.rules)))
            if is_of_one_word(group) and identity(group) in self.refs and not unsure:
                refs.append(Ref(group.words[0][0], self.refs[identity(group)], lookup))
            else:
                lookups.append(lookup)
        direct = [self.direct(rule, here) for rule in pattern.direct]
        return Program(tuple(here), tuple(refs), tuple(sorted(lookups, key=lambda k: len(k.terms))), tuple(direct))

    def unsure(self, chunk: Chunk, pattern: Pattern, group: Group) -> list[int]:
        """Nodes of which nothing in the key tells for sure whether they are there, and on which firing depends."""
        masks = [bits_of(self.plan.rules[rule].any_of) for rule in group.rules]
        open_ = [nodes for nodes in masks if not set(nodes) & pattern.present]
        return sorted({node for nodes in open_ for node in nodes if node not in chunk.bits})

    def terms(self, group: Group, unsure: list[int], here: dict[Local, int]) -> tuple[Term, ...]:
        values = [Part(0, node, self.plan.stored_value(sorted(found))) for node, found in group.words]
        values += sorted(group.parts, key=in_order)
        values += [Part(PRESENCE, node) for node in unsure]
        return tuple(self.term(part, place, here) for place, part in enumerate(values))

    def direct(self, number: int, here: dict[Local, int]) -> Lookup:
        """The terms of a template as its feature key has them."""
        rule = self.plan.rules[number]
        terms = tuple(self.term(self.plan.parts[part], place, here) for place, part in enumerate(rule.parts))
        return Lookup(seed_of(rule.template.identity), terms, (number,))

    def term(self, part: Part, place: int, here: dict[Local, int]) -> Term:
        if part.kind == 0:
            return Term(part.node, self.slots.setdefault((part.other, place), len(self.slots)))
        return Term(LOCAL, here.setdefault(Local(part, place), len(here)))


def in_order(part: Part) -> tuple[int, int, int, int]:
    return part.kind, part.node, part.other, part.cap


def is_of_one_word(group: Group) -> bool:
    return len(group.words) == 1 and not group.parts


def identity(group: Group) -> tuple:
    """Groups that are equal in this have the same sum under the same values."""
    words = tuple((node, tuple(sorted(found))) for node, found in group.words)
    parts = tuple(sorted(in_order(part) for part in group.parts))
    return tuple(sorted(group.rules)), words, parts, tuple(sorted(group.absent))
