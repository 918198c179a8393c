"""The language in which features are written: templates are text, checked here, printed by `info`, stored in the model.

    # a comment
    s0.w                            one template: the form of the word on top of the stack
    s0.p n0.wp                      one template of three atoms: they fire as one feature
    s0.w; s0.p; s0.wp               three templates
    {s0,n0}.{w,p} dist(s0,n0)       four templates: braces give alternatives, as in a shell

A node is s0..s3 (stack from the top), n0..n3 (buffer from the front), or p-2..p3 (easy-first: the list around the pair
p0 p1), followed by steps to relatives in the partial tree: .h head, .h2 head of head, .l .l2 leftmost and second
leftmost dependent, .r .r2 rightmost ones. An atom is a node with letters (`s0.wp`) or a function of nodes
(`dist(s0,n0)`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from parser.errors import UserError

LETTERS = {
    "w": "form",
    "p": "part of speech: XPOS or UPOS, as the model is set",
    "u": "UPOS",
    "x": "XPOS",
    "f": "FEATS, the whole column",
    "m": "lemma",
    "t": "part of speech; of adpositions and coordinators together with the form",
    "L": "label of the arc to the head",
}
RELATIVES = ("h", "l", "l2", "r", "r2")
SIDES = ("left", "right")
CLASSES = ("adp", "cc")
STACK_BASES = ("s0", "s1", "s2", "s3", "n0", "n1", "n2", "n3")
LIST_BASES = ("p-2", "p-1", "p0", "p1", "p2", "p3")
MAX_AFFIX = 9
MAX_CAP = 30
MAX_ALTERNATIVES = 4096

# Functions: name -> (number of node arguments, what else they take)
FUNCTIONS = {
    "feat": (1, "attribute"),
    "prefix": (1, "length"),
    "suffix": (1, "length"),
    "shape": (1, None),
    "lower": (1, None),
    "cluster": (1, "length?"),
    "dist": (2, "cap?"),
    "valency": (1, "side cap?"),
    "labelset": (1, "side"),
    "span": (1, None),
    "leaf": (1, None),
    "if": (1, "class"),
}
USAGE = {
    "feat": "feat(NODE,Attribute)",
    "prefix": "prefix(NODE,LENGTH)",
    "suffix": "suffix(NODE,LENGTH)",
    "shape": "shape(NODE)",
    "lower": "lower(NODE)",
    "cluster": "cluster(NODE) or cluster(NODE,LENGTH)",
    "dist": "dist(NODE,NODE), dist(NODE,NODE,CAP) or dist(NODE,NODE,coarse)",
    "valency": "valency(NODE,left|right) or valency(NODE,left|right,CAP)",
    "labelset": "labelset(NODE,left|right)",
    "span": "span(NODE)",
    "leaf": "leaf(NODE)",
    "if": f"if(NODE,{'|'.join(CLASSES)})",
}
COLUMN_OF = {"w": "form", "u": "upos", "x": "xpos", "f": "feats", "m": "lemma", "feat": "feats", "prefix": "form"}
COLUMN_OF |= {"suffix": "form", "shape": "form", "lower": "form", "cluster": "form"}


class TemplateError(UserError):
    """What is wrong with a template text, with its place: `file:line: ...`."""


@dataclass(frozen=True, order=True)
class Node:
    base: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.base, *self.path)).replace(".h.h", ".h2")


@dataclass(frozen=True, order=True)
class Atom:
    """kind is a letter of LETTERS or a name of FUNCTIONS; argument is what the function takes beside its nodes."""

    kind: str
    nodes: tuple[Node, ...]
    argument: str = ""

    def __str__(self) -> str:
        if self.kind in LETTERS:
            return f"{self.nodes[0]}.{self.kind}"
        arguments = [str(node) for node in self.nodes] + ([self.argument] if self.argument else [])
        return f"{self.kind}({','.join(arguments)})"


@dataclass(frozen=True)
class Template:
    atoms: tuple[Atom, ...]

    @property
    def identity(self) -> str:
        """The same for any order of the atoms: what a template's hash seed is made of."""
        return " ".join(str(atom) for atom in sorted(self.atoms))

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that are looked at: those of distances only where there are no others, conditions never."""
        for kinds in (lambda kind: kind not in ("dist", "if"), lambda kind: kind == "dist"):
            found = {node: None for atom in self.atoms if kinds(atom.kind) for node in atom.nodes}
            if found:
                return tuple(found)
        return ()

    def __str__(self) -> str:
        """As a user would write it: letters of one node together."""
        parts: list[str] = []
        last = None
        for atom in self.atoms:
            if atom.kind in LETTERS and last == atom.nodes:
                parts[-1] += atom.kind
            else:
                parts.append(str(atom))
            last = atom.nodes if atom.kind in LETTERS else None
        return " ".join(parts)


@dataclass(frozen=True)
class TemplateSet:
    name: str
    templates: tuple[Template, ...]
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @property
    def family(self) -> str:
        """stack: for the systems with a stack and a buffer; list: for easy-first."""
        bases = {node.base for template in self.templates for atom in template.atoms for node in atom.nodes}
        return "list" if bases & set(LIST_BASES) else "stack"

    @property
    def text(self) -> str:
        """One template a line; parsing it gives this set again."""
        return "".join(f"{template}\n" for template in self.templates)

    def columns(self, pos: str) -> tuple[str, ...]:
        """The treebank columns that are read; pos is what `p` stands for: xpos or upos."""
        kinds = {atom.kind for template in self.templates for atom in template.atoms}
        found = {COLUMN_OF[kind] for kind in kinds if kind in COLUMN_OF}
        found |= {pos} if kinds & {"p", "t"} else set()
        found |= {"form", "upos", "xpos"} if kinds & {"t", "if"} else set()
        return tuple(column for column in ("form", "lemma", "upos", "xpos", "feats") if column in found)

    @property
    def has_clusters(self) -> bool:
        return any(atom.kind == "cluster" for template in self.templates for atom in template.atoms)

    def __len__(self) -> int:
        return len(self.templates)

    def __str__(self) -> str:
        return f"{self.name}: {len(self)} template{'' if len(self) == 1 else 's'}"


def parse_templates(text: str, name: str) -> TemplateSet:
    """The set of a text; name is the file's or the set's, for messages. Raises TemplateError."""
    templates: dict[str, tuple[Template, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            for written in template_texts(line):
                template = parse_template(written)
                seen = templates.get(template.identity)
                if seen is not None:
                    where = "in the same line" if seen[1] == number else f"in line {seen[1]}"
                    raise TemplateError(f"template '{written}' was already given {where}")
                templates[template.identity] = (template, number)
        except TemplateError as error:
            raise TemplateError(f"{name}:{number}: {error}") from None
    if not templates:
        raise TemplateError(f"{name}:1: no templates")
    check_family(templates.values(), name)
    found, lines = zip(*templates.values(), strict=True)
    return TemplateSet(name, found, lines)


def check_family(templates, name: str) -> None:
    """Stack and list nodes cannot stand in one set, nor can functions that only one of the two can answer."""
    first = next(template.atoms[0].nodes[0].base for template, _ in templates)
    in_list = first in LIST_BASES
    for template, number in templates:
        for atom in template.atoms:
            for node in atom.nodes:
                if (node.base in LIST_BASES) != in_list:
                    raise TemplateError(f"{name}:{number}: '{node}' cannot stand in one set with '{first}'")
            if atom.kind == "span" and not in_list:
                raise TemplateError(f"{name}:{number}: span() is known only for the nodes of easy-first, p-2 to p3")


def template_texts(line: str) -> Iterator[str]:
    """The templates of a line: without comment, split at `;`, braces multiplied out."""
    for piece in line.partition("#")[0].split(";"):
        if piece.strip():
            yield from expand(piece.strip())


def expand(text: str) -> list[str]:
    """{a,b}.{x,y} -> a.x a.y b.x b.y, each in the rest of the text. Braces do not nest."""
    pieces = re.split(r"\{([^{}]*)\}", text)
    if any(mark in piece for piece in pieces for mark in "{}"):
        raise TemplateError(f"unpaired or nested brace in '{text}'")
    choices = [piece.split(",") if odd else [piece] for piece, odd in zip(pieces, alternating(), strict=False)]
    if any(not choice.strip() for odd in choices[1::2] for choice in odd):
        raise TemplateError(f"empty alternative in '{text}'")
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MAX_ALTERNATIVES:
        raise TemplateError(f"'{text}' stands for {total} templates, at most {MAX_ALTERNATIVES} are allowed")
    return [
        "".join(part.strip() if odd else part for part, odd in zip(parts, alternating(), strict=False))
        for parts in product(*choices)
    ]


def alternating() -> Iterator[bool]:
    while True:
        yield False
        yield True


def parse_template(text: str) -> Template:
    atoms: list[Atom] = []
    for word in re.findall(r"[^\s(]+\([^)]*\)?\S*|\S+", text):
        for atom in parse_word(word):
            if atom in atoms:
                raise TemplateError(f"'{atom}' stands twice in template '{text}'")
            atoms.append(atom)
    if all(atom.kind == "if" for atom in atoms):
        raise TemplateError(f"template '{text}' is nothing but a condition")
    return Template(tuple(atoms))


def parse_word(word: str) -> list[Atom]:
    """`s0.l.wp` or `dist(s0,n0)`."""
    call = re.fullmatch(r"([a-z]+)\((.*)\)", word)
    if call:
        return [parse_call(call[1], [argument.strip() for argument in call[2].split(",")], word)]
    if "(" in word or ")" in word:
        raise TemplateError(f"'{word}' is neither NODE.LETTERS nor FUNCTION(...)")
    node, dot, letters = word.rpartition(".")
    if not dot:
        raise TemplateError(f"'{word}': a node needs letters ({' '.join(LETTERS)}) behind a dot, as in {word}.w")
    if letters in RELATIVES:
        raise TemplateError(f"'{word}' ends in a step to a relative: letters must follow, as in {word}.w")
    parsed = parse_node(node)
    for letter in letters:
        if letter not in LETTERS:
            raise TemplateError(f"unknown letter '{letter}' in '{word}', expected {', '.join(LETTERS)}")
    if not letters:
        raise TemplateError(f"'{word}': no letter behind the dot")
    return [Atom(letter, (parsed,)) for letter in letters]


def parse_node(text: str) -> Node:
    base, *path = text.split(".")
    if base not in STACK_BASES and base not in LIST_BASES:
        raise TemplateError(f"unknown node '{base}', expected s0 to s3, n0 to n3, or p-2 to p3")
    steps: list[str] = []
    for step in path:
        if step not in (*RELATIVES, "h2"):
            raise TemplateError(f"unknown step '{step}' in '{text}', expected h, h2, l, l2, r or r2")
        steps += ["h", "h"] if step == "h2" else [step]
    return Node(base, tuple(steps))


def parse_call(name: str, arguments: list[str], text: str) -> Atom:
    if name not in FUNCTIONS:
        raise TemplateError(f"unknown function '{name}', expected {', '.join(FUNCTIONS)}")
    n_nodes, more = FUNCTIONS[name]
    kinds = more.split() if more else []
    least = n_nodes + sum(not kind.endswith("?") for kind in kinds)
    if not least <= len(arguments) <= n_nodes + len(kinds):
        raise TemplateError(f"'{text}': expected {USAGE[name]}")
    nodes = tuple(parse_node(argument) for argument in arguments[:n_nodes])
    rest = arguments[n_nodes:]
    for kind, argument in zip(kinds, rest, strict=False):
        check_argument(kind.rstrip("?"), argument, name, text)
    if name == "dist" and nodes[0] == nodes[1]:
        raise TemplateError(f"'{text}': the distance of a node from itself")
    return Atom(name, nodes, ",".join(rest))


def check_argument(kind: str, argument: str, name: str, text: str) -> None:
    number = int(argument) if re.fullmatch(r"[1-9][0-9]?", argument) else 0
    valid = {
        "attribute": bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(\[[a-z0-9]+\])?", argument)),
        "length": 1 <= number <= (MAX_AFFIX if name != "cluster" else MAX_CAP),
        "cap": 1 <= number <= MAX_CAP or (argument == "coarse" and name == "dist"),
        "side": argument in SIDES,
        "class": argument in CLASSES,
    }[kind]
    if not valid:
        raise TemplateError(f"'{text}': '{argument}' does not fit, expected {USAGE[name]}")
