"""An experiment on one page: what was done, the grid in small multiples, the tables, the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.reports.junit import Check
from fairbrief.reports.pages import page
from fairbrief.reports.result import Result
from fairbrief.reports.small_multiples import small_multiples
from fairbrief.reports.tabular import left_out_table, made_lines

SHOWN_ELSEWHERE = ("sweep", "experiment", "systems", "attributes", "measures")
"""What of ``made`` the page shows in its own words, or the report of the audit behind it."""


def render(
    title: str,
    about: str,
    source: str,
    steps: Sequence[tuple[str, str, str]],
    rows: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    result: Result,
    checks: Sequence[Check],
) -> str:
    """The page as text: no network, no script, every text escaped.

    ``steps`` are name, place and what was done; ``rows`` are the tidy rows of the experiment along ``axes``.
    """
    told = {
        "title": title,
        "about": about,
        "source": source,
        "steps": steps,
        "axes": [
            (axis, list(dict.fromkeys(str(r[axis]) for r in rows if r[axis] is not None))) for axis in axes
        ],
        "figures": small_multiples(rows, axes),
        "tables": [*result.tables, *filter(None, [left_out_table(result)])],
        "checks": checks,
        "made": [line for line in made_lines(result.made) if line[0] not in SHOWN_ELSEWHERE],
    }
    return page("experiment.html.j2", told, {})
