"""Plain formats as CoNLL-U rows: one pre-tokenized sentence a line, or one token a line.

text       `The cat sleeps .` or, with tags, `The_DT cat_NN sleeps_VBZ ._.`: tagged if every token of the first line
           that has any is; what stands behind a token's last underscore is its tag. Between tokens stand spaces and
           tabs; other white space of Unicode, as a space that does not break, is part of a token
vertical   token, or token TAB tag, a line; an empty line or a line `<...>` ends the sentence; `<g/>` says that no space
           stands between two tokens, every other `<...>` but `<s>` and `</s>` becomes a comment

A stream of rows is made on the way, block by block; the reader takes it as any other CoNLL-U.
"""

import io
import re
from collections.abc import Iterable, Iterator

from parser.treebank.errors import TreebankError
from parser.treebank.stream import decompression_errors

PLAIN_FORMATS = ("text", "vertical")
BLOCK = 1 << 18  # bytes of lines turned into rows at a time
SENTENCE_TAGS = ("<s>", "</s>")
GLUE = "<g/>"
NO_ASCII_SPACE = re.compile(r"[^\s\x1c-\x1f]+", re.ASCII)


def row(number: int, form: str, tag: str, columns: tuple[bool, bool], misc: str = "_") -> str:
    upos, xpos = (tag if wanted else "_" for wanted in columns)
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t{misc}\n"


class TextLines:
    """Sentences as lines."""

    def __init__(self, columns: tuple[bool, bool]) -> None:
        self.columns = columns
        self.tagged: bool | None = None  # None until a line with tokens has been seen

    def rows(self, lines: Iterable[str], file: str, first: int) -> Iterator[str]:
        for number, line in enumerate(lines, first):
            tokens = tokens_of(line)
            if not tokens:
                continue
            if self.tagged is None:
                self.tagged = all(is_tagged(token) for token in tokens)
            if self.tagged:
                yield "".join(self.tagged_rows(tokens, file, number)) + "\n"
            else:
                yield "".join(row(i, token, "_", self.columns) for i, token in enumerate(tokens, 1)) + "\n"

    def tagged_rows(self, tokens: list[str], file: str, number: int) -> Iterator[str]:
        for i, token in enumerate(tokens, 1):
            if not is_tagged(token):
                raise TreebankError(f"token {token!r} has no tag, expected word_TAG as in the first line", file, number)
            form, _, tag = token.rpartition("_")
            yield row(i, form, tag, self.columns)

    def end(self) -> str:
        return ""


def tokens_of(line: str) -> list[str]:
    """`10 000` with a space that does not break is one token; such a space alone is none."""
    if line.isascii():
        return line.split()
    return [token for token in NO_ASCII_SPACE.findall(line) if not token.isspace()]


def is_tagged(token: str) -> bool:
    form, _, tag = token.rpartition("_")
    return bool(form and tag)


class VerticalLines:
    """Tokens as lines."""

    def __init__(self, columns: tuple[bool, bool]) -> None:
        self.columns = columns
        self.tokens: list[list[str]] = []  # form, tag, misc
        self.comments: list[str] = []

    def rows(self, lines: Iterable[str], file: str, first: int) -> Iterator[str]:
        for number, line in enumerate(lines, first):
            if line == GLUE and self.tokens:
                self.tokens[-1][2] = "SpaceAfter=No"
            elif not line.strip() or is_markup(line):
                yield self.end()
                if line.strip() and not line.startswith(SENTENCE_TAGS[1]) and not line.startswith("<s"):
                    self.comments.append(f"# {line}\n")
            else:
                cells = line.split("\t")
                if len(cells) > 2 or not all(cells):
                    raise TreebankError(f"{len(cells)} columns, expected token or token TAB tag", file, number)
                self.tokens.append([cells[0], cells[1] if len(cells) == 2 else "_", "_"])

    def end(self) -> str:
        """The sentence so far, comments before it; comments without a sentence wait for the next one."""
        if not self.tokens:
            return ""
        rows = [row(i, form, tag, self.columns, misc) for i, (form, tag, misc) in enumerate(self.tokens, 1)]
        text = "".join(self.comments) + "".join(rows) + "\n"
        self.tokens, self.comments = [], []
        return text


def is_markup(line: str) -> bool:
    return line.startswith("<") and line.endswith(">") and "\t" not in line


class RowStream(io.RawIOBase):
    """A binary stream of CoNLL-U made of one in a plain format. `tags` says where tags go: upos, xpos or both."""

    def __init__(self, stream, file: str, format: str, tags: str = "both") -> None:
        columns = (tags in ("upos", "both"), tags in ("xpos", "both"))
        self.lines = TextLines(columns) if format == "text" else VerticalLines(columns)
        self.stream, self.file = stream, file
        self.read_some = getattr(stream, "read1", stream.read)
        self.rest = b""  # bytes behind the last whole line
        self.ready = memoryview(b"")
        self.line_number = 1
        self.at_end = False
        self.fault: TreebankError | None = None  # to be raised when the rows before it are read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while not self.ready and not self.at_end:
            if self.fault is not None:
                raise self.fault
            self.ready = memoryview("".join(self.rows_before_fault()).encode())
        n = min(len(buffer), len(self.ready))
        buffer[:n] = self.ready[:n]
        self.ready = self.ready[n:]
        return n

    def rows_before_fault(self) -> list[str]:
        rows: list[str] = []
        try:
            rows.extend(self.next_rows())
        except TreebankError as fault:
            self.fault, self.at_end = fault, False
        return rows

    def next_rows(self) -> Iterator[str]:
        try:
            block = self.read_some(BLOCK)
        except decompression_errors(self.file) as error:
            raise TreebankError(f"cannot be read on: {error}", self.file, self.line_number) from None
        self.at_end = not block
        text = self.rest + block
        end = len(text) if self.at_end else text.rfind(b"\n") + 1
        self.rest = text[end:]
        lines, fault = self.decoded(text[:end])
        yield from self.lines.rows(lines, self.file, self.line_number)
        self.line_number += len(lines)
        if fault:
            raise TreebankError(fault, self.file, self.line_number)
        if self.at_end:
            yield self.lines.end()

    def decoded(self, content: bytes) -> tuple[list[str], str]:
        """The lines, up to a faulty one, and what is wrong with that."""
        if self.line_number == 1:
            content = content.removeprefix(b"\xef\xbb\xbf")
        try:
            text, fault = content.decode(), ""
        except UnicodeDecodeError as error:
            text = content[: content.rfind(b"\n", 0, error.start) + 1].decode()
            fault = f"byte 0x{content[error.start]:02X} is not valid UTF-8"
        if "\0" in text:
            text = text[: text.rfind("\n", 0, text.index("\0")) + 1]
            fault = "a NUL byte, expected text"
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return [line.removesuffix("\r") for line in lines], fault

    def close(self) -> None:
        if not self.closed:
            self.stream.close()
        super().close()
