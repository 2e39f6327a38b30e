"""Numbers as text: digits follow the uncertainty, a p-value is never zero, an absent number is a dash, ∞ is infinite."""

from __future__ import annotations

from math import floor, isfinite, isinf, isnan, log10

from fairbrief.types import Estimate

ABSENT = "–"
UNDEFINED = "undefined"
MINUS = "−"
INFINITY = "∞"


def decimals(estimate: Estimate) -> int:
    """How many decimals an estimate deserves: two significant digits of half its interval's width.

    Between 1 and 5; 3 where there is no interval, or one without width.
    """
    if estimate.low is None or estimate.high is None:
        return 3
    half = (estimate.high - estimate.low) / 2
    if not isfinite(half) or half <= 0:
        return 3
    return min(max(1 - floor(log10(half)), 1), 5)


def number(value: float | None, places: int = 3) -> str:
    """A number with so many decimals and a true minus sign; a dash where there is none.

    >>> number(-0.5, 1), number(float("-inf")), number(None)
    ('−0.5', '−∞', '–')
    """
    if value is None or isnan(value):
        return ABSENT
    if isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    text = f"{value:,.{places}f}" if abs(value) < 1e7 else f"{value:.{places}e}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def value(estimate: Estimate) -> str:
    """The estimate's value with the digits that its interval allows."""
    return UNDEFINED if estimate.value is None else number(estimate.value, decimals(estimate))


def interval(estimate: Estimate) -> str:
    """``[low, high]``, or a dash."""
    if estimate.low is None or estimate.high is None:
        return ABSENT
    places = decimals(estimate)
    return f"[{number(estimate.low, places)}, {number(estimate.high, places)}]"


def inner_interval(estimate: Estimate) -> str:
    """The interval from resampling the variants inside each seed document, with the value's digits, or a dash."""
    if estimate.low_within is None or estimate.high_within is None:
        return ABSENT
    places = decimals(estimate)
    return f"[{number(estimate.low_within, places)}, {number(estimate.high_within, places)}]"


def chance(estimate: Estimate) -> str:
    """What the measure reads when labels are exchanged, with the value's digits."""
    return number(estimate.permutation_mean, decimals(estimate))


def random_sentences(estimate: Estimate) -> str:
    """What the measure gives for random sentences of the same length, with the value's digits."""
    return number(estimate.extract_baseline, decimals(estimate))


def probability(p: float | None) -> str:
    """A p-value: three decimals, ``<0.001`` below them, a dash where there is none."""
    if p is None or not isfinite(p):
        return ABSENT
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def share(part: float) -> str:
    """A share in per cent with one decimal; one that is there is never 0.

    >>> share(0.208), share(0.0004)
    ('20.8%', 'under 0.1%')
    """
    return "under 0.1%" if 0 < part < 0.0005 else f"{part:.1%}"


def count(n: int) -> str:
    """A whole number with thousands separated."""
    return f"{n:,}"


def signed(value: float | None, places: int = 3) -> str:
    """A difference with its sign; a dash where there is none.

    >>> signed(0.25), signed(-0.25), signed(0.0)
    ('+0.250', '−0.250', '0.000')
    """
    text = number(value, places)
    positive = value is not None and float(f"{value:.{places}f}") > 0
    return f"+{text}" if positive else text
