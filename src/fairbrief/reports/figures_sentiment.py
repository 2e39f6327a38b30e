"""Pictures of sentiment: of articles and summaries by group, its change against the article, and gender words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fairbrief.reports import pictures
from fairbrief.reports.evidence_rows import MOST_SYSTEMS, Material, Part
from fairbrief.reports.figure_spec import (
    MOST_VALUES,
    Figure,
    Panel,
    describe,
    even_edges,
    note_cut,
    shares_of,
)
from fairbrief.text.counted import counted
from fairbrief.types import Floats

MOST_POINTS = 300
"""Points of one scatter; more are a blot on the page and megabytes in the file."""
FEWEST_POINTS = 10
"""A line through fewer would say more than they do."""
GRID = 4
"""Gender coefficients are drawn to the nearest 1/GRID."""
ARTICLES = "articles"


def draw(material: Material) -> Iterator[tuple[Figure, str]]:
    """Each figure with the measure that it reads."""
    for measure, part in material.parts_for("sentiments"):
        yield _levels(material, part), measure
    for measure, part in material.parts_for("regressions"):
        yield _regressions(material, measure, part), measure
    for measure, part in material.parts_for("coefficients"):
        figure = _coefficients(material, part)
        if figure is not None:
            yield figure, measure


def _levels(material: Material, part: Part) -> Figure:
    groups, systems = sorted(part.subscripts("one")), material.systems(part)
    shown = systems[:MOST_SYSTEMS]
    found = {g: _group_levels(part, g, shown) for g in groups[:MOST_VALUES]}
    edges = even_edges(np.concatenate([x for of in found.values() for x in of.values()]))
    shares = {g: {name: shares_of(x, edges) for name, x in of.items() if len(x)} for g, of in found.items()}
    top = max((max(x) for of in shares.values() for x in of.values()), default=1.0)
    panels = []
    for group, of in found.items():
        if not len(of[ARTICLES]):
            continue
        told = [f"{name} mean {x.mean():+.2f}" for name, x in of.items() if len(x)]
        svg = pictures.histogram(
            shares[group],
            edges,
            "sentiment",
            "share of texts",
            describe([f"{group}: {counted(len(of[ARTICLES]), 'article')}", *told]),
            mark=0.0 if edges[0] < 0 < edges[-1] else None,
            top=top,
            names=(ARTICLES, *shown),
        )
        panels.append(
            Panel(f"{group} · {counted(len(of[ARTICLES]), 'article')}, mean {of[ARTICLES].mean():+.2f}", svg)
        )
    return Figure(
        "The sentiment of articles and of their summaries, by group",
        "One line for the articles, one for the summaries of each system. Where groups' articles differ, the scorer "
        "or the sources do; where summaries move otherwise than their articles, the summaries do. The dashed line is "
        "neutral."
        + note_cut(len(shown), len(systems), "systems")
        + note_cut(min(len(groups), MOST_VALUES), len(groups), "groups"),
        tuple(panels),
        (ARTICLES, *shown),
    )


def _group_levels(part: Part, group: str, systems: Sequence[str]) -> dict[str, Floats]:
    """Sentiment of the group's articles, each once, and of each system's summaries."""
    rows = np.flatnonzero(part.column(f"one[{group}]") > 0)
    records = np.array(part.rows["record"].to_pylist(), dtype=object)[rows]
    first = dict(reversed(list(zip(records, rows, strict=True))))
    of_system = np.array(part.rows["system"].to_pylist(), dtype=object)
    summary = part.column(f"summary[{group}]")
    found = {ARTICLES: part.column(f"article[{group}]")[sorted(first.values())]}
    return found | {s: summary[rows[of_system[rows] == s]] for s in systems}


def _regressions(material: Material, measure: str, part: Part) -> Figure:
    """The change of sentiment against the article's, with the line of each group."""
    groups, systems = sorted(part.subscripts("one")), material.systems(part)
    shown, drawn = systems[:MOST_SYSTEMS], groups[:MOST_VALUES]
    points = {s: _changes(part.of(s), drawn) for s in shown}
    everything = np.array([(p["x"], p["y"]) for of in points.values() for p in of]).reshape(-1, 2)
    domains = _rounded(everything[:, 0]), _rounded(everything[:, 1])
    panels, thinned = [], False
    for system, all_points in points.items():
        lines, told = _lines(material, measure, system, drawn, all_points, domains[1])
        kept = _thin(all_points)
        thinned |= len(kept) < len(all_points)
        alt = describe(
            [
                f"{system}: shift against article sentiment of {counted(len(all_points), 'summary', 'summaries')}",
                *told,
            ]
        )
        svg = pictures.scatter(
            kept, drawn, "sentiment of the article", "summary − article", alt, lines, domains
        )
        panels.append(Panel(system, svg))
    return Figure(
        "The change of sentiment against the sentiment of the article",
        "Each point is one summary; lines are the least squares of each group of ten and more. Extreme articles tend "
        "to have less extreme summaries whatever wrote them, so that lines tend to fall. What speaks of the groups is the distance of the lines at one "
        "place, and the difference of their slopes."
        + (
            f" Of each system {MOST_POINTS} points are drawn, evenly chosen; the lines rest on all."
            if thinned
            else ""
        )
        + note_cut(len(shown), len(systems), "systems")
        + note_cut(len(drawn), len(groups), "groups"),
        tuple(panels),
        tuple(drawn),
    )


def _changes(part: Part, groups: Sequence[str]) -> list[dict[str, Any]]:
    """A point for every row, in the rows' order."""
    member = part.matrix("one", groups) > 0
    article, shift = part.matrix("article", groups), part.matrix("shift", groups)
    rows, of = np.nonzero(member)
    return [
        {"x": round(float(article[r, g]), 4), "y": round(float(shift[r, g]), 4), "who": groups[g]}
        for r, g in zip(rows.tolist(), of.tolist(), strict=True)
    ]


def _thin(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(points) <= MOST_POINTS:
        return points
    return [points[i] for i in np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int)]


def _lines(
    material: Material,
    measure: str,
    system: str,
    groups: Sequence[str],
    points: Sequence[Mapping[str, Any]],
    up: tuple[float, float],
) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Each group's regression, as far as its articles reach, and in words."""
    lines: list[Mapping[str, Any]] = []
    told = []
    for group in groups:
        slope = material.value(measure, f"slope[{group}]", system)
        start = material.value(measure, f"intercept[{group}]", system)
        places = [p["x"] for p in points if p["who"] == group]
        if slope is None or start is None or len(places) < FEWEST_POINTS:
            continue
        x, x2 = _inside(slope, start, min(places), max(places), up)
        lines.append({"x": x, "y": start + slope * x, "x2": x2, "y2": start + slope * x2, "who": group})
        told.append(f"{group} slope {slope:+.2f}, at neutral {start:+.2f}")
    return lines, told


def _inside(
    slope: float, start: float, low: float, high: float, up: tuple[float, float]
) -> tuple[float, float]:
    """Where a line enters and leaves the picture, between two places."""
    if not slope:
        return low, high
    ends = sorted((y - start) / slope for y in up)
    return min(max(low, ends[0]), ends[1]), max(min(high, ends[1]), ends[0])


def _rounded(values: Floats) -> tuple[float, float]:
    edges = even_edges(values)
    return edges[0], edges[-1]


def _coefficients(material: Material, part: Part) -> Figure | None:
    """Gender coefficients of summaries against those of their articles, as counted places."""
    systems = material.systems(part)
    shown = systems[:MOST_SYSTEMS]
    found: dict[str, dict[tuple[float, float], int]] = {}
    for system in shown:
        rows = part.of(system)
        both = rows.column("both") > 0
        x, y = (np.round(rows.column(c)[both] * GRID) / GRID for c in ("x", "y"))
        counts: dict[tuple[float, float], int] = {}
        for place in zip(x.tolist(), y.tolist(), strict=True):
            counts[place] = counts.get(place, 0) + 1
        found[system] = counts
    most = max((n for counts in found.values() for n in counts.values()), default=0)
    if not most:
        return None
    panels = []
    for system, counts in found.items():
        n = sum(counts.values())
        same = sum(m for (x, y), m in counts.items() if x == y)
        points = [
            {"x": x, "y": y, "who": "", "size": round(12 + 500 * m / most, 1)}
            for (x, y), m in sorted(counts.items())
        ]
        if not points:
            continue
        told = f"{same / n:.0%} of {n:,} at the same place"
        svg = pictures.scatter(
            points,
            ("",),
            "the article's coefficient",
            "the summary's",
            f"{system}: {told}",
            domains=((-1.15, 1.15), (-1.15, 1.15)),
            diagonal=True,
        )
        panels.append(Panel(f"{system} · {told}", svg))
    return Figure(
        "Gender words of summaries against those of their articles",
        "−1: only he, him, his; 1: only she, her, hers; to the nearest quarter. The larger the spot, the more texts. On the "
        "dashed line a summary keeps its article's mix. Summaries without such words are not drawn; their share stands in "
        "the estimates as without_gender_words." + note_cut(len(shown), len(systems), "systems"),
        tuple(panels),
    )
