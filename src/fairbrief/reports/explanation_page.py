"""An explanation as one self-contained page, with the texts that it speaks of."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from fairbrief.reports.explanation import Explanation
from fairbrief.reports.explanation_sheets import EXCERPT, LEGEND, sheets
from fairbrief.reports.plain import printable, shorten

MOST_CHARACTERS = 2_000
"""Of one document or sentence."""


def render(explanations: Sequence[Explanation]) -> str:
    """The page as text: no network, no script, every text escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("fairbrief.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value, lines=True) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shortened"] = lambda text: shorten(text, MOST_CHARACTERS)
    environment.filters["beginning"] = lambda text: shorten(printable(text), EXCERPT)
    style = PackageLoader("fairbrief.reports").get_source(environment, "report.css")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("explanation.html.j2").render(
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=digest,
        legend=LEGEND,
        excerpt=EXCERPT,
        measures=", ".join(dict.fromkeys(found.measure for found in explanations)),
        explanations=[sheets(found) for found in explanations],
    )
