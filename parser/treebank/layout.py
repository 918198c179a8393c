"""The treebank formats as tables of columns; everything that reads or writes rows goes by these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parser.treebank.errors import TreebankError

FIELDS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


@dataclass(frozen=True)
class Layout:
    """Which column (0-based; column 0 is the word's number) holds which field."""

    name: str
    title: str
    columns: dict[str, int]
    least: int
    most: int | None
    marks: bool  # comments, multiword rows (3-4) and empty nodes (5.1) belong to the format
    own: Mapping[str, int] = field(default_factory=dict)  # columns that are no field: no other format has them

    def column(self, name: str) -> int:
        """The column of a field, or of one of its own; -1 where the format has none."""
        return self.columns.get(name, self.own.get(name, -1))

    def without_place_in(self, other: "Layout") -> list[str]:
        """Columns of this format that a conversion into the other leaves out, in their order."""
        names = [*self.columns, *self.own] if other is not self else []
        return sorted((name for name in names if name not in other.columns), key=self.column)

    def expected_columns(self) -> str:
        """For messages."""
        return f"{self.least} columns" if self.most == self.least else f"at least {self.least} columns"


CONLLU = Layout(
    "conllu",
    "CoNLL-U",
    {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "head": 6, "deprel": 7, "deps": 8, "misc": 9},
    10,
    10,
    True,
)
# Also the format of the CoNLL 2006 and 2007 shared tasks: ... HEAD DEPREL PHEAD PDEPREL.
CONLLX = Layout(
    "conllx",
    "CoNLL-X",
    {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "head": 6, "deprel": 7},
    10,
    10,
    False,
    {"phead": 8, "pdeprel": 9},
)
# ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED APRED...: the gold columns. There are
# as many APRED as words of the sentence have a PRED.
CONLL09 = Layout(
    "conll09",
    "CoNLL-2009",
    {"form": 1, "lemma": 2, "xpos": 4, "feats": 6, "head": 8, "deprel": 10},
    14,
    None,
    False,
    {"plemma": 3, "ppos": 5, "pfeat": 7, "phead": 9, "pdeprel": 11, "fillpred": 12, "pred": 13},
)
LAYOUTS = {layout.name: layout for layout in (CONLLU, CONLLX, CONLL09)}
ALIASES = {"conll-u": "conllu", "conll-x": "conllx", "conll06": "conllx", "conll07": "conllx", "conll2009": "conll09"}
SUFFIXES = {
    ".conllu": "conllu",
    ".conllx": "conllx",
    ".conll06": "conllx",
    ".conll07": "conllx",
    ".conll09": "conll09",
}


ONLY_WRITTEN = {".jsonl": "JSON lines", ".json": "JSON", ".parquet": "Parquet"}


class FormatError(TreebankError):
    exit_code = 2


class UnreadFormatError(TreebankError):
    """A file in a format that is written but not read."""


def require_rows(head: bytes, path: str, by_name: bool) -> None:
    """UnreadFormatError for JSON and Parquet, which would be rows with too few columns or broken text: by how the file
    begins, and by its name unless the format was named."""
    start = head.lstrip()
    kind = written_format_of_path(path) if by_name and start else None
    if head.startswith(b"PAR1"):
        kind = "Parquet"
    elif start.startswith(b"{"):
        kind = kind or "JSON lines"
    if kind is not None:
        readable = ", ".join(layout.title for layout in LAYOUTS.values())
        raise UnreadFormatError(f"this is {kind}, which arcspeed writes but does not read, expected {readable}", path)


def written_format_of_path(path: str) -> str | None:
    name = without_packing(path)
    return next((kind for suffix, kind in ONLY_WRITTEN.items() if name.endswith(suffix)), None)


def find_layout(name: str, others: Sequence[str] = ()) -> Layout:
    """`others`: formats that whoever asks knows besides."""
    layout = LAYOUTS.get(ALIASES.get(name.lower(), name.lower()))
    if layout is None:
        raise FormatError(f"unknown format {name!r}, expected one of {', '.join((*LAYOUTS, *others))} or auto")
    return layout


def without_packing(path: str) -> str:
    name = path.lower()
    for packed in (".gz", ".xz", ".zst"):
        name = name.removesuffix(packed)
    return name


def layout_of_path(path: str) -> Layout | None:
    """The format a file name tells of, compression suffix aside: `x.conllx.gz` is CoNLL-X. None where it does not."""
    name = without_packing(path)
    for suffix, layout in SUFFIXES.items():
        if name.endswith(suffix):
            return LAYOUTS[layout]
    return None


def layout_of_text(head: bytes) -> Layout:
    """The format that the first rows show: 14 columns or more are CoNLL-2009, everything else is read as CoNLL-U."""
    for line in head.splitlines():
        if line.strip() and not line.startswith(b"#"):
            return CONLL09 if line.count(b"\t") + 1 >= CONLL09.least else CONLLU
    return CONLLU
