"""Which pictures a result deserves: distributions from its evidence, grids from its slices, systems side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.nouns import Estimate, Floats
from fairbrief.reports import arrangement, numerals, pictures, words
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.result import Result

MOST_SYSTEMS = 6
MOST_VALUES = 12
MOST_CELLS = 150
EDGES = tuple(i / 10 for i in range(22))
"""Tenths of the due share; what is above twice of it falls in the last bin."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture with its heading."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures that are read together, under one caption; ``key`` names the lines, in order of colour."""

    title: str
    caption: str
    panels: tuple[Panel, ...]
    key: tuple[str, ...] = field(default=())


PLACES = ("observation", "measures", "system", "record", "reason")


def draw(result: Result) -> tuple[Figure, ...]:
    """All pictures of a result, distributions first."""
    return (*_shares(result), *_segments(result), *_grids(result), *_forests(result), *_contrasts(result))


def _observations(result: Result, statistics: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """Evidence of each observation that has subscripted columns of all these statistics: over, usable rows."""
    evidence = result.evidence
    names = evidence.column_names
    if not {"observation", "system", "measures"} <= set(names):
        return
    if not all(any(n.startswith(f"{s}[") for n in names) for s in statistics):
        return
    over = {e.measure: e.over for e in result.estimates}
    # Before any row is copied: what these pictures do not show is left behind.
    speaks = tuple(f"{s}[" for s in statistics)
    evidence = evidence.select([n for n in names if n in PLACES or n.startswith((*speaks, "slice."))])
    usable = evidence.filter(pc.is_null(evidence["reason"])) if "reason" in names else evidence
    for observation in pc.unique(usable["observation"]).to_pylist():
        rows = usable.filter(pc.equal(usable["observation"], observation))
        if all(_subscripts(rows, s) for s in statistics):
            readers = rows["measures"][0].as_py()
            yield next((o for measure, o in over.items() if measure in readers), ""), rows


def _subscripts(rows: pa.Table, statistic: str) -> list[str]:
    """The values a statistic speaks of, in these rows."""
    found = [re.fullmatch(rf"{statistic}\[(.*)\]", n, re.DOTALL) for n in rows.column_names]
    return [m[1] for m in found if m and rows[m[0]].null_count < len(rows)]


def _matrix(rows: pa.Table, statistic: str, values: Sequence[str]) -> Floats:
    """Shape (rows, values); what a row lacks is zero."""
    names = [f"{statistic}[{v}]" for v in values]
    absent = np.zeros(len(rows))
    columns = [
        pc.fill_null(rows[n].cast(pa.float64()), 0).to_numpy() if n in rows.column_names else absent
        for n in names
    ]
    return np.stack(columns, axis=1)


def _systems(result: Result, rows: pa.Table) -> list[str]:
    present = pc.unique(rows["system"]).to_pylist()
    named = result.made.get("systems")
    order = [s for s in named if s in present] if isinstance(named, (list, tuple)) else present
    return (order or present)[:MOST_SYSTEMS]


def _normalised(matrix: Floats) -> Floats:
    """Each row as shares of its sum; rows that sum to zero stay zero."""
    sums = matrix.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums > 0)
    return shares


def _shares(result: Result) -> Iterator[Figure]:
    """Per value, how often the summaries give it which part of its share of the sources."""
    for over, rows in _observations(result, ("source", "summary")):
        values = sorted(
            set(_subscripts(rows, "source")), key=lambda v: -float(_matrix(rows, "source", [v]).sum())
        )
        shown, systems = values[:MOST_VALUES], _systems(result, rows)
        parts = {s: rows.filter(pc.equal(rows["system"], s)) for s in systems}
        source = {s: _normalised(_matrix(part, "source", values)) for s, part in parts.items()}
        summary = {s: _normalised(_matrix(part, "summary", values)) for s, part in parts.items()}
        drawn = {
            value: {s: _ratio_shares(source[s][:, i], summary[s][:, i]) for s in systems}
            for i, value in enumerate(shown)
        }
        series = {v: {s: x for s, x in of.items() if x is not None} for v, of in drawn.items()}
        top = max((max(x) for of in series.values() for x in of.values()), default=1.0)
        due = _normalised(_matrix(rows, "source", values))
        panels = [
            _share_panel(v, of, float(due[due[:, i] > 0, i].mean()), top)
            for i, (v, of) in enumerate(series.items())
            if of
        ]
        yield Figure(
            f"What summaries give each value{f' of {over}' if over else ''}",
            "Over the records whose sources hold the value: how the value's share of the summary compares with its share of "
            "the sources. At the dashed line both are equal; to its left the value is heard less in the summary, at 0 not at all. "
            "The last step holds everything above 2." + _cut_note(len(values), len(shown), "values"),
            tuple(panels),
            tuple(systems),
        )


def _share_panel(value: str, series: Mapping[str, Sequence[float]], due: float, top: float) -> Panel:
    alt = f"{value}: summary share as a multiple of source share; " + "; ".join(
        f"{s}: below 0.8 in {sum(x[:8]):.0%} of records, from 1.2 in {sum(x[12:]):.0%}"
        for s, x in series.items()
    )
    svg = pictures.histogram(
        series, EDGES, "summary share ÷ source share", "share of records", alt, mark=1.0, top=top
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


def _segments(result: Result) -> Iterator[Figure]:
    """Where in the text the summaries' content stands, system against reference."""
    found = [rows for _, rows in _observations(result, ("generated",))]
    for rows in sorted(found, key=lambda rows: not _subscripts(rows, "reference")):
        places = sorted(_subscripts(rows, "generated"))
        reference_known = bool(_subscripts(rows, "reference"))
        content: dict[str, tuple[list[float], list[float] | None]] = {}
        for system in _systems(result, rows):
            part = rows.filter(pc.equal(rows["system"], system))
            shares = _pooled(part, "generated", places)
            if len(shares) > 1 and any(shares):
                content[system] = shares, _pooled(part, "reference", places) if reference_known else None
        panels = _segment_panels(content)
        if panels:
            against = "the line, the references' content." if reference_known else "no references were given."
            yield Figure(
                "Where the content of summaries comes from",
                f"The text is cut into equal segments, from its beginning to its end. Bars: the system's content; {against}",
                panels,
            )
            return
    yield from _segments_of_estimates(result)


def _segments_of_estimates(result: Result) -> Iterator[Figure]:
    """The same from the quantities ``share_at[segment]``, where the evidence does not hold segments."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for e in result.estimates:
        match = re.fullmatch(r"share_at\[(.*)\]", e.quantity, re.DOTALL)
        if match and not e.slice and e.value is not None:
            found.setdefault((e.measure, e.system), {})[match[1]] = e.value
    shown = [(key, shares) for key, shares in found.items() if len(shares) > 1][:MOST_SYSTEMS]
    if shown:
        yield Figure(
            "Where the content of summaries comes from",
            "The text is cut into equal segments, from its beginning to its end. Bars: the system's content.",
            _segment_panels(
                {system: ([shares[k] for k in sorted(shares)], None) for (_, system), shares in shown}
            ),
        )


def _pooled(rows: pa.Table, statistic: str, places: Sequence[str]) -> list[float]:
    """Shares of the summed statistic by place."""
    return [float(x) for x in _normalised(_matrix(rows, statistic, places).sum(axis=0, keepdims=True))[0]]


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
    colour = pictures.COLOURS[i % len(pictures.COLOURS)]
    return Panel(system, pictures.segments(shares, reference, alt, colour, top))


def _headlines(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    return (e for e in estimates if words.is_headline(e))


def _grids(result: Result) -> Iterator[Figure]:
    """Headlines sliced by two attributes, one grid per system."""
    found: dict[tuple[str, tuple[str, ...]], dict[str, list[Estimate]]] = {}
    for e in _headlines(result.estimates):
        if len(e.slice) == 2:
            found.setdefault((e.measure, tuple(e.slice)), {}).setdefault(e.system, []).append(e)
    for (measure, (row, column)), systems in found.items():
        panels = []
        for system, members in list(systems.items())[:MOST_SYSTEMS]:
            cells = [
                {"row": e.slice[row], "column": e.slice[column], "value": e.value, "text": _cell(e)}
                for e in sorted(members, key=lambda e: (_natural(e.slice[row]), _natural(e.slice[column])))
            ][:MOST_CELLS]
            cells.sort(key=lambda c: _natural(str(c["column"])))
            alt = f"{measure} of {system} by {row} and {column}: " + "; ".join(
                f"{c['row']}, {c['column']}: {c['text']}" for c in cells[:20]
            )
            panels.append(Panel(system, pictures.heat_map(cells, row, column, alt)))
        caption = "The stronger the colour, the larger the value; a dash is undefined. The intervals stand in the table."
        yield Figure(f"{measure} by {row} and {column}", caption, tuple(panels))


def _cell(e: Estimate) -> str:
    return numerals.ABSENT if e.value is None else numerals.number(e.value, min(numerals.decimals(e), 2))


def _natural(text: str) -> tuple[tuple[int, float, str], ...]:
    """Orders 2 before 10."""
    parts = re.split(r"(\d+)", text)
    return tuple((0, float(p), "") if p.isdigit() and p.isascii() else (1, 0.0, p) for p in parts)


def _forests(result: Result) -> Iterator[Figure]:
    """Systems side by side, one panel per headline that several have."""
    by_measure: dict[str, list[Estimate]] = {}
    for e in _headlines(result.estimates):
        if not e.slice and e.value is not None:
            by_measure.setdefault(e.measure, []).append(e)
    panels = tuple(
        Panel(
            measure,
            pictures.forest([_forest_row(e) for e in members], _forest_alt(members)),
        )
        for measure, members in by_measure.items()
        if len(members) > 1
    )
    if panels:
        caption = "Dot: value. Bar: interval. Upright tick: the system's own chance level."
        yield Figure("Systems side by side", caption, panels)


def _contrasts(result: Result) -> Iterator[Figure]:
    """Where several systems are compared with one: the paired differences, one panel per headline."""
    by_measure: dict[str, list[Estimate]] = {}
    for e in _headlines(result.differences):
        if not e.slice and e.value is not None:
            by_measure.setdefault(e.measure, []).append(e)
    panels = []
    for measure, members in by_measure.items():
        baselines = {e.baseline for e in members}
        if len(members) > 1 and len(baselines) == 1:
            rows = [{**_forest_row(e), "chance": 0.0} for e in members]
            panels.append(
                Panel(f"{measure}, minus {members[0].baseline}", pictures.forest(rows, _forest_alt(members)))
            )
    if panels:
        caption = "Dot: paired difference. Bar: its interval. Upright tick: no difference."
        yield Figure("Differences from one system", caption, tuple(panels))


def _forest_row(e: Estimate) -> Mapping[str, Any]:
    return {"name": e.system, "value": e.value, "low": e.low, "high": e.high, "chance": e.null_mean}


def _forest_alt(members: Sequence[Estimate]) -> str:
    rows = (
        f"{e.system} {numerals.value(e)} {numerals.interval(e)}, chance {numerals.chance(e)}"
        for e in members[:20]
    )
    return shorten(printable(f"{arrangement.label(members[0])}: {'; '.join(rows)}"), 2000)


def _cut_note(all_: int, shown: int, what: str) -> str:
    return f" Shown are the {shown} most frequent of {all_} {what}." if shown < all_ else ""
