"""Easy-first's templates as sums of list elements: what is the same at every place of the window is made once.

A pair of neighbours p0 p1 is seen with two elements on each side. Most templates say the same of several places of that
window, each with weights of its own: p0.t p0.l.p and p1.t p1.l.p, p-1.t p0.t and p1.t p2.t. Moved to the front of the
window these are one rule with several *roles*. The elements that a rule looks at, counted from the first one, are its
*shape*. A shape's sum hangs on its first element and has a *line* of scores for each place in the window where that
element may stand; a pair adds up one line of every shape and place. So an attachment changes few sums, however many
pairs see it, and every sum is looked up once for all its places.

The rules of a shape are *plain* if they look at words and distances alone: their sum changes only where elements become
neighbours. The others are *rich*; of elements without dependents they need shorter keys, and fewer.

A key is a seed and a sum of terms, value times factor. All that an element contributes to it is one number, which is
made when a word is first met, or when an element gets a dependent. So the keys of a shape are a few sums of vectors.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from parser.compiled.groups import (
    DIST,
    Costs,
    Group,
    base_group,
    base_of,
    before,
    bits_of,
    in_pattern,
    is_direct,
    join_all,
    nodes_of,
    reduced,
)
from parser.compiled.program import PRESENCE, identity, in_order
from parser.feature.hashing import seed_of
from parser.feature.plan import MAX_NODES, Part, Plan, make_plan
from parser.feature.templates import LIST_BASES, Node, Template, TemplateError, TemplateSet

STORED = 0


@dataclass(frozen=True)
class Role:
    """A template of the set as a rule moved by so many places says it."""

    rule: int  # of the set's plan
    moved: int
    parts: tuple[Part, ...]  # in the order of its feature key; with the nodes of the moved plan


@dataclass(frozen=True)
class Term:
    """A value times the factor of its place in the key."""

    part: Part
    factor: int


@dataclass(frozen=True)
class Key:
    """A remembered sum; or, `direct`, what the feature keys of some roles have in common."""

    seed: int
    terms: tuple[Term, ...]
    roles: tuple[Role, ...]
    direct: bool = False
    need: int = 0  # conditions without which there is nothing to ask


@dataclass(frozen=True)
class Shape:
    places: tuple[int, ...]  # of its elements in the moved window
    moves: tuple[int, ...]  # by how many places it was moved: a line for each
    rules: tuple[int, ...]  # of the moved plan
    plain_rules: tuple[int, ...]
    plain: tuple[Key, ...]  # remembered ones first, then direct ones, those with conditions last
    rich: tuple[tuple[Key, ...], ...]  # in the order of `having`

    @property
    def having(self) -> list[tuple[int, ...]]:
        """Which of the elements may have dependents."""
        return having(self.places)

    @property
    def first(self) -> int:
        return self.places[0]


@dataclass
class RoleLayout:
    """`plan`: of the moved templates; attributes and stored values are those of the set's own, and more."""

    plan: Plan
    roles: list[list[Role]]  # by rule
    shapes: list[Shape] = field(default_factory=list)

    def __post_init__(self) -> None:
        by_places: dict[tuple[int, ...], list[int]] = {}
        for rule in range(len(self.plan.rules)):
            by_places.setdefault(places_of(self.plan, rule), []).append(rule)
        for places in sorted(by_places, key=lambda places: (len(places), places)):
            self.shapes.append(self.shape(places, by_places[places]))

    def shape(self, places: tuple[int, ...], rules: list[int]) -> Shape:
        plain = [rule for rule in rules if is_plain(self.plan, rule)]
        rich = [rule for rule in rules if rule not in plain]
        moves = {role.moved for rule in rules for role in self.roles[rule]}
        if len(places) == 1:  # what is said of an element without dependents is known by its word
            plain, rich = [], rules
        sums = tuple(
            self.keys(places, rich, kept=len(places) == 1 and not some, with_dependents=some) for some in having(places)
        )
        return Shape(places, tuple(sorted(moves)), tuple(rules), tuple(plain), self.keys(places, plain), sums)

    def keys(
        self,
        places: tuple[int, ...],
        rules: list[int],
        *,
        kept: bool = False,
        with_dependents: tuple[int, ...] | None = None,
    ) -> tuple[Key, ...]:
        """kept: nothing is asked directly. with_dependents: places of elements that may have any; all by default."""
        bases = {node for node in range(len(self.plan.nodes)) if self.is_base(node, places)}
        some = places if with_dependents is None else with_dependents
        nodes = range(len(self.plan.nodes))
        gone = {node for node in nodes if self.is_relative(node) and self.place_of(node) not in some}
        asked = [r for r in rules if self.plan.rules[r].need and self.is_sure(r, bases) and not kept]
        groups = join_all([base_group(self.plan, rule) for rule in rules if rule not in asked], Costs())
        if gone:
            needs = [before(self.plan, node) for node in range(len(self.plan.nodes))]
            found = in_pattern(self.plan, groups, tuple(sorted(gone)), frozenset(), needs)
            groups = join_all(list(found), Costs())
            asked = [rule for rule in asked if not set(bits_of(self.plan.rules[rule].any_of)) <= gone]
        one_by_one = [group for group in groups if not kept and self.asks_directly(group, bases)]
        asked = [rule for group in one_by_one for rule in sorted(group.rules)] + asked
        direct = [key for rule in asked for key in self.directs(rule)]
        groups = absorbed([group for group in groups if group not in one_by_one])
        found = [self.remembered(places, group, bases, gone) for group in groups]
        return (*found, *sorted(direct, key=lambda key: key.need != 0))

    def place_of(self, node: int) -> int:
        return self.plan.nodes[base_of(self.plan, node)][1]

    def order_of(self, node: int) -> tuple:
        """Elements before their relatives, so that keys of all shapes are much alike."""
        path = []
        while self.is_relative(node):
            step, node = self.plan.nodes[node]
            path.append(step)
        return len(path), self.plan.nodes[node][1], path

    def is_relative(self, node: int) -> bool:
        return base_of(self.plan, node) != node

    def is_base(self, node: int, places: tuple[int, ...]) -> bool:
        return base_of(self.plan, node) == node and self.plan.nodes[node][1] in places

    def is_sure(self, rule: int, bases: set[int]) -> bool:
        """Does it fire as soon as any element is there?"""
        return bases <= set(bits_of(self.plan.rules[rule].any_of))

    def asks_directly(self, group: Group, bases: set[int]) -> bool:
        """Words together with something else: too many keys to remember; see groups.is_direct."""
        return (
            group.has_words
            and is_direct(self.plan, group, frozenset(bases))
            and all(self.is_sure(rule, bases) for rule in group.rules)
        )

    def remembered(self, places, group: Group, bases: set[int], gone: Iterable[int]) -> Key:
        words = sorted(group.words, key=lambda word: self.order_of(word[0]))
        parts = [Part(STORED, node, self.plan.stored_value(sorted(found))) for node, found in words]
        parts += sorted(group.parts, key=lambda part: (part.kind, self.order_of(part.node), part.cap, in_order(part)))
        unsure = [rule for rule in group.rules if not self.is_sure(rule, bases)]
        nodes = {node for rule in unsure for node in bits_of(self.plan.rules[rule].any_of)} - set(gone)
        if len(places) > 1:
            nodes |= self.left_out(group, bases)
        parts += [Part(PRESENCE, node) for node in sorted(nodes)]
        roles = tuple(role for rule in sorted(group.rules) for role in self.roles[rule])
        seed = seed_of(repr((places, identity(group))))
        return Key(seed, tuple(Term(part, place) for place, part in enumerate(parts)), roles)

    def left_out(self, group: Group, bases: set[int]) -> set[int]:
        """Elements of which the key says nothing, since what is asked about them is one for all without dependents: but
        another one where there is no element."""
        known = {node for node, _ in group.words} | {part.node for part in group.parts}
        asked = {self.plan.parts[i] for rule in group.rules for i in self.plan.rules[rule].parts} - set(group.parts)
        return {part.node for part in asked if part.kind not in (STORED, DIST) and part.node in bases - known}

    def directs(self, rule: int) -> Iterator[Key]:
        by_terms: dict[tuple[Term, ...], list[Role]] = {}
        for role in self.roles[rule]:
            terms = tuple(Term(part, place) for place, part in enumerate(role.parts))
            by_terms.setdefault(terms, []).append(role)
        for terms, roles in by_terms.items():
            yield Key(0, terms, tuple(roles), True, self.plan.rules[rule].need >> MAX_NODES)


def having(places: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All subsets of one or two places, in the order of their bits; of more the empty one and the whole."""
    if len(places) > 2:
        return [(), places]
    return [tuple(place for i, place in enumerate(places) if bits >> i & 1) for bits in range(1 << len(places))]


def absorbed(groups: list[Group]) -> list[Group]:
    """Without groups whose key another one's key implies: they join it, which makes no more keys."""
    groups = sorted(groups, key=lambda group: (len(group.words) + len(group.parts), group.total, group.order))
    kept: list[Group] = []
    for number, group in enumerate(groups):
        for larger, other in enumerate(groups[number + 1 :], number + 1):
            if group.has_words == other.has_words and implies(other, group):
                groups[larger] = other.joined(group)
                break
        else:
            kept.append(group)
    return sorted(kept, key=lambda group: group.order)


def implies(large: Group, small: Group) -> bool:
    """Do equal values of the large one mean equal values of the small one?"""
    words = large.by_node
    return small.parts <= large.parts and all(
        reduced(words.get(node, frozenset()) | found) == words.get(node) for node, found in small.words
    )


def role_layout(templates: TemplateSet, pos: str) -> RoleLayout:
    plan = make_plan(templates, pos)
    try:
        return RoleLayout(*moved(plan, True))
    except TemplateError:  # more nodes than one plan has room for: every template where it is
        return RoleLayout(*moved(plan, False))


def moved(plan: Plan, to_front: bool) -> tuple[Plan, list[list[Role]]]:
    """A plan that begins with the attributes and stored values of the other."""
    front = plan.of_words()
    names = {number: node for node, number in plan.node_ids.items()}
    roles: list[list[Role]] = []
    for number, rule in enumerate(plan.rules):
        by = min(places_of(plan, number)) if to_front else 0
        at = front.place(front.rule(moved_template(rule.template, by)))
        if at == len(roles):
            roles.append([])
        parts = tuple(moved_part(front, names, plan.parts[part], by) for part in rule.parts)
        roles[at].append(Role(number, by, parts))
    return front, roles


def moved_node(node: Node, by: int) -> Node:
    return Node(LIST_BASES[LIST_BASES.index(node.base) - by], node.path)


def moved_template(template: Template, by: int) -> Template:
    return Template(
        tuple(replace(atom, nodes=tuple(moved_node(node, by) for node in atom.nodes)) for atom in template.atoms)
    )


def moved_part(front: Plan, names: dict[int, Node], part: Part, by: int) -> Part:
    other = front.node(moved_node(names[part.other], by)) if part.kind == DIST else part.other
    return replace(part, node=front.node(moved_node(names[part.node], by)), other=other)


def places_of(plan: Plan, rule: int) -> tuple[int, ...]:
    """The places in the window that a rule looks at."""
    return tuple(sorted({plan.nodes[base_of(plan, node)][1] for node in nodes_of(plan, rule)}))


def is_plain(plan: Plan, rule: int) -> bool:
    kinds = {plan.parts[part].kind for part in plan.rules[rule].parts}
    return kinds <= {STORED, DIST} and all(base_of(plan, node) == node for node in nodes_of(plan, rule))
