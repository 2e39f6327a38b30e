"""Saved audits over time, as sentences, tables, a page, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isfinite
from typing import Literal

from fairbrief.declarations import ContrastUnit
from fairbrief.reports import exports, json_file, plot
from fairbrief.reports.html import page
from fairbrief.reports.number_format import number
from fairbrief.reports.plain import named
from fairbrief.reports.plot import COLOURS, FAINT, INK, Axis, Mark, box, dot, path, upright
from fairbrief.reports.wording import UNITS, capital, signed, tick
from fairbrief.statistics.sequential import YEAR
from fairbrief.text.counted import counted, listed
from fairbrief.types import Data, Table

SCHEMA = "fairbrief.trend/1"
SIZE = 760, 150
TICKS = 6
"""Nights that are named below a picture."""
SHOWN = 5
"""Releases and names in a sentence."""
Kind = Literal["contrast", "limit", "input", "output"]
PANELS: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    ("Group differences", ("contrast", "limit")),
    ("Inputs", ("input",)),
    ("Summaries", ("output",)),
)
"""Sections of the page, and the series of each."""


class Night(Data, frozen=True):
    """One audit of the series: its name, its folder, when it ended (UTC), and its records."""

    name: str
    folder: str
    ended: str
    records: int


class Drift(Data, frozen=True):
    """A change of a series: the night from which it is most likely, and the night at which it was detected, as indices.

    ``before`` is the mean of the nights before ``since``; ``after`` that of the nights from it on, with an interval that is valid at
    every night.
    """

    since: int
    seen: int
    before: float
    after: float
    low: float
    high: float


class Series(Data, frozen=True):
    """One number of each night; ``values`` and bounds are None where a night lacks it.

    ``reference`` is the mean of the reference nights, ``latest`` that of the last week, ``limit`` a rule's limit. ``smallest`` are the changes that half of all
    runs of 7 and of 28 further nights show.
    """

    kind: Kind
    title: str
    unit: ContrastUnit
    values: Sequence[float | None]
    low: Sequence[float | None]
    high: Sequence[float | None]
    reference: float | None
    limit: float | None = None
    drift: Drift | None = None
    latest: float | None = None
    smallest: tuple[float, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether it broke its limit, or its values are further from 0 than before."""
        d = self.drift
        return d is not None and (self.kind == "limit" or abs(d.after) > abs(d.before))

    def text(self, value: float) -> str:
        """A value in words."""
        if self.kind == "contrast":
            return signed(value, self.unit)
        return number(value, 3 if abs(value) < 10 else 0)


class Release(Data, frozen=True):
    """A change in how a system's summaries were made, or of Fairbrief, at one night."""

    night: int
    system: str
    what: str
    before: str
    after: str


class Trend(Data, frozen=True):
    """Saved audits in their order; the first ``reference`` ones are the reference for the others.

    ``alpha`` is the rate of false alarms in a year. ``absent`` are group differences that the last night lacks, ``new`` those that the
    reference lacks. ``repeated`` is the median share of a night's records that are also in the night before, if known.
    """

    nights: tuple[Night, ...]
    reference: int
    alpha: float
    series: tuple[Series, ...]
    releases: tuple[Release, ...]
    absent: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    repeated: float | None = None

    @property
    def monitored(self) -> int:
        """The number of nights after the reference."""
        return len(self.nights) - self.reference

    def of(self, *kinds: Kind) -> list[Series]:
        """The series of these kinds, those with a change first."""
        wanted = (s for s in self.series if s.kind in kinds)
        return sorted(wanted, key=lambda s: (s.drift is None, not s.is_worse))

    @property
    def outcome(self) -> Literal["pass", "fail", "inconclusive"]:
        """Fail for a broken limit, or if a group difference moved away from 0 and no input changed; inconclusive if inputs
        changed, too, or nothing could be compared.
        """
        worse = [s for s in self.of("contrast", "limit") if s.is_worse]
        inputs_changed = any(s.drift for s in self.of("input"))
        if any(s.kind == "limit" or not inputs_changed for s in worse):
            return "fail"
        is_compared = self.monitored > 0 and self.of("contrast", "limit")
        return "inconclusive" if worse or not is_compared or self.absent else "pass"


# -------------------------------------------------------------------------------------------- sentences


def sentences(trend: Trend) -> dict[str, list[str]]:
    """What drifts and since when, whether inputs changed, what changed in the system, and cautions."""
    compared, inputs, outputs = (trend.of(*kinds) for _, kinds in PANELS)
    drifts, changed, moved = ([_drift(s, trend) for s in of if s.drift] for of in (compared, inputs, outputs))
    many = f"{counted(trend.monitored, 'night')} after {counted(trend.reference, 'reference night')}"
    if trend.monitored < 1:
        reference = counted(trend.reference, "night")
        drifts = [f"Nothing is compared yet: all {reference} are the reference. Add later audits."]
    elif not compared:
        drifts = ["Nothing is compared: no reference night has a group difference with an interval."]
    elif not drifts:
        drifts = [
            f"No drift of a group difference was detected ({counted(len(compared), 'series', 'series')}, {many})."
        ]
    elif changed:
        drifts.append(
            "The inputs changed, too, and may cause the drift. To find out, run both versions on the same records and compare them."
        )
    elif inputs:
        drifts.append(f"No change in the inputs was detected ({many}).")
    if not changed and inputs and trend.monitored > 0:
        numbers = counted(len(inputs), "number")
        changed = [f"No change was detected in {numbers} that describe the inputs."]
    releases = [
        f"{named(r.system)}: {named(r.what)} changed from {named(r.before)} to {named(r.after)} at {named(trend.nights[r.night].name)}."
        for r in trend.releases[-SHOWN:]
    ]
    answers = {
        "FINDING": drifts, "INPUTS": changed, "SYSTEM": [*moved, *releases], "CAUTION": list(_cautions(trend)),
    }  # fmt: skip
    return {asked: texts for asked, texts in answers.items() if texts}


def _cautions(trend: Trend) -> Iterator[str]:
    if trend.absent:
        yield f"The last night has no value of {listed(trend.absent, SHOWN)}."
    compared = [s for s in trend.of("contrast") if s.smallest]
    if compared and trend.monitored > 0 and not any(s.drift or isfinite(s.smallest[0]) for s in compared):
        yield "No drift can be detected yet, nor in the next 7 nights, however large. With more reference nights, drifts show sooner."
    if trend.new:
        yield f"Not compared, because the reference has no value: {listed(trend.new, SHOWN)}."
    if trend.monitored > 0 and not trend.of("input"):
        yield "The audits do not describe their inputs, so changes of inputs are unknown. Audit again with this version."
    if (trend.repeated or 0) > 0.1:
        yield (
            f"Nights share {trend.repeated:.0%} of their records with the night before, so they contain less information. New "
            "records each night show a drift sooner; for a fixed set of records, use 'fairbrief compare'."
        )
    if trend.monitored > YEAR:
        yield f"The limits hold for {YEAR} nights after the reference. Begin a new reference."


def _drift(s: Series, trend: Trend) -> str:
    """One change in words."""
    d = s.drift
    assert d is not None
    unit = UNITS.get(s.unit, "") if s.kind == "contrast" else ""
    interval = f"{s.text(d.after)} [{s.text(d.low)}, {s.text(d.high)}]{unit}"
    when = f"since about {named(trend.nights[d.since].name)} (detected at {named(trend.nights[d.seen].name)})"
    if s.kind == "limit":
        return f"{capital(s.title)}: beyond its limit of {s.text(d.before)}, at {interval}, {when}."
    how = "" if s.kind != "contrast" else ", further from 0" if s.is_worse else ", closer to 0"
    return f"{capital(s.title)}: from {s.text(d.before)} to {interval}{how}, {when}."


# --------------------------------------------------------------------------------------- tables and files


VALUES = "Each value is the difference from random sentences of the same length, if an audit has it."


def tables(trend: Trend) -> list[Table]:
    """Group differences, and what describes inputs and summaries, with their means and changes."""
    header = ("series", "reference", "last week", "change", "visible in 7 nights", "in 28 nights")
    shown = []
    for title, kinds in PANELS:
        if rows := tuple(_row(s, trend) for s in trend.of(*kinds)):
            shown.append(Table(title, header, rows, (VALUES,) if "contrast" in kinds else ()))
    return shown


def _row(s: Series, trend: Trend) -> tuple[str, ...]:
    first, last = ("–" if v is None else s.text(v) for v in (s.reference, s.latest))
    since = "none detected" if s.drift is None else f"since {named(trend.nights[s.drift.since].name)}"
    smallest = (s.text(v).lstrip("+") if isfinite(v) and v > 0 else "–" for v in s.smallest or (0, 0))
    return (s.title, first, last, since, *smallest)


def method(trend: Trend) -> str:
    """How the limits work."""
    return (
        f"At most {trend.alpha:.0%} of years without a change raise an alarm, over all group differences together. {VALUES} "
        "Intervals of changes hold at every night. 'Visible in 7 nights': half of all changes of this size are detected within a week."
    )


def as_markdown(trend: Trend) -> str:
    """The first screen for a pull request: sentences and tables."""
    lines = [
        f"**{asked}** {exports.markdown_escape(' '.join(texts))}" for asked, texts in sentences(trend).items()
    ]
    parts = [f"# Trend: {trend.outcome}", *lines, *map(exports.markdown_table, tables(trend))]
    return "\n\n".join(parts) + "\n"


def as_json(trend: Trend) -> str:
    """Everything, with the outcome; an undefined number is null."""
    return json_file.text_of({"schema": SCHEMA, "outcome": trend.outcome, "trend": trend})


def as_page(trend: Trend) -> str:
    """The page: no network, no script, every text escaped."""
    answers = sentences(trend)
    panels = [(title, [(s.title, picture(s, trend)) for s in trend.of(*kinds)]) for title, kinds in PANELS]
    nights = tuple((named(n.name), n.ended, f"{n.records:,}") for n in trend.nights)
    context = {
        "trend": trend,
        "lead": answers.pop("FINDING"),
        "answers": answers,
        "tables": [*tables(trend), Table("Audits", ("audit", "ended (UTC)", "records"), nights)],
        "panels": panels,
        "method": method(trend),
    }
    return page("trend.html.j2", context)


def picture(s: Series, trend: Trend) -> str:
    """The series with intervals, the reference shaded, releases as dashed lines, and a change with its interval."""
    zero = [0.0] if s.kind in ("contrast", "limit") else []
    low, high = plot.domain([*s.values, *s.low, *s.high, s.limit, *zero])
    many = len(trend.nights)
    ticks = tuple((i + 0.5, named(trend.nights[i].name, 16)) for i in range(0, many, -(-many // TICKS)))
    label = partial(tick, unit=s.unit) if s.kind == "contrast" else plot.plain
    y = Axis.of_numbers((low, high), ticks=4, label=label)
    marks: list[Mark] = [box((0, trend.reference), (low, high), FAINT, 0.08)]
    marks += [upright(night, FAINT) for night in dict.fromkeys(r.night for r in trend.releases)]
    level = s.limit if s.limit is not None else s.reference
    if level is not None:
        marks.append(path(((0, level), (many, level)), FAINT, 1.4, stroke_dasharray="2 3"))
    for i, (value, below, above) in enumerate(zip(s.values, s.low, s.high, strict=True)):
        if below is not None and above is not None:
            marks.append(path(((i + 0.5, below), (i + 0.5, above)), COLOURS[0], 1.2, opacity=0.35))
        if value is not None:
            marks.append(dot(i + 0.5, value, COLOURS[0], area=14))
    if (d := s.drift) is not None:
        marks.append(box((d.since, many), (max(d.low, low), min(d.high, high)), INK, 0.15))
        marks.append(path(((d.since, d.after), (many, d.after)), INK, 2.2))
    alt = f"{s.title}: {counted(many, 'night')}; {_drift(s, trend) if d else 'no change was detected.'}"
    return plot.drawn(alt, Axis(0, many, ticks), y, marks, SIZE)
