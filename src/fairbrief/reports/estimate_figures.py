"""The material of figures, and the figures of estimates: groups and systems next to each other, grids of subgroups, quality
against disparity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.reports import number_format, plot, wording
from fairbrief.reports.frames import plain_numbers, rows_with, usable
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.plot import Axis, Bounds, Box, Line, Mark, Spread, Words
from fairbrief.reports.result import Result
from fairbrief.statistics.arrays import TIE
from fairbrief.types import Estimate, Floats

MOST_SYSTEMS = 6
"""More lines could not be distinguished."""
SUMMED = 1 << 14
"""Rows that are in memory as numbers at a time, where only sums are needed."""
PLACES = frozenset(("system", "record", "reason", "p"))
STATISTICS = frozenset(
    "source summary generated reference gap testable expected_significant invented unknown name score one article "
    "shift both x y".split()
)
"""The per-record statistics that the figures use."""


Key = tuple[tuple[str, str], ...]
"""Names of lines, each with the class of its colour."""


@dataclass(frozen=True, slots=True)
class Part:
    """The usable rows of one observation, with its columns, and the specs of its measures."""

    measures: tuple[str, ...]
    rows: pa.Table

    def subscripts(self, statistic: str) -> list[str]:
        """The values for which a statistic is known, in the order of the columns."""
        found = [
            re.fullmatch(rf"{re.escape(statistic)}\[(.*)\]", n, re.DOTALL) for n in self.rows.column_names
        ]
        return [m[1] for m in found if m]

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

    def sums(self, statistic: str, values: Sequence[str]) -> Floats:
        """The sums of the matrix over its rows, added in order. Shape (values,)."""
        found = np.zeros(len(values))
        for start in range(0, len(self.rows), SUMMED):
            some = Part(self.measures, self.rows.slice(start, SUMMED)).matrix(statistic, values)
            found = np.concatenate([found[np.newaxis], some]).sum(axis=0)
        return found

    def of(self, system: str) -> Part:
        """The rows of one system."""
        return Part(self.measures, rows_with(self.rows, "system", system))


@dataclass(frozen=True, slots=True)
class Material:
    """The material of figures: the per-record statistics, and the estimates on all records."""

    result: Result
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By measure, quantity and system."""

    def draws(self, measure: str, figure: str) -> bool:
        """Whether a measure declares a figure of this kind."""
        return figure in wording.declared(measure, self.result.made).figures

    def question(self, measure: str) -> str:
        """What a measure measures, as the beginning of a sentence; its family where it declares no question."""
        declared = wording.declared(measure, self.result.made)
        text = declared.question or declared.family
        return text[:1].upper() + text[1:]

    def parts_for(self, figure: str) -> Iterator[tuple[str, Part]]:
        """The parts of the per-record statistics to draw, one at a time, each with the first of its measures that declares the figure."""
        known = self.result.rows.measures()
        for observation in dict.fromkeys(known.values()):
            measures = tuple(measure for measure, of in known.items() if of == observation)
            measure = next((m for m in measures if self.draws(m, figure)), "")
            if not measure:
                continue
            rows = usable(self.result.rows.of(observation, _is_shown))
            if len(rows):
                held = [n for n in rows.column_names if rows[n].null_count < len(rows)]
                yield measure, Part(measures, rows.select(held))

    def main_value(self, measure: str, system: str) -> Estimate | None:
        """A measure's main value for one system on all records."""
        return self.estimates.get((measure, wording.name_of(measure), system))

    def over(self, part: Part) -> str:
        """The attribute whose groups a part's measures compare."""
        return next((e.over for (measure, _, _), e in self.estimates.items() if measure in part.measures), "")

    def systems(self, part: Part) -> list[str]:
        """All systems of a part, in the order of the audit."""
        present = pc.unique(part.rows["system"]).to_pylist()
        return [
            *(s for s in self.result.all_systems if s in present),
            *(s for s in present if s not in self.result.all_systems),
        ]

    def colour(self, system: str) -> str:
        """The colour of a system, the same in all figures."""
        return plot.colour_of(self.result.all_systems, system)

    def key(self, systems: Sequence[str]) -> Key:
        """The systems with the classes of their colours."""
        return plot.key_of(self.result.all_systems, systems)

    def value(self, measure: str, quantity: str, system: str) -> float | None:
        """An estimate's value on all records; None if there is none."""
        found = self.estimates.get((measure, quantity, system))
        return None if found is None else found.value


def gather(result: Result) -> Material:
    """The material of all figures of a result."""
    estimates = {(e.measure, e.quantity, e.system): e for e in result.estimates if not e.subgroup}
    return Material(result, estimates)


def _is_shown(name: str) -> bool:
    return name in PLACES or name.partition("[")[0] in STATISTICS


MOST_VALUES = 12
"""Panels of values, or rows of one panel."""
MOST_CELLS = 150
MOST_ROWS = 24
"""Systems of one forest."""
FEWEST_COMPARED, MOST_COMPARED = 3, 8
"""Systems in a figure of quality against disparity."""


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


T = TypeVar("T")
Drawn = Iterator[tuple[Figure, str]]
"""Figures, each with its measure."""


def draw(material: Material) -> Drawn:
    """The figures that every result has, whatever its measures declare."""
    yield from _grids(material)
    yield from side_by_side(material)
    yield from _differences(material)


def first_of(things: Sequence[T], most: int, what: str, which: str = "first") -> tuple[list[T], str]:
    """The first ``most`` things, and the sentence of the caption if there are more."""
    note = f" Only the {which} {most} of {len(things)} {what} are shown." if most < len(things) else ""
    return list(things[:most]), note


def describe(parts: Iterable[str]) -> str:
    """Texts for screen readers, joined and shortened."""
    return shorten(printable("; ".join(parts)), 2000)


# ------------------------------------------------------------------------------- dots with intervals


def spread_of(e: Estimate, name: str, colour: str) -> Spread:
    """An estimate as a row of a forest."""
    return Spread(name, e.value, e.low, e.high, e.permutation_mean, colour=colour)


def bounds_of(rows: Iterable[Spread], mark: float | None = None) -> Bounds | None:
    """The ends of an axis that contains everything, with a small margin; None if all values are equal."""
    places = [place for row in rows for place in row.places] + ([] if mark is None else [mark])
    if not places or max(places) - min(places) < TIE:
        return None
    room = 0.05 * (max(places) - min(places))
    return min(places) - room, max(places) + room


def _read_out(rows: Sequence[Spread], estimates: Sequence[Estimate]) -> str:
    """The rows as text."""
    return describe(
        f"{row.name} {number_format.value(e)} {number_format.interval(e)}, permutation mean {number_format.chance(e)}"
        for row, e in list(zip(rows, estimates, strict=True))[:20]
    )


@dataclass(frozen=True, slots=True)
class GroupDots:
    """The figure of estimates ``statistic[value]``: panels on one scale, one per system or one per value, whichever are fewer.

    ``mark`` is the value of no difference, ``against`` the statistic with which each is compared. ``{question}`` in the caption
    becomes the measure's question.
    """

    statistic: str
    title: str
    caption: str
    mark: float | None = None
    against: str = ""

    def __call__(self, material: Material, kind: str) -> Drawn:
        pattern = re.compile(rf"{re.escape(self.statistic)}\[(.*)\]", re.DOTALL)
        by_measure: dict[str, dict[tuple[str, str], Estimate]] = {}
        for (measure, quantity, system), e in material.estimates.items():
            match = pattern.fullmatch(quantity)
            if match and e.value is not None and material.draws(measure, kind):
                by_measure.setdefault(measure, {})[match[1], system] = e
        for measure, estimates in by_measure.items():
            asked = {"question": material.question(measure), "measure": wording.name_of(measure)}
            panels, note = self._panels(material, estimates)
            yield Figure(self.title, self.caption.format(**asked) + note, panels), measure

    def _panels(
        self, material: Material, estimates: Mapping[tuple[str, str], Estimate]
    ) -> tuple[tuple[Panel, ...], str]:
        values, systems = ([*dict.fromkeys(key[i] for key in estimates)] for i in (0, 1))
        per_value = len(values) < len(systems)
        outer, inner = (values, systems) if per_value else (systems, values)
        most = MOST_VALUES if per_value else MOST_SYSTEMS
        kinds = ("values", "systems") if per_value else ("systems", "values")
        outer, cut = first_of(outer, most, kinds[0])
        inner, inner_cut = first_of(inner, MOST_VALUES, kinds[1])
        shown: dict[str, tuple[list[Spread], list[Estimate]]] = {}
        for title in outer:
            rows: list[Spread] = []
            members: list[Estimate] = []
            for name in inner:
                value, system = (title, name) if per_value else (name, title)
                if (e := estimates.get((value, system))) is not None:
                    other = material.value(e.measure, f"{self.against}[{value}]", system)
                    rows.append(replace(spread_of(e, name, material.colour(system)), against=other))
                    members.append(e)
            if rows:
                shown[title] = rows, members
        bounds = bounds_of((row for rows, _ in shown.values() for row in rows), self.mark)
        return tuple(
            Panel(title, plot.forest(rows, _read_out(rows, members), bounds, self.mark))
            for title, (rows, members) in shown.items()
        ), cut + inner_cut


def side_by_side(material: Material) -> Drawn:
    """The main values of all systems, a panel per measure that several have."""
    by_measure: dict[str, list[Estimate]] = {}
    for e in material.estimates.values():
        if wording.is_main_value(e) and e.value is not None:
            by_measure.setdefault(e.measure, []).append(e)
    caption = "Dot: value. Bar: interval. Vertical tick: permutation mean of the system."
    yield _forests("Main values of all systems", caption, by_measure, material), ""


def _differences(material: Material) -> Drawn:
    """Paired differences of several systems from one, a panel per tested value."""
    by_quantity: dict[str, list[Estimate]] = {}
    for e in map(wording.from_random, material.result.differences):
        is_tested = e.is_primary or (wording.is_main_value(e) and e.p is not None)
        if is_tested and not e.subgroup and e.value is not None:
            quantity = "" if wording.is_main_value(e) else f": {e.quantity}"
            by_quantity.setdefault(f"{e.measure}{quantity}", []).append(e.replace(permutation_mean=0.0))
    with_one = {
        f"{quantity}, minus {members[0].baseline}": members
        for quantity, members in by_quantity.items()
        if len({e.baseline for e in members}) == 1
    }
    caption = "Dot: paired difference. Bar: its interval. Vertical tick: no difference."
    yield _forests("Differences from one system", caption, with_one, material), ""


def _forests(
    title: str, caption: str, panels: Mapping[str, Sequence[Estimate]], material: Material
) -> Figure:
    """A panel per title with a row per system, if there are several systems."""
    several = {title: members for title, members in panels.items() if len(members) > 1}
    cuts, made = [""], []
    for name, members in several.items():
        shown, cut = first_of(members, MOST_ROWS, "systems")
        cuts.append(cut)
        rows = [spread_of(e, e.system, material.colour(e.system)) for e in shown]
        made.append(Panel(name, plot.forest(rows, describe([f"{name}: {_read_out(rows, shown)}"]))))
    return Figure(title, caption + max(cuts, key=len), tuple(made))


# ----------------------------------------------------------------------------------------------- grids


def _grids(material: Material) -> Drawn:
    """Main values by two attributes, a grid per system."""
    by_subgroups: dict[tuple[str, tuple[str, ...]], dict[str, list[Estimate]]] = {}
    for e in material.result.estimates:
        if len(e.subgroup) == 2 and wording.is_main_value(e):
            by_subgroups.setdefault((e.measure, tuple(e.subgroup)), {}).setdefault(e.system, []).append(e)
    for (measure, (row, column)), systems in by_subgroups.items():
        shown, cut = first_of(list(systems), MOST_SYSTEMS, "systems")
        panels = tuple(
            Panel(system, _heat_map(systems[system], row, column, material.colour(system)))
            for system in shown
        )
        most = max((systems[system] for system in shown), key=len)
        caption = "A stronger colour is a larger value; a dash means that the value is undefined. The table has the intervals."
        caption += first_of(most, MOST_CELLS, "cells of each grid")[1] + cut
        yield Figure(f"{measure} by {row} and {column}", caption, panels), measure


def _heat_map(members: Sequence[Estimate], row: str, column: str, colour: str) -> str:
    """A cell with the value per combination of two attributes, in a stronger colour if the value is larger."""

    def in_order(name: str, shown: Iterable[Estimate]) -> list[str]:
        return sorted({e.subgroup[name] for e in shown}, key=_natural)

    shown = sorted(members, key=lambda e: (_natural(e.subgroup[row]), _natural(e.subgroup[column])))[
        :MOST_CELLS
    ]
    rows, columns = in_order(row, shown), in_order(column, shown)
    known = [e.value for e in shown if e.value is not None and isfinite(e.value)] or [0.0]
    low, high = min(known), max(known)
    marks: list[Mark] = []
    read_out = []
    for e in shown:
        i, k, words = rows.index(e.subgroup[row]), columns.index(e.subgroup[column]), _cell(e)
        part = 0.0 if e.value is None else (min(max(e.value, low), high) - low) / (high - low or 1.0)
        strength = 0.0 if e.value is None else round(0.08 + 0.6 * part, 3)
        marks.append(Box((k, k + 1), (i, i + 1), colour, strength, plot.GRID))
        marks.append(Words(k + 0.5, i + 0.5, words, "middle"))
        read_out.append(f"{e.subgroup[row]}, {e.subgroup[column]}: {words}")
    alt = f"{members[0].measure} of {members[0].system} by {row} and {column}: {'; '.join(read_out[:20])}"
    x = replace(Axis.of_names(columns, is_upright=False), title=column)
    y = replace(Axis.of_names(rows), title=row)
    return plot.drawn(alt, x, y, marks, max(46 * len(columns), 120), 24 * len(rows))


def _cell(e: Estimate) -> str:
    places = min(number_format.decimals(e), 2)
    return number_format.ABSENT if e.value is None else number_format.number(e.value, places)


def _natural(words: str) -> tuple[tuple[int, float, str], ...]:
    """A key that sorts 2 before 10."""
    parts = re.split(r"(\d+)", words)
    return tuple((0, float(p), "") if p.isdigit() and p.isascii() else (1, 0.0, p) for p in parts)


# ------------------------------------------------------------------------------ quality and disparity


def quality(material: Material, kind: str) -> Drawn:
    """Quality against disparity, if three systems have both a quality and a main value with a permutation mean."""
    main_values: dict[str, dict[str, Estimate]] = {}
    for (measure, _, system), e in material.estimates.items():
        if wording.is_main_value(e) and e.value is not None:
            main_values.setdefault(measure, {})[system] = e
    # By name, the last ROUGE is that of the longest common subsequences.
    measure = next((m for m in reversed(main_values) if material.draws(m, kind)), "")
    qualities = main_values.get(measure, {})
    tested = {
        m: estimates
        for m, estimates in main_values.items()
        if any(e.permutation_mean is not None for e in estimates.values())
        and len(qualities.keys() & estimates.keys()) >= FEWEST_COMPARED
    }
    systems = [s for s in qualities if any(s in estimates for estimates in tested.values())]
    shown, cut = first_of(systems, MOST_COMPARED, "systems")
    measures, measures_cut = first_of(list(tested), MOST_VALUES, "measures")
    panels = tuple(
        Panel(
            m,
            _scatter(
                measure,
                m,
                {s: (qualities[s], tested[m][s]) for s in shown if s in tested[m]},
                material.colour,
            ),
        )
        for m in measures
    )
    caption = (
        f"Horizontal: {measure}, {wording.declared(measure, material.result.made).question}. Vertical: the measure above each picture. "
        "Lines: intervals. A few systems cannot show how quality and disparity are related."
    )
    yield Figure("Quality and disparity", caption + cut + measures_cut, panels, material.key(shown)), measure


def _scatter(
    quality: str,
    measure: str,
    pairs: Mapping[str, tuple[Estimate, Estimate]],
    colour_of: Callable[[str], str],
) -> str:
    """A point with both intervals per system."""
    across, up = (plot.domain(v for pair in pairs.values() for v in (pair[i].value, pair[i].low, pair[i].high)) for i in (0, 1))  # fmt: skip
    lines: list[Mark] = []
    dots: list[Mark] = []
    for i, (system, (a, b)) in enumerate(pairs.items()):
        x, y, colour = a.value or 0.0, b.value or 0.0, colour_of(system)
        if a.low is not None and a.high is not None:
            lines.append(Line(((a.low, y), (a.high, y)), colour, 1.4, opacity=0.55))
        if b.low is not None and b.high is not None:
            lines.append(Line(((x, b.low), (x, b.high)), colour, 1.4, opacity=0.55))
        dots.append(plot.dot_or_arrow(x, y, colour, i, 46))
    alt = describe(
        f"{s}: {quality} {number_format.value(a)}, {measure} {number_format.value(b)}"
        for s, (a, b) in pairs.items()
    )
    return plot.drawn(alt, Axis.of_numbers(across, quality), Axis.of_numbers(up), [*lines, *dots], height=190)
