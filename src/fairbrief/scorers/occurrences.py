"""Which words occur in which texts, for many asks at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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


def occurrences(texts: Sequence[Collection[Any]], place: Mapping[Any, int]) -> NDArray[np.bool_]:
    """Whether each text holds each word; ``place`` numbers all words. Shape (texts, words)."""
    found = np.zeros((len(texts), len(place)), dtype=bool)
    found[
        np.repeat(np.arange(len(texts)), [len(words) for words in texts]),
        [place[word] for words in texts for word in words],
    ] = True
    return found
