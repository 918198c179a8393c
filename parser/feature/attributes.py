"""What a word can be asked for, as strings: the one definition of affixes, shapes, FEATS attributes and clusters."""

from collections.abc import Mapping
from dataclasses import dataclass

from parser.feature.templates import COLUMN_OF, TemplateError

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
LONGEST_RUN = 4
# Function words by their tags: UPOS where the treebank has it, else the Penn Treebank's XPOS.
CLASS_TAGS = {"adp": ("ADP", "IN"), "cc": ("CCONJ", "CC")}


@dataclass(frozen=True, order=True)
class Attribute:
    """A property of a word. `t` and the classes (adp, cc) look at several columns, all others at one."""

    kind: str
    argument: str = ""
    column: str = ""

    @property
    def name(self) -> str:
        """What the hash seed is made of: whole columns have one seed whatever letter names them."""
        if self.kind in ("p", "u", "x", "w", "m", "f"):
            return self.column
        return f"{self.kind}:{self.argument}" if self.argument else self.kind


def attribute_of(kind: str, argument: str, pos: str) -> Attribute:
    """The attribute of an atom; pos is the column that `p` stands for."""
    if kind in ("t", *CLASS_TAGS):
        return Attribute(kind)
    if kind in ("p", "u", "x"):
        column = pos if kind == "p" else COLUMN_OF[kind]
        return Attribute("u" if column == "upos" else "x", "", column)
    return Attribute(kind, argument, COLUMN_OF[kind])


def attribute_text(attribute: Attribute, cell: str, clusters: Mapping[str, str]) -> str | None:
    """The attribute's value, given the word's cell in the attribute's column; None where the word has none."""
    kind, argument = attribute.kind, attribute.argument
    match kind:
        case "w" | "u" | "x" | "f" | "m":
            return cell
        case "feat":
            return feature_value(cell, argument)
        case "prefix":
            return cell.lower()[: int(argument)]
        case "suffix":
            return cell.lower()[-int(argument) :]
        case "lower":
            return cell.lower()
        case "shape":
            return shape(cell)
        case "cluster":
            found = clusters.get(cell)
            return found[: int(argument)] if found is not None and argument else found
    raise ValueError(f"no attribute '{kind}'")


def feature_value(feats: str, name: str) -> str | None:
    """`Case=Nom|Number=Sing`: the value of one attribute."""
    for pair in feats.split("|"):
        key, equals, value = pair.partition("=")
        if key == name and equals:
            return value
    return None


def shape(form: str) -> str:
    """Letters as X or x, digits as 9, the rest as it is; at most 4 of the same in a row: Xxxx, 9999-99, x'xxx."""
    found = ""
    for letter in form:
        kind = "9" if letter.isdigit() else "X" if letter.isupper() else "x" if letter.isalpha() else letter
        if not found.endswith(kind * LONGEST_RUN):
            found += kind
    return found


def read_clusters(path: str) -> dict[str, str]:
    """Form -> cluster from a file of lines `cluster TAB form [TAB count]`, as Brown clustering programs write them."""
    clusters = {}
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                cells = line.rstrip("\n").split("\t")
                if line.strip() and (len(cells) < 2 or not cells[0] or not cells[1]):
                    raise TemplateError(f"{path}:{number}: expected cluster TAB form")
                if line.strip():
                    clusters[cells[1]] = cells[0]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise TemplateError(f"cannot read cluster file {path}: {reason}") from None
    if not clusters:
        raise TemplateError(f"{path}: holds no cluster, expected lines of cluster TAB form")
    return clusters
