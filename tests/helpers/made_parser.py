"""Parsers with compiled weights, and what is parsed with them."""

from collections import Counter

from made_corpus import read
from made_weights import no_weights

from parser.compiled.compile import compile_model
from parser.compiled.parser import CompiledParser
from parser.search.session import Session


def compiled(system, templates, weights, kernel=""):
    return CompiledParser(system, compile_model(weights, templates, "xpos", system), kernel)


def features_met(system, templates, text):
    """Keys of all features that a parser without weights meets, and in how many states."""
    session = Session(compiled(system, templates, no_weights(system.core.n_actions)))
    steps = (step for batch in read(text)[0] for sentence in batch for step in session.trace(columns_of(sentence)))
    return Counter(key for step in steps for key in step["features"])


def columns_of(sentence):
    return {name: list(sentence.column(name)) for name in ("form", "upos", "xpos")}
