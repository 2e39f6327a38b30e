"""The claims of a summary, and which sentences of an over-long summary count."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from fairbrief.measures.measure_settings import check_known
from fairbrief.text.sentences import sentences_of
from fairbrief.types import Integers, Summary


def units_of(summary: Summary, units: str) -> tuple[str, ...]:
    """The statements to look for: ``given`` units, ``sentences``, or ``auto`` (given if there are any)."""
    if summary.units is not None and units != "sentences":
        return tuple(unit.text for unit in summary.units if unit.text.strip())
    if units == "given":
        return ()
    return sentences_of(summary.text)


CHOICES = ("first", "random")


def check_choice(limit: int | None, choose: str) -> None:
    """Raise ValueError unless these settings can be obeyed."""
    if limit is not None and limit < 1:
        raise ValueError(f"limit is at least 1; not {limit}")
    check_known("choose", choose, CHOICES)


def chosen(count: int, limit: int | None, choose: str, seed: int, texts: Sequence[str]) -> Integers:
    """Indices, in order, of at most ``limit`` of ``count`` sentences.

    ``random`` ranks the sentences by a hash of the seed, the texts of the case and the sentence's index:
    uniformly random over seeds, and the same wherever and however often the case is observed. Chhabra et
    al. say that over-long outputs were sampled; their release always kept the first.
    """
    if limit is None or count <= limit:
        return np.arange(count)
    if choose == "first":
        return np.arange(limit)
    root = hashlib.blake2b(str(seed).encode(), digest_size=16)
    for text in texts:
        root.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    ranks = []
    for i in range(count):
        one = root.copy()
        one.update(f"\0{i}".encode())
        ranks.append(one.digest())
    return np.sort(np.array(sorted(range(count), key=ranks.__getitem__)[:limit], dtype=np.int64))
