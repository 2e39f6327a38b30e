"""The values of groups and of their differences, from sums by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from string import Formatter
from typing import Any, ClassVar

import numpy as np

from fairbrief import types as t
from fairbrief.measures.bases import BaseObservation
from fairbrief.statistics import ratio

Weights = Mapping[str, float]
"""By statistic its weight in a sum."""
Summed = str | Weights
"""A statistic, or several with their weights."""
COMPARED: Mapping[str, Any] = {"has_baseline": True, "is_compared": True}
"""The fields of `Value` for a group difference that is compared with random sentences."""
TESTED_BY_T: Mapping[str, Any] = {**COMPARED, "is_tested_by_t": True}
"""The same for one whose label permutations would not preserve its adjustment."""
PRIMARY: Mapping[str, Any] = {**COMPARED, "is_primary": True}
"""The same for a primary group difference."""
SHARE: Mapping[str, Any] = {"is_share": True, "has_baseline": True}
"""The same for a share that random sentences have, too."""


def total_variation(shifts: t.Floats) -> t.Floats:
    """Half the sum of the absolute differences of shares. (…, groups) → (…)."""
    return np.asarray(np.abs(shifts).sum(axis=-1) / 2)


def largest_size(differences: t.Floats) -> t.Floats:
    """The largest absolute difference. (…, differences) → (…)."""
    return np.asarray(np.abs(differences).max(axis=-1))


def stacked(arrays: Iterable[t.Floats], shape: tuple[int, ...]) -> t.Floats:
    """Arrays of this shape, of which there may be none, side by side after one of nan. Shape (…, 1 + arrays)."""
    return np.stack([np.full(shape, np.nan), *arrays], axis=-1)


def largest_of(differences: Mapping[str, t.Value], shape: tuple[int, ...]) -> t.Value:
    """The unsigned score of group differences: the largest absolute one of those with a value somewhere. Its array has ``shape``."""
    defined = tuple(name for name, value in differences.items() if np.isfinite(value.array).any())
    sizes = np.abs(stacked((differences[name].array for name in defined), shape))
    largest = np.fmax.reduce(sizes, axis=-1)
    return t.Value(largest, "upper", contrasts=defined, fold=largest_size, has_baseline=True)


def mean_defined(numbers: t.Floats, least: int = 1) -> t.Floats:
    """The mean of the numbers that are defined; nan if there are fewer than ``least``. (…, numbers) → (…)."""
    is_defined = np.isfinite(numbers)
    many = is_defined.sum(axis=-1).astype(np.float64)
    mean = ratio(np.where(is_defined, numbers, 0.0).sum(axis=-1), many)
    return np.where(many >= least, mean, np.nan)


def mean_size(differences: t.Floats) -> t.Floats:
    """The mean absolute difference, of those that are defined; nan below two. (…, differences) → (…)."""
    return mean_defined(np.abs(differences), least=2)


def mean_of(differences: Mapping[str, t.Value], shape: tuple[int, ...], **special: Any) -> t.Value:
    """The unsigned score of group differences: their mean size. Its array has ``shape``."""
    sizes = mean_size(stacked((value.array for value in differences.values()), shape))
    return t.Value(sizes, "upper", contrasts=tuple(differences), **special)


def mean_of_records(totals: t.Totals, statistic: str, count: str = "one", **special: Any) -> t.Value:
    """An unsigned score that is the mean of a statistic of records."""
    mean = totals.ratio(statistic, count)
    return t.Value(mean, "upper", mean_of=((statistic,), (count,)), **special)


def spread(numbers: Iterable[t.Floats], shape: tuple[int, ...]) -> t.Floats:
    """Largest minus smallest of the numbers that are defined, of this shape; nan below two."""
    every = stacked(numbers, shape)
    difference = np.fmax.reduce(every, axis=-1) - np.fmin.reduce(every, axis=-1)
    return np.where(np.isfinite(every).sum(axis=-1) > 1, difference, np.nan)


def pair_differences(
    mean: Mapping[str, t.Floats],
    count: str = "",
    name: str = "difference[{}−{}]",
    group: str = "{} − {}",
    **special: Any,
) -> dict[str, t.Value]:
    """The difference of each two groups' means.

    ``count`` is the statistic that counts a group's items, if groups are in different units. ``name`` and ``group`` are
    templates for two groups.
    """
    found = {}
    for a, b in combinations(mean, 2):
        counts = ((count, a), (count, b)) if count else ()
        between: dict[str, Any] = {"strata": counts, "present": counts, "is_between": bool(count), **special}
        found[name.format(a, b)] = t.Value(mean[a] - mean[b], "both", group=group.format(a, b), **between)
    return found


def largest_difference(mean: Mapping[str, t.Floats], shape: tuple[int, ...], count: str = "") -> t.Value:
    """First minus second of two groups' means, signed; the largest minus the smallest of more. Its array has ``shape``."""
    pairs = pair_differences(mean, count, **PRIMARY)
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    gap = spread(mean.values(), shape)
    return t.Value(
        gap, "upper" if pairs else "both", contrasts=tuple(pairs), fold=largest_size, has_baseline=True
    )


class ComparesGroups(BaseObservation):
    """An observation with a difference of each group: a weighted sum of the group's statistics, divided by its count."""

    differences: ClassVar[Mapping[str, tuple[Weights, str]]]
    """By name, the weights of the statistics, and the count."""

    def contrasts(self, columns: Sequence[t.Column]) -> Mapping[str, t.Ratio]:
        """The group differences of these columns, by name."""
        return {
            f"{name}[{c[1]}]": t.Ratio(_of_group(weights, c[1]), (((count, c[1]), 1.0),))
            for name, (weights, count) in self.differences.items()
            for c in columns
            if c[0] == count and len(c) == 2
        }

    def differing(
        self, totals: t.Totals, name: str, groups: Sequence[str] = (), **special: Any
    ) -> dict[str, t.Value]:
        """The values of the differences of this name, of some or all groups, in [−1, 1]."""
        weights, count = self.differences[name]
        values: dict[str, t.Value] = {}
        for g in groups or totals.values_of(count):
            own: dict[str, Any] = {"contrasts": (f"{name}[{g}]",), "present": ((count, g),), **special}
            values |= means(totals, weights, count, [g], name, tail="both", limits=t.SHARE_DIFFERENCE, **own)
        return values


def _of_group(weights: Weights, group: str) -> t.Weighted:
    return tuple(((statistic, group), weight) for statistic, weight in weights.items())


def means(
    totals: t.Totals, statistic: Summed, count: str, groups: Sequence[str], name: str = "", **special: Any
) -> dict[str, t.Value]:
    """``statistic[g]``, or ``name[g]``: the sum of a statistic of each group, or of several with weights, divided by a count."""
    weights, name = ({statistic: 1.0}, name or statistic) if isinstance(statistic, str) else (statistic, name)
    values = {}
    for g in groups:
        mean = ratio(totals.weighted(_of_group(weights, g)), totals[count, g])
        values[f"{name}[{g}]"] = t.Value(mean, group=g, **special)
    return values


def described(totals: t.Totals, count: str, words: str) -> str:
    """Each group that has a ``count``, with words about it: ``{name}`` in them is its statistic, ``{name/other}`` a quotient.

    >>> described(t.Totals({("claims", "left"): 0, ("wrong", "left"): 1}, np.array([4.0, 1.0])), "claims", ": {wrong:.0f} of {claims:.0f}")
    'left: 1 of 4'
    """

    def number(name: str, g: str) -> float:
        top, _, bottom = name.partition("/")
        return float(totals.ratio((top, g), (bottom, g)) if bottom else totals[top, g])

    names = [name for _, name, _, _ in Formatter().parse(words) if name]
    groups = [g for g in totals.values_of(count) if totals[count, g] > 0]
    return "; ".join(g + words.format_map({name: number(name, g) for name in names}) for g in groups)


def share(counts: t.Floats) -> t.Floats:
    """Counts divided by their sum over the last axis; nan where the sum is zero."""
    return ratio(counts, counts.sum(axis=-1, keepdims=True))
