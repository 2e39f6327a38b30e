"""Which words occur in which texts, for many asks at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.types import Ask

TOGETHER = 20_000
"""Characters of asks that share one table: enough to read most texts once, few enough for the table to stay small."""


def batches(asks: Iterable[Ask]) -> Iterator[list[Ask]]:
    """The asks, so many at a time as have `TOGETHER` characters."""
    some: list[Ask] = []
    characters = 0
    for ask in asks:
        some.append(ask)
        characters += sum(map(len, ask.rows)) + sum(map(len, ask.columns))
        if characters >= TOGETHER:
            yield some
            some, characters = [], 0
    if some:
        yield some


def occurrences(texts: Collection[Collection[Any]], place: Mapping[Any, int]) -> NDArray[np.bool_]:
    """Whether each text holds each of the words that ``place`` numbers. Shape (texts, words)."""
    found = np.zeros((len(texts), len(place)), dtype=bool)
    wanted = frozenset(place)
    held = [list(map(place.__getitem__, wanted.intersection(words))) for words in texts]
    found[np.repeat(np.arange(len(texts)), list(map(len, held))), list(chain.from_iterable(held))] = True
    return found


def starts(counts: Iterable[int]) -> list[int]:
    """Where each ask's rows or columns begin where those of all stand one after another; at the end, how many there are."""
    return [0, *accumulate(counts)]
