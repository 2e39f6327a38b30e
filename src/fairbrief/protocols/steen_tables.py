"""The tables of Steen & Markert under their own numbers, in the paper's order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fairbrief.protocols.steen_counts import count_tables
from fairbrief.protocols.steen_inputs import APART, place
from fairbrief.protocols.steen_quality import quality_tables
from fairbrief.protocols.steen_scores import planted, score_tables
from fairbrief.types import Estimate, Table

COUNTED = "word_list_inclusion(words"
"""The measure by whose counts records outside of all sets are noticed."""
_NOT_SCORES = ("invented_names", "judged")


def tables(estimates: Sequence[Estimate]) -> tuple[Table, ...]:
    """Tables 2 to 9, 12, 16, 17, 19 and 20, as far as there is anything to fill them with; those without number last."""
    placed = place(estimates)
    over = dict.fromkeys(e.over for e in estimates if e.over and not e.measure.startswith(_NOT_SCORES))
    made = [
        planted(placed),
        *score_tables(placed, list(over)),
        *count_tables(placed),
        *quality_tables(placed, estimates),
    ]
    outside = _outside(estimates)
    shown = [replace(t, notes=(*t.notes, *outside)) for t in made if t.rows]
    return tuple(sorted(shown, key=_number))


def _number(table: Table) -> float:
    found = re.match(r"Table (\d+)", table.title)
    if found:
        return int(found[1])
    return 9.2 if table.title.startswith("Section 9.2") else 100


def _outside(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """A note, where records do not say of which set they are although others do."""
    counts = [e for e in estimates if e.measure.startswith(COUNTED) and e.quantity == "word_list_inclusion"]
    for system in dict.fromkeys(e.system for e in counts):
        mine = [e for e in counts if e.system == system and not e.baseline]
        whole = sum(e.n for e in mine if not e.slice)
        parts = [e.n for e in mine if e.slice and set(e.slice) <= set(APART)]
        if parts and sum(parts) < whole:
            return (
                f"Records that do not say how they were built ({whole - sum(parts):,} of {whole:,} units) are in no table.",
            )
    return ()
