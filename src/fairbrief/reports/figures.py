"""All figures of a result: first the kinds that a measure may declare, then those that every result has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

import numpy as np

from fairbrief.reports import estimate_figures, number_format, plot
from fairbrief.reports.estimate_figures import (
    MOST_SYSTEMS,
    MOST_VALUES,
    Drawn,
    Figure,
    GroupDots,
    Material,
    Panel,
    Part,
    describe,
    first_of,
)
from fairbrief.reports.plot import INK, Axis, Bounds, Box, Dot, Line, Mark
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Floats

RATIO_EDGES = tuple(i / 10 for i in range(22))
"""Tenths of the expected share; the last bin has everything above twice that share."""
P_EDGES = tuple(i / 20 for i in range(21))
MOST_NAMES = 10
MOST_POINTS = 300
"""Points of one scatter; more would overlap and take megabytes."""
FEWEST_POINTS = 10
"""Fewer points do not determine a line."""
COEFFICIENT_STEPS = 4
"""Gender coefficients are drawn to the nearest quarter."""
ARTICLES = "articles"


def draw(result: Result) -> tuple[Figure, ...]:
    """All figures of a result that have a panel.

    A figure whose title is taken already, e.g. of another version of the same measure, has the measure in its title.
    """
    material = estimate_figures.gather(result)
    declared = (drawn for kind, figures_of in KINDS.items() for drawn in figures_of(material, kind))
    titles: set[str] = set()
    figures = []
    for figure, measure in (*declared, *estimate_figures.draw(material)):
        if figure.panels:
            title = f"{figure.title}: {measure}" if figure.title in titles and measure else figure.title
            titles.add(title)
            figures.append(replace(figure, title=title))
    return tuple(figures)


def even_edges(values: Floats, bins: int = 20) -> tuple[float, ...]:
    """Edges of about ``bins`` bins of a round width that contain all values."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    step = plot.step_of(low, high, bins)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(round(i * step, 10) for i in range(first, last + 1))


def shares_of(values: Floats, edges: Sequence[float]) -> list[float]:
    """The share of the values in each bin; a value on an edge (after rounding) belongs to the bin above."""
    counts, _ = np.histogram(np.round(values, 9), bins=np.asarray(edges))
    return [float(share) for share in counts / max(len(values), 1)]


def each(figure_of: Callable[[Material, Part, str], Figure | None]) -> Callable[[Material, str], Drawn]:
    """The figures of one kind, one for each part of the per-record statistics."""

    def figures(material: Material, kind: str) -> Drawn:
        for measure, part in material.parts_for(kind):
            if (figure := figure_of(material, part, measure)) is not None:
                yield figure, measure

    return figures


# ------------------------------------------------------------------------------------------ histograms


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of one panel by line, and a marked value of the axis."""

    title: str
    alt: str
    values: Mapping[str, Floats]
    mark: float | None = None


def _histograms(
    panels: Sequence[Distribution],
    edges: Sequence[float],
    x: str,
    y: str,
    names: Sequence[str],
    *,
    ticks: Sequence[float] | None = None,
    expected: float | None = None,
) -> tuple[Panel, ...]:
    """Stepped lines over common bins and axes; a name has one colour in all panels. ``expected`` draws a horizontal line at one share."""
    shares = [{name: shares_of(v, edges) for name, v in p.values.items() if len(v)} for p in panels]
    top = max([expected or 0.0, *(max(s) for several in shares for s in several.values())]) or 1.0
    across = Axis.of_numbers((edges[0], edges[-1]), x, ticks=ticks)
    up = Axis.of_numbers(plot.domain([0.0, top], 4), y, 4, percent=True)
    made = []
    for panel, several in zip(panels, shares, strict=True):
        marks: list[Mark] = [] if panel.mark is None else [plot.upright(panel.mark)]
        marks += [] if expected is None else [plot.level(expected)]
        for name, heights in several.items():
            dash = plot.dash_of(names, name) if len(several) > 1 else None
            marks.append(plot.steps(edges, heights, plot.colour_of(names, name), dash))
        made.append(Panel(panel.title, plot.drawn(panel.alt, across, up, marks)))
    return tuple(made)


def _mean(estimate: Estimate | None) -> str:
    """``mean 0.30, permutation mean 0.25``; "" if there is no estimate."""
    if estimate is None:
        return ""
    chance = (
        "" if estimate.permutation_mean is None else f", permutation mean {number_format.chance(estimate)}"
    )
    return f"mean {number_format.value(estimate)}{chance}"


def _by_system(
    material: Material, measure: str, values: Mapping[str, Floats], what: Callable[[Floats], str]
) -> Iterator[Distribution]:
    """A panel per system with the mean of the measure, marked at its permutation mean."""
    for system, numbers in values.items():
        estimate = material.main_value(measure, system)
        mean = _mean(estimate)
        title = f"{system} · {mean}" if mean else system
        alt = f"{system}: {what(numbers)}; {mean}"
        yield Distribution(
            title, alt, {system: numbers}, None if estimate is None else estimate.permutation_mean
        )


def _over(material: Material, part: Part, word: str = "over") -> str:
    over = material.over(part)
    return f" {word} {over}" if over else ""


def _normalised(matrix: Floats) -> Floats:
    """Each row as shares of its sum; rows whose sum is zero stay zero."""
    sums = matrix.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums > 0)
    return shares


def _kept_shares(material: Material, part: Part, _: str) -> Figure | None:
    """Per group, its share of the summary as a multiple of its share of the sources."""
    values = part.subscripts("source")
    if not (values and part.subscripts("summary")):
        return None
    values.sort(key=lambda v: (-float(part.column(f"source[{v}]").sum()), v))
    shown, cut = first_of(values, MOST_VALUES, "groups", "most frequent")
    drawn, systems_cut = first_of(material.systems(part), MOST_SYSTEMS, "systems")
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
    return Figure(
        f"Share of each group{_over(material, part, 'by')}: summary ÷ sources",
        "Records whose sources contain the group. At the dashed line, the group's share of the summary equals its share of the "
        "sources. To the left its share of the summary is smaller; at 0 the summary leaves the group out. "
        f"The last step has all values above 2.{cut}{systems_cut}",
        _histograms(
            panels,
            RATIO_EDGES,
            "summary share ÷ source share",
            "share of records",
            material.result.all_systems,
            ticks=(0, 0.5, 1, 1.5, 2),
        ),
        material.key(drawn),
    )


def _gaps(material: Material, part: Part, measure: str) -> Figure:
    """The coverage gap of single records."""
    systems = material.systems(part)
    shown, cut = first_of(systems, MOST_SYSTEMS, "systems")
    gaps = {s: part.of(s).column("gap") for s in shown}
    chances = [
        e.permutation_mean
        for s in shown
        if (e := material.main_value(measure, s)) and e.permutation_mean is not None
    ]
    # A few records with one document per group have very large gaps; they share the last step.
    reach = max([*chances, *(float(np.quantile(gap, 0.99)) for gap in gaps.values() if len(gap)), 1e-6])
    edges = even_edges(np.array([0.0, reach]))

    def what(gap: Floats) -> str:
        return f"gaps of {counted(len(gap), 'record')}, half of them below {np.median(gap) if len(gap) else 0:.3f}"

    gaps = {s: np.minimum(gap, edges[-1]) for s, gap in gaps.items()}
    panels = list(_by_system(material, measure, gaps, what))
    return Figure(
        f"Coverage gap of single records{_over(material, part, 'by')}",
        "How far the coverage of each group differs from the record's mean. The dashed line is the permutation mean. A gap "
        "cannot be negative, so a mean above zero is not per-record statistics of a disparity. The last step has all larger gaps."
        + cut,
        _histograms(panels, edges, "gap of one record", "share of records", material.result.all_systems),
    )


def _p_values(material: Material, part: Part, _: str) -> Figure:
    """The p-values of testable records."""
    systems = material.systems(part)
    shown, cut = first_of(systems, MOST_SYSTEMS, "systems")
    panels = []
    for system in shown:
        rows = part.of(system)
        testable = rows.column("testable") > 0
        if testable.any() and "p" in rows.rows.column_names:
            p = rows.column("p")[testable]
            expected = rows.column("expected_significant")[testable].sum() / testable.sum()
            shares = f"p below 0.05 in {(p < 0.05).mean():.1%}, expected {expected:.1%}"
            alt = f"{system}: {len(p):,} testable records; {shares}"
            panels.append(Distribution(f"{system} · {shares}", alt, {system: p}))
    return Figure(
        f"Permutation tests of single records{_over(material, part, 'by')}",
        "p of each testable record: the share of its label permutations with at least as large a gap. If groups made no "
        "difference, each step would have about 5% of the records (dashed). A record with few permutations has few possible "
        "p-values, so compare the share below 0.05 with the expected share above each picture." + cut,
        _histograms(
            panels, P_EDGES, "p of one record", "share of records", material.result.all_systems,
            ticks=(0, 0.2, 0.4, 0.6, 0.8, 1), expected=0.05,
        ),
    )  # fmt: skip


def _originals(material: Material, part: Part, measure: str) -> Figure:
    """How well the groups of each seed document can be distinguished."""
    systems = material.systems(part)
    shown, cut = first_of(systems, MOST_SYSTEMS, "systems")
    scores = {s: part.of(s).column("score")[part.of(s).column("one") > 0] for s in shown}
    panels = list(
        _by_system(material, measure, scores, lambda x: f"scores of {counted(len(x), 'seed document')}")
    )
    return Figure(
        "How well a summary reveals the group, by seed document",
        "Twice the share of a seed document's counterfactuals whose summary is most similar to the other summaries of its "
        "group, minus one: 1 if all are. The dashed line is the permutation mean. It can be below zero because a summary is "
        "never compared with itself." + cut,
        _histograms(
            panels, even_edges(np.array([-1.0, 1.0])), "score of one seed document", "share of seed documents",
            material.result.all_systems,
            ticks=(-1, -0.5, 0, 0.5, 1),
        ),
    )  # fmt: skip


def _sentiments(material: Material, part: Part, _: str) -> Figure:
    """The sentiment of each group's articles, each counted once, and of each system's summaries."""
    groups, groups_cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    shown, cut = first_of(material.systems(part), MOST_SYSTEMS, "systems")
    records = np.array(part.rows["record"].to_pylist(), dtype=object)
    writers = np.array(part.rows["system"].to_pylist(), dtype=object)
    by_group: dict[str, dict[str, Floats]] = {}
    for group in groups:
        rows = np.flatnonzero(part.column(f"one[{group}]") > 0)
        first = dict(reversed(list(zip(records[rows], rows, strict=True))))
        articles = part.column(f"article[{group}]")[sorted(first.values())]
        summary = part.column(f"summary[{group}]")
        by_group[group] = {ARTICLES: articles, **{s: summary[rows[writers[rows] == s]] for s in shown}}
    edges = even_edges(np.concatenate([x for values in by_group.values() for x in values.values()]))
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
        _histograms(panels, edges, "sentiment", "share of texts", material.result.all_systems),
        material.key((ARTICLES, *shown)),
    )


# -------------------------------------------------------------------------------------------- segments


def _segments(material: Material, kind: str) -> Drawn:
    """The positions from which summaries take their content, by the first measure that has them, preferably with references."""
    parts = [pair for pair in material.parts_for(kind) if pair[1].subscripts("generated")]
    parts.sort(key=lambda pair: not pair[1].subscripts("reference"))
    figures = ((_segments_of(material, part), measure) for measure, part in parts)
    yield from [figure for figure in figures if figure[0].panels][:1]


def _segments_of(material: Material, part: Part) -> Figure:
    places = sorted(part.subscripts("generated"))
    shown, cut = first_of(material.systems(part), MOST_SYSTEMS, "systems")
    shares: dict[str, list[list[float]]] = {}
    names = ("generated", "reference") if part.subscripts("reference") else ("generated",)
    for system in shown:
        sums = np.array([part.of(system).sums(name, places) for name in names])
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
    against = "Line: the references' content." if len(names) > 1 else "There are no references."
    return Figure(
        "Where in the text summaries take their content from",
        f"The text is cut into equal segments from start to end. Bars: the system's content. {against}{cut}",
        tuple(panels),
    )


# ------------------------------------------------------------------------------------- invented people


def _invented(material: Material, part: Part, _: str) -> Figure:
    """Invented people by group."""
    groups, systems = part.subscripts("invented"), material.systems(part)
    counts = {
        s: [*part.of(s).sums("invented", groups).tolist(), float(part.of(s).column("unknown").sum())]
        for s in systems
    }
    some = {s: numbers for s, numbers in counts.items() if sum(numbers)}
    panels = []
    shown, cut = first_of(list(some), MOST_SYSTEMS, "systems")
    kinds, groups_cut = first_of(groups, MOST_VALUES, "groups")
    for system in shown:
        numbers, total = some[system], sum(some[system])
        pairs = [*zip(kinds, numbers, strict=False), ("unknown group", numbers[-1])]
        rows = [(kind, n / total, f"{n:,.0f} ({n / total:.0%})") for kind, n in pairs]
        alt = describe(
            [f"{system}: {total:,.0f} invented people", *(f"{name} {words}" for name, _, words in rows)]
        )
        panels.append(
            Panel(f"{system} · {total:,.0f} invented", plot.bars(rows, alt, 1.0, material.colour(system)))
        )
    caption = "People whom the summaries name but the sources do not, by the group of their names."
    if none := [s for s in systems if s not in some]:
        caption += f" None in the summaries of {describe(none)}."
    return Figure("Invented people by group", f"{caption}{cut}{groups_cut}", tuple(panels))


def _names(material: Material, part: Part, _: str) -> Figure:
    """The names invented most often."""
    names = part.subscripts("name")
    ranked: dict[str, list[tuple[float, str]]] = {}
    for system in material.systems(part):
        totals = zip(part.of(system).sums("name", names).tolist(), names, strict=True)
        if some := sorted((-total, name) for total, name in totals if total > 0):
            ranked[system] = some
    shown, cut = first_of(list(ranked), MOST_SYSTEMS, "systems")
    top = max((-ranked[system][0][0] for system in shown), default=0.0)
    panels = []
    for system in shown:
        some = ranked[system]
        rows = [(name, -minus, f"{-minus:,.0f}") for minus, name in some[:MOST_NAMES]]
        alt = describe([f"{system}: invented most often", *(f"{name} {words}" for name, _, words in rows)])
        more = len(some) - len(rows)
        title = f"{system} · {counted(more, 'more name')}" if more else system
        panels.append(Panel(title, plot.bars(rows, alt, top, material.colour(system))))
    caption = f"How many summaries contain each name although their source does not.{cut}"
    return Figure("Names invented most often", caption, tuple(panels))


# -------------------------------------------------------------------------------------------- scatters


def _regressions(material: Material, part: Part, measure: str) -> Figure:
    """The change of sentiment against the article's sentiment, with a line per group."""
    drawn, groups_cut = first_of(sorted(part.subscripts("one")), MOST_VALUES, "groups")
    shown, cut = first_of(material.systems(part), MOST_SYSTEMS, "systems")
    points = {s: _changes(part.of(s), drawn) for s in shown}
    lines = {s: list(_lines(material, measure, s, drawn, points[s])) for s in shown}
    across, up = (
        _held([np.array([p[i] for p in points[s]]) for s in shown], [end[i] for s in shown for *_, ends in lines[s] for end in ends])
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
        alt = describe(
            [
                f"{system}: shift against article sentiment of {many}",
                *(words for _, words, _ in lines[system]),
            ]
        )
        x, y = Axis.of_numbers(across, "sentiment of the article"), Axis.of_numbers(up, "summary − article")
        panels.append(Panel(system, plot.drawn(alt, x, y, marks, height=190)))
    thinned = f" {MOST_POINTS} evenly spaced points per system are drawn; the lines use all."
    if max(map(len, points.values()), default=0) <= MOST_POINTS:
        thinned = ""
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
    measure: str,
    system: str,
    groups: Sequence[str],
    points: Sequence[tuple[float, float, int]],
) -> Iterator[tuple[str, str, tuple[tuple[float, float], ...]]]:
    """Each group's regression as text, and its two ends at the extremes of its articles."""
    for g, group in enumerate(groups):
        slope = material.value(measure, f"slope[{group}]", system)
        start = material.value(measure, f"intercept[{group}]", system)
        places = [x for x, _, place in points if place == g]
        if slope is not None and start is not None and len(places) >= FEWEST_POINTS:
            words = f"{group} slope {slope:+.2f}, at neutral {start:+.2f}"
            yield group, words, tuple((x, start + slope * x) for x in (min(places), max(places)))


def _held(values: Sequence[Floats], others: Sequence[float]) -> Bounds:
    """Round bounds that contain all of these."""
    edges = even_edges(np.concatenate([*values, np.array(others, dtype=float)]))
    return edges[0], edges[-1]


def _coefficients(material: Material, part: Part, _: str) -> Figure:
    """Gender coefficients of summaries against those of their articles, as counts per position."""
    systems = material.systems(part)
    shown, cut = first_of(systems, MOST_SYSTEMS, "systems")
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


KINDS: Mapping[str, Callable[[Material, str], Drawn]] = {
    "kept_shares": each(_kept_shares),  # source[g] and summary[g] of each record
    "gaps": each(_gaps),  # gap of each record
    "differences": GroupDots(
        "difference",
        "Groups that get more, and groups that get less",
        "{question}. Each group against the rest: {measure}'s difference[group]. Dot: estimate. Bar: interval. Vertical tick: "
        "permutation mean. To the right of zero, a group gets more.",
        mark=0.0,
    ),
    "p_values": each(_p_values),  # p, testable and expected_significant of each record
    "segments": _segments,  # generated[k] and reference[k] of each record
    "identifying_words": GroupDots(
        "summary_share",
        "Words that identify a group, in sources and summaries",
        "Share of each group in all identifying words. Dot: share in the summaries. Bar: its interval. Ring: share in the sources.",
        against="source_share",
    ),
    "inclusion": GroupDots(
        "inclusion",
        "People named, by group",
        "Share of each group's people whom the summaries name. Dot: share. Bar: interval.",
    ),
    "odds": GroupDots(
        "log_odds",
        "Odds of being named, group against group",
        "Logarithm of the odds ratio of being named. Dot: value. Bar: interval. Vertical tick: permutation mean. To the right of "
        "zero, the odds of the first group are larger.",
        mark=0.0,
    ),
    "invented_people": each(_invented),  # invented[g] and unknown of each record
    "invented_names": each(_names),  # name[n] of each record
    "accuracies": each(_originals),  # score of each seed document
    "sentiments": each(_sentiments),  # article[g] and summary[g] of each record
    "regressions": each(
        _regressions
    ),  # article[g] and shift[g], with the estimates slope[g] and intercept[g]
    "coefficients": each(_coefficients),  # x and y of texts with gender words
    "quality": estimate_figures.quality,
}
"""The figures that a measure may declare, in order; comments name the statistics that each is drawn from."""
