"""Chance level and p of one value: against permuted labels, or by turning the signs of clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fairbrief.auditing.jackknifed import Jackknifed
from fairbrief.auditing.null_sums import square_columns
from fairbrief.statistics import smallest_p, two_sided_p, upper_p
from fairbrief.statistics.arrays import TIE, tolerance
from fairbrief.statistics.jackknife import t_test
from fairbrief.statistics.sign_flips import flipped
from fairbrief.statistics.studentized import largest, share_reached, studentize
from fairbrief.types import (
    Column,
    ContrastObservation,
    Floats,
    Integers,
    Measure,
    Ratio,
    Totals,
    Value,
)


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance reads, and how often it reads as much.

    ``reachable`` is the smallest p that the labellings allow, were there no end of resamples; ``sampled`` the smallest
    that the resamples taken allow.
    """

    mean: float | None
    p: float | None
    reachable: float
    sampled: float


class Permutations:
    """The permutation baseline of one system and slice, under all its resamples.

    ``totals`` are its relabelled sums, ``draws`` (resamples,) which of them each resample has (None: its own),
    ``clusters`` the real ones by cluster.
    """

    def __init__(
        self,
        totals: Totals,
        log_labellings: float,
        measure: Measure,
        clusters: Totals,
        draws: Integers | None = None,
    ) -> None:
        observation: Any = measure.observation
        self._totals = totals
        self._values = measure.value(totals)
        self._reachable = math.exp(-min(log_labellings, 700.0))
        self._ratios, self._clusters = _contrasts(observation, tuple(totals.columns)), clusters
        self._draws = np.arange(len(totals.array)) if draws is None else draws

    def knows(self, value: Value) -> bool:
        """Whether all contrasts that decide the value's test were summed under the permutations."""
        return all(name in self._ratios for name in value.contrasts)

    def chance(self, name: str, value: Value, read: float) -> Chance | None:
        """Of one value, which the real labels ``read``; None where chance has no defined value of it."""
        if name not in self._values:
            return None
        drawn = np.broadcast_to(self._values[name].array, len(self._totals.array))[self._draws]
        drawn = drawn[np.isfinite(drawn)]
        if not len(drawn):
            return None
        mean, both = float(drawn.mean()), value.tail == "both"
        if value.contrasts and self.knows(value):
            observed, null = self._sizes(value.contrasts, is_signed=both)
            p: float | None = share_reached(observed, null)
            sampled = float(smallest_p(null, exact=False))
        else:
            p = float((two_sided_p if both else upper_p)(np.float64(read), drawn, exact=False))
            sampled = float(smallest_p(drawn, exact=False, tail="both" if both else "upper"))
        return Chance(mean, p, min(1.0, self._reachable * (2 if both else 1)), sampled)

    def _sizes(self, contrasts: tuple[str, ...], *, is_signed: bool) -> tuple[float, Floats]:
        """The largest studentized size of the contrasts: observed, and under each permutation.

        A signed contrast is measured from what permuted labels read on average, which need not be 0 (n-grams that
        several groups share favour small groups); a magnitude's contrasts from 0, as the magnitude itself.
        """
        observed, null = [], []
        for name in contrasts:
            ratio = self._ratios[name]
            top, bottom = self._totals.weighted(ratio.top), self._totals.weighted(ratio.bottom)
            center = _mean_ratio(top[self._draws], bottom[self._draws]) if is_signed else 0.0
            squares = np.stack([self._totals[c] for c in square_columns(name)], axis=-1)
            observed.append(_observed_size(ratio, self._clusters, center))
            null.append(studentize(top, bottom, squares, center))
        return float(largest(np.array(observed))), largest(np.stack(null, axis=-1))[self._draws]


def is_tested_by_permutation(observation: Any, columns: Iterable[Column], value: Value) -> bool:
    """Whether a value is tested against permuted labels where these were summed: all its contrasts were, too."""
    known = _contrasts(observation, tuple(columns))
    return all(name in known for name in value.contrasts)


@lru_cache(maxsize=64)
def _contrasts(observation: Any, columns: tuple[Column, ...]) -> Mapping[str, Ratio]:
    return observation.contrasts(columns) if isinstance(observation, ContrastObservation) else {}


def _mean_ratio(top: Floats, bottom: Floats) -> float:
    some = bottom != 0
    return float((top[some] / bottom[some]).mean()) if some.any() else 0.0


def _observed_size(ratio: Ratio, clusters: Totals, center: float) -> float:
    """|θ − center| / se of the real labels; 0 for an exact zero, whatever its error."""
    top, bottom = clusters.weighted(ratio.top), clusters.weighted(ratio.bottom)
    squares = np.array([top @ top, top @ bottom, bottom @ bottom])
    whole, over = float(top.sum()), float(bottom.sum())
    if abs(whole - center * over) <= float(tolerance(np.abs(top).max(initial=0.0))):
        return 0.0 if over else float("nan")
    return float(studentize(np.asarray(whole), np.asarray(over), squares, center))


def flip_chance(
    here: Jackknifed, part: int, name: str, value: Value, n_resamples: int, seed: int
) -> Chance | None:
    """Of one value of a part, by turning the signs of what each cluster says of its contrasts (or of itself).

    The contributions are jackknife pseudo-values. A magnitude that folds contrasts is tested by the largest of their
    studentized sizes, all signs turned together. Contrasts between groups of units are tested by the jackknife t, the
    smallest p of several times their number (Bonferroni).
    """
    names = [c for c in value.contrasts if c in here.here] or [name]
    spreads = [here.spreads(contrast)[part] for contrast in names]
    if any(np.isnan(found.error) for found in spreads):
        return None
    units = here.units.names[part]
    said = np.zeros((len(units), len(names)))
    for k, found in enumerate(spreads):
        said[found.units, k] = found.contributions / max(1, len(found.units))
    moves = np.abs(said).max(axis=1, initial=0.0) > 0
    clusters = [c for c, yes in zip(units, moves, strict=True) if yes]
    if not clusters:
        return Chance(0.0 if value.tail == "both" else None, 1.0, 1.0, 1.0)
    said = said[moves]
    sums, is_listed = flipped(said, clusters, n_resamples, seed)
    observed = _flip_sizes(said.sum(axis=0)[np.newaxis], said)
    if value.fold is not None:
        mean: float | None = float(np.mean(value.fold(sums)))
    else:
        mean = 0.0 if value.tail == "both" else None
    if all(
        here.here[contrast].is_between and found.error > 0
        for contrast, found in zip(names, spreads, strict=True)
    ):
        return Chance(mean, min(1.0, len(spreads) * float(min(map(t_test, spreads)))), 0.0, 0.0)
    p, sampled = _share(float(observed[0]), _flip_sizes(sums, said), is_listed=is_listed)
    return Chance(mean, p, 2.0 ** (1 - len(clusters)), sampled)


def flip_test(said: Floats, names: Sequence[str], n_resamples: int, seed: int) -> float:
    """Two-sided p of the sum of what clusters say, (c,), against their signs turned; all ways where they are few."""
    sums, is_listed = flipped(said[:, np.newaxis], names, n_resamples, seed)
    return _share(abs(float(said.sum())), np.abs(sums[:, 0]), is_listed=is_listed)[0]


def _flip_sizes(sums: Floats, said: Floats) -> Floats:
    """Largest studentized size over the contrasts. Shapes: (B, K), (c, K) → (B,)."""
    squares = (said**2).sum(axis=0)
    rest = squares - sums**2 / len(said)
    t = np.abs(sums) / np.sqrt(np.where(rest > TIE * np.maximum(squares, 1e-300), rest, np.nan))
    return largest(np.where(np.isnan(t), np.where(np.abs(sums) > 0, np.inf, 0.0), t))


def _share(observed: float, null: Floats, *, is_listed: bool) -> tuple[float, float]:
    bar = observed - float(tolerance(np.asarray(observed))) if np.isfinite(observed) else observed
    reached = int((null >= bar).sum())
    if is_listed:
        return reached / len(null), 1 / len(null)
    return (1 + reached) / (len(null) + 1), 1 / (len(null) + 1)
