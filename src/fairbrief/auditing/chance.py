"""The permutation mean and p of one value: by label permutations, or by sign flips of clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.jackknifed import Jackknifed, Units
from fairbrief.auditing.null_sums import Drawn, contrasts_of, square_columns
from fairbrief.conclusions import FEWEST_IN_A_GROUP, MOST_PERMUTED
from fairbrief.statistics import resampling
from fairbrief.statistics.arrays import TIE, ratio, tolerance
from fairbrief.statistics.jackknife import Spreads
from fairbrief.statistics.resampling import PermutationTest, share_reached
from fairbrief.types import Floats, Integers, Totals, Value

SUMS_TIE = 1e-9
"""The same as `TIE`, for statistics of sums of rounded numbers (`statistics.arrays`)."""


class Permutations:
    """The permutation baselines of parts whose permuted sums have the same columns.

    ``totals`` are the sums of all draws, part by part; ``units`` the real units, of which each part has the same number.
    Each part's result is independent of the other parts.
    """

    def __init__(self, several: Sequence[Drawn], observation: Any, units: Units) -> None:
        sizes = [len(drawn.totals.array) for drawn in several]
        columns = several[0].totals.columns
        self.totals = Totals(columns, np.concatenate([drawn.totals.array for drawn in several]))
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._part = np.repeat(np.arange(len(several)), sizes)
        self._draws = np.stack([drawn.draws for drawn in several]) + self._starts[:, np.newaxis]
        self._times = np.bincount(self._draws.ravel(), minlength=sum(sizes))
        self._reachable = [math.exp(-min(drawn.log_permutations, 700.0)) for drawn in several]
        self._ratios, self._units = contrasts_of(observation, tuple(columns)), units
        self._sizes: dict[tuple[str, bool], tuple[Floats, Floats]] = {}

    def knows(self, value: Value) -> bool:
        """Whether all contrasts that decide the value's test were summed under the permutations."""
        return all(name in self._ratios for name in value.contrasts)

    def chances(self, null: Value | None, value: Value, read: Floats) -> list[PermutationTest | None]:
        """The tests of one value in each part, from the real values ``read`` (parts,) and those of the draws, ``null``.

        None for a part in which no draw defines the value.
        """
        if null is None:
            return [None] * len(read)
        drawn = np.broadcast_to(null.array, len(self._part))
        there, is_both = np.isfinite(drawn), value.tail == "both"
        means = self._means(drawn, there)
        if value.contrasts and self.knows(value):
            each = [self._size(name, is_signed=is_both) for name in value.contrasts]
            observed, sizes = map(np.fmax.reduce, zip(*each, strict=True))
            p, least = self._upper_p(observed, sizes), self._smallest_p(sizes)
        else:
            drawn = np.where(there, drawn, np.nan)
            p, least = self._upper_p(read, drawn), self._smallest_p(drawn)
            if is_both:
                lower, lowest = self._upper_p(-read, -drawn), self._smallest_p(-drawn)
                p, least = (np.minimum(1.0, 2.0 * np.minimum(*two)) for two in ((p, lower), (least, lowest)))
        columns, tails = (means.tolist(), p.tolist(), self._reachable, least.tolist()), 2 if is_both else 1
        return [
            None if math.isnan(mean) else PermutationTest(own, min(1.0, reachable * tails), sampled, mean)
            for mean, own, reachable, sampled in zip(*columns, strict=True)
        ]

    def _means(self, rows: Floats, there: NDArray[np.bool_]) -> Floats:
        """The mean of each part's defined resamples; nan if none is defined."""
        with np.errstate(invalid="ignore"):
            means = np.asarray(rows[self._draws].mean(axis=1))
        for i in np.unique(self._part[~there]).tolist():
            own = self._draws[i][there[self._draws[i]]]
            means[i] = rows[own].mean() if len(own) else np.nan
        return means

    def _count(self, rows: NDArray[np.bool_]) -> Integers:
        """The number of each part's resamples for which ``rows`` is True."""
        return np.asarray(np.add.reduceat(np.where(rows, self._times, 0), self._starts))

    def _upper_p(self, observed: Floats, null: Floats) -> Floats:
        """(1 + #{null ≥ observed}) / (B + 1), among the defined ones; ties count; nan if none is defined. Shapes: (parts,), (rows,)."""
        bar = observed - tolerance(observed, SUMS_TIE)
        reached, defined = self._count(null >= bar[self._part]), self._count(~np.isnan(null))
        return np.where(np.isnan(observed), np.nan, ratio(reached + 1, defined + (defined > 0)))

    def _smallest_p(self, null: Floats) -> Floats:
        """`_upper_p` of the most extreme draw."""
        highest = np.maximum.reduceat(np.where(np.isnan(null), -np.inf, null), self._starts)
        tied = self._count(null >= (highest - tolerance(highest, SUMS_TIE))[self._part])
        defined = self._count(~np.isnan(null))
        return ratio(tied, defined + (defined > 0))

    def _size(self, name: str, *, is_signed: bool) -> tuple[Floats, Floats]:
        """The studentized size of one contrast.

        A group difference is measured from its permutation mean, which need not be 0 (n-grams that several groups share
        favour small groups). The contrasts of an unsigned score are measured from 0, like the score.
        """
        if (name, is_signed) not in self._sizes:
            contrast = self._ratios[name]
            top, bottom = self.totals.weighted(contrast.top), self.totals.weighted(contrast.bottom)
            some = bottom != 0
            center = np.zeros(len(self._starts))
            if is_signed:
                means = self._means(np.divide(top, bottom, out=np.zeros_like(top), where=some), some)
                center = np.where(np.add.reduceat(some, self._starts) > 0, means, 0.0)
            squares = np.stack([self.totals[c] for c in square_columns(name)], axis=-1)
            null = resampling.studentize(top, bottom, squares, center[self._part])
            self._sizes[name, is_signed] = _observed_size(self._units.moments(contrast), center), null
        return self._sizes[name, is_signed]


def _observed_size(moments: Floats, center: Floats) -> Floats:
    """|θ − center| / se of the real labels of each part; 0 for an exact zero, whatever its error. Shape: (parts,).

    ``moments`` (parts, 6) are `Units.moments`. Without a difference in any cluster, θ is 0 without error; a center that is only
    nearly 0, as the mean of some draws, is then not evidence.
    """
    whole, over, *squares, size = np.moveaxis(moments, -1, 0)
    is_zero = (np.abs(whole - center * over) <= tolerance(size)) | (size <= SUMS_TIE)
    zero = np.where(over != 0, 0.0, np.nan)
    return np.where(is_zero, zero, resampling.studentize(whole, over, np.stack(squares, axis=-1), center))


def flip_chance(
    here: Jackknifed, part: int, name: str, value: Value, n_resamples: int, seed: int
) -> PermutationTest | None:
    """The sign-flip test of one value of a part: the signs of its clusters' contributions are flipped at random.

    The contributions are jackknife pseudo-values of the value's group differences, or of the value itself. An unsigned score
    is tested by the largest absolute studentized group difference; all signs of a cluster flip together. Where units are of
    different kinds, few may decide, and where shares are compared, that of a rare group may be 0 by chance: p is at least that of
    the jackknife t. Contrasts between groups of units are tested by `between_chance`: p is the smallest of theirs times their number (Bonferroni).
    """
    names = [c for c in value.contrasts if c in here.here] or [name]
    spreads = [here.spreads(contrast) for contrast in names]
    if any(np.isnan(found.error[part]) for found in spreads):
        return None
    units, mean = here.units.names[part], 0.0 if value.tail == "both" else None
    contributions = np.zeros((len(units), len(names)))
    for k, found in enumerate(spreads):
        own, numbers = found.contributions(part)
        contributions[own, k] = numbers / max(1, len(own))
    moves = np.abs(contributions).max(axis=1, initial=0.0) > 0
    clusters = [c for c, yes in zip(units, moves, strict=True) if yes]
    if not clusters:
        return PermutationTest(1.0, 1.0, 1.0, mean)
    contributions = contributions[moves]
    sums, is_listed = resampling.flipped(contributions, clusters, n_resamples, seed)
    if value.fold is not None:
        mean = float(np.mean(value.fold(sums)))
    if all(here.here[contrast].is_between for contrast in names):
        # The smallest p of differences between large enough groups of clusters, times their number.
        tests = [
            between_chance(found, part, here.items(contrast)[part], units, n_resamples, seed)
            for found, contrast in zip(spreads, names, strict=True)
        ]
        each = [(test.p or 0.0, test.reachable, test.sampled) for test in tests if test is not None]
        least = min(each, key=lambda one: one[0], default=(1.0, 1.0, 1.0))
        p, reachable, sampled = (min(1.0, max(1, len(each)) * x) for x in least)
        return PermutationTest(p, reachable, sampled, mean)
    observed = _flip_sizes(contributions.sum(axis=0)[np.newaxis], contributions)
    p, sampled = share_reached(float(observed[0]), _flip_sizes(sums, contributions), is_listed=is_listed)
    if value.strata or here.here[names[0]].shares:
        p = max(p, min(found.p_by_t(part) for found in spreads))
    return PermutationTest(p, 2.0 ** (1 - len(clusters)), sampled, mean)


def between_chance(
    found: Spreads, i: int, items: Floats, names: Sequence[str], n_resamples: int, seed: int
) -> PermutationTest | None:
    """Test one difference between two groups of clusters; None if one of them has too few to be compared.

    ``items`` (units, 2) is how much each unit has of the two groups. Up to `MOST_PERMUTED` clusters in the smaller group, p is a
    studentized permutation of the groups among clusters; beyond, or where units have both groups, the jackknife t with Satterthwaite's
    degrees of freedom. So it is where all clusters of a group are equal: permuted clusters of the other group, with more items, would
    rarely be. A cluster's influence, with the difference of the groups added back, and its items are permuted together: clusters with
    the same numbers are tied, whatever their group.
    """
    # Also units at the mean of their group, without which the value is the same.
    has = items > 0
    units = np.flatnonzero(has.any(axis=1))
    is_both, first = has[units].all(axis=1), has[units, 0]
    sizes = np.array([first.sum(), (~first).sum()])
    if is_both.any():
        return PermutationTest(found.p_by_t(i), 0.0, 0.0)
    if sizes.min() < FEWEST_IN_A_GROUP:
        return None
    own, whole = items[units].sum(axis=1), items[units].sum(axis=0)
    rest = np.where(first, *whole) - own
    influence = np.where(first, 1, -1) * (found.value[i] - found.left[i, units]) * rest
    widths = [np.ptp(influence[of_group]) for of_group in (first, ~first)]
    if sizes.min() > MOST_PERMUTED or min(widths) <= tolerance(found.value[i]):
        return PermutationTest(found.p_by_t(i), 0.0, 0.0)
    tops = influence + np.where(first, found.value[i], 0.0) * own
    named = [names[k] for k in units.tolist()]
    return resampling.group_permutation(tops, own, first, named, n_resamples, seed)


def flip_test(contributions: Floats, names: Sequence[str], n_resamples: int, seed: int) -> float:
    """Two-sided sign-flip p of the sum of the clusters' contributions, (c,); exact for few clusters."""
    sums, is_listed = resampling.flipped(contributions[:, np.newaxis], names, n_resamples, seed)
    return share_reached(abs(float(contributions.sum())), np.abs(sums[:, 0]), is_listed=is_listed)[0]


def _flip_sizes(sums: Floats, contributions: Floats) -> Floats:
    """Largest studentized size over the contrasts. Shapes: (B, K), (c, K) → (B,)."""
    squares = (contributions**2).sum(axis=0)
    rest = squares - sums**2 / len(contributions)
    t = np.abs(sums) / np.sqrt(np.where(rest > TIE * np.maximum(squares, 1e-300), rest, np.nan))
    return np.asarray(np.where(np.isnan(t), np.where(np.abs(sums) > 0, np.inf, 0.0), t).max(axis=-1))
