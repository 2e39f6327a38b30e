"""The values of groups and of their differences, from sums by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from fairbrief import types as t
from fairbrief.measures.bases import BaseObservation
from fairbrief.measures.group_sums import mean_size, spread, stacked
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


def largest_size(differences: t.Floats) -> t.Floats:
    """The largest absolute difference. (…, differences) → (…)."""
    return np.asarray(np.abs(differences).max(axis=-1))


def largest_of(differences: Mapping[str, t.Value], shape: tuple[int, ...]) -> t.Value:
    """The unsigned score of group differences: the largest absolute one of those with a value somewhere. Its array has ``shape``."""
    defined = tuple(name for name, value in differences.items() if np.isfinite(value.array).any())
    sizes = np.abs(stacked((differences[name].array for name in defined), shape))
    largest = np.fmax.reduce(sizes, axis=-1)
    return t.Value(largest, "upper", contrasts=defined, fold=largest_size, has_baseline=True)


def mean_of(differences: Mapping[str, t.Value], shape: tuple[int, ...], **special: Any) -> t.Value:
    """The unsigned score of group differences: their mean size. Its array has ``shape``."""
    sizes = mean_size(stacked((value.array for value in differences.values()), shape))
    return t.Value(sizes, "upper", contrasts=tuple(differences), **special)


def mean_of_records(totals: t.Totals, statistic: str, count: str = "one", **special: Any) -> t.Value:
    """An unsigned score that is the mean of a statistic of records."""
    mean = totals.ratio(statistic, count)
    return t.Value(mean, "upper", mean_of=((statistic,), (count,)), **special)


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
        of_both = (mean[a], mean[b]) if count else ()
        between: dict[str, Any] = {"strata": counts, "present": counts, "is_between": bool(count), **special}
        found[name.format(a, b)] = t.Value(
            mean[a] - mean[b], "both", group=group.format(a, b), groups=of_both, **between
        )
    return found


def largest_difference(mean: Mapping[str, t.Floats], shape: tuple[int, ...], count: str = "") -> t.Value:
    """First minus second of two groups' means, signed; the largest minus the smallest of more. Its array has ``shape``."""
    pairs = pair_differences(mean, count, **PRIMARY)
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    gap = spread(mean.values(), shape)
    fold: dict[str, Any] = {"contrasts": tuple(pairs), "fold": largest_size, "has_baseline": True}
    return t.Value(gap, "upper" if pairs else "both", **fold)


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
