"""A parser's decisions on gold sentences, each with its probability and the dynamic oracle's verdict."""

import numpy as np

from parser.assemble import Assembly
from parser.search.corpus import Corpus
from parser.search.session import Session
from parser.train.data import Treebank, training_corpus, training_trees
from parser.treebank import TreebankError


class NothingToJudgeError(TreebankError):
    """A treebank of which no tree can be judged."""


class Judge:
    """Sentences whose trees the oracle can judge: projective, and with one root where the parser gives one."""

    def __init__(
        self, treebank: Treebank, assembly: Assembly, clusters, most: int | None = None, extractor=None
    ) -> None:
        """most: no more sentences than that, the first ones. extractor: of the parser to judge; the assembly's."""
        trees = training_trees(treebank, "drop", assembly.single_root, 1)
        if not len(trees.kept):
            kind = "projective trees with one root word" if assembly.single_root else "projective trees"
            raise NothingToJudgeError(
                f"{', '.join(treebank.files)}: no sentence on which probabilities can be judged, expected {kind}"
            )
        ids = {name: i for i, name in enumerate(assembly.labels)}
        new_ids = np.array([ids.get(name, -1) for name in trees.names], np.int32)
        trees.labels, trees.names = new_ids[trees.labels], list(assembly.labels)
        self.clusters = clusters
        self.corpus: Corpus = training_corpus(treebank, trees, extractor or assembly.extractor, clusters)
        self.sentences = trees.kept[:most]
        self.left_out = trees.dropped

    def decisions(self, sentence_parser):
        """Arrays p (of the best action), correct (is its cost 0?), forced (was there no choice?)."""
        return Session(sentence_parser, self.clusters).judge(self.corpus, self.sentences)
