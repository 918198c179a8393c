"""The slow, readable way to the same features: what each template says of a configuration, in words, and its key.

It starts from nothing but the sentence, the stack and buffer (or list) and the arcs, and shares no code with the
compiled programs beyond the hash functions: the twin that tests compare with, and what an explanation shows to people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parser.feature.attributes import CLASS_TAGS, Attribute, attribute_of, attribute_text
from parser.feature.hashing import FACTORS, NONE, ROOT_VALUE, key_of, number_of, seed_of, spread, value_of
from parser.feature.templates import LIST_BASES, Atom, Node, Template, TemplateSet

MASK = (1 << 64) - 1
SET_SALT = 0x5E75
ROOT = 0
BIAS = "bias"


@dataclass(frozen=True)
class View:
    """A configuration. heads[i - 1], labels[i - 1] of word i, -1 where there is no arc yet."""

    heads: Sequence[int]
    labels: Sequence[int]
    stack: Sequence[int] = ()
    buffer: Sequence[int] = ()
    items: Sequence[int] = ()
    pair: int | None = None
    root_last: bool = False

    def position(self, i: int) -> int:
        return i if i != ROOT else (len(self.heads) + 1 if self.root_last else 0)

    def dependents(self, i: int, side: str) -> list[int]:
        """On one side of i, from the outermost to the nearest."""
        found = [d for d, head in enumerate(self.heads, 1) if head == i]
        left = [d for d in found if d < self.position(i)]
        return left if side == "left" else found[len(left) :][::-1]

    def find(self, node: Node) -> int | None:
        """The word that a node means, None if there is none."""
        i = self.base(node.base)
        for step in node.path:
            if i is None:
                return None
            if step == "h":
                i = self.heads[i - 1] if i != ROOT and self.heads[i - 1] >= 0 else None
            else:
                found = self.dependents(i, "left" if step[0] == "l" else "right")
                number = 1 if step.endswith("2") else 0
                i = found[number] if number < len(found) else None
        return i

    def base(self, name: str) -> int | None:
        if name in LIST_BASES:
            place = self.items.index(self.pair) + int(name[1:])
            return self.items[place] if 0 <= place < len(self.items) else None
        number = int(name[1])
        source = self.stack[::-1] if name[0] == "s" else self.buffer
        return source[number] if number < len(source) else None

    def words_below(self, i: int) -> int:
        """Words of the partial tree of i, itself included unless it is ROOT."""
        below = [d for d, head in enumerate(self.heads, 1) if head == i]
        return sum(self.words_below(d) for d in below) + (i != ROOT)


@dataclass(frozen=True)
class Feature:
    """values: one for each atom of the template, None for NONE."""

    template: Template | None
    values: tuple[str | None, ...]
    key: int

    def __str__(self) -> str:
        if self.template is None:
            return BIAS
        shown = ["NONE" if value is None else value for value in self.values]
        return f"{self.template} = {' | '.join(shown)}"


@dataclass
class Reference:
    templates: TemplateSet
    pos: str
    labels: Sequence[str]
    clusters: Mapping[str, str] = field(default_factory=dict)

    def features(self, view: View, columns: Mapping[str, Sequence[str]]) -> list[Feature]:
        """All that fires, the bias first."""
        fired = [Feature(None, (), key_of(0))]
        seen = set()
        for template in self.templates.templates:
            if self.fires(template, view, columns):
                values = tuple(self.text(atom, view, columns) for atom in template.atoms if atom.kind != "if")
                feature = Feature(template, values, self.key(template, view, columns))
                if self.meaning(template) not in seen:  # where p is UPOS, s0.p and s0.u are one
                    fired.append(feature)
                seen.add(self.meaning(template))
        return fired

    def meaning(self, template: Template) -> frozenset[Atom]:
        alias = {"p": "u" if self.pos == "upos" else "x"}
        return frozenset(Atom(alias.get(atom.kind, atom.kind), atom.nodes, atom.argument) for atom in template.atoms)

    def fires(self, template: Template, view: View, columns: Mapping[str, Sequence[str]]) -> bool:
        if all(view.find(node) is None for node in template.nodes):
            return False
        conditions = [atom for atom in template.atoms if atom.kind == "if"]
        return all(self.is_of_class(view.find(atom.nodes[0]), atom.argument, columns) for atom in conditions)

    def is_of_class(self, i: int | None, name: str, columns: Mapping[str, Sequence[str]]) -> bool:
        """Adposition or coordinator, by UPOS where the word has one, else by XPOS."""
        if i is None or i == ROOT:
            return False
        upos, xpos = cell(columns, "upos", i), cell(columns, "xpos", i)
        return upos == CLASS_TAGS[name][0] if upos is not None else xpos == CLASS_TAGS[name][1]

    # As text

    def text(self, atom: Atom, view: View, columns: Mapping[str, Sequence[str]]) -> str | None:
        i = view.find(atom.nodes[0])
        if i is None:
            return None
        match atom.kind:
            case "L":
                label = view.labels[i - 1] if i != ROOT else -1
                return self.labels[label] if label >= 0 else None
            case "labelset":
                found = {view.labels[d - 1] for d in view.dependents(i, atom.argument)} - {-1}
                return "{" + ",".join(sorted(self.labels[label] for label in found)) + "}"
            case "valency" | "dist" | "span" | "leaf":
                number = self.number(atom, i, view)
                return None if number is None else str(number)
            case "t":
                form = self.text(Atom("w", atom.nodes), view, columns)
                tag = self.text(Atom("p", atom.nodes), view, columns) or "NONE"
                return f"{tag}/{form}" if any(self.is_of_class(i, name, columns) for name in CLASS_TAGS) else tag
        if i == ROOT:
            return "ROOT"
        attribute = attribute_of(atom.kind, atom.argument, self.pos)
        return self.word_text(attribute, i, columns)

    def word_text(self, attribute: Attribute, i: int, columns: Mapping[str, Sequence[str]]) -> str | None:
        found = cell(columns, attribute.column, i)
        return None if found is None else attribute_text(attribute, found, self.clusters)

    def number(self, atom: Atom, i: int, view: View) -> int | None:
        """Counts as they are bucketed."""
        match atom.kind:
            case "valency":
                side, _, cap = atom.argument.partition(",")
                return min(len(view.dependents(i, side)), int(cap or 4))
            case "dist":
                other = view.find(atom.nodes[1])
                if other is None:
                    return None
                distance = abs(view.position(i) - view.position(other))
                return coarse(distance) if atom.argument == "coarse" else min(distance, int(atom.argument or 10))
            case "span":
                return coarse(view.words_below(i))
        return int(not view.dependents(i, "left") and not view.dependents(i, "right"))

    # As a key

    def key(self, template: Template, view: View, columns: Mapping[str, Sequence[str]]) -> int:
        """The sum of the template's seed and of its parts, each times its factor; see mix.h."""
        atoms = sorted(atom for atom in template.atoms if atom.kind != "if")
        words: dict[Node, set[Attribute]] = {}
        others = []
        for atom in atoms:
            if atom.kind in ("L", "labelset", "valency", "dist", "span", "leaf"):
                others.append(self.state_value(atom, view))
            else:
                words.setdefault(atom.nodes[0], set()).add(attribute_of(atom.kind, atom.argument, self.pos))
        parts = [self.word_value(view.find(node), sorted(found), columns) for node, found in words.items()]
        return key_of((seed_of(template.identity) + weighted(parts + others)) & MASK)

    def word_value(self, i: int | None, attributes: list[Attribute], columns: Mapping[str, Sequence[str]]) -> int:
        values = [self.attribute_value(attribute, i, columns) for attribute in attributes]
        return values[0] if len(values) == 1 else spread(weighted(values))

    def attribute_value(self, attribute: Attribute, i: int | None, columns: Mapping[str, Sequence[str]]) -> int:
        if i is None or i == ROOT:
            return NONE if i is None else ROOT_VALUE
        if attribute.kind == "t":
            tag = self.attribute_value(attribute_of("p", "", self.pos), i, columns)
            form = self.attribute_value(attribute_of("w", "", self.pos), i, columns)
            of_class = any(self.is_of_class(i, name, columns) for name in CLASS_TAGS)
            return spread(weighted([tag, form])) if of_class else tag
        text = self.word_text(attribute, i, columns)
        return NONE if text is None else value_of(text, seed_of(attribute.name))

    def state_value(self, atom: Atom, view: View) -> int:
        i = view.find(atom.nodes[0])
        if i is None:
            return NONE
        if atom.kind == "L":
            label = view.labels[i - 1] if i != ROOT else -1
            return number_of(label) if label >= 0 else NONE
        if atom.kind == "labelset":
            total = 0
            for label in {view.labels[d - 1] for d in view.dependents(i, atom.argument)} - {-1}:
                total ^= number_of(label)
            return spread((total + SET_SALT) & MASK)
        number = self.number(atom, i, view)
        return NONE if number is None else number_of(number)


def weighted(values: Sequence[int]) -> int:
    return sum(value * factor for value, factor in zip(values, FACTORS, strict=False)) & MASK


def cell(columns: Mapping[str, Sequence[str]], column: str, i: int) -> str | None:
    """A word's cell; None where it is missing or empty. `_` can be a form, and the lemma of that form."""
    cells = columns.get(column)
    if cells is None:
        return None
    found = cells[i - 1]
    may_be_underscore = column == "form" or (column == "lemma" and columns["form"][i - 1] == "_")
    return None if not found or (found == "_" and not may_be_underscore) else found


def coarse(number: int) -> int:
    """1, 2, 3, 4, 5-6, 7-9, 10 and more."""
    return number if number <= 4 else 5 if number <= 6 else 7 if number <= 9 else 10
