"""Colours, and axes and marks as one labelled SVG: every picture of the reports is made of them.

A colour means one thing. ``s1`` to ``s8`` are systems (or groups, in figures that compare groups). They contain no pair of red
and green, and stay apart for colour-blind readers. ``less`` is the one red and marks a group that gets significantly less.

Pictures name the light colours themselves, so that they are complete without a style sheet. On a dark screen a page's
style sheet, or the style inside a saved picture, replaces them. The same data give the same text.
Nothing is drawn outside the axes: values beyond them are drawn at their end. Long labels are shortened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, copysign, floor, isfinite, isinf, log10, sqrt
from types import MappingProxyType
from typing import Protocol
from xml.sax.saxutils import escape, quoteattr

from fairbrief.reports.plain import printable, shorten
from fairbrief.statistics.arrays import TIE

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#fcfbf8", "ink": "#1d1c1a", "soft": "#5d5a54", "line": "#dedad0",
        "s1": "#1f5f99", "s2": "#cc7a00", "s3": "#a63be0", "s4": "#453f4d",
        "s5": "#2f9aa3", "s6": "#998c73", "s7": "#ec4fd0", "s8": "#4d1bb2",
        "panel": "#f4f2ec", "link": "#1a5276", "mark": "#ffe08a", "faint-mark": "#f6efd8", "less": "#a5161b",
    }
)  # fmt: skip
DARK: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#16171a", "ink": "#e9e6df", "soft": "#aba69b", "line": "#383a40",
        "s1": "#5aa5ee", "s2": "#f2c14c", "s3": "#b06bff", "s4": "#e9e2f0",
        "s5": "#14d0c0", "s6": "#8c8f96", "s7": "#e04fd0", "s8": "#bf8a50",
        "panel": "#1f2125", "link": "#8cc0ea", "mark": "#6b5514", "faint-mark": "#2e2a1c", "less": "#ff7b72",
    }
)  # fmt: skip
SERIES = tuple(f"s{i}" for i in range(1, 9))
DRAWN = ("paper", "ink", "soft", "line", *SERIES)
"""The colours that pictures use."""

INK, FAINT, GRID, PAPER = (LIGHT[name] for name in ("ink", "soft", "line", "paper"))
COLOURS = tuple(LIGHT[name] for name in SERIES)
DASHES = (None, "5 2", "2 2", "7 2 2 2", "1 2", "9 3", "4 1 1 1", "3 3")
"""Lines differ in their dashes as well as in their colours."""
WIDTH, HEIGHT = 262, 120
LABEL = 24
"""Characters of a label."""
LETTER = 6.2
"""Mean width of a letter of a label, in pixels."""
ROOM = 6
"""Pixels between an axis and its labels."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
CIRCLE, TRIANGLE, SQUARE, DIAMOND, CROSS, DOWNWARD = range(6)
CORNERS = {
    TRIANGLE: ((0, -1.3), (1.3, 1), (-1.3, 1)),
    SQUARE: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    DIAMOND: ((0, -1.5), (1.2, 0), (0, 1.5), (-1.2, 0)),
    CROSS: ((-1.3, -0.4), (-0.4, -0.4), (-0.4, -1.3), (0.4, -1.3), (0.4, -0.4), (1.3, -0.4),
            (1.3, 0.4), (0.4, 0.4), (0.4, 1.3), (-0.4, 1.3), (-0.4, 0.4), (-1.3, 0.4)),
    DOWNWARD: ((0, 1.3), (1.3, -1), (-1.3, -1)),
}  # fmt: skip
"""The corners of each shape for a radius of 1."""
EVERYWHERE = float("inf")
Bounds = tuple[float, float]
Ticks = tuple[tuple[float, str], ...]


# ------------------------------------------------------------------------------------------- elements


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """One element, without the attributes that are None; ``stroke_width`` becomes ``stroke-width``."""
    written = (
        f' {key.replace("_", "-")}="{v}"'
        if isinstance(v, (int, float))
        else f" {key.replace('_', '-')}={_quoted(v)}"
        for key, v in attributes.items()
        if v is not None
    )
    head = f"<{name}{''.join(written)}"
    return f"{head}>{content}</{name}>" if content else f"{head}/>"


@lru_cache(maxsize=1 << 10)
def _quoted(value: object) -> str:
    return quoteattr(str(value))


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, **more: object) -> str:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **more)


def text(
    x: float, y: float, words: str, colour: str = FAINT, anchor: str | None = None, **more: object
) -> str:
    """Words at a place, centred on its height."""
    shown = escape(printable(words))
    return (
        tag("text", shown, x=x, y=round(y + 4, 2), fill=colour, text_anchor=anchor, **more) if shown else ""
    )


def shape(kind: int, x: float, y: float, area: float, **look: object) -> str:
    """A mark of ``area`` square pixels; kinds repeat after the last."""
    r, kind = sqrt(area) / 2, kind % 6
    if kind == CIRCLE:
        return tag("circle", cx=x, cy=y, r=round(r * 1.13, 2), **look)
    path = " ".join(f"{x + r * a:.1f},{y + r * b:.1f}" for a, b in CORNERS[kind])
    return tag("polygon", points=path, **look)


def picture(
    parts: Iterable[str],
    alt: str,
    width: float,
    height: float,
    left: float = 4,
    top: float = 6,
    bottom: float = 6,
    right: float = 10,
    *,
    is_stretched: bool = False,
) -> str:
    """The parts as one labelled image: an area of ``width`` × ``height`` pixels with a margin on each side.

    A stretched picture fills the width of its cell.
    """
    size = round(left + width + right, 1), round(top + height + bottom, 1)
    return (
        f'<svg role="img" aria-label={quoteattr(printable(alt))} xmlns="http://www.w3.org/2000/svg" '
        f'width="{"100%" if is_stretched else size[0]}" height="{size[1]}" '
        f'viewBox="{-left:g} {-top:g} {size[0]} {size[1]}" '
        f'font-family="sans-serif" font-size="11" fill="none">{"".join(parts)}</svg>'
    )


# ----------------------------------------------------------------------------------------------- axes


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels: ``low`` is drawn at ``start``, ``high`` at ``end``; values beyond them are drawn there, too."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        low, high = (self.low, self.high) if self.low <= self.high else (self.high, self.low)
        inside = low if value < low else min(value, high)
        return round(self.start + (self.end - self.start) * (inside - self.low) / (self.high - self.low), 2)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from ``low`` to ``high``, with marked values and a title; ``of_names`` has a row or column per name."""

    low: float
    high: float
    ticks: Ticks = ()
    title: str = ""
    has_grid: bool = True
    has_line: bool = True

    @classmethod
    def of_numbers(
        cls,
        bounds: Bounds,
        title: str = "",
        count: int = 5,
        *,
        ticks: Sequence[float] | None = None,
        percent: bool = False,
    ) -> Axis:
        """An axis of numbers that is marked at ``ticks``, or at about ``count`` round values."""
        marks = marked(*bounds, count, percent=percent)
        if ticks is not None:
            marks = tuple((t, f"{t:g}".replace("-", "−")) for t in ticks)
        return cls(*bounds, marks, title)

    @classmethod
    def of_names(cls, names: Sequence[str], *, is_upright: bool = True) -> Axis:
        """The name at place i is centred at i + ½; an upright axis begins at the top."""
        ticks = tuple((i + 0.5, name) for i, name in enumerate(unique(names)))
        ends = (len(names), 0) if is_upright else (0, len(names))
        return cls(*ends, ticks, has_grid=False, has_line=False)

    @property
    def widest(self) -> float:
        """The approximate width of its longest label in pixels."""
        return max((wide(words) for _, words in self.ticks), default=0)


BARE = Axis(1, 0, has_grid=False, has_line=False)
"""An axis of one row that is not drawn."""


def step_of(low: float, high: float, count: int) -> float:
    """A round width that divides the distance of two values into about ``count`` parts."""
    raw = (high - low) / count
    power: float = 10.0 ** floor(log10(raw))
    return next(m * power for m in STEPS if m * power >= raw * (1 - 1e-9))


def domain(values: Iterable[float | None], count: int = 5, *, zero: bool = False) -> Bounds:
    """Round bounds that contain all finite values, and zero if ``zero`` is set."""
    held = [*(v for v in values if v is not None and isfinite(v)), *((0.0,) if zero else ())] or [0.0, 1.0]
    low, high = min(held), max(held)
    if high - low < TIE:
        low, high = low - 0.5, high + 0.5
    step = step_of(low, high, count)
    return floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step


def marked(low: float, high: float, count: int = 5, *, percent: bool = False) -> Ticks:
    """Round values between two bounds, with their labels.

    >>> marked(-0.5, 0.5, 2)
    ((-0.5, '−0.5'), (0.0, '0'), (0.5, '0.5'))
    """
    step = step_of(low, high, count)
    values = [round(i * step, 10) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
    if percent:
        return tuple((v, f"{100 * v:.6g}%") for v in values)
    return tuple((v, f"{v:,.8g}".replace("-", "−")) for v in values)


def wide(words: str) -> float:
    """The approximate width of a label in pixels; a percent sign is as wide as two letters."""
    return (len(words) + words.count("%")) * LETTER


def cut(words: str, limit: int = LABEL) -> str:
    """A label of at most ``limit`` characters."""
    return shorten(printable(words), limit)


def unique(names: Sequence[str]) -> list[str]:
    """Short labels; equal ones are numbered, so that each row has its own name."""
    labels: list[str] = []
    for name in names:
        short, i = cut(name), 1
        while short in labels:
            i += 1
            short = f"{cut(name, LABEL - 4)} ({i})"
        labels.append(short)
    return labels


def colour_of(names: Sequence[str], who: str) -> str:
    """The colour of a name by its place, grey if it is not among the names; colours repeat after the last."""
    return COLOURS[list(names).index(who) % len(COLOURS)] if who in names else FAINT


def key_of(names: Sequence[str], shown: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names shown, each with the class of its colour in the style sheet: ``s0`` for grey, else ``s1`` to ``s8``."""
    return tuple(
        (who, f"s{list(names).index(who) % len(COLOURS) + 1}" if who in names else "s0") for who in shown
    )


def dash_of(names: Sequence[str], who: str) -> str | None:
    """The dashes of a name's line; None is a solid line."""
    return DASHES[list(names).index(who) % len(DASHES)] if who in names else None


# ---------------------------------------------------------------------------------------------- marks


class Mark(Protocol):
    """Something drawn at values of two axes."""

    def svg(self, x: Scale, y: Scale) -> str: ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line from place to place."""

    places: Sequence[tuple[float, float]]
    colour: str
    width: float = 1.8
    dash: str | None = None
    opacity: float | None = None

    def svg(self, x: Scale, y: Scale) -> str:
        at = [f"{x.at(across)},{y.at(up)}" for across, up in self.places]
        look = {"stroke": self.colour, "stroke_width": self.width}
        return tag("path", d=f"M{'L'.join(at)}", **look, stroke_dasharray=self.dash, opacity=self.opacity)


@dataclass(frozen=True, slots=True)
class Dot:
    """A mark of ``area`` square pixels; with ``fill``, the colour is its outline."""

    x: float
    y: float
    colour: str
    kind: int = CIRCLE
    area: float = 55
    opacity: float | None = None
    fill: str = ""

    def svg(self, x: Scale, y: Scale) -> str:
        look = (
            {"fill": self.fill, "stroke": self.colour, "stroke_width": 1.6}
            if self.fill
            else {"fill": self.colour}
        )
        return shape(self.kind, x.at(self.x), y.at(self.y), self.area, **look, opacity=self.opacity)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A mark at the end of the horizontal axis that points to an infinite value beyond it."""

    x: float
    y: float
    colour: str

    def svg(self, x: Scale, y: Scale) -> str:
        across, up, ahead = x.at(self.x), y.at(self.y), copysign(5, self.x)
        corners = ((ahead, 0), (0, ahead), (0, -ahead))
        path = " ".join(f"{across + a:.1f},{up + b:.1f}" for a, b in corners)
        return tag("polygon", points=path, fill=self.colour)


@dataclass(frozen=True, slots=True)
class Box:
    """A bar or a cell between two places of each axis."""

    x: Bounds
    y: Bounds
    colour: str
    opacity: float
    outline: str | None = None

    def svg(self, x: Scale, y: Scale) -> str:
        (left, right), (top, bottom) = sorted(map(x.at, self.x)), sorted(map(y.at, self.y))
        size = {"width": round(right - left, 2), "height": round(bottom - top, 2)}
        return tag(
            "rect", x=left, y=top, **size, fill=self.colour, fill_opacity=self.opacity, stroke=self.outline
        )


@dataclass(frozen=True, slots=True)
class Words:
    """A label ``shift`` pixels to the right of a place."""

    x: float
    y: float
    words: str
    anchor: str | None = None
    shift: float = 0

    def svg(self, x: Scale, y: Scale) -> str:
        return text(round(x.at(self.x) + self.shift, 2), y.at(self.y), self.words, INK, self.anchor)


def upright(value: float, colour: str = INK, dash: str | None = "4 3") -> Line:
    """A vertical line at one value, over the whole height."""
    return Line(((value, -EVERYWHERE), (value, EVERYWHERE)), colour, 1.4, dash)


def steps(edges: Sequence[float], heights: Sequence[float], colour: str, dash: str | None = None) -> Line:
    """A stepped line: a height per bin, and one edge more than bins."""
    places = [(edge, h) for i, h in enumerate(heights) for edge in edges[i : i + 2]]
    return Line(places, colour, dash=dash)


@dataclass(frozen=True, slots=True)
class Spread:
    """A value with its interval and its permutation mean; each None if absent."""

    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    colour: str = INK

    @property
    def places(self) -> Iterator[float]:
        """Every finite value that its axis must contain."""
        fields = (self.value, self.low, self.high, self.chance)
        return (value for value in fields if value is not None and isfinite(value))

    def marks(self, y: float, tick: float = 0.32) -> Iterator[Mark]:
        """The interval as a bar, the permutation mean as a tick, the value as a dot.

        Arrows at the ends of the axis are infinite values and bounds.
        """
        if self.low is not None and self.high is not None:
            yield Line(((self.low, y), (self.high, y)), self.colour, 3, opacity=0.6)
            ends = {self.low, self.high} - {self.value}
            yield from (Arrow(end, y, self.colour) for end in sorted(ends) if isinf(end))
        if self.chance is not None:
            yield Line(((self.chance, y - tick), (self.chance, y + tick)), INK, 2)
        if self.value is not None:
            is_infinite = isinf(self.value)
            yield Arrow(self.value, y, self.colour) if is_infinite else Dot(self.value, y, self.colour)


# ------------------------------------------------------------------------------------------- pictures


def drawn(
    alt: str,
    x: Axis,
    y: Axis,
    marks: Iterable[Mark],
    width: float = WIDTH,
    height: float = HEIGHT,
    *,
    left: float | None = None,
    right: float = 0,
    is_stretched: bool = False,
) -> str:
    """Axes and marks as one picture; ``alt`` is its text for screen readers. Sizes are those of the area between the axes."""
    across, up = Scale(x.low, x.high, 0, width), Scale(y.low, y.high, height, 0)
    is_steep = not x.has_grid and x.widest > 0.9 * width / max(len(x.ticks), 1)
    parts = [*_level_axis(x, across, height, is_steep=is_steep), *_upright_axis(y, up, width)]
    parts += [mark.svg(across, up) for mark in marks]
    below = 0.0 if not x.widest else 12 + 0.6 * x.widest if is_steep else 20
    if x.title:
        parts.append(text(width / 2, height + below + 10, cut(x.title, 48), anchor="middle"))
        below += 18
    if left is None:
        left = round(y.widest + ROOM + 4 if y.ticks else 4, 1)
    ends = wide(x.ticks[-1][1]) * 0.6 if x.ticks and x.has_grid else 0
    return picture(
        parts, alt, width, height, left, 24 if y.title else 6 if y.ticks else 0, below + 2,
        right or max(10, ends), is_stretched=is_stretched,
    )  # fmt: skip


def _level_axis(axis: Axis, scale: Scale, height: float, *, is_steep: bool) -> Iterator[str]:
    """Faint vertical lines at the marks of the horizontal axis, with labels below the area."""
    for value, words in axis.ticks:
        at = scale.at(value)
        if axis.has_grid:
            yield line(at, 0, at, height, GRID)
        turn = {"transform": f"rotate(-35 {at:g} {height + 12:g})"} if is_steep else {}
        yield text(at, height + 12, words, FAINT, "end" if is_steep else "middle", **turn)
    if axis.has_line:
        yield line(scale.start, height, scale.end, height, FAINT)


def _upright_axis(axis: Axis, scale: Scale, width: float) -> Iterator[str]:
    """Faint horizontal lines at the marks of the vertical axis, with labels on the left and the title above."""
    for value, words in axis.ticks:
        at = scale.at(value)
        if axis.has_grid:
            yield line(0, at, width, at, GRID)
        yield text(-ROOM, at, words, anchor="end")
    if axis.has_line:
        yield line(0, scale.start, 0, scale.end, FAINT)
    yield text(-ROOM - axis.widest, -14, cut(axis.title, 48))


# -------------------------------------------------------------------------------------- dark screens


def page_style() -> str:
    """The colours as variables of a page's style sheet, light and dark, and the rules by which its pictures follow them."""
    variables, dark = (";".join(f"--{name}:{value}" for name, value in of.items()) for of in (LIGHT, DARK))
    pictures = "".join(_recoloured("svg ", LIGHT[name], f"var(--{name})") for name in DRAWN)
    return f":root{{{variables}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{pictures}\n"


def complete(svg: str) -> str:
    """A picture for a file or a notebook: with its background, and with dark colours for dark screens."""
    left, top = re.search(r'viewBox="(\S+) (\S+)', svg).groups()  # type: ignore[union-attr] # every picture has one
    paper = f'<rect x="{left}" y="{top}" width="100%" height="100%" fill="{LIGHT["paper"]}"/>'
    rules = (_recoloured("", LIGHT[name], DARK[name]) for name in DRAWN if LIGHT[name] in svg + paper)
    style = f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"
    head, _, rest = svg.partition(">")
    return f"{head}>{style}{paper}{rest}"


def _recoloured(where: str, drawn: str, shown: str) -> str:
    """Rules that show one drawn colour as another."""
    return "".join(f'{where}[{name}="{drawn}"]{{{name}:{shown}}}' for name in ("fill", "stroke"))
