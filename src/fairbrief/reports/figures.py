"""Which pictures a result deserves: distributions from its evidence, grids from its slices, systems side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fairbrief.reports import (
    canvas,
    dots,
    evidence_rows,
    figures_coverage,
    figures_people,
    figures_quality,
    figures_sentiment,
    number_format,
    pictures,
    row_pictures,
    wording,
)
from fairbrief.reports.evidence_rows import MOST_SYSTEMS, Material, Part
from fairbrief.reports.figure_spec import MOST_VALUES, Figure, Panel, describe, note_cut, with_own_titles
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Floats

MOST_CELLS = 150
MOST_ROWS = 24
"""Systems of one forest."""
EDGES = tuple(i / 10 for i in range(22))
"""Tenths of the due share; what is above twice of it falls in the last bin."""
KINDS = (
    "kept_shares",  # per group, which part of its share of the sources summaries keep: source[g], summary[g]
    "segments",  # where in the text summaries draw on it: generated[k], reference[k]
    "gaps",  # how unequally single records are covered: gap, with the headline's chance level
    "p_values",  # of single records: p, where testable
    "differences",  # dots of the estimates difference[g]
    "identifying_words",  # dots of summary_share[g] against source_share[g]
    "inclusion",  # dots of inclusion[g]
    "odds",  # dots of log_odds[a/b]
    "invented_people",  # invented[g] and unknown
    "invented_names",  # name[n]
    "accuracies",  # score of each original
    "sentiments",  # article and summary by group
    "regressions",  # the summary's shift on the article, by group
    "coefficients",  # x and y of texts with gender words
    "quality",  # the axis that disparities are drawn against
)
"""Figures that a measure may declare, and what of its evidence or estimates each reads."""


def draw(result: Result) -> tuple[Figure, ...]:
    """All pictures of a result, distributions first."""
    material = evidence_rows.gather(result)
    return with_own_titles(
        (
            *_shares(material),
            *figures_coverage.draw(material),
            *_segments(material),
            *figures_people.draw(material),
            *figures_sentiment.draw(material),
            *_grids(result),
            *_forests(material),
            *_contrasts(result),
            *figures_quality.draw(material),
        )
    )


def _normalised(matrix: Floats) -> Floats:
    """Each row as shares of its sum; rows that sum to zero stay zero."""
    sums = matrix.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums > 0)
    return shares


def _shares(material: Material) -> Iterator[tuple[Figure, str]]:
    """Per value, how often the summaries give it which part of its share of the sources."""
    for _, part in material.parts_for("kept_shares"):
        values = part.subscripts("source")
        if not (values and part.subscripts("summary")):
            continue
        over, systems = material.over(part), material.systems(part)
        values.sort(key=lambda v: (-float(part.column(f"source[{v}]").sum()), v))
        shown, drawn = values[:MOST_VALUES], systems[:MOST_SYSTEMS]
        parts = {s: part.of(s) for s in drawn}
        source = {s: _normalised(rows.matrix("source", values)) for s, rows in parts.items()}
        summary = {s: _normalised(rows.matrix("summary", values)) for s, rows in parts.items()}
        found = {
            value: {s: _ratio_shares(source[s][:, i], summary[s][:, i]) for s in drawn}
            for i, value in enumerate(shown)
        }
        series = {v: {s: x for s, x in of.items() if x is not None} for v, of in found.items()}
        top = max((max(x) for of in series.values() for x in of.values()), default=1.0)
        due = _normalised(part.matrix("source", values))
        panels = [
            _share_panel(v, of, float(due[due[:, i] > 0, i].mean()), top, drawn)
            for i, (v, of) in enumerate(series.items())
            if of
        ]
        yield (
            Figure(
                f"What summaries give each value{f' of {over}' if over else ''}",
                "Over the records whose sources hold the value: how the value's share of the summary compares with its share of "
                "the sources. At the dashed line both are equal; to its left the value is heard less in the summary, at 0 not at all. "
                "The last step holds everything above 2."
                + note_cut(len(shown), len(values), "values", "most frequent")
                + note_cut(len(drawn), len(systems), "systems"),
                tuple(panels),
                tuple(drawn),
            ),
            part.measures[0],
        )


def _share_panel(
    value: str, series: Mapping[str, Sequence[float]], due: float, top: float, names: Sequence[str]
) -> Panel:
    alt = f"{value}: summary share as a multiple of source share; " + "; ".join(
        f"{s}: below 0.8 in {sum(x[:8]):.0%} of records, from 1.2 in {sum(x[12:]):.0%}"
        for s, x in series.items()
    )
    svg = pictures.histogram(
        series,
        EDGES,
        "summary share ÷ source share",
        "share of records",
        alt,
        mark=1.0,
        top=top,
        ticks=(0, 0.5, 1, 1.5, 2),
        names=names,
    )
    return Panel(f"{value} · {due:.0%} of the source on average", svg)


def _ratio_shares(source: Floats, summary: Floats) -> list[float] | None:
    """Share of records in each bin of summary ÷ source; None where no source holds the value."""
    held = source > 0
    if not held.any():
        return None
    ratio = np.minimum(np.round(summary[held] / source[held], 9), EDGES[-2])
    counts, _ = np.histogram(ratio, bins=np.asarray(EDGES))
    return [float(share) for share in counts / held.sum()]


def _segments(material: Material) -> Iterator[tuple[Figure, str]]:
    """Where in the text the summaries' content stands, system against reference."""
    found = [part for _, part in material.parts_for("segments") if part.subscripts("generated")]
    for part in sorted(found, key=lambda part: not part.subscripts("reference")):
        places = sorted(part.subscripts("generated"))
        reference_known = bool(part.subscripts("reference"))
        content: dict[str, tuple[list[float], list[float] | None]] = {}
        systems = material.systems(part)
        for system in systems[:MOST_SYSTEMS]:
            rows = part.of(system)
            shares = _pooled(rows, "generated", places)
            if len(shares) > 1 and any(shares):
                content[system] = shares, _pooled(rows, "reference", places) if reference_known else None
        panels = _segment_panels(content)
        if panels:
            against = "the line, the references' content." if reference_known else "no references were given."
            yield (
                Figure(
                    "Where the content of summaries comes from",
                    f"The text is cut into equal segments, from its beginning to its end. Bars: the system's content; {against}"
                    + note_cut(min(len(systems), MOST_SYSTEMS), len(systems), "systems"),
                    panels,
                ),
                part.measures[0],
            )
            return


def _pooled(part: Part, statistic: str, places: Sequence[str]) -> list[float]:
    """Shares of the summed statistic by place."""
    return [float(x) for x in _normalised(part.sums(statistic, places)[np.newaxis])[0]]


def _segment_panels(content: Mapping[str, tuple[list[float], list[float] | None]]) -> tuple[Panel, ...]:
    top = max((max(*own, *(reference or ())) for own, reference in content.values()), default=1.0)
    return tuple(
        _segment_panel(s, own, reference, i, top) for i, (s, (own, reference)) in enumerate(content.items())
    )


def _segment_panel(
    system: str, shares: list[float], reference: list[float] | None, i: int, top: float
) -> Panel:
    alt = f"{system}: first segment {shares[0]:.0%}, last {shares[-1]:.0%} of the content"
    if reference is not None:
        alt += f"; references: first {reference[0]:.0%}, last {reference[-1]:.0%}"
    colour = canvas.COLOURS[i % len(canvas.COLOURS)]
    return Panel(system, pictures.segments(shares, reference, alt, colour, top))


def _grids(result: Result) -> Iterator[tuple[Figure, str]]:
    """Headlines sliced by two attributes, one grid per system."""
    found: dict[tuple[str, tuple[str, ...]], dict[str, list[Estimate]]] = {}
    for e in result.estimates:
        if len(e.slice) == 2 and wording.is_headline(e):
            found.setdefault((e.measure, tuple(e.slice)), {}).setdefault(e.system, []).append(e)
    for (measure, (row, column)), systems in found.items():
        panels, most = [], 0
        for system, members in list(systems.items())[:MOST_SYSTEMS]:
            most = max(most, len(members))
            cells = [
                {"row": e.slice[row], "column": e.slice[column], "value": e.value, "text": _cell(e)}
                for e in sorted(members, key=lambda e: (_natural(e.slice[row]), _natural(e.slice[column])))
            ][:MOST_CELLS]
            cells.sort(key=lambda c: _natural(str(c["column"])))
            alt = f"{measure} of {system} by {row} and {column}: " + "; ".join(
                f"{c['row']}, {c['column']}: {c['text']}" for c in cells[:20]
            )
            panels.append(Panel(system, row_pictures.heat_map(cells, row, column, alt)))
        caption = "The stronger the colour, the larger the value; a dash is undefined. The intervals stand in the table."
        caption += note_cut(min(most, MOST_CELLS), most, "cells of each grid")
        caption += note_cut(len(panels), len(systems), "systems")
        yield Figure(f"{measure} by {row} and {column}", caption, tuple(panels)), measure


def _cell(e: Estimate) -> str:
    return (
        number_format.ABSENT
        if e.value is None
        else number_format.number(e.value, min(number_format.decimals(e), 2))
    )


def _natural(text: str) -> tuple[tuple[int, float, str], ...]:
    """Orders 2 before 10."""
    parts = re.split(r"(\d+)", text)
    return tuple((0, float(p), "") if p.isdigit() and p.isascii() else (1, 0.0, p) for p in parts)


def _forests(material: Material) -> Iterator[tuple[Figure, str]]:
    """Systems side by side, one panel per headline that several have."""
    by_measure: dict[str, list[Estimate]] = {}
    for e in material.estimates.values():
        if wording.is_headline(e) and e.value is not None:
            by_measure.setdefault(e.measure, []).append(e)
    panels, most = [], 0
    for measure, members in by_measure.items():
        if len(members) > 1:
            most = max(most, len(members))
            shown = members[:MOST_ROWS]
            rows = [dots.row_of(e, e.system) for e in shown]
            alt = describe([f"{measure}: {dots.say(rows, shown)}"])
            panels.append(Panel(measure, row_pictures.forest(rows, alt)))
    if panels:
        caption = "Dot: value. Bar: interval. Upright tick: the system's own chance level."
        caption += note_cut(min(most, MOST_ROWS), most, "systems")
        yield Figure("Systems side by side", caption, tuple(panels)), ""


def _contrasts(result: Result) -> Iterator[tuple[Figure, str]]:
    """Where several systems are compared with one: the paired differences, one panel per quantity that is tested."""
    by_quantity: dict[str, list[Estimate]] = {}
    for e in map(wording.from_random, result.differences):
        is_tested = e.leads or (wording.is_headline(e) and e.p is not None)
        if is_tested and not e.slice and e.value is not None:
            quantity = "" if wording.is_headline(e) else f": {e.quantity}"
            by_quantity.setdefault(f"{e.measure}{quantity}", []).append(e)
    panels, most = [], 0
    for measure, members in by_quantity.items():
        if len(members) > 1 and len({e.baseline for e in members}) == 1:
            most = max(most, len(members))
            shown = members[:MOST_ROWS]
            rows = [{**dots.row_of(e, e.system), "chance": 0.0} for e in shown]
            alt = describe([f"{measure}: {dots.say(rows, shown)}"])
            panels.append(Panel(f"{measure}, minus {members[0].baseline}", row_pictures.forest(rows, alt)))
    if panels:
        caption = "Dot: paired difference. Bar: its interval. Upright tick: no difference."
        caption += note_cut(min(most, MOST_ROWS), most, "systems")
        yield Figure("Differences from one system", caption, tuple(panels)), ""
