"""From a template set to flat programs: the values every word gets, the nodes a state is asked for, what is added up.

A template becomes a seed and a few *parts*. All attributes of one word in one template are one part, made beforehand
for every word (a `stored` value), so `s0.wp n0.wp` adds two numbers, not four. Parts are shared between templates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from parser.feature.attributes import Attribute, attribute_of
from parser.feature.templates import LIST_BASES, Node, Template, TemplateError, TemplateSet

POS_COLUMNS = ("xpos", "upos")
MAX_NODES = 40
MAX_CONDITIONS = 20
MAX_PARTS = 512
MAX_TEMPLATES = 512
MAX_TEMPLATE_PARTS = 8
MOST_COMBINED = 8  # things asked of one word at once; as in atoms.pyx
STEPS = ("stack", "buffer", "pair", "h", "l", "l2", "r", "r2")
KINDS = ("stored", "L", "valency left", "valency right", "labelset left", "labelset right", "dist", "span", "leaf")
VALENCY_CAP = 4
DISTANCE_CAP = 10
COARSE = 0
ATTRIBUTES, STORED = "attributes", "combinations of attributes"  # lists of a plan


@dataclass(frozen=True)
class Part:
    kind: int  # index into KINDS
    node: int
    other: int = 0  # stored: which value; dist: the second node
    cap: int = 0


@dataclass(frozen=True)
class Rule:
    """A template, ready to be run: fires where one of the nodes of `any_of` is there and all conditions hold."""

    template: Template
    any_of: int
    need: int
    parts: tuple[int, ...]

    @property
    def asks(self) -> tuple[frozenset[int], int, int]:
        """Rules that are equal in this are the same, whatever their templates are called."""
        return frozenset(self.parts), self.any_of, self.need


@dataclass
class Plan:
    templates: TemplateSet
    pos: str
    attributes: list[Attribute] = field(default_factory=list)
    stored: list[tuple[int, ...]] = field(default_factory=list)  # each made of these attributes
    nodes: list[tuple[int, int]] = field(default_factory=list)  # (index into STEPS, number or the node it starts from)
    parts: list[Part] = field(default_factory=list)
    conditions: list[tuple[int, int]] = field(default_factory=list)  # (node, stored value that is not NONE)
    rules: list[Rule] = field(default_factory=list)
    node_ids: dict[Node, int] = field(default_factory=dict)
    numbers: dict[tuple, int] = field(default_factory=dict)  # of what the lists above have: (which list, item) -> place
    places: dict[tuple, int] = field(default_factory=dict)  # of rules, by what they ask

    def node(self, node: Node) -> int:
        if node not in self.node_ids:
            self.node_ids[node] = self.add(self.nodes, self.first_step(node), MAX_NODES, "nodes")
        return self.node_ids[node]

    def first_step(self, node: Node) -> tuple[int, int]:
        if node.path:
            return STEPS.index(node.path[-1]), self.node(Node(node.base, node.path[:-1]))
        if node.base in LIST_BASES:
            return STEPS.index("pair"), LIST_BASES.index(node.base)
        return STEPS.index("stack" if node.base[0] == "s" else "buffer"), int(node.base[1])

    def add(self, items: list, item, most: int, what: str) -> int:
        """The place of an item in a list of different ones, put there if it is new."""
        if (what, item) not in self.numbers:
            if len(items) == most:
                raise TemplateError(f"more than {most} {what} in one feature set")
            self.numbers[what, item] = len(items)
            items.append(item)
        return self.numbers[what, item]

    def part(self, part: Part) -> int:
        return self.add(self.parts, part, MAX_PARTS, "different values")

    def stored_value(self, attributes: Sequence[Attribute]) -> int:
        ids = tuple(self.add(self.attributes, attribute, MAX_PARTS, ATTRIBUTES) for attribute in sorted(attributes))
        return self.add(self.stored, ids, MAX_PARTS, STORED)

    def condition(self, node: Node, name: str) -> int:
        """The bit of a condition in the mask of what is present."""
        found = (self.node(node), self.stored_value([attribute_of(name, "", self.pos)]))
        return MAX_NODES + self.add(self.conditions, found, MAX_CONDITIONS, "conditions")

    def of_words(self) -> "Plan":
        """What words are asked is as here, and there is nothing else yet."""
        numbers = {(ATTRIBUTES, found): number for number, found in enumerate(self.attributes)}
        numbers |= {(STORED, found): number for number, found in enumerate(self.stored)}
        return Plan(self.templates, self.pos, list(self.attributes), list(self.stored), numbers=numbers)

    def place(self, rule: Rule) -> int:
        """Its number; where p is UPOS, s0.p and s0.u are one."""
        number = self.places.setdefault(rule.asks, len(self.rules))
        if number == len(self.rules):
            self.rules.append(rule)
        return number

    def rule(self, template: Template) -> Rule:
        """A key depends on the template alone, not on the order of its atoms or on the set: see identity."""
        words: dict[Node, list[Attribute]] = {}
        others: list[Part] = []
        need = 0
        for atom in sorted(template.atoms):
            if atom.kind == "if":
                need |= 1 << self.condition(atom.nodes[0], atom.argument)
            elif atom.kind in ("L", "valency", "labelset", "dist", "span", "leaf"):
                others.append(self.state_part(atom.kind, atom.nodes, atom.argument))
            else:
                attribute = attribute_of(atom.kind, atom.argument, self.pos)
                if attribute not in words.setdefault(atom.nodes[0], []):  # s0.px, where p is x
                    words[atom.nodes[0]].append(attribute)
        if most := [attributes for attributes in words.values() if len(attributes) > MOST_COMBINED]:
            raise TemplateError(f"template '{template}' asks {len(most[0])} things of a word, at most {MOST_COMBINED}")
        parts = [Part(0, self.node(node), self.stored_value(attributes)) for node, attributes in words.items()]
        ids = tuple(self.part(part) for part in parts + others)
        if len(ids) > MAX_TEMPLATE_PARTS:
            raise TemplateError(f"template '{template}' looks at {len(ids)} things, at most {MAX_TEMPLATE_PARTS}")
        any_of = sum(1 << self.node(node) for node in template.nodes)
        return Rule(template, any_of, need, ids)

    def state_part(self, kind: str, nodes: tuple[Node, ...], argument: str) -> Part:
        first = self.node(nodes[0])
        match kind:
            case "valency":
                side, _, cap = argument.partition(",")
                return Part(KINDS.index(f"valency {side}"), first, 0, int(cap or VALENCY_CAP))
            case "labelset":
                return Part(KINDS.index(f"labelset {argument}"), first)
            case "dist":
                cap = COARSE if argument == "coarse" else int(argument or DISTANCE_CAP)
                return Part(KINDS.index("dist"), first, self.node(nodes[1]), cap)
        return Part(KINDS.index(kind), first)


def make_plan(templates: TemplateSet, pos: str) -> Plan:
    """pos: the column that `p` stands for, xpos or upos."""
    if pos not in POS_COLUMNS:
        raise TemplateError(f"pos={pos!r}, expected xpos or upos")
    if len(templates) > MAX_TEMPLATES:
        raise TemplateError(f"{templates.name}: {len(templates)} templates, at most {MAX_TEMPLATES}")
    plan = Plan(templates, pos)
    for template in templates.templates:
        plan.place(plan.rule(template))
    return plan
