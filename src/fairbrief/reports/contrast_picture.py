"""A group's row on the first screen: dot and interval of the system, diamond of the random pick, zero; and the scale below."""

from __future__ import annotations

from collections.abc import Sequence

from fairbrief.declarations import ContrastUnit
from fairbrief.reports import canvas
from fairbrief.reports.canvas import COLOURS, FAINT, GRID, Scale, line, tag
from fairbrief.reports.contrast_words import tick
from fairbrief.reports.pictures import shape
from fairbrief.types import Estimate

WIDTH, HEIGHT = 420, 26
EDGE = 26


def scale_of(estimates: Sequence[Estimate]) -> Scale:
    """One scale for all rows of a panel; it holds zero and every interval, cut where one is far wider than the rest."""
    places = [x for e in estimates for x in (e.value, e.blind) if x is not None]
    widest = 3 * max(map(abs, places), default=1.0)
    places += [max(-widest, min(widest, x)) for e in estimates for x in (e.low, e.high) if x is not None]
    low, high = canvas.domain(places, 6, zero=True)
    return Scale(low, high, EDGE, WIDTH - EDGE)


def row(e: Estimate, x: Scale, colour: str, alt: str) -> str:
    """One estimate on the panel's scale."""
    middle = HEIGHT / 2
    parts = [line(at, 0, at, HEIGHT, GRID) for at in (x.at(v) for v, _ in canvas.marked(x.low, x.high, 6))]
    parts.append(line(x.at(0), 0, x.at(0), HEIGHT, FAINT, 1.4))
    if e.low is not None and e.high is not None:
        low, high = max(e.low, x.low), min(e.high, x.high)
        parts.append(line(x.at(low), middle, x.at(high), middle, colour, 3))
    if e.blind is not None:
        place = x.at(min(max(e.blind, x.low), x.high))
        parts.append(shape(3, place, middle, 60, fill="var(--paper)", stroke="var(--ink)", stroke_width=1.5))
    if e.value is not None:
        parts.append(tag("circle", cx=x.at(e.value), cy=middle, r=5, fill=colour))
    return _stretched(parts, alt, HEIGHT)


def axis(x: Scale, unit: ContrastUnit) -> str:
    """The scale below a panel's rows."""
    marks = [
        canvas.text(x.at(v), 8, tick(v, unit), anchor="middle") for v, _ in canvas.marked(x.low, x.high, 6)
    ]
    return _stretched(marks, "scale", 18)


def colour(systems: Sequence[str], system: str) -> str:
    """The colour of a system, the same in all panels."""
    return COLOURS[list(systems).index(system) % len(COLOURS)]


def _stretched(parts: Sequence[str], alt: str, height: float) -> str:
    """As wide as its cell."""
    drawn = canvas.picture(parts, alt, WIDTH, height, 0, 0, 0, 0)
    return drawn.replace(f'width="{WIDTH}.0"', 'width="100%"', 1).replace(
        f'width="{WIDTH}"', 'width="100%"', 1
    )
