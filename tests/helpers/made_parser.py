"""Parsers with compiled weights, and what is parsed with them."""

from parser.compiled.compile import compile_model
from parser.compiled.parser import CompiledParser


def compiled(system, templates, weights, kernel=""):
    return CompiledParser(system, compile_model(weights, templates, "xpos", system), kernel)


def columns_of(sentence):
    return {name: list(sentence.column(name)) for name in ("form", "upos", "xpos")}
