"""Treebank file -> integer ids -> file."""

from parser.treebank.batch import Batch, Sentence
from parser.treebank.errors import TreebankError
from parser.treebank.layout import LAYOUTS, Layout
from parser.treebank.reader import Reader
from parser.treebank.stream import open_input, open_output, partial_name, refuse_same_file
from parser.treebank.vocab import StringTable, Vocab
from parser.treebank.writer import Writer

__all__ = [
    "LAYOUTS",
    "Batch",
    "Layout",
    "Reader",
    "Sentence",
    "StringTable",
    "TreebankError",
    "Vocab",
    "Writer",
    "open_input",
    "open_output",
    "partial_name",
    "refuse_same_file",
]
