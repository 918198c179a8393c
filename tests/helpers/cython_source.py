"""What a .pyx or .pxd file says, as far as tests need it: its statements, imports, and C functions."""

import re
from collections.abc import Iterator
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<string>(?:\b[rbufRBUF]{1,2})?(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      | (?P<comment>\#[^\n]*)
      | (?P<joined>\\\n)
      | (?P<open>[(\[{]) | (?P<close>[)\]}])
      | (?P<newline>\n)
      | (?P<other>\w+|[ ]+|.)""",
    re.VERBOSE | re.DOTALL,
)


class Statement(NamedTuple):
    line: int  # where it begins
    indent: int
    text: str  # on one line, strings emptied (but see `strings`), comments gone
    strings: tuple[str, ...]


def statements(source: str) -> Iterator[Statement]:
    """Logical lines: what stands in brackets or is joined by a backslash belongs to one of them."""
    text, strings, depth, line, first = "", [], 0, 1, 1
    for token in TOKEN.finditer(source + "\n"):
        kind, piece = token.lastgroup, token.group()
        if kind == "newline" and depth == 0:
            if text.strip():
                yield Statement(first, indentation(text), " ".join(text.split()), tuple(strings))
            text, strings, first = "", [], line + 1
        elif kind == "string":
            strings.append(piece)
            text += '""'
        elif kind in ("newline", "joined"):
            text += " "
        elif kind != "comment":
            depth += (kind == "open") - (kind == "close")
            text += piece
        line += piece.count("\n")


def indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


class Import(NamedTuple):
    line: int
    module: str  # with its leading dots, if relative
    names: tuple[str, ...]  # after `from module import`; none for `import module`
    is_cimport: bool


IMPORT = re.compile(r"(c?import) (.+)")
FROM = re.compile(r"from ([.\w]+?) ?\b(c?import)\b ?(.+)")


def imports(source: str) -> Iterator[Import]:
    for statement in statements(source):
        for part in statement.text.split(";"):
            yield from imports_of(statement.line, part.strip())


def imports_of(line: int, text: str) -> Iterator[Import]:
    if found := FROM.fullmatch(text):
        names = found[3].strip("() ").split(",")
        yield Import(line, found[1], tuple(n.split()[0] for n in names if n.strip()), found[2] == "cimport")
    elif found := IMPORT.fullmatch(text):
        for module in found[2].split(","):
            yield Import(line, module.split()[0], (), found[1] == "cimport")


def headers(source: str) -> Iterator[tuple[int, str]]:
    """The C headers that `cdef extern from` names, with their lines."""
    for statement in statements(source):
        if statement.text.startswith("cdef extern from ") and statement.strings:
            yield statement.line, statement.strings[0].strip("\"'")


class CFunction(NamedTuple):
    line: int
    name: str
    returns: str  # its type without modifiers
    clause: str  # what follows the arguments


MODIFIERS = {"inline", "api", "public", "static", "virtual"}
NOT_A_FUNCTION = {"class", "struct", "enum", "union", "packed", "extern", "fused", "namespace", "cppclass"}


def c_functions(source: str) -> Iterator[CFunction]:
    """All cdef and cpdef functions, methods and pointers to functions, declared or defined.

    Functions of `cdef extern` are left out: they are C's own, and cannot raise unless they say so.
    """
    block, block_kind = -1, ""  # indent and kind of the `cdef:` or `cdef extern` block we may be in
    for statement in statements(source):
        if block_kind and statement.indent <= block:
            block_kind = ""
        if block_kind == "extern":
            continue
        text = statement.text
        if re.match(r"cdef extern\b", text) or text == "cdef:":
            block, block_kind = statement.indent, "extern" if "extern" in text else "cdef"
            continue
        if block_kind == "cdef":
            text = "cdef " + text
        if found := c_function(text):
            yield CFunction(statement.line, *found)


def c_function(text: str) -> tuple[str, str, str] | None:
    """(name, type, clause) if the statement declares or defines a C function."""
    keyword, _, rest = text.partition(" ")
    if keyword not in ("cdef", "cpdef", "ctypedef"):
        return None
    while re.search(r"\[[^\[\]]*\]", rest):  # int[::1], map[int, int]: brackets hold no function
        rest = re.sub(r"\[[^\[\]]*\]", "", rest)
    head, bracket, tail = rest.partition("(")
    words = head.replace("*", " * ").split()
    if not bracket or "=" in head or "," in head or not words or words[0] in NOT_A_FUNCTION:
        return None
    if pointer := re.fullmatch(r"\* ?(\w+)\) ?\((.*)", tail):  # int (*name)(arguments) clause
        name, tail = pointer[1], pointer[2]
    else:
        name = words.pop()
    return name, " ".join(w for w in words if w not in MODIFIERS), after_arguments(tail)


def after_arguments(tail: str) -> str:
    """What follows the bracket that closes the arguments, without the colon of a definition and its body."""
    depth = 1
    for i, c in enumerate(tail):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return tail[i + 1 :].partition(":")[0].strip()
    raise ValueError(f"brackets do not close: {tail!r}")


def c_classes(source: str) -> set[str]:
    """Names of the extension types that a file defines or declares."""
    found = (re.match(r"cdef (?:public |api )*class (\w+)", s.text) for s in statements(source))
    return {f[1] for f in found if f}
