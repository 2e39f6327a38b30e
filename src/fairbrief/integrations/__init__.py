"""Measures as metrics of other tools: each module imports its tool, and audits all records of an evaluation together.

A single record has no disparity, so no adapter judges one. A record has ``documents`` (a list of texts) and
``groups`` (one per document), or one group for measures that compare records.
"""

from __future__ import annotations

from typing import Any

import fairbrief

SHOWN = ("low", "high", "permutation_mean", "extract_baseline", "p", "family_p")


def numbers(documents: Any, summaries: Any, groups: Any, measure: str, **settings: Any) -> dict[str, float]:
    """The numbers of a `fairbrief.score` of one system: ``uer``, ``uer.p``, ``difference.left.low`` and so on, without absent ones."""
    result: dict[str, float] = {}
    for row in fairbrief.score(documents, summaries, groups, measure=measure, **settings).to_dicts():
        quantity = row["quantity"].replace("[", ".").replace("]", "")  # Inspect prints no brackets
        named = {quantity: row["value"], **{f"{quantity}.{name}": row[name] for name in SHOWN}}
        result |= {name: number for name, number in named.items() if number is not None}
    return result
