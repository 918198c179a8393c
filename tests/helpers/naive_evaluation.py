"""Evaluation word by word, in lists and dicts: the slow twin of parser/evaluate."""

import unicodedata
from collections import Counter, defaultdict
from typing import NamedTuple


class Node(NamedTuple):
    """A word of a corpus; words are compared by identity of (sentence, position)."""

    sentence: int
    position: int
    word: object
    start: int
    end: int
    multiword: bool

    @property
    def key(self):
        return self.sentence, self.position


def bare(form):
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def nodes_of(sentences):
    """(text, words, token spans, sentence spans)"""
    text, nodes, tokens, spans = "", [], [], []
    for s, sentence in enumerate(sentences):
        begin, i = len(text), 1
        ranges = {first: (last, form) for first, last, form in sentence.ranges}
        while i <= len(sentence.words):
            last, form = ranges.get(i, (i, sentence.words[i - 1].form))
            start = len(text)
            text += bare(form)
            tokens.append((start, len(text)))
            nodes += [Node(s, k, sentence.words[k - 1], start, len(text), i in ranges) for k in range(i, last + 1)]
            i = last + 1
        spans.append((begin, len(text)))
    return text, nodes, tokens, spans


def matching_form(node):
    return (node.word.form if node.multiword else bare(node.word.form)).lower()


def outside(nodes, i, end):
    return i >= len(nodes) or (nodes[i].start >= end if nodes[i].multiword else nodes[i].end > end)


def pairs_of(gold, system):
    """The walk over both files, one word at a time."""
    pairs, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        a, b = gold[g], system[s]
        if not a.multiword and not b.multiword:
            if (a.start, a.end) == (b.start, b.end):
                pairs.append((a, b))
                g, s = g + 1, s + 1
            elif a.start <= b.start:
                g += 1
            else:
                s += 1
            continue
        end = a.end if a.multiword else b.end
        if a.multiword and not b.multiword and b.start < a.start:
            s += 1
        elif b.multiword and not a.multiword and a.start < b.start:
            g += 1
        region = [], []
        while not outside(gold, g, end) or not outside(system, s, end):
            if s >= len(system) or (g < len(gold) and gold[g].start <= system[s].start):
                taken, side = gold[g], 0
                g += 1
            else:
                taken, side = system[s], 1
                s += 1
            region[side].append(taken)
            if taken.multiword:
                end = max(end, taken.end)
        pairs += subsequence(*region)
    return pairs


def subsequence(gold, system):
    """The greedy choice among longest common subsequences, by plain recursion on the length."""
    known = {}

    def length(i, j):
        if i == len(gold) or j == len(system):
            return 0
        if (i, j) not in known:
            same = matching_form(gold[i]) == matching_form(system[j])
            known[i, j] = max(length(i + 1, j), length(i, j + 1), same + length(i + 1, j + 1) if same else 0)
        return known[i, j]

    i = j = 0
    pairs = []
    while i < len(gold) and j < len(system):
        if matching_form(gold[i]) == matching_form(system[j]):
            pairs.append((gold[i], system[j]))
            i, j = i + 1, j + 1
        elif length(i, j) == length(i + 1, j):
            i += 1
        else:
            j += 1
    return pairs


def is_punctuation(word, convention):
    if convention == "ptb":
        return word.xpos in ("``", "''", ":", ",", ".")
    if convention == "chinese":
        return word.xpos == "PU"
    if convention == "unicode":
        return all(unicodedata.category(c)[0] == "P" for c in word.form)
    if convention == "udt":
        return word.upos == "."
    assert convention == "ud"
    return word.upos == "PUNCT"


def strip(label):
    return label.split(":")[0]


class Naive:
    """All of it for one pair of sentence lists with equal text."""

    def __init__(self, gold, system, one_to_one=False):
        self.gold_sentences, self.system_sentences = gold, system
        gold_text, self.gold, self.gold_tokens, self.gold_spans = nodes_of(gold)
        system_text, self.system, self.system_tokens, self.system_spans = nodes_of(system)
        assert one_to_one or gold_text == system_text
        pairs = list(zip(self.gold, self.system, strict=True)) if one_to_one else pairs_of(self.gold, self.system)
        self.system_of = {a.key: b for a, b in pairs}
        self.gold_of = {b.key: a for a, b in pairs}

    def head_is_right(self, a):
        b = self.system_of.get(a.key)
        if b is None:
            return False
        if a.word.head == 0 or b.word.head == 0:
            return a.word.head == b.word.head
        partner = self.gold_of.get((b.sentence, b.word.head))
        return partner is not None and partner.key == (a.sentence, a.word.head)

    def is_right(self, a, metric):
        b = self.system_of.get(a.key)
        if b is None:
            return False
        head, full = self.head_is_right(a), a.word.deprel == b.word.deprel
        base = strip(a.word.deprel) == strip(b.word.deprel)
        return {
            "UAS": head,
            "LAS": head and full,
            "LAS universal": head and base,
            "LA": full,
            "LA universal": base,
        }[metric]

    def scored(self, convention=None):
        """(gold keys, system keys) that count."""
        gold = {a.key for a in self.gold if convention is None or not is_punctuation(a.word, convention)}
        system = set()
        for b in self.system:
            judge = self.gold_of.get(b.key, b)
            if convention is None or not is_punctuation(judge.word, convention):
                system.add(b.key)
        return gold, system

    def content(self, relations):
        return (
            {a.key for a in self.gold if strip(a.word.deprel) in relations},
            {b.key for b in self.system if strip(b.word.deprel) in relations},
        )

    def score(self, metric, words):
        gold, system = words
        correct = sum(self.is_right(a, metric) for a in self.gold if a.key in gold)
        aligned = sum(a.key in self.system_of for a in self.gold if a.key in gold)
        return correct, len(gold), len(system), aligned

    def complete(self, metric, words):
        good = [
            all(self.is_right(a, metric) for a in self.gold if a.sentence == s and a.key in words[0])
            for s in range(len(self.gold_sentences))
        ]
        return sum(good), len(good), len(good)

    def roots(self, words):
        gold = {a.key for a in self.gold if a.word.head == 0} & words[0]
        system = {b.key for b in self.system if b.word.head == 0} & words[1]
        return self.score("UAS", (gold, system))

    def labels(self, words, name, change=str):
        """Scores of one label: alone, and with the head."""
        gold = {a.key for a in self.gold if change(a.word.deprel) == name} & words[0]
        system = {b.key for b in self.system if change(b.word.deprel) == name} & words[1]
        base = change is strip
        return (
            self.score("LA universal" if base else "LA", (gold, system)),
            self.score("LAS universal" if base else "LAS", (gold, system)),
        )

    def confusions(self, words, change=str):
        counts, heads = Counter(), Counter()
        for a in self.gold:
            b = self.system_of.get(a.key)
            if b is None or a.key not in words[0] or change(a.word.deprel) == change(b.word.deprel):
                continue
            pair = change(a.word.deprel), change(b.word.deprel)
            counts[pair] += 1
            heads[pair] += self.head_is_right(a)
        return {pair: (counts[pair], heads[pair]) for pair in counts}

    def gold_index(self, key):
        return sum(len(s.words) for s in self.gold_sentences[: key[0]]) + key[1]

    def arc_length(self, b):
        """Of a system word: in gold words if both ends have partners. 0: from ROOT."""
        if b.word.head == 0:
            return 0
        dependent, head = self.gold_of.get(b.key), self.gold_of.get((b.sentence, b.word.head))
        if dependent and head:
            return abs(self.gold_index(dependent.key) - self.gold_index(head.key))
        return abs(b.position - b.word.head)

    def by_arc_length(self, words, metric):
        """{length: (correct, gold, system)}"""
        rows = defaultdict(lambda: [0, 0, 0])
        for a in self.gold:
            if a.key in words[0]:
                length = abs(a.position - a.word.head) if a.word.head else 0
                rows[length][0] += self.is_right(a, metric)
                rows[length][1] += 1
        for b in self.system:
            if b.key in words[1]:
                rows[self.arc_length(b)][2] += 1
        return rows

    def home(self, b):
        """The gold sentence a system word counts in."""
        if b.key in self.gold_of:
            return self.gold_of[b.key].sentence
        return max(s for s, (begin, _) in enumerate(self.gold_spans) if begin <= b.start)

    def by_sentence(self, words, metric):
        """[correct, gold, system] per gold sentence"""
        rows = [[0, 0, 0] for _ in self.gold_sentences]
        for a in self.gold:
            if a.key in words[0]:
                rows[a.sentence][0] += self.is_right(a, metric)
                rows[a.sentence][1] += 1
        for b in self.system:
            if b.key in words[1]:
                rows[self.home(b)][2] += 1
        return rows

    def tokens(self):
        return len(set(self.gold_tokens) & set(self.system_tokens)), len(self.gold_tokens), len(self.system_tokens)

    def sentences(self):
        return len(set(self.gold_spans) & set(self.system_spans)), len(self.gold_spans), len(self.system_spans)
