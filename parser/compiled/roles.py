"""Easy-first's templates as sums of list elements: what is the same at every place of the window is made once.

A pair of neighbours p0 p1 is seen with two elements on each side. Most templates say the same of several places of that
window, each with weights of its own: p0.t p0.l.p and p1.t p1.l.p, p-1.t p0.t and p1.t p2.t. Moved to the front of the
window these are one rule with several *roles*. The elements that a rule looks at, counted from the first one, are its
*shape*. A shape's sum hangs on its first element and has a *line* of scores for each place in the window where that
element may stand; a pair adds up one line of every shape and place. So an attachment changes few sums, however many
pairs see it, and every sum is looked up once for all its places.

Rules of words and distances alone (*plain*) change only where elements become neighbours; the others (*rich*) look at
dependents too. Rules with conditions, which seldom hold, are asked one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from parser.compiled.groups import CROSS, DIST, Chunk, Pattern, base_of, make_chunk, nodes_of
from parser.compiled.program import Layout, Local, Lookup, Program, Term
from parser.feature.plan import Part, Plan, Rule, make_plan
from parser.feature.templates import LIST_BASES, Node, Template, TemplateError, TemplateSet

STORED = 0


@dataclass(frozen=True)
class Role:
    """A template of the set as a rule moved by so many places says it."""

    rule: int  # of the set's plan
    moved: int
    parts: tuple[Part, ...]  # in the order of its feature key; with the nodes of the moved plan


@dataclass(frozen=True)
class Direct:
    """Templates of one sum of terms, each with a seed of its own, looked up one by one."""

    terms: tuple[Term, ...]
    roles: tuple[Role, ...]


@dataclass(frozen=True)
class Shape:
    places: tuple[int, ...]  # of its elements in the moved window
    moves: tuple[int, ...]  # by how many places it was moved: a line for each
    rules: tuple[int, ...]  # of the moved plan
    conditional: tuple[int, ...]  # those of them that have conditions
    plain: int  # chunk; -1: none
    rich: int

    @property
    def first(self) -> int:
        return self.places[0]


@dataclass
class RoleLayout(Layout):
    """Programs as for the stack systems; their direct lookups are Directs."""

    roles: list[list[Role]] = field(default_factory=list)  # by rule
    shapes: list[Shape] = field(default_factory=list)

    def program(self, chunk: Chunk, pattern: Pattern) -> Program:
        found = super().program(chunk, pattern)
        here = {local: number for number, local in enumerate(found.locals)}
        direct = [one for rule in pattern.direct for one in self.directs(rule, here)]
        return replace(found, locals=tuple(here), direct=tuple(direct))

    def direct(self, number: int, _here: dict[Local, int]) -> Lookup:
        """Nothing yet: see program."""
        return Lookup(0, (), (number,))

    def directs(self, rule: int, here: dict[Local, int]) -> Iterator[Direct]:
        by_terms: dict[tuple[Term, ...], list[Role]] = {}
        for role in self.roles[rule]:
            terms = tuple(self.term(part, place, here) for place, part in enumerate(role.parts))
            by_terms.setdefault(terms, []).append(role)
        for terms, roles in by_terms.items():
            yield Direct(terms, tuple(roles))


def role_layout(templates: TemplateSet, pos: str) -> RoleLayout:
    """Attributes and stored values are those of the set's own plan, and more behind them."""
    plan = make_plan(templates, pos)
    try:
        moved, roles = move_all(plan, True)
    except TemplateError:  # more nodes than one plan has room for: every template where it is
        moved, roles = move_all(plan, False)
    chunks: list[Chunk] = []
    shapes = list(shapes_of(moved, roles, chunks))
    return RoleLayout(moved, chunks, roles=roles, shapes=shapes)


def move_all(plan: Plan, to_front: bool) -> tuple[Plan, list[list[Role]]]:
    moved = replace(plan, nodes=[], parts=[], conditions=[], rules=[], node_ids={})
    names = {number: node for node, number in plan.node_ids.items()}
    roles: list[list[Role]] = []
    for number, rule in enumerate(plan.rules):
        by = min(places_of(plan, number)) if to_front else 0
        at = place_in(moved, rule_alone(moved, moved_template(rule.template, by)))
        if at == len(roles):
            roles.append([])
        parts = tuple(moved_part(moved, names, plan.parts[part], by) for part in rule.parts)
        roles[at].append(Role(number, by, parts))
    return moved, roles


def place_in(plan: Plan, rule: Rule) -> int:
    for number, known in enumerate(plan.rules):
        if known.same_as(rule):
            return number
    plan.rules.append(rule)
    return len(plan.rules) - 1


def rule_alone(plan: Plan, template: Template) -> Rule:
    """A template's rule; nodes and parts that it needs are in the plan then."""
    alone = replace(plan, rules=[])
    alone.add_rule(template)
    return alone.rules[0]


def moved_node(node: Node, by: int) -> Node:
    return Node(LIST_BASES[LIST_BASES.index(node.base) - by], node.path)


def moved_template(template: Template, by: int) -> Template:
    return Template(
        tuple(replace(atom, nodes=tuple(moved_node(node, by) for node in atom.nodes)) for atom in template.atoms)
    )


def moved_part(moved: Plan, names: dict[int, Node], part: Part, by: int) -> Part:
    other = moved.node(moved_node(names[part.other], by)) if part.kind == DIST else part.other
    return replace(part, node=moved.node(moved_node(names[part.node], by)), other=other)


def places_of(plan: Plan, rule: int) -> tuple[int, ...]:
    """The places in the window that a rule looks at."""
    return tuple(sorted({plan.nodes[base_of(plan, node)][1] for node in nodes_of(plan, rule)}))


def is_plain(plan: Plan, rule: int) -> bool:
    kinds = {plan.parts[part].kind for part in plan.rules[rule].parts}
    return kinds <= {STORED, DIST} and all(base_of(plan, node) == node for node in nodes_of(plan, rule))


def shapes_of(plan: Plan, roles: list[list[Role]], chunks: list[Chunk]) -> Iterator[Shape]:
    by_places: dict[tuple[int, ...], list[int]] = {}
    for rule in range(len(plan.rules)):
        by_places.setdefault(places_of(plan, rule), []).append(rule)
    for places in sorted(by_places, key=lambda places: (len(places), places)):
        rules = by_places[places]
        kinds: dict[str, list[int]] = {"plain": [], "rich": [], "conditional": []}
        for rule in rules:
            kinds["conditional" if plan.rules[rule].need else "plain" if is_plain(plan, rule) else "rich"].append(rule)
        numbers = []
        for kind in ("plain", "rich"):
            numbers.append(len(chunks) if kinds[kind] else -1)
            if kinds[kind]:
                chunks.append(make_chunk(plan, CROSS, -1, kinds[kind]))
        moves = tuple(sorted({role.moved for rule in rules for role in roles[rule]}))
        yield Shape(places, moves, tuple(rules), tuple(kinds["conditional"]), *numbers)
