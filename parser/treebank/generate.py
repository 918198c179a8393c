"""Sentences of a made-up language with projective trees that a parser can learn.

For the demo without network, for tests and for benchmarks: the same seed gives the same sentences everywhere. The
language has agreement, lexical attachment (each preposition prefers to hang on a noun or on a verb), coordination and
embedded clauses, so that a parser needs more than the distance of two words to get it right.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st", "kl", "tr")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
NUMBERS = ("Sing", "Plur")


@dataclass
class Node:
    form: str
    upos: str
    xpos: str
    label: str
    feats: str = "_"
    left: list["Node"] = field(default_factory=list)
    right: list["Node"] = field(default_factory=list)

    def in_order(self) -> Iterator["Node"]:
        for child in self.left:
            yield from child.in_order()
        yield self
        for child in self.right:
            yield from child.in_order()


class Lexicon:
    """The words of the language: stems by class, drawn once per seed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.nouns = self._stems(400)
        self.verbs = self._stems(200)
        self.adjectives = self._stems(120)
        self.adverbs = self._stems(40)
        self.names = [stem.capitalize() for stem in self._stems(80)]
        self.noun_prepositions = self._stems(6)
        self.verb_prepositions = self._stems(6)

    def _stems(self, n: int) -> list[str]:
        return ["".join(self._syllable() for _ in range(self.rng.choice((1, 2, 2, 3)))) for _ in range(n)]

    def _syllable(self) -> str:
        return self.rng.choice(ONSETS) + self.rng.choice(VOWELS)

    def pick(self, words: list[str]) -> str:
        """A word, the first ones far more often than the last ones, as in real text."""
        return words[int(len(words) ** self.rng.random()) - 1]


class Grammar:
    """Builds trees top down; every choice is the generator's own random stream."""

    def __init__(self, seed: int) -> None:
        # the language is the same for all seeds, only what is said in it differs
        self.words = Lexicon(random.Random("arcspeed"))
        self.rng = self.words.rng = random.Random(seed)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def sentence(self) -> list[tuple[Node, int]]:
        """Words in order, each with the number of its head."""
        root = self.clause("root", depth=0)
        mark = Node(".", "PUNCT", ".", "punct") if self.chance(0.85) else Node("?", "PUNCT", ".", "punct")
        root.right.append(mark)
        order = list(root.in_order())
        number = {id(node): i for i, node in enumerate(order, 1)}
        head = {id(child): number[id(node)] for node in order for child in (*node.left, *node.right)}
        return [(node, head.get(id(node), 0)) for node in order]

    def clause(self, label: str, depth: int) -> Node:
        count = self.rng.choice(NUMBERS)
        verb = Node(
            self.words.pick(self.words.verbs) + ("it" if count == "Sing" else "un"),
            "VERB",
            "VF",
            label,
            f"Number={count}|VerbForm=Fin",
        )
        verb.left.append(self.noun_phrase("nsubj", count, depth))
        if self.chance(0.25):
            verb.left.append(Node("nai", "PART", "NEG", "advmod"))
        if self.chance(0.3):
            verb.left.append(Node(self.words.pick(self.words.adverbs) + "im", "ADV", "AV", "advmod"))
        if self.chance(0.6):
            verb.right.append(self.noun_phrase("obj", self.rng.choice(NUMBERS), depth))
        if self.chance(0.4):
            verb.right.append(self.prepositional_phrase("obl", self.words.verb_prepositions, depth))
        if depth < 2 and self.chance(0.25):
            inner = self.clause("ccomp", depth + 1)
            inner.left.insert(0, Node("ke", "SCONJ", "SC", "mark"))
            verb.right.append(inner)
        elif depth < 2 and self.chance(0.2):
            inner = self.clause("conj", depth + 1)
            inner.left.insert(0, Node("ou", "CCONJ", "CC", "cc"))
            verb.right.append(inner)
        return verb

    def noun_phrase(self, label: str, count: str, depth: int) -> Node:
        if self.chance(0.15):
            return Node(self.words.pick(self.words.names), "PROPN", "NP", label, "Number=Sing")
        if self.chance(0.12):
            return Node("mi" if count == "Sing" else "mis", "PRON", "PR", label, f"Number={count}")
        ending = "o" if count == "Sing" else "oj"
        noun = Node(self.words.pick(self.words.nouns) + ending, "NOUN", "NN", label, f"Number={count}")
        if self.chance(0.6):
            noun.left.append(Node("la" if self.chance(0.7) else "un", "DET", "DT", "det"))
        while self.chance(0.3):
            noun.left.append(Node(self.words.pick(self.words.adjectives) + "a", "ADJ", "AJ", "amod"))
        if depth < 3 and self.chance(0.22):
            noun.right.append(self.prepositional_phrase("nmod", self.words.noun_prepositions, depth + 1))
        return noun

    def prepositional_phrase(self, label: str, prepositions: list[str], depth: int) -> Node:
        noun = self.noun_phrase(label, self.rng.choice(NUMBERS), depth + 1)
        noun.left.insert(0, Node(self.words.pick(prepositions), "ADP", "PP", "case"))
        return noun


def generate(n: int, seed: int = 1) -> Iterator[str]:
    """n sentences as CoNLL-U text, each with its blank line."""
    grammar = Grammar(seed)
    for k in range(1, n + 1):
        words = grammar.sentence()
        rows = [f"# sent_id = made-{seed}-{k}", "# text = " + " ".join(node.form for node, _ in words)]
        rows += [
            f"{i}\t{node.form}\t_\t{node.upos}\t{node.xpos}\t{node.feats}\t{head}\t{node.label}\t_\t_"
            for i, (node, head) in enumerate(words, 1)
        ]
        yield "\n".join(rows) + "\n\n"
