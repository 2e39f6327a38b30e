"""How many clusters show a difference, and which difference so many show: from a standard error that was seen once."""

from __future__ import annotations

from dataclasses import dataclass

FEWEST = 6
"""Fewer clusters show nothing: turning signs gives 2⁵ distinct sizes."""
MOST = 10**12


@dataclass(frozen=True, slots=True)
class Precision:
    """A standard error, the clusters that it was seen in, and the degrees of freedom that they gave its t.

    In n clusters of the same kind the error is ``error`` · √(clusters / n), and the freedom grows as n does.
    """

    error: float
    clusters: int
    freedom: float

    def freedom_of(self, n: int) -> float:
        """The degrees of freedom in n clusters; at least 1."""
        return max(1.0, (self.freedom + 1) * n / self.clusters - 1)

    def detectable(self, n: int, alpha: float = 0.05, power: float = 0.8) -> float:
        """The smallest difference from 0 that n clusters show with this power: (t₁₋α⁄₂ + t_power) · error."""
        from scipy.special import stdtrit

        freedom = self.freedom_of(n)
        quantiles = stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)
        return float(quantiles * self.error * (self.clusters / n) ** 0.5)

    def needed(self, size: float, alpha: float = 0.05, power: float = 0.8) -> int:
        """The fewest clusters that show a difference of ``size`` with this power, at least `FEWEST`; by bisection."""
        few = many = FEWEST
        while self.detectable(many, alpha, power) > size and many < MOST:
            few, many = many, 2 * many
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if self.detectable(middle, alpha, power) <= size else (middle, many)
        return many
