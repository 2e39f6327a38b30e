"""Small pictures from plain data, as SVG text: histograms, segments, scatters.

Labels are cut, never the picture stretched; the whole text stands in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, INK, WIDTH, Axis, Scale, line, tag

Point = Mapping[str, Any]
HEIGHT = 120
BELOW = 42
"""Room for the labels and the title of the level axis."""


def histogram(
    series: Mapping[str, Sequence[float]],
    edges: Sequence[float],
    x: str,
    y: str,
    alt: str,
    mark: float | None = None,
    level: float | None = None,
    top: float | None = None,
    ticks: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """Steps of several series over common bins.

    ``series`` maps a name to the share of each bin (len(edges) − 1). ``mark`` draws an upright line at one
    place of the axis, ``level`` a level one; ``top`` is the largest share that the axis must hold, so that
    pictures side by side can have one scale. ``names`` are those that have a colour, in its order: where
    pictures side by side hold one series each, a name has the same colour in all.
    """
    known = list(series) if names is None else list(names)
    held = [share for shares in series.values() for share in shares]
    up = _shares_axis(y, max([*held, top or 0.0, level or 0.0], default=1.0))
    across = _axis((edges[0], edges[-1]), WIDTH, x, ticks)
    parts = [canvas.level_axis(across, HEIGHT), canvas.upright_axis(up, WIDTH)]
    parts += [_upright(across, mark)] if mark is not None else []
    parts += [_level(up, level)] if level is not None else []
    for name, shares in series.items():
        dash = canvas.dash_of(known, name) if len(series) > 1 else None
        parts.append(_steps(across.scale, up.scale, edges, shares, canvas.colour_of(known, name), dash))
    return canvas.picture(parts, alt, WIDTH, HEIGHT, canvas.left_of(up), 22, BELOW)


def segments(
    shares: Sequence[float],
    reference: Sequence[float] | None,
    alt: str,
    colour: str = COLOURS[0],
    top: float | None = None,
) -> str:
    """Share of content from each equal segment of the text: bars; the reference as a stepped line.

    ``shares`` (K,) and ``reference`` (K,) sum to 1.
    """
    k = len(shares)
    up = _shares_axis("share of content", max([*shares, *(reference or ()), top or 0.0]))
    ticks = canvas.marked(0, 1, percent=True)
    across = Axis(Scale(0, 1, 0, WIDTH), ticks, "place in the text")
    parts = [canvas.level_axis(across, HEIGHT), canvas.upright_axis(up, WIDTH)]
    for i, share in enumerate(shares):
        left, y = across.scale.at(i / k), up.scale.at(share)
        width = round(across.scale.at((i + 1) / k) - left - 1, 2)
        parts.append(
            tag("rect", x=left, y=y, width=width, height=round(HEIGHT - y, 2), fill=colour, opacity=0.55)
        )
    if reference is not None:
        edges = [i / k for i in range(k + 1)]
        parts.append(_steps(across.scale, up.scale, edges, reference, INK, None))
    return canvas.picture(parts, alt, WIDTH, HEIGHT, canvas.left_of(up), 22, BELOW)


def scatter(
    points: Sequence[Point],
    names: Sequence[str],
    x: str,
    y: str,
    alt: str,
    lines: Sequence[Point] = (),
    domains: tuple[tuple[float, float], tuple[float, float]] | None = None,
    diagonal: bool = False,
) -> str:
    """Points of several kinds, told apart by colour and shape, with straight lines of their own.

    A point has ``x``, ``y``, ``who`` (one of ``names``), and ``size`` (area in square pixels), ``low_x``, ``high_x``,
    ``low_y``, ``high_y`` where it has such. A line has ``x``, ``y``, ``x2``, ``y2``, ``who``. ``domains`` hold the axes;
    ``diagonal`` draws where both are equal. Lines are to end inside: nothing is clipped.
    """
    height = 190
    free = domains or (_reach(points, "x"), _reach(points, "y"))
    across = _axis(free[0], WIDTH, x)
    up = Axis(Scale(*free[1], height, 0), canvas.marked(*free[1]), y)
    parts = [canvas.level_axis(across, height), canvas.upright_axis(up, WIDTH)]
    if diagonal and domains is not None:
        low, high = max(free[0][0], free[1][0]), min(free[0][1], free[1][1])
        parts.append(_between(across, up, {"x": low, "y": low, "x2": high, "y2": high}, FAINT, 1, "4 3"))
    parts += _spreads(points, across, up, names)
    few = len(points) < 30
    parts += [_spot(p, across, up, names, few=few) for p in points]
    for l in lines:  # noqa: E741 - a line
        who = str(l["who"])
        parts.append(_between(across, up, l, canvas.colour_of(names, who), 2.2, canvas.dash_of(names, who)))
    return canvas.picture(parts, alt, WIDTH, height, canvas.left_of(up), 22, BELOW)


def shape(kind: int, x: float, y: float, area: float, **look: object) -> str:
    """A mark of so many square pixels: circle, triangle, square, diamond, cross, and on their heads again."""
    r = sqrt(area) / 2
    if kind % 6 == 0:
        return tag("circle", cx=x, cy=y, r=round(r * 1.13, 2), **look)
    corners = {
        1: ((0, -1.3), (1.3, 1), (-1.3, 1)),
        2: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        3: ((0, -1.5), (1.2, 0), (0, 1.5), (-1.2, 0)),
        4: ((-1.3, -0.4), (-0.4, -0.4), (-0.4, -1.3), (0.4, -1.3), (0.4, -0.4), (1.3, -0.4),
            (1.3, 0.4), (0.4, 0.4), (0.4, 1.3), (-0.4, 1.3), (-0.4, 0.4), (-1.3, 0.4)),
        5: ((0, 1.3), (1.3, -1), (-1.3, -1)),
    }[kind % 6]  # fmt: skip
    path = " ".join(f"{x + r * a:.1f},{y + r * b:.1f}" for a, b in corners)
    return tag("polygon", points=path, **look)


def _axis(
    bounds: tuple[float, float], width: float, title: str, ticks: Sequence[float] | None = None
) -> Axis:
    marks = canvas.marked(*bounds) if ticks is None else tuple((t, f"{t:g}".replace("-", "−")) for t in ticks)
    return Axis(Scale(*bounds, 0, width), marks, title)


def _shares_axis(title: str, top: float) -> Axis:
    """An upright axis of shares from zero."""
    low, high = canvas.domain([0.0, top or 1.0], 4)
    return Axis(Scale(low, high, HEIGHT, 0), canvas.marked(low, high, 4, percent=True), title)


def _steps(
    x: Scale, y: Scale, edges: Sequence[float], shares: Sequence[float], colour: str, dash: str | None
) -> str:
    """A line that is level over each bin."""
    places = [f"M{x.at(edges[0])},{y.at(shares[0])}"]
    for i, share in enumerate(shares):
        places.append(f"V{y.at(share)}H{x.at(edges[i + 1])}")
    return tag("path", d="".join(places), stroke=colour, stroke_width=1.8, stroke_dasharray=dash)


def _upright(axis: Axis, value: float) -> str:
    return line(axis.scale.at(value), 0, axis.scale.at(value), HEIGHT, INK, 1.4, stroke_dasharray="4 3")


def _level(axis: Axis, value: float) -> str:
    return line(0, axis.scale.at(value), WIDTH, axis.scale.at(value), CHANCE, 1.4, stroke_dasharray="4 3")


def _between(across: Axis, up: Axis, ends: Point, colour: str, width: float, dash: str | None) -> str:
    x, y = across.scale.at, up.scale.at
    return line(
        x(ends["x"]), y(ends["y"]), x(ends["x2"]), y(ends["y2"]), colour, width, stroke_dasharray=dash
    )


def _spreads(points: Sequence[Point], across: Axis, up: Axis, names: Sequence[str]) -> Iterator[str]:
    """From low to high of the points that have such, level and upright."""
    for p in points:
        colour = canvas.colour_of(names, str(p["who"]))
        for channel, low, high in (
            ("x", p.get("low_x"), p.get("high_x")),
            ("y", p.get("low_y"), p.get("high_y")),
        ):
            if low is not None and high is not None:
                ends = {
                    "x": p["x"],
                    "y": p["y"],
                    "x2": p["x"],
                    "y2": p["y"],
                    channel: low,
                    f"{channel}2": high,
                }
                yield tag("g", _between(across, up, ends, colour, 1.4, None), opacity=0.55)


def _spot(p: Point, across: Axis, up: Axis, names: Sequence[str], *, few: bool) -> str:
    """One point: smaller and fainter where they are many."""
    who = str(p["who"])
    kind = list(names).index(who) if who in names else 0
    area = float(p.get("size") or (46 if few else 16))
    look = {"fill": canvas.colour_of(names, who), "opacity": 0.9 if few else 0.5}
    return shape(kind, across.scale.at(p["x"]), up.scale.at(p["y"]), area, **look)


def _reach(points: Sequence[Point], channel: str) -> tuple[float, float]:
    """Round bounds of all points and their spreads."""
    fields = (channel, f"low_{channel}", f"high_{channel}")
    return canvas.domain(float(p[f]) for p in points for f in fields if p.get(f) is not None)
