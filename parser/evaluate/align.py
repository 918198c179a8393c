"""Which word of the system's output is which word of the gold file.

Identical words are paired one to one. Otherwise words are paired by the characters they cover, as the scorer of the
CoNLL 2017 and 2018 shared tasks does (Zeman et al. 2017, 2018): both files must spell the same text; a word that is a
token of its own pairs with the word of exactly the same characters; words inside multiword tokens pair by a longest
common subsequence of their forms.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np

from parser.evaluate.corpus import Column, Corpus, CorpusError, share
from parser.evaluate.score import Score

CONTEXT = 20  # characters of text shown where two files part


class AlignmentError(CorpusError):
    """Two corpora that do not spell the same text."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Pairs of words, and what counts around them."""

    system_of_gold: np.ndarray  # int64 per gold word: its partner in the system's corpus, -1 none
    gold_of_system: np.ndarray  # the same the other way
    sentence_of_system: np.ndarray  # int64 per system word: the gold sentence of its partner, else that it starts in
    tokens: Score | None  # None: the words are the same but the multiword tokens spell different texts
    sentences: Score
    words: Score


def align(gold: Corpus, system: Corpus) -> Alignment:
    """Raises AlignmentError where the words differ and the texts do too."""
    (gold_forms, system_forms, gold_ranges, system_ranges), strings = share(
        gold.forms, system.forms, gold.ranges.forms, system.ranges.forms
    )
    same_words = np.array_equal(gold.offsets, system.offsets) and np.array_equal(gold_forms, system_forms)
    if same_words and same_places(gold, system) and np.array_equal(gold_ranges, system_ranges):
        return one_to_one(gold, tokens=n_tokens(gold))
    gold_surface = Surface(gold, gold_forms, gold_ranges, strings)
    system_surface = Surface(system, system_forms, system_ranges, strings)
    problem = (
        gold_surface.empty_form(gold)
        or system_surface.empty_form(system)
        or parting(gold, gold_surface, system, system_surface)
    )
    if problem and same_words:  # such as a format without multiword tokens: their text is lost, the words are not
        return one_to_one(gold, tokens=None)
    if problem:
        raise AlignmentError(problem)
    return by_characters(gold, gold_surface, system, system_surface)


def same_places(gold: Corpus, system: Corpus) -> bool:
    a, b = gold.ranges, system.ranges
    return all(np.array_equal(x, y) for x, y in ((a.sentences, b.sentences), (a.firsts, b.firsts), (a.lasts, b.lasts)))


def n_tokens(corpus: Corpus) -> int:
    return corpus.n_words - int((corpus.ranges.lasts - corpus.ranges.firsts).sum())


def one_to_one(gold: Corpus, tokens: int | None) -> Alignment:
    words, n = np.arange(gold.n_words), gold.n_sentences
    return Alignment(
        words,
        words,
        gold.sentence_of_word,
        None if tokens is None else Score(tokens, tokens, tokens),
        Score(n, n, n),
        Score(len(words), len(words), len(words), len(words)),
    )


class Surface:
    """A corpus as running text: tokens are the spans starts[t]..ends[t] of its characters, spaces not counted."""

    def __init__(self, corpus: Corpus, forms: np.ndarray, range_forms: np.ndarray, strings: tuple[str, ...]):
        """`forms` and `range_forms` are codes into `strings`."""
        first = corpus.offsets[corpus.ranges.sentences] + corpus.ranges.firsts - 1
        last = corpus.offsets[corpus.ranges.sentences] + corpus.ranges.lasts - 1
        opened = np.zeros(corpus.n_words + 1, dtype=np.int64)
        opened[first] += 1
        opened[last + 1] -= 1
        self.in_range = np.cumsum(opened[:-1]) > 0  # per word: part of a multiword token
        starts_token = ~self.in_range
        starts_token[first] = True
        self.token_of_word = np.cumsum(starts_token) - 1
        self.word_of_token = np.flatnonzero(starts_token)
        codes = forms[starts_token]
        codes[self.token_of_word[first]] = range_forms

        bare = [without_spaces(s) for s in strings]
        lengths = Column(codes, strings).lookup([len(s) for s in bare], np.int64)
        self.forms, self.strings = forms, strings
        self.text = "".join([bare[c] for c in codes.tolist()])
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        self.first_tokens = self.token_of_word[corpus.offsets[:-1]]
        last_tokens = self.token_of_word[corpus.offsets[1:] - 1]
        self.sentence_starts, self.sentence_ends = self.starts[self.first_tokens], self.ends[last_tokens]

    @property
    def word_starts(self) -> np.ndarray:
        return self.starts[self.token_of_word]

    @property
    def word_ends(self) -> np.ndarray:
        return self.ends[self.token_of_word]

    def empty_form(self, corpus: Corpus) -> str | None:
        """What is wrong with the first token that has no characters: a span of nothing cannot be aligned."""
        empty = np.flatnonzero(self.starts == self.ends)
        if not empty.size:
            return None
        word = self.word_of_token[empty[0]]
        sentence = np.searchsorted(corpus.offsets, word, side="right") - 1
        position = word - corpus.offsets[sentence] + 1
        return f"{corpus.place(sentence)}, word {position}: the form has no character but spaces, expected others too"

    def lowered(self, begin: int, end: int) -> list[str]:
        """Forms of words begin..end - 1 as the shared tasks' scorer compares them.

        Lower case; spaces are taken out of words that are tokens and kept in the words of a multiword token.
        """
        strings = [self.strings[c] for c in self.forms[begin:end].tolist()]
        kept = self.in_range[begin:end].tolist()
        return [s.lower() if keep else without_spaces(s).lower() for s, keep in zip(strings, kept, strict=True)]


def without_spaces(form: str) -> str:
    """Without the characters of Unicode category Zs, which one tokenizer keeps in a form and another does not."""
    if form.isprintable() and " " not in form:  # no other character of Zs is printable
        return form
    return "".join([c for c in form if unicodedata.category(c) != "Zs"])


def parting(gold: Corpus, gold_surface: Surface, system: Corpus, system_surface: Surface) -> str | None:
    """Where two texts first differ, in one line."""
    a, b = gold_surface.text, system_surface.text
    if a == b:
        return None
    at, end = 0, min(len(a), len(b))
    while at < end:  # a[:at] == b[:at] always; halve the part that may still hold the difference
        half = (at + end + 1) // 2
        if a[at:half] == b[at:half]:
            at = half
        else:
            end = half - 1
    shown = []
    for corpus, surface in ((gold, gold_surface), (system, system_surface)):
        sentence = max(int(np.searchsorted(surface.sentence_starts, at, side="right")) - 1, 0)
        rest = surface.text[at : at + CONTEXT]
        shown.append(f"{corpus.place(sentence)} goes on with {rest!r}" if rest else f"{corpus.source} ends")
    return f"the two files spell different texts, expected the same characters: {shown[0]}, {shown[1]}"


def by_characters(gold: Corpus, gold_surface: Surface, system: Corpus, system_surface: Surface) -> Alignment:
    system_of_gold = np.full(gold.n_words, -1, dtype=np.int64)
    g, s = aligned_words(gold_surface, system_surface)
    system_of_gold[g] = s
    gold_of_system = np.full(system.n_words, -1, dtype=np.int64)
    gold_of_system[s] = g
    started_in = np.searchsorted(gold_surface.sentence_starts, system_surface.word_starts, side="right") - 1
    return Alignment(
        system_of_gold,
        gold_of_system,
        np.where(gold_of_system >= 0, gold.sentence_of_word[gold_of_system], started_in),
        span_score(gold_surface.starts, gold_surface.ends, system_surface.starts, system_surface.ends),
        span_score(
            gold_surface.sentence_starts,
            gold_surface.sentence_ends,
            system_surface.sentence_starts,
            system_surface.sentence_ends,
        ),
        Score(len(g), gold.n_words, system.n_words, len(g)),
    )


def span_score(gold_starts, gold_ends, system_starts, system_ends) -> Score:
    matched = same_spans(gold_starts, gold_ends, system_starts, system_ends)
    return Score(int((matched >= 0).sum()), len(gold_starts), len(system_starts))


def same_spans(gold_starts, gold_ends, system_starts, system_ends) -> np.ndarray:
    """Per gold span the system's span of the same characters, -1 none. Starts ascend strictly: no span is empty."""
    if len(system_starts) == 0:
        return np.full(len(gold_starts), -1, dtype=np.int64)
    near = np.minimum(np.searchsorted(system_starts, gold_starts), len(system_starts) - 1)
    return np.where((system_starts[near] == gold_starts) & (system_ends[near] == gold_ends), near, -1)


def aligned_words(gold: Surface, system: Surface) -> tuple[np.ndarray, np.ndarray]:
    """The pairs, as two arrays of word indices."""
    gold_side, system_side = Side(gold), Side(system)
    in_multiword: list[tuple[int, int]] = []
    gold_free = ~gold.in_range
    for gb, ge, sb, se in multiword_regions(gold_side, system_side):
        in_multiword += common_subsequence(gold.lowered(gb, ge), system.lowered(sb, se), gb, sb)
        gold_free[gb:ge] = False

    # two words of the same characters are both in a region or both outside: one side's mask is enough
    partner = same_spans(gold.starts, gold.ends, system.starts, system.ends)[gold.token_of_word]
    g = np.flatnonzero(gold_free & (partner >= 0))
    pairs = np.array(in_multiword, dtype=np.int64).reshape(-1, 2)
    return np.concatenate([g, pairs[:, 0]]), np.concatenate([system.word_of_token[partner[g]], pairs[:, 1]])


class Side:
    """One file's words as plain lists, for the walk over multiword regions."""

    def __init__(self, surface: Surface):
        self.starts = surface.word_starts.tolist()
        self.ends = surface.word_ends.tolist()
        self.in_range = surface.in_range.tolist()
        self.multiwords = np.flatnonzero(surface.in_range).tolist()

    def __len__(self) -> int:
        return len(self.starts)

    def next_multiword(self, word: int) -> int:
        """The first word from `word` on that is part of a multiword token; the number of words if there is none."""
        k = bisect_left(self.multiwords, word)
        return self.multiwords[k] if k < len(self.multiwords) else len(self)

    def is_beyond(self, word: int, end: int) -> bool:
        """Does the word lie outside a region that ends at character `end`? A multiword token may stick out of it."""
        if word >= len(self):
            return True
        return self.starts[word] >= end if self.in_range[word] else self.ends[word] > end


def multiword_regions(gold: Side, system: Side):
    """Yields (gold begin, gold end, system begin, system end), words around multiword tokens of either side.

    The scorer walks over both files at once, pairing words of equal spans and else leaving behind the word that starts
    first (the gold one on a tie), until either side stands at a multiword token. Here the walk between two regions is
    two binary searches.
    """
    g = s = 0
    while True:
        g, s = walk(gold, system, g, s)
        if g >= len(gold) or s >= len(system):
            return
        region = multiword_region(gold, system, g, s)
        yield region
        g, s = region[1], region[3]


def walk(gold: Side, system: Side, g: int, s: int) -> tuple[int, int]:
    """Where the walk from (g, s) first meets a multiword token, or the end of a side."""
    gold_stop, system_stop = gold.next_multiword(g), system.next_multiword(s)
    if g == gold_stop or s == system_stop:
        return g, s
    # the word before the stop goes when every gold word that starts no later has gone
    g_then = max(g, bisect_right(gold.starts, system.starts[system_stop - 1]))
    if g_then < gold_stop:
        return g_then, system_stop
    # and here when every system word that starts earlier has gone; its own partner is left for the region to drop
    s_then = max(s, bisect_left(system.starts, gold.starts[gold_stop - 1]))
    return gold_stop, min(s_then, system_stop)


def multiword_region(gold: Side, system: Side, g: int, s: int) -> tuple[int, int, int, int]:
    """The words from (g, s) on that belong with the multiword token that one of them is part of.

    The region grows while multiword tokens overlap its end; the word that starts first joins first (gold on a tie),
    even one that sticks out, as long as the other side still has a word inside: so does the shared tasks' scorer.
    """
    if gold.in_range[g]:
        end = gold.ends[g]
        if not system.in_range[s] and system.starts[s] < gold.starts[g]:
            s += 1
    else:
        end = system.ends[s]
        if gold.starts[g] < system.starts[s]:
            g += 1
    gold_begin, system_begin = g, s
    while not (gold.is_beyond(g, end) and system.is_beyond(s, end)):
        gold_turn = g < len(gold) and (s >= len(system) or gold.starts[g] <= system.starts[s])
        side, word = (gold, g) if gold_turn else (system, s)
        if side.in_range[word]:
            end = max(end, side.ends[word])
        g, s = g + gold_turn, s + (not gold_turn)
    return gold_begin, g, system_begin, s


def common_subsequence(gold: list[str], system: list[str], g0: int, s0: int) -> list[tuple[int, int]]:
    """Pairs (g0 + i, s0 + j) of a longest common subsequence; of several, the one that leaves gold words out first."""
    # longest[i][j] belongs to gold[i:] and system[j:]
    longest = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for i in range(len(gold) - 1, -1, -1):
        for j in range(len(system) - 1, -1, -1):
            if gold[i] == system[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(gold) and j < len(system):
        if gold[i] == system[j]:
            pairs.append((g0 + i, s0 + j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
