"""Random small corpora: gold ones, and outputs of imagined systems: other trees, labels, tags, words, sentences."""

from plain_corpus import Sentence, Word

LABELS = ["nsubj", "obj", "nmod", "nmod:poss", "case", "cc:preconj", "punct", "root", "dobj", "conj"]
UPOS = ["NOUN", "VERB", "PUNCT", "X", "."]
XPOS = ["NN", "PU", ".", ",", "``", "-LRB-"]
# letters whose pieces often look alike, a letter that grows when lowered, punctuation, a space of category Zs
LETTERS = ["a", "a", "b", "A", "İ", ".", ",", "a\u00a0"]


def random_tree(rng, n: int) -> list[int]:
    """Heads of a random forest under ROOT: each word hangs on ROOT or on a word before it in a random order."""
    order = list(range(1, n + 1))
    rng.shuffle(order)
    heads = [0] * n
    for k, word in enumerate(order):
        heads[word - 1] = rng.choice([0, *order[:k]]) if k else 0
    return heads


def random_words(rng, forms: list[str]) -> list[Word]:
    heads = random_tree(rng, len(forms))
    return [
        Word(form, head, rng.choice(LABELS), rng.choice(UPOS), rng.choice(XPOS))
        for form, head in zip(forms, heads, strict=True)
    ]


def cut(rng, items: list, longest: int) -> list[list]:
    """Consecutive pieces of 1..longest items."""
    pieces = []
    while items:
        size = rng.randint(1, min(longest, len(items)))
        pieces.append(items[:size])
        items = items[size:]
    return pieces


def random_sentence(rng, tokens: list[str], multiword: float) -> Sentence:
    """Some tokens become ranges of words whose forms may or may not be pieces of the token."""
    forms, ranges = [], []
    for token in tokens:
        if rng.random() < multiword:
            pieces = ["".join(p) for p in cut(rng, list(token), 2)]
            words = [rng.choice([piece, piece, "a", "B", "b", "a a"]) for piece in pieces]
            words += [rng.choice(["a", "b"])] * rng.randint(0, 2)
            ranges.append((len(forms) + 1, len(forms) + len(words), token))
            forms += words
        else:
            forms.append(token)
    return Sentence(random_words(rng, forms), ranges)


def tokenized(rng, letters: list[str], multiword: float = 0.3) -> list[Sentence]:
    """The text of these letters, cut into tokens and sentences anywhere."""
    tokens = ["".join(piece) for piece in cut(rng, letters, 4)]
    return [random_sentence(rng, piece, multiword) for piece in cut(rng, tokens, 6)]


def random_letters(rng, longest: int) -> list[str]:
    return [rng.choice(LETTERS) for _ in range(rng.randint(1, longest))]


def reparsed(rng, sentences: list[Sentence], keep: float = 0.6) -> list[Sentence]:
    """The same words with other trees and some other labels and tags."""
    changed = []
    for sentence in sentences:
        guessed = random_words(rng, [w.form for w in sentence.words])
        if rng.random() < keep:  # heads kept: only labels and tags differ
            guessed = [g._replace(head=w.head) for g, w in zip(guessed, sentence.words, strict=True)]
        words = [
            g._replace(deprel=w.deprel) if rng.random() < keep else g
            for g, w in zip(guessed, sentence.words, strict=True)
        ]
        changed.append(sentence._replace(words=words))
    return changed


def retokenized(rng, sentences: list[Sentence]) -> list[Sentence]:
    """Much of the given tokenization, some of it new: tokens joined or split, ranges opened, sentences cut anew."""
    tokens = [t for sentence in sentences for t in surface(sentence)]
    changed, pending = [], ""
    for token in tokens:
        pending += token
        if rng.random() < 0.85:
            middle = rng.randint(1, len(pending) - 1) if len(pending) > 1 and rng.random() < 0.15 else 0
            pieces = [pending[:middle], pending[middle:]] if middle else [pending]
            # a lone space is no token: scorers refuse it
            changed += pieces if all(p.strip() for p in pieces) else [pending]
            pending = ""
    if pending:
        changed.append(pending)
    return [random_sentence(rng, piece, 0.2) for piece in cut(rng, changed, 8)]


def surface(sentence: Sentence) -> list[str]:
    tokens, covered = [], 0
    ranges = {first: (last, form) for first, last, form in sentence.ranges}
    for i, word in enumerate(sentence.words, 1):
        if i in ranges:
            covered = ranges[i][0]
            tokens.append(ranges[i][1])
        elif i > covered:
            tokens.append(word.form)
    return tokens
