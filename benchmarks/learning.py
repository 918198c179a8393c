"""Speed and memory of the learners on one core, without a treebank: python benchmarks/learning.py [--lookups]

A stream of states like a parser's: 72 features each, a third from a small set (as tag templates are), the others from
a large one, both by Zipf's law; half of the 100 actions legal; two of the features decide which one is right. Every
learner sees the same stream three times. Printed per learner: microseconds of CPU per visited state (scoring and
learning) in the first and last round, the share of states that changed weights in the last, rows, bytes per row and in
all; then for the finished weights their number, and microseconds per scored state. --lookups compares the key table
with PreshMap instead.
"""

import argparse
import time

import numpy as np

from parser.learn import AdaGradRDA, PassiveAggressive, Perceptron
from parser.learn.drive import KeyTables, count_wrong, visit_all
from parser.score.linear import LinearModel


def learners(n_actions: int, n_tokens: int):
    yield "perceptron", Perceptron(n_actions)
    yield "perceptron, margin 100", Perceptron(n_actions, margin=100)
    yield "passive-aggressive", PassiveAggressive(n_actions)
    yield "AdaGrad-RDA", AdaGradRDA(n_actions, n_tokens=n_tokens, alpha=0.1)
    yield "AdaGrad-RDA, gate 2", AdaGradRDA(n_actions, n_tokens=n_tokens, alpha=0.1, gate=2)
    yield "AdaGrad-RDA, dense", AdaGradRDA(n_actions, n_tokens=n_tokens, alpha=0.1, compact=False)


def zipf(rng: np.random.Generator, size: tuple[int, int], n: int) -> np.ndarray:
    """Ranks 0..n-1, rank r with a probability close to 1 / (r + 1)."""
    return (np.exp(rng.random(size) * np.log(n)) - 1).astype(np.uint64)


def stream(n_states: int, n_feats: int, n_actions: int, seed: int):
    rng = np.random.default_rng(seed)
    n_common = n_feats // 3
    common = zipf(rng, (n_states, n_common), 2000)
    rare = zipf(rng, (n_states, n_feats - n_common), 1_000_000)
    slots = np.arange(1, n_feats + 1, dtype=np.uint64) << np.uint64(40)
    feats = (np.concatenate([common, rare], axis=1) + slots) * np.uint64(0x9E3779B97F4A7C15)
    right = ((common[:, 0] + common[:, 1]) % n_actions).astype(np.int64)
    feats[:, n_common] = (common[:, 0] * np.uint64(2000) + common[:, 1] + np.uint64(1)) * np.uint64(0xC2B2AE3D27D4EB4F)
    legal = (rng.random((n_states, n_actions)) < 0.5).astype(np.uint8)
    zero = np.zeros_like(legal)
    legal[np.arange(n_states), right] = zero[np.arange(n_states), right] = 1
    return np.ascontiguousarray(feats), legal, zero


def timed(function, *arguments) -> tuple[float, int]:
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def compare_learners(n_states: int, n_feats: int, n_actions: int, rounds: int) -> None:
    states = stream(n_states, n_feats, n_actions, seed=1)
    print(f"{n_states} states, {n_feats} features, {n_actions} actions, {rounds} rounds")
    print(f"{'learner':24} {'first':>6} {'last':>6} {'changed':>8} {'rows':>9} {'B/row':>6} {'MB':>6}"
          f" {'weights':>9} {'score':>6} {'wrong':>6}")  # fmt: skip
    for name, learner in learners(n_actions, n_states // 2):
        times = []
        for _ in range(rounds):
            learner.updates = 0
            times.append(timed(visit_all, learner, *states)[0] / n_states * 1e6)
        weights = learner.finalise()
        seconds, wrong = timed(count_wrong, LinearModel(weights), *states)
        print(
            f"{name:24} {times[0]:6.2f} {times[-1]:6.2f} {learner.updates / n_states:8.1%} {learner.n_rows:9}"
            f" {learner.bytes_used / learner.n_rows:6.0f} {learner.bytes_used / 1e6:6.0f} {weights.n_weights:9}"
            f" {seconds / n_states * 1e6:6.2f} {wrong / n_states:6.1%}",
            flush=True,
        )


def compare_tables(sizes: list[int], rounds: int) -> None:
    rng = np.random.default_rng(1)
    print("M operations/s      hit             miss           insert")
    print("     keys  " + "  keymap PreshMap" * 3)
    for n in sizes:
        keys = rng.integers(2, 1 << 63, n, dtype=np.uint64) * np.uint64(2)
        tables = KeyTables()
        inserts = [timed(tables.insert_keymap, keys)[0], timed(tables.insert_presh, keys)[0]]
        asked = rng.choice(keys, 2_000_000)
        rates = []
        for batch in (asked, asked + np.uint64(1)):
            for count in (tables.count_keymap, tables.count_presh):
                rates.append(len(batch) / min(timed(count, batch)[0] for _ in range(rounds)) / 1e6)
        rates += [n / seconds / 1e6 for seconds in inserts]
        print(f"{n:9}   " + "".join(f"{rate:8.1f}" for rate in rates), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--states", type=int, default=100_000)
    options.add_argument("--feats", type=int, default=72)
    options.add_argument("--actions", type=int, default=100)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--lookups", action="store_true")
    given = options.parse_args()
    if given.lookups:
        compare_tables([30_000, 300_000, 1_000_000, 8_000_000], given.rounds)
    else:
        compare_learners(given.states, given.feats, given.actions, given.rounds)


if __name__ == "__main__":
    main()
