"""Which folder may use which, and how C functions are declared. Reads the package's sources; imports none of them.

The arrows follow the data: text becomes trees (treebank), trees become steps (transition), steps become features;
weights (score, learn) know nothing of stacks; both columns meet in search. Evaluation sees treebanks alone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from cython_source import Import, c_classes, c_functions, headers, imports

pytestmark = pytest.mark.source

# folder or file directly in parser/ -> what it may use, besides itself; a module's name allows that module alone
CORE = ["common", "errors", "treebank", "transition", "feature", "score", "learn", "search"]
MAY_USE = {
    "version": [],
    "common": [],
    "errors": [],
    "treebank": ["common", "errors", "version"],
    "transition": ["common", "errors", "treebank"],
    "feature": ["common", "errors", "treebank", "transition"],
    "score": ["common"],
    "learn": ["common", "score"],
    "search": ["common", "errors", "treebank", "transition", "feature", "score", "learn.learner"],
    "compiled": ["common", "errors", "treebank", "transition", "feature", "score", "search"],
    "model": ["common", "errors", "score"],
    "config": ["errors", "transition", "search.options"],
    "evaluate": ["common", "errors", "treebank"],
    "assemble": [*CORE, "config"],
    "explain": [*CORE],
    "parallel": ["treebank"],
    "arrays": ["feature", "search"],
    "arrow": ["errors", "feature", "arrays"],
    "pipeline": [
        *CORE,
        "compiled",
        "config",
        "model",
        "assemble",
        "arrays",
        "arrow",
        "explain",
        "parallel",
        "evaluate",
        "train",
    ],
    "train": [*CORE, "version", "config", "model", "assemble", "evaluate", "pipeline"],
    "shards": ["version", "errors", "treebank", "model"],
    "cli": ["", *CORE, "compiled", "version", "config", "model", "assemble", "pipeline", "shards", "train", "evaluate"],
    "__main__": ["cli"],
    "": ["version", "config", "pipeline"],  # parser/__init__.py: stays light, so that everything may be imported lazily
}
OBJECT_TYPES = {"", "object", "str", "bytes", "list", "dict", "set", "tuple", "bytearray", "frozenset", "type"}


def python_imports(source: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name, (), False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield Import(node.lineno, module, tuple(alias.name for alias in node.names), False)


def files(package: Path) -> dict[str, str]:
    """Path from the package's parent (parser/treebank/tree.pyx) -> text."""
    found = sorted(p for suffix in ("py", "pyx", "pxd") for p in package.rglob(f"*.{suffix}"))
    return {p.relative_to(package.parent).as_posix(): p.read_text(encoding="utf-8") for p in found}


def parts_of(path: str) -> list[str]:
    """parser/learn/learner.pxd -> [learn, learner]; an __init__ is its folder."""
    parts = path.removeprefix("parser/").rpartition(".")[0].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def targets(used: Import, sources: dict[str, str]) -> Iterator[list[str]]:
    """The modules of the package that an import reaches: what follows `parser` in their names."""
    if used.module != "parser" and not used.module.startswith("parser."):
        return
    module = used.module.split(".")[1:]
    modules = {tuple(parts_of(path)) for path in sources}
    folders = {known[:k] for known in modules for k in range(len(known))}
    for name in used.names or (None,):
        inner = (*module, name)
        yield list(inner) if name and (inner in modules or inner in folders) else module


def is_allowed(user: list[str], used: list[str]) -> bool:
    own, other = (user or [""])[0], (used or [""])[0]
    allowed = [module.split(".") for module in MAY_USE[own]]
    return own == other or any(used[: len(a)] == a or [other] == a for a in allowed)


def wrong_arrows(sources: dict[str, str]) -> list[str]:
    """One line per import, cimport or C header against the table, and per relative import."""
    wrong = []
    for path, text in sources.items():
        user = parts_of(path)
        if (user or [""])[0] not in MAY_USE:
            wrong.append(f"{path}: no rule says what {user[0]} may use: add it to MAY_USE")
            continue
        found = python_imports(text) if path.endswith(".py") else imports(text)
        for used in found:
            if used.module.startswith("."):
                wrong.append(f"{path}:{used.line}: relative import of {used.module}, expected its full name")
            wrong += [
                f"{path}:{used.line}: {'.'.join(user) or 'parser'} may not use {'.'.join(target) or 'parser'}"
                for target in targets(used, sources)
                if not is_allowed(user, target)
            ]
        if not path.endswith(".py"):
            wrong += [
                f"{path}:{line}: {'.'.join(user)} may not use {header}"
                for line, header in headers(text)
                # headers beside the package's __init__ are common property
                if header.startswith("parser/") and header.count("/") > 1 and not is_allowed(user, parts_of(header))
            ]
    return wrong


def without_clause(sources: dict[str, str]) -> list[str]:
    """C functions that do not say whether they can raise. Those that return a Python object need not."""
    cython = {path: text for path, text in sources.items() if not path.endswith(".py")}
    classes = {name for text in cython.values() for name in c_classes(text)} | {"Pool"}
    return [
        f"{path}:{f.line}: {f.name} has no exception clause, expected noexcept or except"
        for path, text in cython.items()
        for f in c_functions(text)
        if f.returns not in OBJECT_TYPES | classes and not f.clause.startswith(("noexcept", "except"))
    ]


@pytest.fixture(scope="module")
def package(source_root):
    return files(source_root / "parser")


def test_every_import_follows_the_layout(package):
    assert wrong_arrows(package) == []


def test_every_c_function_says_whether_it_can_raise(package):
    assert without_clause(package) == []


def test_the_sources_are_really_read(package):
    """The two tests above would pass on no files."""
    cython = {path: text for path, text in package.items() if path.endswith((".pyx", ".pxd"))}
    assert "parser/treebank/tree.pyx" in cython
    assert any(i.module == "parser.common" for text in cython.values() for i in imports(text))
    names = {f.name for text in cython.values() for f in c_functions(text)}
    assert {"tree_check", "rng_next", "tree_lift"} <= names
    assert any(list(python_imports(text)) for path, text in package.items() if path.endswith(".py"))


# a made-up package that keeps all rules, and one file at a time that breaks one
GOOD = {
    "parser/__init__.py": "from parser.version import __version__\n",
    "parser/__main__.py": "from parser.cli import main\n",
    "parser/version.py": "",
    "parser/common.pxd": "from libc.stdint cimport int32_t\n",
    "parser/treebank/__init__.py": "from parser.treebank.tree import lift\n",
    "parser/treebank/tree.pyx": "from parser.common cimport CHECK\nimport numpy as np\n",
    "parser/score/table.pyx": 'cdef extern from "parser/check.h":\n    void CHECK(bint x)\n',
    "parser/learn/__init__.py": "",
    "parser/learn/learner.pxd": "from parser.score.table cimport Row\ncdef extern from 'parser/score/v.h':\n  pass\n",
    "parser/learn/perceptron.pyx": "from parser.learn.learner cimport Learner\n",
    "parser/evaluate/score.py": "import parser.treebank.tree\nfrom parser.treebank import tree\n",
    "parser/search/greedy.pyx": "from parser.learn.learner cimport Learner\nfrom parser.learn cimport learner\n",
    "parser/cli/app.py": "import parser\nfrom parser import evaluate, learn\n",
}


def test_a_made_up_package_without_fault_passes():
    assert wrong_arrows(GOOD) == []


@pytest.mark.parametrize(
    ("path", "line", "message"),
    [
        ("parser/treebank/new.py", "import parser.cli", "treebank.new may not use cli"),
        (
            "parser/treebank/new.py",
            "import os, parser.learn.perceptron as p",
            "treebank.new may not use learn.perceptron",
        ),
        ("parser/treebank/new.py", "from parser import score", "treebank.new may not use score"),
        ("parser/treebank/new.py", "from parser.score import table", "treebank.new may not use score.table"),
        (
            "parser/treebank/new.py",
            "if 1:\n    from parser.score.table import R",
            "treebank.new may not use score.table",
        ),
        ("parser/treebank/new.py", "import parser", "treebank.new may not use parser"),
        ("parser/treebank/new.py", "from . import tree", "relative import of ., expected its full name"),
        ("parser/treebank/new.py", "from ..score import table", "relative import of ..score, expected its full name"),
        ("parser/__init__.py", "from parser.treebank import lift", "parser may not use treebank"),
        ("parser/evaluate/new.py", "from parser.score import table", "evaluate.new may not use score.table"),
        ("parser/score/new.pyx", "from parser.treebank.tree cimport lift", "score.new may not use treebank.tree"),
        ("parser/score/new.pyx", "cimport parser.treebank.tree as tree", "score.new may not use treebank.tree"),
        ("parser/score/new.pyx", "cimport cython, parser.treebank", "score.new may not use treebank"),
        (
            "parser/score/new.pxd",
            "from parser.learn.learner cimport (\n    Learner,  # base\n)",
            "score.new may not use learn.learner",
        ),
        ("parser/score/new.pyx", "from parser.learn \\\n    cimport learner", "score.new may not use learn.learner"),
        ("parser/score/new.pyx", "if 1:\n    import parser.learn", "score.new may not use learn"),
        ("parser/score/new.pyx", "import os; from parser cimport learn", "score.new may not use learn"),
        ("parser/score/new.pyx", "from .table cimport Row", "relative import of .table, expected its full name"),
        ("parser/score/new.pyx", "from . cimport table", "relative import of ., expected its full name"),
        ("parser/score/new.pyx", "from .. cimport common", "relative import of .., expected its full name"),
        (
            "parser/score/new.pxd",
            'cdef extern from "parser/learn/fast.h" nogil:\n    pass',
            "score.new may not use parser/learn/fast.h",
        ),
        (
            "parser/search/new.pyx",
            "from parser.learn.perceptron cimport Perceptron",
            "search.new may not use learn.perceptron",
        ),
        ("parser/search/new.pyx", "from parser.learn import Perceptron", "search.new may not use learn"),
        ("parser/odd/new.py", "", "no rule says what odd may use: add it to MAY_USE"),
    ],
)
def test_a_wrong_arrow_is_caught(path, line, message):
    text = GOOD.get(path, "") + line + "\n"
    (found,) = wrong_arrows({**GOOD, path: text})
    assert found.startswith(path)
    assert found.endswith(message)


@pytest.mark.parametrize(
    "text",
    [
        '"""from parser.learn import perceptron"""\n',
        "# from parser.learn cimport perceptron\n",
        "s = 'import parser.learn'\n",
        's = """\nimport parser.learn\n"""\n',
        "from parserlike.learn cimport x\n",
    ],
)
def test_what_only_looks_like_an_import_is_none(text):
    assert wrong_arrows({**GOOD, "parser/score/new.pyx": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        "cdef int f(int a):\n    pass\n",
        "cdef void f(int a) nogil\n",
        "cdef inline void f(int* a, int b) nogil: pass\n",
        "cpdef double f(double x):\n    return x\n",
        "cdef class A:\n    cdef int f(self) nogil:\n        pass\n",
        "cdef class A:\n    cdef A* f(self):\n        pass\n",
        "cdef float[::1] f(int a[3]):\n    pass\n",
        "cdef void f(int a,\n            int b) nogil:\n    pass\n",
        "cdef void f(int a=len('noexcept')):\n    pass\n",
        "cdef void f():  # noexcept\n    pass\n",
        "cdef:\n    int x\n    void f(int a)\n",
        "cdef int (*f)(int a) nogil\n",
        "ctypedef int (*f)(int a)\n",
        "cdef public api int f(int a):\n    pass\n",
        "cdef extern from 'x.h':\n    int good()\ncdef int f(int a)\n",
    ],
)
def test_a_missing_clause_is_caught(text):
    for name in ("parser/score/new.pyx", "parser/score/new.pxd"):
        (found,) = without_clause({name: text})
        assert found.startswith(name)
        assert found.endswith(": f has no exception clause, expected noexcept or except")


@pytest.mark.parametrize(
    "text",
    [
        "cdef int f(int a) except -1:\n    pass\n",
        "cdef int f(int a) except? -1 nogil\n",
        "cdef void f(int a) noexcept nogil\n",
        "cdef void f(int a,\n            int b) noexcept nogil:\n    pass\n",
        "cdef void* f(int a) except NULL\n",
        "cdef f(int a):\n    pass\n",
        "cdef object f(int a):\n    pass\n",
        "cdef class A:\n    pass\ncdef A make(int a):\n    pass\n",
        "cdef class A(B):\n    cdef int x\n",
        "cdef int n = f(3)\n",
        "cdef int a, n = f(3)\n",
        "cdef int32_t* p = <int32_t*>malloc(n * sizeof(int32_t))\n",
        "cdef int a[sizeof(int)]\n",
        "cdef struct S:\n    int x\n",
        "cdef extern from 'x.h':\n    int f(int a)\n    void g(int a) nogil\n",
        "cdef extern int f(int a)\n",
        "cpdef enum E:\n    A = (1)\n",
        "cdef int (*f)(int a) noexcept nogil\n",
        "def f(int a):\n    pass\n",
        "'''cdef int f(int a):'''\n",
        "# cdef int f(int a):\n",
    ],
)
def test_a_good_declaration_passes(text):
    assert without_clause({"parser/score/new.pyx": text}) == []


def test_statements_know_their_lines():
    text = '"""Two\nlines"""\n\ncdef int g() noexcept\n\n\ncdef int f(int a,\n           int b)\n'
    assert without_clause({"parser/score/new.pyx": text}) == [
        "parser/score/new.pyx:7: f has no exception clause, expected noexcept or except",
    ]
