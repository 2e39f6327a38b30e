"""A group's row on the first screen: dot and interval of the system, diamond of random sentences, zero; and the scale below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairbrief.declarations import ContrastUnit
from fairbrief.reports import plot
from fairbrief.reports.contrast_words import tick
from fairbrief.reports.plot import BARE, COLOURS, FAINT, INK, PAPER, Axis, Dot, Mark, Spread
from fairbrief.types import Estimate

WIDTH, HEIGHT, EDGE = 420, 26, 26


def scale_of(estimates: Sequence[Estimate]) -> Axis:
    """One axis for all rows of a panel; it holds zero and every interval, cut where one is far wider than the rest."""
    places = [x for e in estimates for x in (e.value, e.blind) if x is not None]
    widest = 3 * max(map(abs, places), default=1.0)
    places += [max(-widest, min(widest, x)) for e in estimates for x in (e.low, e.high) if x is not None]
    return Axis.of_numbers(plot.domain(places, 6, zero=True), count=6)


def row(e: Estimate, x: Axis, colour: str, alt: str) -> str:
    """One estimate on the panel's axis."""
    marks: list[Mark] = [
        plot.upright(0, FAINT, dash=None),
        *Spread("", None, e.low, e.high).marks(0.5, colour),
    ]
    if e.blind is not None:
        marks.append(Dot(e.blind, 0.5, INK, plot.DIAMOND, 60, fill=PAPER))
    marks += Spread("", e.value).marks(0.5, colour)
    bare = replace(x, ticks=tuple((value, "") for value, _ in x.ticks), has_line=False)
    return _stretched(alt, bare, marks, HEIGHT)


def axis(x: Axis, unit: ContrastUnit) -> str:
    """The scale below a panel's rows."""
    return _stretched(
        "scale", replace(x, ticks=tuple((value, tick(value, unit)) for value, _ in x.ticks)), (), 0
    )


def colour(systems: Sequence[str], system: str) -> str:
    """The colour of a system, the same in all panels."""
    return COLOURS[list(systems).index(system) % len(COLOURS)]


def _stretched(alt: str, x: Axis, marks: Sequence[Mark], height: float) -> str:
    """As wide as its cell, with room for the labels of the axis at both ends."""
    return plot.drawn(alt, x, BARE, marks, WIDTH - 2 * EDGE, height, left=EDGE, right=EDGE, is_stretched=True)
