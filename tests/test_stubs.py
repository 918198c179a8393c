"""The .pyi stubs of compiled modules name what the modules have, no more and no less, with the same arguments."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import parser

PACKAGE = Path(parser.__file__).parent
STUBS = sorted(PACKAGE.rglob("*.pyi"))


def module_of(path: Path):
    names = ["parser", *path.relative_to(PACKAGE).with_suffix("").parts]
    return importlib.import_module(".".join(names).removesuffix(".__init__"))


def declared(body) -> dict[str, ast.AST]:
    names = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = node
        elif isinstance(node, ast.Assign):
            names[node.targets[0].id] = node
    return names


def arguments(function: ast.FunctionDef) -> list[str]:
    given = function.args
    return [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def first_line_arguments(kind: type) -> list[str]:
    """The names of the arguments in the signature that Cython writes above a class's text; none where there is none."""
    found = re.match(rf"{kind.__name__}\((.*)\)$", (kind.__doc__ or "").partition("\n")[0])
    return [part.partition("=")[0].split()[-1] for part in found[1].split(", ")] if found else []


def test_the_signature_of_a_class_is_read():
    from parser.treebank import Writer

    assert first_line_arguments(Writer) == ["stream", "layout", "keep_deps", "check", "hold"]


def own_public_names(module) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", module.__name__) == module.__name__
        and not inspect.ismodule(value)
    }


def test_there_are_stubs():
    assert STUBS


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.stem)
def test_names_of_the_module(path):
    module, names = module_of(path), declared(ast.parse(path.read_text()).body)
    aliases = {name for name, node in names.items() if isinstance(node, ast.Assign)}
    missing = [name for name in set(names) - aliases if not hasattr(module, name)]
    assert not missing
    callables = {n for n in own_public_names(module) if callable(getattr(module, n))}
    assert callables <= set(names)


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.stem)
def test_members_and_arguments(path):
    module = module_of(path)
    for name, node in declared(ast.parse(path.read_text()).body).items():
        thing = getattr(module, name, None)
        if isinstance(node, ast.FunctionDef):
            assert list(inspect.signature(thing).parameters) == arguments(node), name
        if isinstance(node, ast.ClassDef):
            members = declared(node.body)
            public = {n for n in vars(thing) if not n.startswith("_")}
            assert public <= set(members), name
            if "__init__" in members and (written := first_line_arguments(thing)):
                assert written == arguments(members["__init__"])[1:], name
            for member, declaration in members.items():
                if isinstance(declaration, ast.FunctionDef) and not member.startswith("__"):
                    real = inspect.getattr_static(thing, member)
                    if callable(real):
                        assert list(inspect.signature(real).parameters) == arguments(declaration), member
