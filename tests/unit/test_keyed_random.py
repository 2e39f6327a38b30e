"""Random numbers by name: they are uniform, independent of each other, and of how they are asked for."""

from __future__ import annotations

import random
from hashlib import blake2b
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.statistics.keyed_random import keys_of, random_bits

NAMES = [f"record {i}" for i in range(500)]
KEYS = keys_of(NAMES, 0, "test")


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


def test_seed_purpose_and_name_make_other_numbers() -> None:
    """No two of them are mistaken for each other, whatever characters a name has."""
    named = product(("a", "b", "", "x a", "\udc80"), (0, 1, 11), ("x", "x a", "1"))
    keys = [keys_of([name], seed, purpose)[0] for name, seed, purpose in named]
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
