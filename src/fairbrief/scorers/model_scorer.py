"""What scorers share that hold a model: their settings, and from texts to batches and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.pretrained import placement
from fairbrief.scorers import batches, models, pairs
from fairbrief.scorers.progress import Meter
from fairbrief.types import Integers

Folding = Callable[[Sequence[tuple[int, Any]]], NDArray[Any]]
"""From the items of one key, by number, with what the model said of each, to the key's array."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelScorer(pairs.KeyedScorer):
    """A scorer with a model of the hub, or from a folder: placed, given texts in batches, its answers kept by a cache.

    A kind of it says how its ``keys`` are computed (`compute`) and read (`assemble`).
    """

    version: ClassVar[int] = 1
    model: str
    _: KW_ONLY
    windows: str = "fold"
    dtype: str = "auto"
    device: str = "auto"
    batch_tokens: int | str = "auto"

    def __post_init__(self) -> None:
        placement.check(self, self.name)

    @property
    def computed_by(self) -> str:
        """What decides the arrays of `compute`: the fingerprint without what comes after them."""
        return f"{models.identity(self, self.name, self.version)} windows={self.windows}"

    def run(
        self,
        keys: Sequence[pairs.Key],
        owners: Sequence[int],
        lengths: Sequence[int],
        forward: Callable[[Integers], Any],
        fold: Folding,
        budget: int,
    ) -> Iterator[pairs.Arrays]:
        """Each key's array, when all of its items went through the model.

        ``owners`` names each item's key by its place, ``lengths`` its word pieces; ``forward`` is as `batches.run` has it.
        """
        missing = np.bincount(owners)
        waiting: dict[int, list[tuple[int, Any]]] = {}
        meter = Meter(self.name, len(keys))
        for batch, found in batches.run(lengths, forward, budget):
            done: dict[pairs.Key, NDArray[Any]] = {}
            for i, value in zip(batch, found, strict=True):
                k = owners[i]
                waiting.setdefault(k, []).append((int(i), value))
                missing[k] -= 1
                if not missing[k]:
                    done[keys[k]] = fold(waiting.pop(k))
            meter.add(len(done))
            if done:
                yield done
