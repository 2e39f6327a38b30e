"""The figures of a result: distributions behind the estimates, drawn from the per-record statistics.

Each panel has stepped lines over common bins; regressions have points and lines. The estimates themselves are drawn in the first
screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa

from fairbrief.reports import number_format, plot, wording
from fairbrief.reports.frames import plain_numbers, rows_with, usable
from fairbrief.reports.plot import Axis, Mark
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context
from fairbrief.statistics import ratio
from fairbrief.text.counted import counted
from fairbrief.types import Data, Estimate, Floats

MOST_SYSTEMS = 6
"""More lines could not be distinguished."""
MOST_VALUES = 12
"""Panels of values."""
RATIO_EDGES = tuple(i / 10 for i in range(22))
"""Tenths of the expected share; the last bin has everything above twice that share."""
BINS = 20
"""The approximate number of bins."""
MOST_POINTS, FEWEST_POINTS = 300, 10
"""Points of a panel; and of a group whose regression is drawn."""
ARTICLES, REFERENCES = "articles", "references"
"""Lines beside those of systems."""
POSITION = "position in the text"
"""The title of the one axis that is marked in percent."""


class Panel(Data, frozen=True):
    """One picture with its heading."""

    title: str
    svg: str


class Figure(Data, frozen=True):
    """Pictures under one caption; ``key`` has the names of the lines, each with the class of its colour."""

    title: str
    caption: str
    panels: tuple[Panel, ...]
    key: tuple[tuple[str, str], ...] = ()


class Part(Data, frozen=True):
    """The usable rows of one observation of a result, and the spec of the measure that declares the figure."""

    context: Context
    measure: str
    rows: pa.Table

    def subscripts(self, statistic: str) -> list[str]:
        """The values for which a statistic is known, in the order of the columns."""
        start = f"{statistic}["
        return [name[len(start) : -1] for name in self.rows.column_names if name.startswith(start)]

    def column(self, name: str) -> Floats:
        """One column as numbers; zero where a row has none."""
        if name not in self.rows.column_names:
            return np.zeros(len(self.rows))
        return plain_numbers(self.rows[name].cast(pa.float64()))

    def matrix(self, statistic: str, values: Sequence[str]) -> Floats:
        """Shape (rows, values); zero where a row has none."""
        columns = [self.column(f"{statistic}[{value}]") for value in values]
        return np.reshape(columns, (len(values), len(self.rows))).T

    def by_system(self) -> tuple[Parts, str]:
        """The rows of the first systems, in the order of the audit, and a note for the caption if there are more."""
        present = self.rows["system"].unique().to_pylist()
        audited = [s for s in self.context.result.all_systems if s in present]
        shown, cut = first_of(list(dict.fromkeys([*audited, *present])), MOST_SYSTEMS, "systems")
        return {s: replace(self, rows=rows_with(self.rows, "system", s)) for s in shown}, cut

    def value(self, system: str, quantity: str = "") -> Estimate:
        """A quantity of the measure, by default its main value, for one system on all records; without a value if it is not known."""
        where = (self.measure, quantity or wording.name_of(self.measure), system)
        return self.context.whole.get(where) or Estimate(*where, None)

    @property
    def by(self) -> str:
        """`` by ATTRIBUTE`` of the groups that the measure compares; "" if it has none."""
        over = next((e.over for e in self.context.result.estimates if e.measure == self.measure), "")
        return f" by {over}" if over else ""


Parts = Mapping[str, Part]
"""The parts of the systems that are shown, by their names."""


def draw(result: Result) -> tuple[Figure, ...]:
    """The figures that a result's measures declare, if they have a panel.

    A figure whose title is taken already, e.g. of another version of the same measure, has the measure in its title.
    """
    figures: dict[str, Figure] = {}
    context = Context(result)
    for name, (statistics, kind) in KINDS.items():
        for part in _parts(context, name, statistics):
            parts, cut = part.by_system()
            figure = kind(part, parts)
            if figure.panels:
                title = f"{figure.title}: {part.measure}" if figure.title in figures else figure.title
                figures[title] = replace(figure, title=title, caption=figure.caption + cut)
    return tuple(figures.values())


def _parts(context: Context, figure: str, statistics: Sequence[str]) -> Iterator[Part]:
    """The part of each observation of which a measure declares a figure; with the first such measure."""
    declaring: dict[str, str] = {}
    result = context.result
    for measure, observation in result.rows.measures.items():
        if figure in wording.declared(measure, result.made).figures:
            declaring.setdefault(observation, measure)
    wanted = {"system", "record", "reason", *statistics}
    for observation, measure in declaring.items():
        rows = usable(result.rows.of(observation, lambda name: name.partition("[")[0] in wanted))
        if len(rows):
            filled = [name for name in rows.column_names if rows[name].null_count < len(rows)]
            yield Part(context, measure, rows.select(filled))


def first_of(things: Sequence[str], most: int, what: str, which: str = "first") -> tuple[list[str], str]:
    """The first ``most`` things, and the sentence of the caption if there are more."""
    note = f" Only the {which} {most} of {len(things)} {what} are shown." if most < len(things) else ""
    return list(things[:most]), note


def shares_of(values: Floats, edges: Sequence[float]) -> list[float]:
    """The share of the values in each bin; a value on an edge (after rounding) belongs to the bin above."""
    counts, _ = np.histogram(np.round(values, 9), bins=np.asarray(edges))
    return [float(share) for share in counts / max(len(values), 1)]


# ---------------------------------------------------------------------------------------------- panels


Distribution = tuple[str, str, Mapping[str, Sequence[float]], float | None]
"""One panel: its title, its text for screen readers, the shares of its bins by line, and a marked value of the axis."""


def _figure(
    part: Part, title: str, caption: str, distributions: Iterable[Distribution], edges: Sequence[float], axes: tuple[str, str],
    key: Sequence[str] = (), ticks: int | Sequence[float] = 5,
) -> Figure:  # fmt: skip
    """Stepped lines over common bins; a system has one colour in all panels.

    ``axes`` are their titles, ``ticks`` the marked values of the horizontal one, ``key`` the lines to name.
    """
    names, distributions = part.context.result.all_systems, list(distributions)
    label = plot.percent if axes[0] == POSITION else plot.plain
    x = Axis.of_numbers((edges[0], edges[-1]), axes[0], ticks, label)
    top = max((max(shares) for _, _, lines, _ in distributions for shares in lines.values()), default=0.0)
    y = Axis.of_numbers(plot.domain([0.0, top or 1.0], 4), axes[1], 4, plot.percent)
    panels = []
    for heading, alt, lines, marked in distributions:
        marks: list[Mark] = [] if marked is None else [plot.upright(marked)]
        for name, shares in lines.items():
            colour, dash = plot.line_of(names, name)
            marks.append(plot.steps(edges, shares, colour, dash if len(lines) > 1 else None))
        panels.append(Panel(heading, plot.drawn(alt, x, y, marks)))
    return Figure(title, caption, tuple(panels), plot.key_of(names, key))


def _by_system(
    part: Part, values: Mapping[str, Floats], edges: Sequence[float], what: Callable[[Floats], str]
) -> Iterator[Distribution]:
    """A panel per system with the mean of the measure, marked at its permutation mean."""
    for system, numbers in values.items():
        e = part.value(system)
        chance = "" if e.permutation_mean is None else f", permutation mean {number_format.chance(e)}"
        mean = "" if e.value is None else f"mean {number_format.value(e)}{chance}"
        shares = {system: shares_of(numbers, edges)} if len(numbers) else {}
        title = f"{system} · {mean}" if mean else system
        yield title, f"{system}: {what(numbers)}; {mean}", shares, e.permutation_mean


def _normalised(matrix: Floats) -> Floats:
    """Each row as shares of its sum; rows whose sum is zero stay zero."""
    return np.nan_to_num(ratio(matrix, matrix.sum(axis=1, keepdims=True)))


# ----------------------------------------------------------------------------------------------- kinds


def _kept_shares(part: Part, parts: Parts) -> Figure:
    """Per group, its share of the summary as a multiple of its share of the sources."""
    values = part.subscripts("source") if part.subscripts("summary") else []
    values.sort(key=lambda v: (-float(part.column(f"source[{v}]").sum()), v))
    shown, cut = first_of(values, MOST_VALUES, "groups", "most frequent")
    due = _normalised(part.matrix("source", values))
    kept = {
        s: ratio(_normalised(rows.matrix("summary", values)), _normalised(rows.matrix("source", values)))
        for s, rows in parts.items()
    }
    panels = []
    for i, value in enumerate(shown):
        known = {s: x[~np.isnan(x[:, i]), i] for s, x in kept.items()}
        ratios = {s: np.minimum(np.round(x, 9), RATIO_EDGES[-2]) for s, x in known.items() if len(x)}
        below = (
            f"{s}: below 0.8 in {(x < 0.8).mean():.0%} of records, from 1.2 in {(x >= 1.2).mean():.0%}"
            for s, x in ratios.items()
        )
        if ratios:
            alt = f"{value}: summary share as a multiple of source share; {'; '.join(below)}"
            title = f"{value} · mean source share {due[due[:, i] > 0, i].mean():.0%}"
            panels.append((title, alt, {s: shares_of(x, RATIO_EDGES) for s, x in ratios.items()}, 1.0))
    return _figure(
        part,
        f"Share of each group{part.by}: summary ÷ sources",
        "Records whose sources contain the group. At the dashed line, the group's share of the summary equals its share of the "
        "sources. To the left its share of the summary is smaller; at 0 the summary leaves the group out. "
        f"The last step has all values above 2.{cut}",
        panels, RATIO_EDGES, ("summary share ÷ source share", "share of records"), list(parts), ticks=(0, 0.5, 1, 1.5, 2),
    )  # fmt: skip


def _gaps(part: Part, parts: Parts) -> Figure:
    """The coverage gap of single records."""
    gaps = {s: rows.column("gap") for s, rows in parts.items()}
    chances = [part.value(s).permutation_mean or 0.0 for s in parts]
    # A few records with one document per group have very large gaps; they share the last step.
    reach = max([*chances, *(float(np.quantile(gap, 0.99)) for gap in gaps.values()), 1e-6])
    edges = plot.even_edges([0.0, reach], BINS)
    return _figure(
        part,
        f"Coverage gap of single records{part.by}",
        "How far the coverage of each group differs from the record's mean. The dashed line is the permutation mean. A gap "
        "cannot be negative, so a mean above zero does not show a disparity. The last step has all larger gaps.",
        _by_system(part, {s: np.minimum(gap, edges[-1]) for s, gap in gaps.items()}, edges,
                   lambda gap: f"gaps of {counted(len(gap), 'record')}, half of them below {np.median(gap):.3f}"),
        edges, ("gap of one record", "share of records"),
    )  # fmt: skip


def _seed_documents(part: Part, parts: Parts) -> Figure:
    """How well the groups of each seed document can be distinguished."""
    scores = {s: rows.column("score")[rows.column("one") > 0] for s, rows in parts.items()}
    edges = plot.even_edges([-1.0, 1.0], BINS)
    return _figure(
        part,
        "How well a summary reveals the group, by seed document",
        "Twice the share of a seed document's counterfactuals whose summary is most similar to the other summaries of its "
        "group, minus one: 1 if all are. The dashed line is the permutation mean. It can be below zero because a summary is "
        "never compared with itself.",
        _by_system(part, scores, edges, lambda x: f"scores of {counted(len(x), 'seed document')}"),
        edges, ("score of one seed document", "share of seed documents"), ticks=(-1, -0.5, 0, 0.5, 1),
    )  # fmt: skip


def _sentiments(part: Part, parts: Parts) -> Figure:
    """The sentiment of each group's articles, each counted once, and of each system's summaries."""
    groups, cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    records = np.array(part.rows["record"].to_pylist(), dtype=object)
    by_group: dict[str, dict[str, Floats]] = {}
    for group in groups:
        rows = np.flatnonzero(part.column(f"one[{group}]") > 0)
        _, first = np.unique(records[rows].astype(str), return_index=True)
        values = {s: p.column(f"summary[{group}]")[p.column(f"one[{group}]") > 0] for s, p in parts.items()}
        if len(rows):
            by_group[group] = {ARTICLES: part.column(f"article[{group}]")[rows[first]], **values}
    known = [x for of in by_group.values() for x in of.values() if len(x)]
    edges = plot.even_edges([end for x in known for end in (x.min(), x.max())], BINS)
    panels = []
    for group, values in by_group.items():
        articles = values[ARTICLES]
        many = counted(len(articles), "article")
        means = [f"{name} mean {number_format.signed(x.mean(), 2)}" for name, x in values.items() if len(x)]
        title, alt = (
            f"{group} · {many}, mean {number_format.signed(articles.mean(), 2)}",
            "; ".join([f"{group}: {many}", *means]),
        )
        shares = {name: shares_of(x, edges) for name, x in values.items() if len(x)}
        panels.append((title, alt, shares, 0.0 if edges[0] < 0 < edges[-1] else None))
    return _figure(
        part,
        "Sentiment of articles and summaries, by group",
        "One line for the articles (grey), one for the summaries of each system. If the groups' articles differ, the cause is "
        "the sources or the scorer. If the summaries differ from their articles by more in one group, the cause is the "
        f"summaries. The dashed line is neutral.{cut}",
        panels, edges, ("sentiment", "share of texts"), (ARTICLES, *parts),
    )  # fmt: skip


def _segments(part: Part, parts: Parts) -> Figure:
    """The positions from which summaries take their content; drawn with references where any measure has them."""
    has_references = bool(part.subscripts("reference"))
    others_have = any(name.startswith("reference[") for name in part.context.result.rows.column_names())
    places = sorted(part.subscripts("generated")) if has_references or not others_have else []
    panels = []
    for system, rows in parts.items():
        names = {system: "generated", **({REFERENCES: "reference"} if has_references else {})}
        sums = np.array([rows.matrix(name, places).sum(axis=0) for name in names.values()])
        if len(places) > 1 and sums[0].any():
            shares = dict(zip(names, _normalised(sums).tolist(), strict=True))
            ends = (f"{name}: first segment {x[0]:.0%}, last {x[-1]:.0%}" for name, x in shares.items())
            panels.append((system, f"{'; '.join(ends)} of the content", shares, None))
    edges = np.linspace(0, 1, max(len(places), 1) + 1).tolist()
    against = "Solid grey: the references' content." if has_references else "There are no references."
    return _figure(
        part,
        "Where in the text summaries take their content from",
        f"The text is cut into equal segments from start to end. Coloured: the system's content. {against}",
        panels, edges, (POSITION, "share of content"),
    )  # fmt: skip


def _regressions(part: Part, parts: Parts) -> Figure:
    """The change of sentiment from article to summary by the article's sentiment, with the regression of each group."""
    groups, cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    every = [np.zeros((1, 2))]
    alts = dict.fromkeys(parts, "Change of sentiment")
    marks: dict[str, list[Mark]] = {system: [] for system in parts}
    for system, group in product(parts, groups):
        one, article, shift = (parts[system].column(f"{x}[{group}]") for x in ("one", "article", "shift"))
        places, (colour, dash) = np.column_stack([article, shift])[one > 0], plot.line_of(groups, group)
        kept = np.linspace(0, len(places) - 1, min(len(places), MOST_POINTS // len(groups))).round()
        marks[system] += [plot.dot(at, up, colour, 10) for at, up in places[kept.astype(int)].tolist()]
        every.append(places)
        slope, start = (part.value(system, f"{name}[{group}]").value for name in ("slope", "intercept"))
        if slope is not None and start is not None and len(places) >= FEWEST_POINTS:
            line = [(end, start + slope * end) for end in (places[:, 0].min(), places[:, 0].max())]
            marks[system].append(plot.path(line, colour, 2.2, stroke_dasharray=dash))
            every.append(np.array(line))
            alts[system] += f"; {group}: slope {slope:+.2f}, at neutral {start:+.2f}"
    across, up = np.vstack(every).T
    x = Axis.of_numbers(plot.domain(across), "sentiment of the article")
    y = Axis.of_numbers(plot.domain(up), "summary − article")
    panels = [Panel(s, plot.drawn(alts[s], x, y, of)) for s, of in marks.items() if of]
    return Figure(
        "Change of sentiment from article to summary",
        "Each point is a summary, each line the least-squares regression of a group with at least ten. Summaries of extreme "
        "articles tend to be less extreme, whoever writes them, so lines tend to fall. Groups differ if their lines are apart at "
        "the same sentiment of the article, or if their slopes differ. "
        f"A panel has at most {MOST_POINTS} points; the lines use all.{cut}",
        tuple(panels), plot.key_of(groups, groups),
    )  # fmt: skip


KINDS: Mapping[str, tuple[Sequence[str], Callable[[Part, Parts], Figure]]] = {
    "kept_shares": (("source", "summary"), _kept_shares),
    "gaps": (("gap",), _gaps),
    "segments": (("generated", "reference"), _segments),
    "accuracies": (("score", "one"), _seed_documents),
    "sentiments": (("one", "article", "summary"), _sentiments),
    "regressions": (("one", "article", "shift"), _regressions),
}
"""The figures that a measure may declare, in order, with the per-record statistics that each is drawn from."""
