"""The named feature sets, and sets from files of users: both are template texts."""

from importlib.resources import files
from pathlib import Path

from parser.feature.templates import TemplateError, TemplateSet, parse_templates

SETS = (
    "rich",
    "rich-hybrid",
    "rich-standard",
    "fast",
    "lite",
    "zn11",
    "zn11-hybrid",
    "zn11-standard",
    "hybrid2013",
    "l2s",
    "l2s-program",
    "rich-easyfirst",
    "easyfirst",
    "easyfirst-zn11",
)


class UnknownSetError(TemplateError):
    exit_code = 2


def named_set(name: str) -> TemplateSet:
    if name not in SETS:
        raise UnknownSetError(f"unknown feature set '{name}', expected {', '.join(SETS)} or a file")
    return parse_templates((files("parser.feature") / "sets" / f"{name}.txt").read_text("utf-8"), name)


def is_file(source: str) -> bool:
    """Anything with a dot or a slash in its name; else it is a named set."""
    return any(mark in source for mark in "./\\")


def load_templates(source: str) -> TemplateSet:
    """A named set, or the set in a file."""
    if not is_file(source):
        return named_set(source)
    try:
        text = Path(source).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise TemplateError(f"cannot read feature file {source}: {reason}") from None
    return parse_templates(text, source)
