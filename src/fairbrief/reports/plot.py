"""Colours, and axes and marks as one labelled SVG: every picture of the reports is made of them.

A colour means one thing. ``s1`` to ``s8`` are systems (or groups, in figures that compare groups). They contain no pair of red
and green, and stay apart for colour-blind readers. ``less`` is the one red and marks a group that gets significantly less.

Pictures name the light colours themselves, so that they are complete without a style sheet. On a dark screen a page's
style sheet replaces them. The same data give the same text.
Nothing is drawn outside the axes: values beyond them are drawn at their end. Long labels are shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, copysign, floor, inf, isfinite, isinf, log10, sqrt
from xml.sax.saxutils import escape, quoteattr

from fairbrief.reports.plain import named, printable
from fairbrief.types import Data

LIGHT: Mapping[str, str] = {
    "paper": "#fcfbf8", "ink": "#1d1c1a", "soft": "#5d5a54", "line": "#dedad0",
    "s1": "#1f5f99", "s2": "#cc7a00", "s3": "#a63be0", "s4": "#453f4d",
    "s5": "#2f9aa3", "s6": "#998c73", "s7": "#ec4fd0", "s8": "#4d1bb2",
    "panel": "#f4f2ec", "link": "#1a5276", "mark": "#ffe08a", "faint-mark": "#f6efd8", "less": "#a5161b",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "paper": "#16171a", "ink": "#e9e6df", "soft": "#aba69b", "line": "#383a40",
    "s1": "#5aa5ee", "s2": "#f2c14c", "s3": "#b06bff", "s4": "#e9e2f0",
    "s5": "#14d0c0", "s6": "#8c8f96", "s7": "#e04fd0", "s8": "#bf8a50",
    "panel": "#1f2125", "link": "#8cc0ea", "mark": "#6b5514", "faint-mark": "#2e2a1c", "less": "#ff7b72",
}  # fmt: skip
SERIES = tuple(f"s{i}" for i in range(1, 9))
DRAWN = ("paper", "ink", "soft", "line", *SERIES)
"""The colours that pictures use."""

INK, FAINT, GRID, PAPER = (LIGHT[name] for name in ("ink", "soft", "line", "paper"))
COLOURS = tuple(LIGHT[name] for name in SERIES)
DASHES = (None, "5 2", "2 2", "7 2 2 2", "1 2", "9 3", "4 1 1 1", "3 3")
"""Lines differ in their dashes as well as in their colours."""
SIZE = 262, 120
ALT = 2_000
"""The most characters of a text for screen readers."""
LETTER = 6.2
"""Mean width of a letter of a label, in pixels."""
ROOM = 6
"""Pixels between an axis and its labels."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
Bounds = tuple[float, float]
Ticks = tuple[tuple[float, str], ...]


# ------------------------------------------------------------------------------------------- elements


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """One element, without the attributes that are None; ``stroke_width`` becomes ``stroke-width``."""
    given = ((key.replace("_", "-"), value) for key, value in attributes.items() if value is not None)
    head = f"<{name}{''.join(f' {key}={quoteattr(str(value))}' for key, value in given)}"
    return f"{head}>{content}</{name}>" if content else f"{head}/>"


def text(x: float, y: float, words: str, anchor: str | None = None) -> str:
    """Words at a place, centred on its height."""
    shown = escape(printable(words))
    return tag("text", shown, x=x, y=round(y + 4, 2), fill=FAINT, text_anchor=anchor) if shown else ""


def corners(x: float, y: float, shifts: Iterable[tuple[float, float]], **look: object) -> str:
    """A polygon around a place."""
    return tag("polygon", points=" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in shifts), **look)


def diamond(x: float, y: float, area: float) -> str:
    """The mark of random sentences."""
    r = sqrt(area) / 2
    shifts = ((0, -1.5 * r), (1.2 * r, 0), (0, 1.5 * r), (-1.2 * r, 0))
    return corners(x, y, shifts, fill=PAPER, stroke=INK, stroke_width=1.6)


# ----------------------------------------------------------------------------------------------- axes


Scale = Callable[[float], float]
"""From values to pixels."""
Label = Callable[[float], str]


def plain(value: float) -> str:
    """A number as a label."""
    return f"{value:,.8g}".replace("-", "−")


def percent(value: float) -> str:
    """A share as a label."""
    return f"{100 * value:.6g}%"


class Axis(Data, frozen=True):
    """An axis from ``low`` to ``high``, with marked values, a title and a line."""

    low: float
    high: float
    ticks: Ticks = ()
    title: str = ""
    has_line: bool = True

    @classmethod
    def of_numbers(
        cls, bounds: Bounds, title: str = "", ticks: int | Sequence[float] = 5, label: Label = plain
    ) -> Axis:
        """An axis of numbers that is marked at ``ticks``, or at about so many round values."""
        marked = round_values(*bounds, ticks) if isinstance(ticks, int) else ticks
        return cls(*bounds, tuple((value, label(value)) for value in marked), title)

    def scale(self, start: float, end: float) -> Scale:
        """Draws ``low`` at ``start`` and ``high`` at ``end``; values beyond them are drawn there, too."""
        low, high = sorted((self.low, self.high))

        def at(value: float) -> float:
            inside = low if value < low else min(value, high)
            return round(start + (end - start) * (inside - self.low) / (self.high - self.low), 2)

        return at

    @property
    def widest(self) -> float:
        """The approximate width of its longest label in pixels."""
        return max((wide(words) for _, words in self.ticks), default=0)


BARE = Axis(1, 0, has_line=False)
"""An axis of one row that is not drawn."""


def step_of(low: float, high: float, count: int) -> float:
    """A round width that divides the distance of two values into about ``count`` parts."""
    raw = (high - low) / count
    power: float = 10.0 ** floor(log10(raw))
    return next(m * power for m in STEPS if m * power >= raw * (1 - 1e-9))


def even_edges(values: Iterable[float | None], count: int) -> list[float]:
    """About ``count`` steps of a round width that contain all finite values.

    >>> even_edges([0.07, 0.31], 3)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    known = [v for v in values if v is not None and isfinite(v)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    step = step_of(low, high, count)
    return [round(i * step, 10) for i in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def domain(values: Iterable[float | None], count: int = 5) -> Bounds:
    """Round bounds that contain all finite values."""
    edges = even_edges(values, count)
    return edges[0], edges[-1]


def round_values(low: float, high: float, count: int) -> list[float]:
    """Round values between two bounds.

    >>> round_values(-0.5, 0.5, 2)
    [-0.5, 0.0, 0.5]
    """
    step = step_of(low, high, count)
    return [round(i * step, 10) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def wide(words: str) -> float:
    """The approximate width of a label in pixels; a percent sign is as wide as two letters."""
    return (len(words) + words.count("%")) * LETTER


def line_of(names: Sequence[str], who: str) -> tuple[str, str | None]:
    """Colour and dashes of a name by its place, a solid grey line if it is not among the names; they repeat after the last."""
    place = _place(names, who)
    return (FAINT, *COLOURS)[place], (None, *DASHES)[place]


def key_of(names: Sequence[str], shown: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names shown, each with the class of its colour in the style sheet: ``s0`` for grey, else ``s1`` to ``s8``."""
    return tuple((who, f"s{_place(names, who)}") for who in shown)


def _place(names: Sequence[str], who: str) -> int:
    """From 1 to 8; 0 for a name that is not among the names."""
    return list(names).index(who) % len(COLOURS) + 1 if who in names else 0


# ---------------------------------------------------------------------------------------------- marks

Mark = Callable[[Scale, Scale], str]
"""Something drawn at values of two axes."""


def path(places: Sequence[tuple[float, float]], colour: str, width: float = 1.8, **look: object) -> Mark:
    """A line from place to place."""

    def drawn_at(x: Scale, y: Scale) -> str:
        at = "L".join(f"{x(across)},{y(up)}" for across, up in places)
        return tag("path", d=f"M{at}", stroke=colour, stroke_width=width, **look)

    return drawn_at


def dot(across: float, up: float, colour: str, area: float = 55) -> Mark:
    """A circle; at the end of the axis an arrow that points to an infinite value beyond it."""
    if isinf(across):
        ahead = copysign(5, across)
        return lambda x, y: corners(x(across), y(up), ((ahead, 0), (0, ahead), (0, -ahead)), fill=colour)
    radius = round(sqrt(area) * 0.565, 2)
    return lambda x, y: tag("circle", cx=x(across), cy=y(up), r=radius, fill=colour)


def box(across: Bounds, up: Bounds, colour: str, opacity: float) -> Mark:
    """A bar between two places of each axis."""

    def drawn_at(x: Scale, y: Scale) -> str:
        (left, right), (top, bottom) = sorted(map(x, across)), sorted(map(y, up))
        size = {"width": round(right - left, 2), "height": round(bottom - top, 2)}
        return tag("rect", x=left, y=top, **size, fill=colour, fill_opacity=opacity)

    return drawn_at


def upright(value: float, colour: str = INK, dash: str | None = "4 3") -> Mark:
    """A vertical line at one value, over the whole height."""
    return path(((value, -inf), (value, inf)), colour, 1.4, stroke_dasharray=dash)


def steps(edges: Sequence[float], heights: Sequence[float], colour: str, dash: str | None) -> Mark:
    """A stepped line: a height per bin, and one edge more than bins."""
    places = [(edge, h) for i, h in enumerate(heights) for edge in edges[i : i + 2]]
    return path(places, colour, stroke_dasharray=dash)


def interval(low: float | None, high: float | None, colour: str) -> Iterator[Mark]:
    """An interval as a bar, if it is known; infinite bounds are arrows at the ends of the axis."""
    if low is not None and high is not None:
        yield path(((low, 0.5), (high, 0.5)), colour, 3, opacity=0.6)
        yield from (dot(end, 0.5, colour) for end in sorted({low, high}) if isinf(end))


# ------------------------------------------------------------------------------------------- pictures


def drawn(alt: str, x: Axis, y: Axis, marks: Iterable[Mark], size: Bounds = SIZE, edge: float = 0) -> str:
    """Axes and marks as one picture; ``alt`` is its text for screen readers, cut after `ALT` characters.

    ``size`` is the width and height of the area between the axes. A picture with an ``edge``, the margin at both sides, fills the width of its cell;
    others have margins as wide as the labels need.
    """
    width, height = size
    across, up = x.scale(0, width), y.scale(height, 0)
    parts = [*_axes(x, y, across, up, width, height), *(mark(across, up) for mark in marks)]
    below = 22 if x.widest else 2
    if x.title:
        parts.append(text(width / 2, height + below + 8, named(x.title, 48), "middle"))
        below += 18
    half = wide(x.ticks[0][1]) / 2 if x.ticks else 0  # the first label may begin before the axis
    left = edge or round(max(y.widest + ROOM + 4 if y.ticks else 4, half), 1)
    right = edge or max(10, wide(x.ticks[-1][1]) * 0.6 if x.ticks else 0)
    top = 24 if y.title else 6 if y.ticks else 0
    outer = round(left + width + right, 1), round(top + height + below, 1)
    return (
        f'<svg role="img" aria-label={quoteattr(named(alt, ALT))} xmlns="http://www.w3.org/2000/svg" '
        f'width="{"100%" if edge else outer[0]}" height="{outer[1]}" '
        f'viewBox="{-left:g} {-top:g} {outer[0]} {outer[1]}" '
        f'font-family="sans-serif" font-size="11" fill="none">{"".join(parts)}</svg>'
    )


def _axes(x: Axis, y: Axis, across: Scale, up: Scale, width: float, height: float) -> Iterator[str]:
    """Faint lines at the marks of both axes with labels below and on the left, the axes, and the title of the vertical one above."""

    def line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
        return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=1)

    for value, words in x.ticks:
        at = across(value)
        yield line(at, 0, at, height, GRID)
        yield text(at, height + 12, words, "middle")
    if x.has_line:
        yield line(0, height, width, height, FAINT)
    for value, words in y.ticks:
        at = up(value)
        yield line(0, at, width, at, GRID)
        yield text(-ROOM, at, words, "end")
    if y.has_line:
        yield line(0, height, 0, 0, FAINT)
    yield text(-ROOM - y.widest, -14, named(y.title, 48))


# -------------------------------------------------------------------------------------- dark screens


def page_style() -> str:
    """The colours as variables of a page's style sheet, light and dark, and the rules by which its pictures follow them."""
    variables, dark = (";".join(f"--{name}:{value}" for name, value in of.items()) for of in (LIGHT, DARK))
    pictures = "".join(
        f'svg [{where}="{LIGHT[name]}"]{{{where}:var(--{name})}}'
        for name in DRAWN
        for where in ("fill", "stroke")
    )
    return f":root{{{variables}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{pictures}\n"


def complete(svg: str) -> str:
    """A picture for a file or a notebook: with its background."""
    left, top = re.search(r'viewBox="(\S+) (\S+)', svg).groups()  # type: ignore[union-attr] # every picture has one
    head, _, rest = svg.partition(">")
    return f'{head}><rect x="{left}" y="{top}" width="100%" height="100%" fill="{LIGHT["paper"]}"/>{rest}'
