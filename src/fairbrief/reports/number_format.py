"""Numbers as text: digits by uncertainty, no p-value of zero, no negative zero, ∞, and a dash for an absent number."""

from __future__ import annotations

from math import floor, inf, isfinite, isinf, isnan, log10

from fairbrief.types import Estimate

ABSENT = "–"
UNDEFINED = "undefined"
MINUS = "−"
INFINITY = "∞"


def decimals(estimate: Estimate) -> int:
    """The number of decimals of an estimate: two significant digits of half its interval's width.

    Between 1 and 5; 3 where there is no interval, or one without width.
    """
    low, high = estimate.low, estimate.high
    half = 0.0 if low is None or high is None else (high - low) / 2
    return min(max(1 - floor(log10(half)), 1), 5) if 0 < half < inf else 3


def number(value: float | None, places: int = 3) -> str:
    """A number with ``places`` decimals and a minus sign; a dash for None.

    >>> number(-0.5, 1), number(float("-inf")), number(None)
    ('−0.5', '−∞', '–')
    """
    if value is None or isnan(value):
        return ABSENT
    if isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    text = f"{value:z,.{places}f}" if abs(value) < 1e7 else f"{value:.{places}e}"
    return text.replace("-", MINUS)


def value(estimate: Estimate) -> str:
    """The estimate's value with the number of `decimals`; the p of a fit (``slope_p[female]``) as any `probability`."""
    if estimate.value is None:
        return UNDEFINED
    is_p = estimate.quantity.partition("[")[0].endswith("_p")
    return probability(estimate.value) if is_p else number(estimate.value, decimals(estimate))


def interval(estimate: Estimate) -> str:
    """``[low, high]``, or a dash."""
    return bounds(estimate.low, estimate.high, decimals(estimate))


def bounds(low: float | None, high: float | None, places: int) -> str:
    """An interval with ``places`` decimals; a dash if it lacks a bound."""
    return ABSENT if low is None or high is None else f"[{number(low, places)}, {number(high, places)}]"


def chance(estimate: Estimate) -> str:
    """The mean over label permutations, with the value's number of decimals."""
    return number(estimate.permutation_mean, decimals(estimate))


def random_sentences(estimate: Estimate) -> str:
    """The value of random sentences of the same length, with the value's number of decimals."""
    return number(estimate.extract_baseline, decimals(estimate))


def probability(p: float | None) -> str:
    """A p-value with three decimals; ``<0.001`` for smaller ones, a dash for None."""
    if p is None or not isfinite(p):
        return ABSENT
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def signed(value: float | None, places: int = 3) -> str:
    """A difference with its sign; a dash for None.

    >>> signed(0.25), signed(-0.25), signed(0.0)
    ('+0.250', '−0.250', '0.000')
    """
    text = number(value, places)
    positive = value is not None and float(f"{value:.{places}f}") > 0
    return f"+{text}" if positive else text
