"""Several tests at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that the chance of *any* false alarm stays at α.

    The i-th smallest of m is multiplied by m − i + 1; adjusted values do not decrease, and are at
    most 1. None (not tested) stays None and does not count among the m.
    Source: Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    tested = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    floor = 0.0
    for rank, (p, place) in enumerate(tested):
        floor = max(floor, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = floor
    return adjusted
