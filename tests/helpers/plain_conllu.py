"""A slow, obvious CoNLL-U reader: the twin of the fast one, and a maker of CoNLL-U text for tests."""

from dataclasses import dataclass, field


@dataclass
class PlainSentence:
    comments: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    @property
    def words(self) -> list[list[str]]:
        return [row for row in self.rows if row[0].isdigit()]

    def column(self, number: int) -> list[str]:
        return [row[number] for row in self.words]

    @property
    def heads(self) -> list[int]:
        return [-1 if head == "_" else int(head) for head in self.column(6)]

    @property
    def multiwords(self) -> list[tuple[int, int, str]]:
        return [(*map(int, row[0].split("-")), row[1]) for row in self.rows if "-" in row[0]]

    def text(self) -> str:
        return "\n".join([*self.comments, *("\t".join(row) for row in self.rows)]) + "\n\n"


def read_plain(text: str) -> list[PlainSentence]:
    sentences = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        if lines:
            comments = [line for line in lines if line.startswith("#")]
            sentences.append(PlainSentence(comments, [line.split("\t") for line in lines if not line.startswith("#")]))
    return sentences
