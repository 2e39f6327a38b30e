"""How many clusters show a difference, and which difference so many show: from a standard error that was seen once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST = 6
"""Fewer clusters show nothing: turning signs gives 2⁵ distinct sizes."""
MOST = 10**12


@dataclass(frozen=True, slots=True)
class Precision:
    """A standard error, the clusters that it was seen in, and the degrees of freedom that they gave its t; or arrays of such.

    In n clusters of the same kind the error is ``error`` · √(clusters / n), and the freedom grows as n does.
    """

    error: Any
    clusters: Any
    freedom: Any

    def freedom_of(self, n: Any) -> Any:
        """The degrees of freedom in n clusters; at least 1."""
        return np.maximum(1.0, (self.freedom + 1) * n / self.clusters - 1)

    def detectable(self, n: Any, alpha: float = 0.05, power: float = 0.8) -> Any:
        """The smallest difference from 0 that n clusters show with this power: (t₁₋α⁄₂ + t_power) · error."""
        from scipy.special import stdtrit

        freedom = self.freedom_of(n)
        quantiles = stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)
        return quantiles * self.error * (self.clusters / n) ** 0.5

    def needed(self, size: float, alpha: float = 0.05, power: float = 0.8) -> int:
        """The fewest clusters that show a difference of ``size`` with this power, at least `FEWEST`; by bisection."""
        few = many = FEWEST
        while self.detectable(many, alpha, power) > size and many < MOST:
            few, many = many, 2 * many
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if self.detectable(middle, alpha, power) <= size else (middle, many)
        return many
