"""Statistics of whole arrays of records, and their intervals from resampling records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.reports.number_format import number
from fairbrief.statistics import Bootstrap, percentile_interval
from fairbrief.types import Floats

BLOCK = 4_000_000
"""Numbers held at once while resampling."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the interval from resampling; ``value`` is None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        bounds = f" [{number(self.low, 2)}, {number(self.high, 2)}]" if self.low is not None else ""
        return f"{number(self.value, 2)}{bounds}"


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: percentiles over ``n_resamples`` draws of records with replacement; none where that is 0."""

    n_resamples: int = 2000
    seed: int = 0
    confidence_level: float = 0.95

    def bootstrap(self, records: int) -> Bootstrap | None:
        """The draws; None where there is one record only, or no draw is asked for."""
        return Bootstrap(records, self.n_resamples, self.seed) if records > 1 and self.n_resamples else None

    def interval(self, point: float, drawn: Floats | None = None) -> Interval:
        """A value and the percentile interval of its resamples; no interval where most are undefined."""
        if not np.isfinite(point):
            return Interval(None)
        if drawn is None:
            return Interval(point)
        low, high, undefined = (float(x) for x in percentile_interval(drawn, self.confidence_level))
        if not (np.isfinite(low) and np.isfinite(high)) or undefined > 0.5:
            return Interval(point)
        return Interval(point, low, high)

    def intervals(
        self, statistic: Callable[..., Sequence[Floats]], arrays: Sequence[Floats]
    ) -> list[Interval]:
        """Each of a statistic's values with its interval.

        ``arrays`` share their first axis, the records: (n, …). ``statistic`` takes them with any leading
        axes, (…, n, …), and gives arrays of the leading shape; nan where undefined.
        """
        points = [float(p) for p in statistic(*arrays)]
        bootstrap = self.bootstrap(len(arrays[0]))
        if bootstrap is None:
            return [self.interval(point) for point in points]
        step = max(1, BLOCK // max(1, sum(a.size for a in arrays)))
        blocks = []
        for weights in bootstrap.weights():
            for start in range(0, len(weights), step):
                drawn = np.stack([np.repeat(np.arange(len(w)), w) for w in weights[start : start + step]])
                blocks.append(np.stack(list(statistic(*(a[drawn] for a in arrays)))))
        found = np.concatenate(blocks, axis=1)
        return [self.interval(point, drawn) for point, drawn in zip(points, found, strict=True)]
