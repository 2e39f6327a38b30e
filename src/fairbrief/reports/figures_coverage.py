"""Pictures of coverage: gaps of single records, which values are covered more, and p of single records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairbrief.reports import dots, number_format, pictures, wording
from fairbrief.reports.evidence_rows import MOST_SYSTEMS, Material, Part
from fairbrief.reports.figure_spec import Figure, Panel, even_edges, note_cut, shares_of
from fairbrief.text.counted import counted

P_EDGES = tuple(i / 20 for i in range(21))


def draw(material: Material) -> Iterator[tuple[Figure, str]]:
    """Each figure with the measure that it reads."""
    for measure, part in material.parts_for("gaps"):
        yield _gaps(material, measure, part), measure
    for measure, found in dots.subscripted(material, "differences", "difference"):
        panels, note = dots.panels(found, mark=0.0)
        yield (
            Figure(
                "Which groups get more, and which less",
                f"{material.question(measure)}. Each group against the rest: {wording.name_of(measure)}'s difference[group]. "
                "Dot: estimate. Bar: interval. Upright tick: chance level. To the right of zero a group gets more."
                + note,
                panels,
            ),
            measure,
        )
    for measure, part in material.parts_for("p_values"):
        figure = _p_values(material, part)
        if figure is not None:
            yield figure, measure


def _gaps(material: Material, measure: str, part: Part) -> Figure:
    systems = material.systems(part)
    shown = systems[:MOST_SYSTEMS]
    gaps = {s: part.of(s).column("gap") for s in shown}
    chances = [e.null_mean for s in shown if (e := material.headline(measure, s)) and e.null_mean is not None]
    # A few records of one document a side reach far out; they share the last step.
    reach = max([*chances, *(float(np.quantile(gap, 0.99)) for gap in gaps.values() if len(gap)), 1e-6])
    edges = even_edges(np.array([0.0, reach]))
    shares = {s: shares_of(np.minimum(gap, edges[-1]), edges) for s, gap in gaps.items()}
    top = max(max(x) for x in shares.values())
    panels = []
    for system in shown:
        estimate = material.headline(measure, system)
        chance = None if estimate is None else estimate.null_mean
        told = "" if estimate is None else f"mean {number_format.value(estimate)}"
        if estimate is not None and chance is not None:
            told += f", chance level {number_format.chance(estimate)}"
        half = float(np.median(gaps[system])) if len(gaps[system]) else 0.0
        alt = (
            f"{system}: gaps of {counted(len(gaps[system]), 'record')}, half of them below {half:.3f}; {told}"
        )
        svg = pictures.histogram(
            {system: shares[system]},
            edges,
            "gap of one record",
            "share of records",
            alt,
            mark=chance,
            top=top,
            names=systems,
        )
        panels.append(Panel(f"{system} · {told}" if told else system, svg))
    return Figure(
        f"How unequally single records are covered{_over(material, part)}",
        "The gap between each value's coverage and the record's own mean. At the dashed line stands what the mean of "
        "all gaps is when the labels are exchanged: gaps are never negative, so a mean above zero is no disparity "
        "by itself. The last step holds everything above it." + note_cut(len(shown), len(systems), "systems"),
        tuple(panels),
    )


def _p_values(material: Material, part: Part) -> Figure | None:
    """The p-values of records in which some labelling could have been significant."""
    systems = material.systems(part)
    series, panels = {}, []
    for system in systems[:MOST_SYSTEMS]:
        rows = part.of(system)
        testable = rows.column("testable") > 0
        if testable.any() and "p" in rows.rows.column_names:
            expected = float(rows.column("expected_significant")[testable].sum() / testable.sum())
            series[system] = rows.column("p")[testable], expected
    if not series:
        return None
    shares = {s: shares_of(p, P_EDGES) for s, (p, _) in series.items()}
    top = max(0.06, *(max(x) for x in shares.values()))
    for system, (p, expected) in series.items():
        found = float((p < 0.05).mean())
        told = f"p below 0.05 in {found:.1%}, by chance {expected:.1%}"
        svg = pictures.histogram(
            {system: shares[system]},
            P_EDGES,
            "p of one record",
            "share of records",
            f"{system}: {len(p):,} testable records; {told}",
            level=0.05,
            top=top,
            ticks=(0, 0.2, 0.4, 0.6, 0.8, 1),
            names=systems,
        )
        panels.append(Panel(f"{system} · {told}", svg))
    return Figure(
        f"Single records against their own permuted labels{_over(material, part)}",
        "p of each testable record: how often its own labels, permuted, give as large a gap. If values made no "
        "difference, each step would hold about 5% (dashed). Where a record allows few exchanges its p takes few values, "
        "and those pile up; the share below 0.05 is therefore to be read against its own chance level, named above each "
        "picture." + note_cut(min(len(systems), MOST_SYSTEMS), len(systems), "systems"),
        tuple(panels),
    )


def _over(material: Material, part: Part) -> str:
    over = material.over(part)
    return f" over {over}" if over else ""
