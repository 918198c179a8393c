"""Hashing of values into keys: every input bit matters to every output bit, and tuples do not collide."""

import random

import numpy as np
import pytest

from parser.feature.hashing import FACTORS, NONE, ROOT_VALUE, key_of, number_of, seed_of, spread, value_of

MASK = (1 << 64) - 1


def key(seed, *values):
    return key_of((seed + sum(v * f for v, f in zip(values, FACTORS, strict=False))) & MASK)


def test_factors_are_odd_and_different():
    assert all(factor & 1 for factor in FACTORS)
    assert len(set(FACTORS)) == len(FACTORS) == 8


@pytest.mark.parametrize("place", range(3))
def test_avalanche(place):
    """Flipping one bit of one value flips each bit of the key with a probability near 1/2."""
    rng = random.Random(place)
    rounds = 600
    flips = np.zeros((64, 64))
    for _ in range(rounds):
        values = [rng.getrandbits(64) for _ in range(3)]
        before = key(1, *values)
        for bit in range(64):
            changed = list(values)
            changed[place] ^= 1 << bit
            difference = before ^ key(1, *changed)
            flips[bit] += [difference >> i & 1 for i in range(64)]
    rates = flips / rounds
    # 4096 rates with a standard deviation of 0.02 each
    assert abs(rates.mean() - 0.5) < 0.005
    assert abs(rates - 0.5).max() < 0.11


def test_keys_of_small_numbers_and_tags_do_not_collide():
    """Structured input, as features have it: two tags and a distance under a hundred seeds, 400,000 keys."""
    tags = [value_of(f"T{i}", seed_of("xpos")) for i in range(20)]
    numbers = [number_of(i) for i in range(10)]
    seeds = [seed_of(f"template {i}") for i in range(100)]
    keys = {key(s, a, b, d) for s in seeds for a in tags for b in tags for d in numbers}
    assert len(keys) == 100 * 20 * 20 * 10


def test_order_of_values_matters():
    a, b = value_of("a", 1), value_of("b", 1)
    assert key(5, a, b) != key(5, b, a)
    assert key(5, a, a) != key(5, b, b)


def test_low_and_high_bits_are_evenly_filled():
    keys = np.array([key(7, value_of(str(i), 3)) for i in range(64_000)], np.uint64)
    for bits in (keys & np.uint64(255), keys >> np.uint64(56)):
        counts = np.bincount(bits.astype(np.int64), minlength=256)
        chi_square = ((counts - 250.0) ** 2 / 250.0).sum()
        assert 150 < chi_square < 380  # 255 degrees of freedom, 5 standard deviations


def test_reserved_values_and_zero():
    assert key_of(0) == 1
    assert len({NONE, ROOT_VALUE, 0, value_of("NONE", 1), value_of("ROOT", 1), value_of("", 1)}) == 6
    assert all(number_of(i) not in (NONE, ROOT_VALUE, 0) for i in range(1000))


def test_seeds_tell_attributes_apart():
    assert value_of("a", seed_of("form")) != value_of("a", seed_of("lower"))


def test_spread_is_a_bijection_on_samples():
    rng = random.Random(1)
    samples = {rng.getrandbits(64) for _ in range(50_000)} | set(range(50_000))
    assert len({spread(z) for z in samples}) == len(samples)
