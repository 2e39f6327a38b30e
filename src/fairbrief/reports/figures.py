"""The figures of a result: distributions behind the estimates, from the per-record statistics, and grids of subgroups.

The estimates themselves are drawn in the first screen and in the rows of their tables. All kinds share the material and the
histograms, so they are in one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, floor, isfinite
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.reports import number_format, plot, wording
from fairbrief.reports.frames import plain_numbers, rows_with, usable
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.plot import INK, Axis, Bounds, Box, Dot, Line, Mark, Words
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Floats

MOST_SYSTEMS = 6
"""More lines could not be distinguished."""
MOST_VALUES = 12
"""Panels of values."""
MOST_CELLS = 150
MOST_POINTS = 300
"""Points of one scatter; more would overlap and take megabytes."""
FEWEST_POINTS = 10
"""Fewer points do not determine a line."""
RATIO_EDGES = tuple(i / 10 for i in range(22))
"""Tenths of the expected share; the last bin has everything above twice that share."""
COEFFICIENT_STEPS = 4
"""Gender coefficients are drawn to the nearest quarter."""
ARTICLES = "articles"

T = TypeVar("T")
Key = tuple[tuple[str, str], ...]
"""Names of lines, each with the class of its colour."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture with its heading."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures under one caption; ``key`` has the names of the lines, each with the class of its colour."""

    title: str
    caption: str
    panels: tuple[Panel, ...]
    key: Key = field(default=())


@dataclass(frozen=True, slots=True)
class Part:
    """The usable rows of one observation, with the columns that a figure needs, and the spec of one of its measures."""

    measure: str
    rows: pa.Table

    def subscripts(self, statistic: str) -> list[str]:
        """The values for which a statistic is known, in the order of the columns."""
        pattern = re.compile(rf"{re.escape(statistic)}\[(.*)\]", re.DOTALL)
        return [match[1] for name in self.rows.column_names if (match := pattern.fullmatch(name))]

    def column(self, name: str) -> Floats:
        """One column as numbers; zero where a row has none."""
        if name not in self.rows.column_names:
            return np.zeros(len(self.rows))
        return plain_numbers(self.rows[name].cast(pa.float64()))

    def matrix(self, statistic: str, values: Sequence[str]) -> Floats:
        """Shape (rows, values); zero where a row has none."""
        found = np.zeros((len(self.rows), len(values)))
        for i, value in enumerate(values):
            found[:, i] = self.column(f"{statistic}[{value}]")
        return found

    def of(self, system: str) -> Part:
        """The rows of one system."""
        return Part(self.measure, rows_with(self.rows, "system", system))


@dataclass(frozen=True, slots=True)
class Material:
    """The material of figures: the per-record statistics, and the estimates on all records."""

    result: Result
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By measure, quantity and system."""

    def parts(self, figure: str, statistics: Sequence[str]) -> Iterator[Part]:
        """The part of each observation of which a measure declares a figure; with the first such measure."""
        declaring: dict[str, str] = {}
        for measure, observation in self.result.rows.measures().items():
            if figure in wording.declared(measure, self.result.made).figures:
                declaring.setdefault(observation, measure)
        wanted = {"system", "record", "reason", *statistics}
        for observation, measure in declaring.items():
            rows = usable(self.result.rows.of(observation, lambda name: name.partition("[")[0] in wanted))
            if len(rows):
                held = [name for name in rows.column_names if rows[name].null_count < len(rows)]
                yield Part(measure, rows.select(held))

    def value(self, measure: str, quantity: str, system: str) -> float | None:
        """An estimate's value on all records; None if there is none."""
        estimate = self.estimates.get((measure, quantity, system))
        return None if estimate is None else estimate.value

    def main_value(self, part: Part, system: str) -> Estimate | None:
        """A measure's main value for one system on all records."""
        return self.estimates.get((part.measure, wording.name_of(part.measure), system))

    def by(self, part: Part) -> str:
        """`` by ATTRIBUTE`` of the groups that a part's measure compares; "" if it has none."""
        over = next((e.over for (measure, _, _), e in self.estimates.items() if measure == part.measure), "")
        return f" by {over}" if over else ""

    def systems(self, part: Part) -> tuple[list[str], str]:
        """The first systems of a part, in the order of the audit, and a note for the caption if there are more."""
        present = pc.unique(part.rows["system"]).to_pylist()
        audited = [s for s in self.result.all_systems if s in present]
        return first_of(list(dict.fromkeys([*audited, *present])), MOST_SYSTEMS, "systems")

    def colour(self, system: str) -> str:
        """The colour of a system, the same in all figures."""
        return plot.colour_of(self.result.all_systems, system)

    def key(self, systems: Sequence[str]) -> Key:
        """The systems with the classes of their colours."""
        return plot.key_of(self.result.all_systems, systems)


def draw(result: Result) -> tuple[Figure, ...]:
    """All figures of a result that have a panel: those that its measures declare, then grids of subgroups.

    A figure whose title is taken already, e.g. of another version of the same measure, has the measure in its title.
    """
    estimates = {(e.measure, e.quantity, e.system): e for e in result.estimates if not e.subgroup}
    material = Material(result, estimates)
    drawn = (
        (kind(material, part), part.measure)
        for name, (statistics, kind) in KINDS.items()
        for part in material.parts(name, statistics)
    )
    figures: dict[str, Figure] = {}
    for figure, measure in (*drawn, *_grids(material)):
        if figure.panels:
            title = f"{figure.title}: {measure}" if figure.title in figures else figure.title
            figures[title] = replace(figure, title=title)
    return tuple(figures.values())


def first_of(things: Sequence[T], most: int, what: str, which: str = "first") -> tuple[list[T], str]:
    """The first ``most`` things, and the sentence of the caption if there are more."""
    note = f" Only the {which} {most} of {len(things)} {what} are shown." if most < len(things) else ""
    return list(things[:most]), note


def describe(parts: Iterable[str]) -> str:
    """Texts for screen readers, joined and shortened."""
    return shorten(printable("; ".join(parts)), 2000)


def even_edges(values: Floats) -> tuple[float, ...]:
    """Edges of about twenty bins of a round width that contain all values."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    step = plot.step_of(low, high, 20)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(round(i * step, 10) for i in range(first, last + 1))


def shares_of(values: Floats, edges: Sequence[float]) -> list[float]:
    """The share of the values in each bin; a value on an edge (after rounding) belongs to the bin above."""
    counts, _ = np.histogram(np.round(values, 9), bins=np.asarray(edges))
    return [float(share) for share in counts / max(len(values), 1)]


# ------------------------------------------------------------------------------------------ histograms


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of one panel by line, and a marked value of the axis."""

    title: str
    alt: str
    values: Mapping[str, Floats]
    mark: float | None = None


def _histograms(
    material: Material,
    panels: Iterable[Distribution],
    edges: Sequence[float],
    x: str,
    y: str,
    ticks: Sequence[float] | None = None,
) -> tuple[Panel, ...]:
    """Stepped lines over common bins and axes; a system has one colour in all panels."""
    names, panels = material.result.all_systems, list(panels)
    shares = [{name: shares_of(v, edges) for name, v in p.values.items() if len(v)} for p in panels]
    top = max((max(s) for several in shares for s in several.values()), default=0.0) or 1.0
    across = Axis.of_numbers((edges[0], edges[-1]), x, ticks=ticks)
    up = Axis.of_numbers(plot.domain([0.0, top], 4), y, 4, percent=True)
    made = []
    for panel, several in zip(panels, shares, strict=True):
        marks: list[Mark] = [] if panel.mark is None else [plot.upright(panel.mark)]
        for name, heights in several.items():
            dash = plot.dash_of(names, name) if len(several) > 1 else None
            marks.append(plot.steps(edges, heights, plot.colour_of(names, name), dash))
        made.append(Panel(panel.title, plot.drawn(panel.alt, across, up, marks)))
    return tuple(made)


def _by_system(
    material: Material, part: Part, values: Mapping[str, Floats], what: Callable[[Floats], str]
) -> Iterator[Distribution]:
    """A panel per system with the mean of the measure, marked at its permutation mean."""
    for system, numbers in values.items():
        e = material.main_value(part, system)
        chance = None if e is None else e.permutation_mean
        mean = "" if e is None else f"mean {number_format.value(e)}"
        if e is not None and chance is not None:
            mean += f", permutation mean {number_format.chance(e)}"
        title = f"{system} · {mean}" if mean else system
        yield Distribution(title, f"{system}: {what(numbers)}; {mean}", {system: numbers}, chance)


def _normalised(matrix: Floats) -> Floats:
    """Each row as shares of its sum; rows whose sum is zero stay zero."""
    sums = matrix.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums > 0)
    return shares


def _kept_shares(material: Material, part: Part) -> Figure:
    """Per group, its share of the summary as a multiple of its share of the sources."""
    values = part.subscripts("source") if part.subscripts("summary") else []
    values.sort(key=lambda v: (-float(part.column(f"source[{v}]").sum()), v))
    shown, cut = first_of(values, MOST_VALUES, "groups", "most frequent")
    drawn, systems_cut = material.systems(part)
    parts = {s: part.of(s) for s in drawn}
    source, summary = (
        {s: _normalised(rows.matrix(name, values)) for s, rows in parts.items()}
        for name in ("source", "summary")
    )
    due = _normalised(part.matrix("source", values))
    panels = []
    for i, value in enumerate(shown):
        ratios = {}
        for s in drawn:
            held = source[s][:, i] > 0
            if held.any():
                ratios[s] = np.minimum(np.round(summary[s][held, i] / source[s][held, i], 9), RATIO_EDGES[-2])
        if ratios:
            shares = (
                f"{s}: below 0.8 in {(x < 0.8).mean():.0%} of records, from 1.2 in {(x >= 1.2).mean():.0%}"
                for s, x in ratios.items()
            )
            alt = f"{value}: summary share as a multiple of source share; {'; '.join(shares)}"
            title = f"{value} · {due[due[:, i] > 0, i].mean():.0%} of the source on average"
            panels.append(Distribution(title, alt, ratios, 1.0))
    x, y = "summary share ÷ source share", "share of records"
    return Figure(
        f"Share of each group{material.by(part)}: summary ÷ sources",
        "Records whose sources contain the group. At the dashed line, the group's share of the summary equals its share of the "
        "sources. To the left its share of the summary is smaller; at 0 the summary leaves the group out. "
        f"The last step has all values above 2.{cut}{systems_cut}",
        _histograms(material, panels, RATIO_EDGES, x, y, (0, 0.5, 1, 1.5, 2)),
        material.key(drawn),
    )


def _gaps(material: Material, part: Part) -> Figure:
    """The coverage gap of single records."""
    shown, cut = material.systems(part)
    gaps = {s: part.of(s).column("gap") for s in shown}
    main_values = [material.main_value(part, s) for s in shown]
    chances = [e.permutation_mean for e in main_values if e and e.permutation_mean is not None]
    # A few records with one document per group have very large gaps; they share the last step.
    reach = max([*chances, *(float(np.quantile(gap, 0.99)) for gap in gaps.values() if len(gap)), 1e-6])
    edges = even_edges(np.array([0.0, reach]))

    def what(gap: Floats) -> str:
        return f"gaps of {counted(len(gap), 'record')}, half of them below {np.median(gap) if len(gap) else 0:.3f}"

    gaps = {s: np.minimum(gap, edges[-1]) for s, gap in gaps.items()}
    return Figure(
        f"Coverage gap of single records{material.by(part)}",
        "How far the coverage of each group differs from the record's mean. The dashed line is the permutation mean. A gap "
        "cannot be negative, so a mean above zero does not show a disparity. The last step has all larger gaps." + cut,
        _histograms(material, _by_system(material, part, gaps, what), edges, "gap of one record", "share of records"),
    )  # fmt: skip


def _originals(material: Material, part: Part) -> Figure:
    """How well the groups of each seed document can be distinguished."""
    shown, cut = material.systems(part)
    scores = {s: part.of(s).column("score")[part.of(s).column("one") > 0] for s in shown}
    panels = _by_system(material, part, scores, lambda x: f"scores of {counted(len(x), 'seed document')}")
    edges, ticks = even_edges(np.array([-1.0, 1.0])), (-1, -0.5, 0, 0.5, 1)
    return Figure(
        "How well a summary reveals the group, by seed document",
        "Twice the share of a seed document's counterfactuals whose summary is most similar to the other summaries of its "
        "group, minus one: 1 if all are. The dashed line is the permutation mean. It can be below zero because a summary is "
        "never compared with itself." + cut,
        _histograms(material, panels, edges, "score of one seed document", "share of seed documents", ticks),
    )


def _sentiments(material: Material, part: Part) -> Figure:
    """The sentiment of each group's articles, each counted once, and of each system's summaries."""
    groups, groups_cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    shown, cut = material.systems(part)
    records = np.array(part.rows["record"].to_pylist(), dtype=object)
    writers = np.array(part.rows["system"].to_pylist(), dtype=object)
    by_group: dict[str, dict[str, Floats]] = {}
    for group in groups:
        rows = np.flatnonzero(part.column(f"one[{group}]") > 0)
        first = dict(reversed(list(zip(records[rows], rows, strict=True))))
        articles = part.column(f"article[{group}]")[sorted(first.values())]
        summary = part.column(f"summary[{group}]")
        by_group[group] = {ARTICLES: articles, **{s: summary[rows[writers[rows] == s]] for s in shown}}
    edges = even_edges(np.concatenate([np.zeros(0), *(x for of in by_group.values() for x in of.values())]))
    panels = []
    for group, values in by_group.items():
        if len(articles := values[ARTICLES]):
            many = counted(len(articles), "article")
            means = [f"{name} mean {x.mean():+.2f}" for name, x in values.items() if len(x)]
            alt = describe([f"{group}: {many}", *means])
            neutral = 0.0 if edges[0] < 0 < edges[-1] else None
            panels.append(
                Distribution(f"{group} · {many}, mean {articles.mean():+.2f}", alt, values, neutral)
            )
    return Figure(
        "Sentiment of articles and summaries, by group",
        "One line for the articles (grey), one for the summaries of each system. If the groups' articles differ, the cause is "
        "the sources or the scorer. If the summaries differ from their articles by more in one group, the cause is the "
        f"summaries. The dashed line is neutral.{cut}{groups_cut}",
        _histograms(material, panels, edges, "sentiment", "share of texts"),
        material.key((ARTICLES, *shown)),
    )


def _segments(material: Material, part: Part) -> Figure:
    """The positions from which summaries take their content; drawn with references where any measure has them."""
    has_references = bool(part.subscripts("reference"))
    others_have = any(name.startswith("reference[") for name in material.result.rows.column_names())
    places = sorted(part.subscripts("generated")) if has_references or not others_have else []
    shown, cut = material.systems(part)
    names = ("generated", "reference") if has_references else ("generated",)
    shares: dict[str, list[list[float]]] = {}
    for system in shown:
        rows = part.of(system)
        sums = np.array([rows.matrix(name, places).sum(axis=0) for name in names])
        if len(places) > 1 and sums[0].any():
            shares[system] = _normalised(sums).tolist()
    top = max((x for several in shares.values() for series in several for x in series), default=1.0)
    across = Axis.of_numbers((0, 1), "position in the text", percent=True)
    up = Axis.of_numbers(plot.domain([0.0, top], 4), "share of content", 4, percent=True)
    k, panels = len(places), []
    for system, (generated, *reference) in shares.items():
        colour = material.colour(system)
        marks: list[Mark] = [
            Box((j / k, (j + 0.96) / k), (0, x), colour, 0.55) for j, x in enumerate(generated)
        ]
        alt = f"{system}: first segment {generated[0]:.0%}, last {generated[-1]:.0%} of the content"
        for line in reference:
            marks.append(plot.steps([j / k for j in range(k + 1)], line, INK))
            alt += f"; references: first {line[0]:.0%}, last {line[-1]:.0%}"
        panels.append(Panel(system, plot.drawn(alt, across, up, marks)))
    against = "Line: the references' content." if has_references else "There are no references."
    return Figure(
        "Where in the text summaries take their content from",
        f"The text is cut into equal segments from start to end. Bars: the system's content. {against}{cut}",
        tuple(panels),
    )


# -------------------------------------------------------------------------------------------- scatters


def _regressions(material: Material, part: Part) -> Figure:
    """The change of sentiment against the article's sentiment, with a line per group."""
    drawn, groups_cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    shown, cut = material.systems(part)
    points = {s: _changes(part.of(s), drawn) for s in shown}
    lines = {s: list(_lines(material, part, s, drawn, points[s])) for s in shown}
    across, up = (
        _held([p[i] for of in points.values() for p in of] + [end[i] for of in lines.values() for *_, ends in of for end in ends])
        for i in (0, 1)
    )  # fmt: skip
    panels = []
    for system, changes in points.items():
        kept = changes
        if len(changes) > MOST_POINTS:
            kept = [changes[i] for i in np.linspace(0, len(changes) - 1, MOST_POINTS).round().astype(int)]
        look = (46, 0.9) if len(kept) < 30 else (16, 0.5)
        marks: list[Mark] = [Dot(x, y, plot.colour_of(drawn, drawn[g]), g, *look) for x, y, g in kept]
        marks += [
            Line(ends, plot.colour_of(drawn, group), 2.2, plot.dash_of(drawn, group))
            for group, _, ends in lines[system]
        ]
        many = counted(len(changes), "summary", "summaries")
        head = f"{system}: shift against article sentiment of {many}"
        alt = describe([head, *(words for _, words, _ in lines[system])])
        x, y = Axis.of_numbers(across, "sentiment of the article"), Axis.of_numbers(up, "summary − article")
        panels.append(Panel(system, plot.drawn(alt, x, y, marks, height=190)))
    thinned = ""
    if max(map(len, points.values()), default=0) > MOST_POINTS:
        thinned = f" {MOST_POINTS} evenly spaced points per system are drawn; the lines use all."
    return Figure(
        "Change of sentiment from article to summary",
        "Each point is one summary; each line is the least-squares fit of a group with at least ten. Summaries of extreme "
        "articles tend to be less extreme, whoever writes them, so lines tend to fall. Groups differ if their lines are apart "
        "at the same sentiment of the article, or if their slopes differ."
        f"{thinned}{cut}{groups_cut}",
        tuple(panels),
        plot.key_of(drawn, drawn),
    )


def _changes(part: Part, groups: Sequence[str]) -> list[tuple[float, float, int]]:
    """Per row: the article's sentiment, its change, and the position of the group."""
    member = part.matrix("one", groups) > 0
    article, shift = (np.round(part.matrix(name, groups), 4) for name in ("article", "shift"))
    places = np.nonzero(member)[1].tolist()
    return list(zip(article[member].tolist(), shift[member].tolist(), places, strict=True))


def _lines(
    material: Material,
    part: Part,
    system: str,
    groups: Sequence[str],
    points: Sequence[tuple[float, float, int]],
) -> Iterator[tuple[str, str, tuple[tuple[float, float], ...]]]:
    """Each group's regression as text, and its two ends at the extremes of its articles."""
    for g, group in enumerate(groups):
        slope = material.value(part.measure, f"slope[{group}]", system)
        start = material.value(part.measure, f"intercept[{group}]", system)
        places = [x for x, _, place in points if place == g]
        if slope is not None and start is not None and len(places) >= FEWEST_POINTS:
            words = f"{group} slope {slope:+.2f}, at neutral {start:+.2f}"
            yield group, words, tuple((x, start + slope * x) for x in (min(places), max(places)))


def _held(values: Sequence[float]) -> Bounds:
    """Round bounds that contain all of these."""
    edges = even_edges(np.array(values, dtype=float))
    return edges[0], edges[-1]


def _coefficients(material: Material, part: Part) -> Figure:
    """Gender coefficients of summaries against those of their articles, as counts per position."""
    shown, cut = material.systems(part)
    counts: dict[str, dict[tuple[float, float], int]] = {}
    for system in shown:
        rows = part.of(system)
        both = rows.column("both") > 0
        x, y = (np.round(rows.column(c)[both] * COEFFICIENT_STEPS) / COEFFICIENT_STEPS for c in ("x", "y"))
        places, many = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
        counts[system] = {(a, b): n for (a, b), n in zip(places.tolist(), many.tolist(), strict=True)}
    most = max((n for places in counts.values() for n in places.values()), default=0)
    across = Axis.of_numbers((-1.15, 1.15), "the article's coefficient")
    up = replace(across, title="the summary's")
    panels = []
    for system, spots in counts.items():
        if total := sum(spots.values()):
            same = f"{sum(n for (a, b), n in spots.items() if a == b) / total:.0%} of {total:,} equal"
            marks: list[Mark] = [Line(((-1.15, -1.15), (1.15, 1.15)), plot.FAINT, 1, "4 3")]
            marks += [
                Dot(a, b, material.colour(system), area=round(12 + 500 * n / most, 1), opacity=0.9)
                for (a, b), n in spots.items()
            ]
            svg = plot.drawn(f"{system}: {same}", across, up, marks, height=190)
            panels.append(Panel(f"{system} · {same}", svg))
    return Figure(
        "Gendered words in articles and summaries",
        "−1: only he, him, his; 1: only she, her, hers; to the nearest quarter. A larger spot is more texts. On the dashed "
        "line, the mix of the summary equals that of its article. Summaries without such words are not drawn; the estimate "
        "without_gender_words has their share." + cut,
        tuple(panels),
    )


KINDS: Mapping[str, tuple[Sequence[str], Callable[[Material, Part], Figure]]] = {
    "kept_shares": (("source", "summary"), _kept_shares),
    "gaps": (("gap",), _gaps),
    "segments": (("generated", "reference"), _segments),
    "accuracies": (("score", "one"), _originals),
    "sentiments": (("one", "article", "summary"), _sentiments),
    "regressions": (("one", "article", "shift"), _regressions),
    "coefficients": (("both", "x", "y"), _coefficients),
}
"""The figures that a measure may declare, in order, with the per-record statistics that each is drawn from."""


# ----------------------------------------------------------------------------------------------- grids


def _grids(material: Material) -> Iterator[tuple[Figure, str]]:
    """Main values by two attributes, a grid per system; each with its measure."""
    by_subgroups: dict[tuple[str, tuple[str, ...]], dict[str, list[Estimate]]] = {}
    for e in material.result.estimates:
        if len(e.subgroup) == 2 and wording.is_main_value(e):
            by_subgroups.setdefault((e.measure, tuple(e.subgroup)), {}).setdefault(e.system, []).append(e)
    for (measure, names), systems in by_subgroups.items():
        shown, cut = first_of(list(systems), MOST_SYSTEMS, "systems")
        panels = tuple(Panel(s, _heat_map(systems[s], names, material.colour(s))) for s in shown)
        most = max((systems[system] for system in shown), key=len)
        caption = "A stronger colour is a larger value; a dash means that the value is undefined. The table has the intervals."
        caption += first_of(most, MOST_CELLS, "cells of each grid")[1] + cut
        yield Figure(f"{measure} by {' and '.join(names)}", caption, panels), measure


def _heat_map(members: Sequence[Estimate], names: Sequence[str], colour: str) -> str:
    """A cell with the value per combination of two attributes, in a stronger colour if the value is larger."""

    def place(name: str, e: Estimate) -> tuple[tuple[int, float, str], ...]:
        parts = re.split(r"(\d+)", e.subgroup[name])  # 2 is before 10
        return tuple((0, float(p), "") if p.isdigit() and p.isascii() else (1, 0.0, p) for p in parts)

    shown = sorted(members, key=lambda e: [place(name, e) for name in names])[:MOST_CELLS]
    rows, columns = (
        list(dict.fromkeys(e.subgroup[name] for e in sorted(shown, key=partial(place, name))))
        for name in names
    )
    known = [e.value for e in shown if e.value is not None and isfinite(e.value)] or [0.0]
    low, high = min(known), max(known)
    marks: list[Mark] = []
    read_out = []
    for e in shown:
        row, column = (e.subgroup[name] for name in names)
        i, k = rows.index(row), columns.index(column)
        words, strength = number_format.ABSENT, 0.0
        if e.value is not None:
            words = number_format.number(e.value, min(number_format.decimals(e), 2))
            part = (min(max(e.value, low), high) - low) / (high - low or 1.0)
            strength = round(0.08 + 0.6 * part, 3)
        marks.append(Box((k, k + 1), (i, i + 1), colour, strength, plot.GRID))
        marks.append(Words(k + 0.5, i + 0.5, words, "middle"))
        read_out.append(f"{row}, {column}: {words}")
    alt = f"{members[0].measure} of {members[0].system} by {' and '.join(names)}: {'; '.join(read_out[:20])}"
    x = replace(Axis.of_names(columns, is_upright=False), title=names[1])
    y = replace(Axis.of_names(rows), title=names[0])
    return plot.drawn(alt, x, y, marks, max(46 * len(columns), 120), 24 * len(rows))
