"""Random numbers by name: they are uniform, independent of each other, and of how they are asked for."""

from __future__ import annotations

import random
from hashlib import blake2b

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from fairbrief.statistics.keyed_random import (
    choices_among,
    keys_of,
    random_bits,
    random_flips,
    random_fractions,
    random_halves,
)

NAMES = [f"record {i}" for i in range(500)]
KEYS = keys_of(NAMES, 0, "test")


def is_uniform(tally: np.ndarray) -> bool:
    """Whether counts of equally likely outcomes pass a chi-squared test at one in a million."""
    expected = tally.sum() / tally.size
    return bool(((tally - expected) ** 2 / expected).sum() < chi2.isf(1e-6, tally.size - 1))


def test_numbers_are_kept_from_version_to_version() -> None:
    """A key and its numbers are those of a plain reading of the definition; a change would change audits.

    The plain reading gives the first numbers that are published for SplitMix64, from the state 1234567.
    """
    states = [(1234567 + i * 0x9E3779B97F4A7C15) % 2**64 for i in (1, 2, 3)]
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [reference_mix(state) for state in states] == published
    assert keys_of(["a", ""], 3, "x").tolist() == [reference_key("a"), reference_key("")]
    key = int(KEYS[7])
    wanted = [reference_mix(key ^ reference_mix((i + 1) * 0x9E3779B97F4A7C15 % 2**64)) for i in range(5)]
    assert random_bits(KEYS[7:8], 5)[0].tolist() == wanted


def reference_key(name: str) -> int:
    """Of seed 3 and purpose "x"."""
    return int.from_bytes(blake2b(f"3 1 x {name}".encode(), digest_size=8).digest(), "little")


def reference_mix(x: int) -> int:
    """SplitMix64's finalizer, with Python's integers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_every_bit_is_fair_and_no_two_go_together() -> None:
    """Neighbouring keys, numbers and bits agree as often as coins do."""
    bits = np.unpackbits(random_bits(KEYS, 40).view(np.uint8), axis=1).astype(float) * 2 - 1
    assert abs(bits.mean()) < 5 / np.sqrt(bits.size)
    for other in (np.roll(bits, 1, axis=0), np.roll(bits, 64, axis=1), np.roll(bits, 1, axis=1)):
        assert abs((bits * other).mean()) < 5 / np.sqrt(bits.size)
    assert np.abs(bits.mean(axis=0)).max() < 6 / np.sqrt(len(bits))
    assert np.abs(bits.mean(axis=1)).max() < 6 / np.sqrt(bits.shape[1])


def test_fractions_choices_and_flips_are_uniform() -> None:
    """Fractions fill [0, 1), choices all numbers there are, flips both sides."""
    fractions = random_fractions(KEYS, 200)
    assert fractions.min() >= 0
    assert fractions.max() < 1
    assert is_uniform(np.histogram(fractions, bins=64, range=(0, 1))[0])
    for among in (1, 3, 2**32):
        chosen = choices_among(random_halves(KEYS, 201), among)
        assert chosen.shape == (500, 201)
        assert 0 <= chosen.min() <= chosen.max() < among
        assert among == 1 or is_uniform(np.histogram(chosen, bins=3, range=(0, among))[0])
    flips = random_flips(KEYS, 100)
    assert flips.shape == (500, 100)
    assert is_uniform(np.bincount(flips.ravel().astype(int), minlength=2))
    assert np.abs(flips.mean(axis=0) - 0.5).max() < 0.5 * 6 / np.sqrt(500)


def test_seed_purpose_and_name_make_other_numbers() -> None:
    """No two of them are mistaken for each other, whatever characters a name has."""
    keys = [
        keys_of([name], seed, purpose)[0]
        for name in ("a", "b", "", "x a", "\udc80")
        for seed in (0, 1, 11)
        for purpose in ("x", "x a", "1")
    ]
    assert len(set(keys)) == len(keys)


@given(st.randoms(use_true_random=False), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_a_record_reads_the_same_in_any_company(shuffle: random.Random, parts: int) -> None:
    """Neither the order of the records nor how they are parted changes a number, and fewer are the first of many."""
    names = NAMES[:12]
    together = random_bits(keys_of(names, 5, "labels"), 9)
    order = shuffle.sample(range(12), 12)
    for part in np.array_split(order, parts):
        keys = keys_of([names[i] for i in part], 5, "labels")
        assert np.array_equal(random_bits(keys, 9), together[part])
        assert np.array_equal(random_bits(keys, 4), together[part, :4])
