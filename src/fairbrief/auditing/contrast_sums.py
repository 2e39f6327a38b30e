"""Signed contrasts of units: their tops and bottoms, and the squares of these that studentize them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from fairbrief.types import Column, ContrastObservation, Floats, Ratio

SQUARE = "²"
"""How the columns of squares begin."""
SQUARES = ("top²", "top·bottom", "bottom²")


def square_columns(name: str) -> tuple[Column, ...]:
    """The columns that hold a contrast's sums of squares over clusters."""
    return tuple((SQUARE, name, what) for what in SQUARES)


def squares_of(contrasts: Mapping[str, Floats]) -> tuple[tuple[Column, ...], Floats]:
    """Squares and products of the tops and bottoms of contrasts, (…, 2) each; side by side, with their columns."""
    columns = tuple(c for name in contrasts for c in square_columns(name))
    blocks = [v for x in contrasts.values() for v in (x[..., 0] ** 2, x[..., 0] * x[..., 1], x[..., 1] ** 2)]
    return columns, np.stack(blocks, axis=-1) if blocks else np.zeros(0)


class ContrastSums:
    """Tops and bottoms of an observation's contrasts from its columns, by matrices that rows of equal columns share."""

    def __init__(self, ratios: Mapping[str, Ratio], columns: tuple[Column, ...]) -> None:
        place = {column: i for i, column in enumerate(columns)}
        self._weights = {name: self._matrix(ratio, place) for name, ratio in ratios.items()}

    @staticmethod
    def _matrix(ratio: Ratio, place: Mapping[Column, int]) -> list[tuple[list[int], Floats]]:
        """Places and weights of the top, then of the bottom."""
        found = []
        for side in (ratio.top, ratio.bottom):
            there = [(place[c], w) for c, w in side if c in place]
            found.append(([i for i, _ in there], np.array([w for _, w in there])))
        return found

    def of(self, values: Floats) -> dict[str, Floats]:
        """By name the top and the bottom, last axis; ``values`` (…, columns). Summed in the columns' order."""
        return {
            name: np.stack([_weighted(values[..., places], weights) for places, weights in sides], axis=-1)
            for name, sides in self._weights.items()
        }


def _weighted(values: Floats, weights: Floats) -> Floats:
    """Sums over the last axis, each by itself, so that no last digit depends on how many stand beside it."""
    return np.asarray(np.ascontiguousarray(values * weights).sum(axis=-1))


@lru_cache(maxsize=256)
def contrasts_of(observation: Any, columns: tuple[Column, ...]) -> Mapping[str, Ratio]:
    """The signed contrasts that columns of an observation make, by name; none where it has none."""
    return observation.contrasts(columns) if isinstance(observation, ContrastObservation) else {}


@lru_cache(maxsize=256)
def contrast_sums(observation: Any, columns: tuple[Column, ...]) -> ContrastSums:
    """Sums of these, which all rows of the same columns share."""
    return ContrastSums(contrasts_of(observation, columns), columns)
