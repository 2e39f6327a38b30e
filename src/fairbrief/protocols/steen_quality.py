"""Steen & Markert's tables of judged quality: 4, 7 and 9, differences with their sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairbrief.protocols.steen_inputs import BALANCED, MONO, ORIGINAL, Kind, Placed, find, of, rows_of, titled
from fairbrief.protocols.steen_scores import cell, number
from fairbrief.types import Estimate, Table

LEVEL, GAP = "judged(", "judged_by_group("
SIGNED = "Differences keep their sign, where the paper prints their size: a folded difference is above zero by noise."


def quality_tables(placed: Sequence[Placed], estimates: Sequence[Estimate]) -> Iterator[Table]:
    """The tables that a judge's scores can fill."""
    kinds = list(dict.fromkeys(p.kind for p in placed if p.design != ORIGINAL))
    by_gender = [k for k in kinds if k.is_by_gender and k.keeps_words and k.last_names != "replaced"]
    for kind in by_gender:
        yield _levels(placed, kind, estimates if len(kinds) == 1 else ())
        yield _gaps(of(placed, kind, MONO), "gender", titled("Table 7"))
    for kind in kinds:
        if kind.genders == "random":
            yield _gaps(of(placed, kind, MONO), "race", titled("Table 9"))


def _levels(placed: Sequence[Placed], kind: Kind, estimates: Sequence[Estimate]) -> Table:
    """Table 4: mean and deviation on either design and on the originals, and how far the designs are from these."""
    mine = [p for p in placed if p.kind == kind or p.design == ORIGINAL]
    lines = []
    for row in rows_of(mine, LEVEL):
        cells = []
        for design in (BALANCED, MONO, ORIGINAL):
            here = [p for p in mine if p.design == design]
            cells += [number(find(here, row, LEVEL, quantity)) for quantity in ("judged", "judged_sd")]
        for design in (BALANCED, MONO):
            wanted = f"difference[{design}−{ORIGINAL}]"
            whole = (e for e in estimates if e.system == row.system and not e.slice and not e.baseline)
            cells.append(
                cell(next((e for e in whole if e.measure.startswith(GAP) and e.quantity == wanted), None))
            )
        lines.append((row.label, *cells))
    return Table(
        titled("Table 4"),
        ("", "balanced", "σ", "mono", "σ", "original", "σ", "balanced − original", "mono − original"),
        tuple(lines),
        (SIGNED,),
    )


def _gaps(placed: Sequence[Placed], over: str, title: str) -> Table:
    """Mean score of each group's summaries, and the signed difference with its interval."""
    start = len("difference[")
    asked = [p for p in placed if p.estimate.measure.startswith(GAP) and p.estimate.over == over]
    pairs = dict.fromkeys(
        p.estimate.quantity[start:-1] for p in asked if p.estimate.quantity.startswith("difference[")
    )
    groups = list(dict.fromkeys(g for pair in pairs for g in pair.split("−")))
    lines = [
        (
            row.label,
            *(number(find(asked, row, GAP, f"mean[{g}]")) for g in groups),
            *(cell(find(asked, row, GAP, f"difference[{pair}]")) for pair in pairs),
        )
        for row in (rows_of(asked, GAP) if pairs else ())
    ]
    return Table(title, ("", *groups, *(pair.replace("−", " − ") for pair in pairs)), tuple(lines), (SIGNED,))
