"""Random numbers that are a function of names: of a seed, a purpose, a record or cluster, and a draw.

There is no state: the order of requests, their batches and the process make no difference,
and a number does not depend on the numbers before it. All functions are vectorised over keys (one per record
or cluster): row i of every answer depends on ``keys[i]`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats

Keys = NDArray[np.uint64]

AT_ONCE = 1 << 14
"""Numbers that are computed at once, so that they stay in a core's cache."""


def keys_of(names: Iterable[str], seed: int, purpose: str) -> Keys:
    """A 64-bit key for each name. Shape (names,).

    Numbers that serve different purposes (exchanged labels, extracts, flips) must name different ones:
    equal keys give equal numbers.
    """
    # The length comes before the purpose, so that no name can pass for the end of one.
    start = blake2b(f"{seed} {len(purpose)} {purpose} ".encode("utf-8", "surrogatepass"), digest_size=8)
    digests = b"".join([_digest(start, name) for name in names])
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def random_bits(keys: Keys, count: int) -> Keys:
    """The first ``count`` uniform 64-bit integers of each key. Shape (keys, count)."""
    result = np.empty((len(keys), count), dtype=np.uint64)
    for part in _parts(result):
        np.bitwise_xor(keys[part, np.newaxis], _counters(count), out=result[part])
        _mixed(result[part])
    return result


def random_fractions(keys: Keys, count: int) -> Floats:
    """Uniform numbers in [0, 1), multiples of 2⁻⁵³. Shape (keys, count)."""
    found = random_bits(keys, count)
    found >>= np.uint64(11)
    return np.asarray(found * 2.0**-53)


def random_halves(keys: Keys, count: int) -> NDArray[np.uint32]:
    """Uniform 32-bit integers, two of one number. Shape (keys, count)."""
    return random_bits(keys, -(-count // 2)).astype("<u8", copy=False).view("<u4")[:, :count]


def choices_among(halves: NDArray[np.uint32], among: int) -> NDArray[np.unsignedinteger[Any]]:
    """Uniform numbers of 0..among-1 from `random_halves`, whose order they keep, in as few bytes as ``among`` needs.

    Shape of ``halves``. ``among`` is at most 2³²; the chances of two numbers differ by less than ``among``·2⁻³² of either.
    """
    result = np.empty(halves.shape, dtype=np.min_scalar_type(among))
    for part in _parts(result):
        result[part] = halves[part] * np.uint64(among) >> np.uint64(32)
    return result


def random_flips(keys: Keys, count: int) -> NDArray[np.bool_]:
    """True or False with probability ½, 64 of one number. Shape (keys, count)."""
    words = random_bits(keys, -(-count // 64)).astype("<u8").view(np.uint8)
    return np.unpackbits(words, axis=1, count=count, bitorder="little").view(np.bool_)


def _parts(rows: NDArray[Any]) -> Iterator[slice]:
    """The rows of a matrix, a few at a time."""
    step = max(1, AT_ONCE // max(1, rows.shape[1]))
    return (slice(start, start + step) for start in range(0, len(rows), step))


@lru_cache(maxsize=16)
def _counters(count: int) -> Keys:
    return _mixed(np.arange(1, count + 1, dtype=np.uint64) * _STEP)


_STEP = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ divided by the golden ratio: it maps neighbouring counters to distant numbers."""


def _mixed(x: Keys) -> Keys:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014; Stafford's variant 13), in place."""
    other = np.empty_like(x)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        np.right_shift(x, np.uint64(shift), out=other)
        np.bitwise_xor(x, other, out=x)
        np.multiply(x, np.uint64(factor), out=x)
    np.right_shift(x, np.uint64(31), out=other)
    return np.bitwise_xor(x, other, out=x)


def _digest(start: blake2b, name: str) -> bytes:
    hasher = start.copy()
    hasher.update(name.encode("utf-8", "surrogatepass"))
    return hasher.digest()
