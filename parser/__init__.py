"""arcspeed: a trainable dependency parser for people who have a lot of text and a CPU.

import parser
model = parser.load("english.model")
tree = model.parse(["It", "works"], tags=["PRP", "VBZ"])
"""

from parser.version import __version__

__all__ = ["Config", "FileReport", "ParsedArrays", "Parser", "Strings", "Tree", "__version__", "load"]


def load(path, *, verify=False):
    """The parser in a model file; ModelFileError (one clear line) where it cannot be used. verify: see Parser.load."""
    from parser.pipeline import Parser

    return Parser.load(path, verify=verify)


def __getattr__(name: str):
    """Public names are loaded when they are first used: `import parser` costs nothing."""
    if name in ("FileReport", "ParsedArrays", "Parser", "Strings", "Tree"):
        from parser import pipeline

        return getattr(pipeline, name)
    if name == "Config":
        from parser.config import Config

        return Config
    raise AttributeError(f"module 'parser' has no attribute {name!r}")
