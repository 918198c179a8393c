"""Everything public says what it is: names in `__all__` of the documented packages, and what the pages import."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import parser
from parser import Strings

PACKAGES = ["parser", "parser.treebank", "parser.transition"]
PAGES = Path(__file__).resolve().parent.parent
IMPORT = re.compile(r"^from (parser[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def public_of(package: str):
    module = importlib.import_module(package)
    return {f"{package}.{name}": getattr(module, name) for name in module.__all__}


def members(thing: type):
    """Public members that can have a text of their own, and plain attributes, which the class must tell of."""
    for name, value in vars(thing).items():
        if name.startswith("_"):
            continue
        if (
            isinstance(value, property | staticmethod | classmethod)
            or callable(value)
            or inspect.isgetsetdescriptor(value)
        ):
            yield name, value


def text_of(thing) -> str:
    """What is said about a thing, without the signature that Cython writes above it."""
    text = inspect.getdoc(thing) or ""
    first, _, rest = text.partition("\n")
    return rest.strip() if re.fullmatch(r"[\w.]+\(.*\)( -> .+)?", first) else text


def undocumented(where: str, thing) -> list[str]:
    if not callable(thing):
        return []
    text = text_of(thing)
    if not text:
        return [where]
    if not inspect.isclass(thing):
        return []
    named = set(re.findall(r"\w+", text))
    return [f"{where}.{name}" for name, value in members(thing) if not text_of(value) and name not in named]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_have_a_text(package):
    assert inspect.getdoc(importlib.import_module(package))
    missing = [name for where, thing in public_of(package).items() for name in undocumented(where, thing)]
    assert not missing


@pytest.mark.source
def test_what_the_pages_import_has_a_text():
    pages = [PAGES / "README.md", *sorted((PAGES / "docs").glob("*.md"))]
    found = {(module, name.strip()) for page in pages for module, names in IMPORT.findall(page.read_text())
             for name in names.split(",")}  # fmt: skip
    assert len(found) >= 5
    missing = []
    for module, name in sorted(found):
        thing = getattr(importlib.import_module(module), name)
        missing += [f"{module}.{name}"] if callable(thing) and not text_of(thing) else []
    assert not missing


def test_a_missing_text_is_found():
    class Thing:
        """Has good, and attribute."""

        def good(self):
            """Says what it is."""

        def bad(self):
            pass

        def attribute(self):
            pass

    assert undocumented("x.Thing", Thing) == ["x.Thing.bad"]
    assert undocumented("x.f", lambda: None) == ["x.f"]
    assert text_of(Strings.of) == "A column of a list (or another iterable) of str."


def test_the_public_names_of_the_package():
    assert set(parser.__all__) == {
        "Config", "FileReport", "ParsedArrays", "Parser", "Strings", "Tree", "__version__", "load",
    }  # fmt: skip
    for name in parser.__all__:
        assert hasattr(parser, name)


def test_python_functions_have_annotations():
    """Stubs of compiled modules are compared with these in test_stubs; Python ones are annotated where they stand."""
    missing = []
    for thing in (parser.Parser, parser.Tree, parser.FileReport, parser.Config):
        for name, value in members(thing):
            function = getattr(value, "__func__", getattr(value, "fget", getattr(value, "func", value)))
            if inspect.isfunction(function):
                wanted = {"return", *inspect.signature(function).parameters} - {"self", "cls"}
                missing += [f"{thing.__name__}.{name}: {part}" for part in wanted - {*function.__annotations__}]
    assert not missing
