import os

from parser.config import Config
from parser.pipeline import FileReport, ParsedArrays, Parser, Strings, Tree

__all__ = ["Config", "FileReport", "ParsedArrays", "Parser", "Strings", "Tree", "__version__", "load"]

__version__: str

def load(path: str | os.PathLike[str], *, verify: bool = False) -> Parser: ...
