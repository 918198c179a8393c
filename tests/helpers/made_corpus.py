"""Corpora of the made-up language, ready for training."""

import io

from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.feature.templates import parse_templates
from parser.search.corpus import Corpus
from parser.transition import get_system
from parser.treebank import Reader
from parser.treebank.generate import generate

SYSTEMS = {
    "eager": ("arc-eager", "last", "zn11"),
    "eager-first": ("arc-eager", "first", "zn11"),
    "standard": ("arc-standard", "first", "zn11-standard"),
    "hybrid": ("arc-hybrid", "first", "zn11-hybrid"),
    "hybrid-last": ("arc-hybrid", "last", "hybrid2013"),
    "hybrid-none": ("arc-hybrid", "none", "l2s"),
    "easy": ("easy-first", "first", "easyfirst"),
    "easy-none": ("easy-first", "none", "easyfirst"),
}


def made_text(n, seed=1):
    return "".join(generate(n, seed))


def read(text):
    """(batches, the labels in alphabetical order)"""
    batches = list(Reader(io.BytesIO(text.encode()), format="conllu").batches())
    return batches, sorted({label for batch in batches for sentence in batch for label in sentence.labels})


def setting(name, text, templates=None, **options):
    """(system, extractor, corpus) for one of SYSTEMS; templates: a text instead of the named set."""
    kind, root, features = SYSTEMS[name]
    batches, labels = read(text)
    extractor = Extractor(parse_templates(templates, "t") if templates else named_set(features), "xpos")
    corpus = Corpus(extractor, labels)
    for batch in batches:
        corpus.add_batch(batch)
    return get_system(kind, labels=labels, root=root, **options), extractor, corpus


def n_actions(system):
    return 2 * len(system.labels) if system.name == "easy-first" else system.core.n_actions
