"""Slow, obvious twins of the learners: dictionaries and float64, every weight kept and averaged at every step."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np


class NaivePerceptron:
    """Keeps the sum of all weight vectors there ever were. margin and cap as in the fast ones; cap None: steps of 1."""

    def __init__(self, n_actions, margin=0, cap=None, min_updates=0):
        self.n_actions, self.margin, self.cap, self.min_updates = n_actions, margin, cap, min_updates
        self.w, self.total = defaultdict(Fraction), defaultdict(Fraction)
        self.steps = 0
        self.changes = defaultdict(int)
        self.kept = None

    def keep_rows(self, keys):
        """The average is that of all weight vectors from now on."""
        self.kept = set(keys)
        self.w = defaultdict(Fraction, {key: value for key, value in self.w.items() if key[0] in self.kept})
        self.total = defaultdict(Fraction)
        self.steps = 0

    def scores(self, feats):
        used = [f for f in feats if f and self.changes[f] >= self.min_updates]
        return [sum(self.w[f, a] for f in used) for a in range(self.n_actions)]

    def visit(self, feats, legal, zero):
        scores = self.scores(feats)
        best = max(legal, key=lambda a: (scores[a], -a))
        oracle = max(zero, key=lambda a: (scores[a], -a))
        wrong = [a for a in legal if a not in zero]
        if wrong:
            rival = max(wrong, key=lambda a: (scores[a], -a))
            loss = self.margin - (scores[oracle] - scores[rival])
            if loss > 0 or (self.cap is None and best not in zero):
                self.change(feats, oracle, rival, loss)
        self.steps += 1
        for key, value in self.w.items():
            self.total[key] += value
        return best, oracle

    def change(self, feats, oracle, rival, loss):
        feats = [f for f in feats if f and (self.kept is None or f in self.kept)]
        if not feats:
            return
        step = 1 if self.cap is None else min(self.cap, loss / (2 * len(feats)))
        for f in feats:
            self.w[f, oracle] += step
            self.w[f, rival] -= step
            self.changes[f] += 1

    def final(self):
        return {
            key: total / self.steps
            for key, total in self.total.items()
            if total and self.changes[key[0]] >= self.min_updates
        }


class DenseRDA:
    """Every sum in float64, every weight from the formula, shrunk with the current count of states."""

    def __init__(self, n_actions, l1, alpha=1.0, rho=0.01, ridge_inside_sqrt=False):
        self.n_actions, self.l1, self.alpha, self.rho, self.inside = n_actions, l1, alpha, rho, ridge_inside_sqrt
        self.g = defaultdict(lambda: np.zeros(n_actions))
        self.squares = defaultdict(lambda: np.zeros(n_actions))
        self.steps = 0

    def weights(self, feat):
        g, squares = self.g[feat], self.squares[feat]
        root = np.sqrt(squares + self.rho) if self.inside else np.sqrt(squares) + self.rho
        return self.alpha / root * np.sign(g) * np.maximum(np.abs(g) - self.steps * self.l1, 0)

    def scores(self, feats):
        return sum((self.weights(f) for f in feats if f), np.zeros(self.n_actions))

    def gradient(self, scores, legal, zero):
        return zero_share(scores, zero, self.n_actions) - zero_share(scores, legal, self.n_actions)

    def visit(self, feats, legal, zero):
        scores = self.scores(feats)
        d = self.gradient(scores, legal, zero)
        for f in feats:
            if f:
                self.g[f] += d
                self.squares[f] += d * d
        self.steps += 1

    def final(self):
        return {(f, a): w for f in self.g for a, w in enumerate(self.weights(f)) if w}


def zero_share(scores, actions, n_actions):
    """Softmax over some of the actions, 0 for the others."""
    shares = np.zeros(n_actions)
    top = max(scores[a] for a in actions)
    for a in actions:
        shares[a] = math.exp(scores[a] - top)
    return shares / shares.sum()


def as_dict(weights):
    """{(key, action): weight} of finished weights."""
    keys = np.repeat(weights.keys, np.diff(weights.offsets))
    return {(int(k), int(a)): float(w) for k, a, w in zip(keys, weights.actions, weights.weights, strict=True)}


def random_states(seed, n_states, n_actions, n_feats=6, n_keys=40, gold=False):
    """A stream of (feats, legal, zero); keys reused as words are: a few often, most seldom."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(1, 1 << 63, n_keys, dtype=np.uint64)
    for _ in range(n_states):
        ranks = np.unique(np.minimum(rng.zipf(1.3, n_feats), n_keys) - 1)
        feats = [int(keys[r]) for r in ranks]
        legal = np.flatnonzero(rng.random(n_actions) < 0.6).tolist() or [0]
        if gold and ranks[0] % n_actions in legal:  # something to be learned
            zero = [int(ranks[0] % n_actions)]
        else:
            zero = [a for a in legal if rng.random() < 0.3] or [legal[int(rng.integers(len(legal)))]]
        yield feats, legal, zero


class CompactRDA(DenseRDA):
    """DenseRDA whose rows hold only the actions that entered with a large gradient, like the compact table."""

    def __init__(self, n_actions, l1, birth, quiet, gate, largest_sparse, **options):
        super().__init__(n_actions, l1, **options)
        self.birth, self.quiet, self.gate, self.largest_sparse = birth, quiet, gate, largest_sparse
        self.entries = {}
        self.met = defaultdict(int)

    def visit(self, feats, legal, zero):
        scores = self.scores(feats)
        d = self.gradient(scores, legal, zero)
        if np.abs(d).max() > 0 and np.abs(d).max() >= self.quiet:
            fresh = {a for a in range(self.n_actions) if d[a] and abs(d[a]) >= self.birth}
            for f in feats:
                if f:
                    self.change(f, d, fresh)
        self.steps += 1

    def change(self, feat, d, fresh):
        if feat not in self.entries:
            self.met[feat] += len(fresh) > 0
            if not fresh or self.met[feat] < self.gate:
                return
            self.entries[feat] = set(range(self.n_actions)) if len(fresh) > self.largest_sparse else set()
        row = self.entries[feat]
        for a in row | fresh:
            self.g[feat][a] += d[a]
            self.squares[feat][a] += d[a] * d[a]
        row |= fresh
        if len(row) > self.largest_sparse:
            row |= set(range(self.n_actions))


def splitmix(seed):
    """The 64-bit numbers of splitmix64: the same on every machine and with every version of everything."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        z = seed
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def fixed_states(seed, n_states, n_actions, n_feats=8):
    """Like random_states, but the same for ever."""
    numbers = splitmix(seed)
    for _ in range(n_states):
        ranks = {1 + (next(numbers) % 1000) * (next(numbers) % 1000) // 20000 for _ in range(n_feats)}
        legal = [a for a in range(n_actions) if next(numbers) % 5 < 3] or [0]
        zero = [a for a in legal if (a + min(ranks)) % 7 == 0] or legal[:1]
        yield [rank * 0x9E3779B97F4A7C15 % 2**64 for rank in sorted(ranks)], legal, zero


def wide_states(n_states):
    """Of 200 actions whole ranges are illegal, as where a word has its head already."""
    for i, (feats, legal, zero) in enumerate(fixed_states(2, n_states, 200)):
        illegal = (range(3, 120), range(120, 200), range(0), range(40, 150))[i % 4]
        zero = [a for a in zero if a not in illegal] or [0]
        yield feats, sorted({a for a in legal if a not in illegal} | set(zero)), zero
