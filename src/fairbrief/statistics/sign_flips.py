"""Sums after the signs of whole clusters were turned: what chance makes of clusters that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from fairbrief.statistics.arrays import Floats
from fairbrief.statistics.keyed_random import keys_of, random_flips
from fairbrief.statistics.labellings import EXACT_LIMIT


def flipped(said: Floats, clusters: Sequence[str], n_resamples: int, seed: int) -> tuple[Floats, bool]:
    """Sums of what clusters say, their signs turned or not; and whether all ways are listed.

    All 2^(c−1) ways that differ by more than a common sign are listed up to 10,000; else ``n_resamples`` are drawn, each sign
    by seed, cluster and resample. Shapes: ``said`` (c, K), ``clusters`` (c,) → (ways, K). What a cluster says of several
    contrasts turns together. The sum of squares does not change, so a test of these sums is studentized by itself.
    Source: Fisher, The Design of Experiments (1935), §21; for unequal spread Janssen, JSPI 81 (1999).
    """
    is_listed = 2 ** min(len(said) - 1, 60) <= EXACT_LIMIT
    signs = _all_signs(len(said)) if is_listed else _signs(tuple(clusters), n_resamples, seed)
    return np.asarray(signs @ said), is_listed


@lru_cache(maxsize=16)
def _all_signs(c: int) -> Floats:
    """All distinct ways up to a common sign. Shape (2^(c−1), c)."""
    signs = 1.0 - 2.0 * (np.arange(2 ** max(0, c - 1))[:, np.newaxis] >> np.arange(c) & 1)
    signs.flags.writeable = False
    return np.asarray(signs)


@lru_cache(maxsize=4)
def _signs(clusters: tuple[str, ...], n_resamples: int, seed: int) -> Floats:
    """Random signs. Shape (n_resamples, clusters)."""
    signs = 1.0 - 2.0 * random_flips(keys_of(clusters, seed, "sign flips"), n_resamples).T
    signs.flags.writeable = False
    return np.asarray(signs)
