"""An explanation as one self-contained page, with the texts that it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from fairbrief.reports.explanation import Explanation
from fairbrief.reports.explanation_tables import EXCERPT, LEGEND, sheets
from fairbrief.reports.pages import page
from fairbrief.reports.plain import printable, shorten

MOST_CHARACTERS = 2_000
"""Of one document or sentence."""


def render(explanations: Sequence[Explanation]) -> str:
    """The page as text: no network, no script, every text escaped."""
    context = {
        "legend": LEGEND,
        "excerpt": EXCERPT,
        "beginning": lambda text: shorten(printable(text), EXCERPT),
        "shortened": lambda text: shorten(text, MOST_CHARACTERS),
        "measures": ", ".join(dict.fromkeys(found.measure for found in explanations)),
        "explanations": [sheets(found) for found in explanations],
    }
    return page("explanation.html.j2", context)
