"""Numbers in the cells of a paper's tables."""

from __future__ import annotations

from math import isfinite

ABSENT = "–"


def decimal(number: float | None, digits: int = 3) -> str:
    """So many decimals with a true minus sign; what rounds to zero has none, and what is undefined is a dash.

    >>> decimal(-0.25, 2), decimal(-0.001, 2), decimal(None)
    ('−0.25', '0.00', '–')
    """
    if number is None or not isfinite(number):
        return ABSENT
    return f"{round(number, digits) + 0.0:.{digits}f}".replace("-", "−")
