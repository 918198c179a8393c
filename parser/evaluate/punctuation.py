"""Which words are punctuation: the conventions under which parsing papers left it out."""

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from parser.evaluate.corpus import Corpus, CorpusError

PTB_TAGS = frozenset(["``", "''", ":", ",", "."])  # Chen & Manning 2014


def all_punctuation(form: str) -> bool:
    return form != "" and all(unicodedata.category(c).startswith("P") for c in form)


def ptb(corpus: Corpus) -> np.ndarray:
    """Penn Treebank tag `` '' : , or . (Chen & Manning 2014; Liu et al. 2015)."""
    return corpus.xpos.where(PTB_TAGS.__contains__)


def chinese(corpus: Corpus) -> np.ndarray:
    """Chinese Treebank tag PU (Liu et al. 2015)."""
    return corpus.xpos.where("PU".__eq__)


def unicode(corpus: Corpus) -> np.ndarray:
    """Every character of the form is of Unicode category P (CoNLL-X: Buchholz & Marsi 2006)."""
    return corpus.forms.where(all_punctuation)


def udt(corpus: Corpus) -> np.ndarray:
    """Universal tag "." of the Universal Dependency Treebank 1.0 (McDonald et al. 2013; Petrov et al. 2012)."""
    return corpus.upos.where(".".__eq__)


def ud(corpus: Corpus) -> np.ndarray:
    """UPOS PUNCT (Universal Dependencies)."""
    return corpus.upos.where("PUNCT".__eq__)


CONVENTIONS: Mapping[str, Callable[[Corpus], np.ndarray]] = MappingProxyType(
    {"ptb": ptb, "chinese": chinese, "unicode": unicode, "udt": udt, "ud": ud}
)


def convention(name: str) -> Callable[[Corpus], np.ndarray]:
    """The convention of that name: a function giving True per word that is punctuation."""
    if name not in CONVENTIONS:
        raise CorpusError(f"no punctuation convention {name!r}, expected one of {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]
