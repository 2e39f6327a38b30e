"""Small pictures from plain data, as SVG text: histograms, segments, forests, bars, scatters, heat maps.

Each is a Vega-Lite specification rendered in this process, without a network and without a script.
Labels are cut, never the picture stretched; the whole text stands in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, DASHES, FAINT, GRID, INK, ROWS, WIDTH, Spec

SHAPES = (
    "circle",
    "triangle-up",
    "square",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
"""Colour never speaks alone: points also differ in their shapes."""


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
    rows = [
        {"x": start, "y": share, "who": name}
        for name, shares in series.items()
        for start, share in zip(edges, (*shares, shares[-1]), strict=True)
    ]
    known = list(series) if names is None else list(names)
    places = {"tickCount": 5} if ticks is None else {"values": list(ticks)}
    steps: Spec = {
        "data": {"values": canvas.clean(rows)},
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8},
        "encoding": {
            "x": canvas.axis("x", x, domain=(edges[0], edges[-1]), **places),
            "y": canvas.shares_axis("y", y, top),
            "color": canvas.by_who(known, COLOURS),
            "strokeDash": canvas.by_who(known, DASHES if len(series) > 1 else DASHES[:1]),
        },
    }
    lines = [
        canvas.rule(channel, at, INK if channel == "x" else CHANCE)
        for channel, at in (("x", mark), ("y", level))
        if at is not None
    ]
    return canvas.draw([*lines, steps], alt, height=120)


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
    rows = [{"start": i / k, "end": (i + 1) / k, "y": share} for i, share in enumerate(shares)]
    x = canvas.axis("start", "place in the text", format="%", tickCount=5)
    x["scale"] = {"domain": [0, 1]}
    bars: Spec = {
        "data": {"values": rows},
        "mark": {"type": "bar", "color": colour, "opacity": 0.55, "binSpacing": 1},
        "encoding": {
            "x": {**x, "bin": "binned"},
            "x2": {"field": "end"},
            "y": canvas.shares_axis("y", "share of content", top),
        },
    }
    layers = [bars]
    if reference is not None:
        steps = [{"x": i / k, "y": share} for i, share in enumerate((*reference, reference[-1]))]
        layers.append(
            {
                "data": {"values": steps},
                "mark": {"type": "line", "interpolate": "step-after", "color": INK, "strokeWidth": 1.6},
                "encoding": {"x": {**x, "field": "x"}, "y": {"field": "y", "type": "quantitative"}},
            }
        )
    return canvas.draw(layers, alt, height=120)


def forest(
    rows: Sequence[Mapping[str, Any]],
    alt: str,
    domain: tuple[float, float] | None = None,
    mark: float | None = None,
) -> str:
    """One line per row: interval, value as a dot, chance level as a tick, what it is held against as a ring.

    A row has ``name``, ``value``, and ``low``, ``high``, ``chance``, ``against`` (None or absent where there is
    none). ``domain`` holds the axis, ``mark`` draws an upright line at one place of it.
    """
    names = canvas.unique([row["name"] for row in rows])
    empty = dict.fromkeys(("low", "high", "chance", "against"))
    data = [{**empty, **row, "name": name} for row, name in zip(rows, names, strict=True)]
    base: Spec = {"data": {"values": data}}
    across = canvas.axis("value", "", zero=False, domain=domain, tickCount=5)
    marks: list[tuple[str, Spec]] = [
        ("chance", {"type": "tick", "thickness": 2, "height": 14, "color": CHANCE, "opacity": 1}),
        (
            "against",
            {"type": "point", "filled": False, "size": 60, "color": INK, "strokeWidth": 1.6, "opacity": 1},
        ),
        ("value", {"type": "point", "filled": True, "size": 55, "color": COLOURS[0], "opacity": 1}),
    ]
    layers: list[Spec] = [
        {
            **base,
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "color": COLOURS[0], "opacity": 0.6},
            "encoding": {"y": ROWS, "x": {**across, "field": "low"}, "x2": {"field": "high"}},
        },
        *(
            {
                **base,
                "transform": [{"filter": f"isValid(datum.{field})"}],
                "mark": mark_of,
                "encoding": {"y": ROWS, "x": {"field": field, "type": "quantitative"}},
            }
            for field, mark_of in marks
        ),
    ]
    if mark is not None:
        layers.insert(0, canvas.rule("x", mark, FAINT, (2, 3)))
    return canvas.draw(layers, alt, height=max(22 * len(rows), 34), width=WIDTH - 70)


def bars(rows: Sequence[Mapping[str, Any]], alt: str, top: float) -> str:
    """One level bar per row with a text at its end. A row has ``name``, ``value`` ≥ 0 and ``text``; ``top`` fills it."""
    names = canvas.unique([row["name"] for row in rows])
    data = canvas.clean([{**row, "name": name} for row, name in zip(rows, names, strict=True)])
    # A fifth is left for the texts behind the bars.
    x = {"field": "value", "type": "quantitative", "axis": None, "scale": {"domain": [0, 1.25 * top or 1.0]}}
    layers: list[Spec] = [
        {
            "data": {"values": data},
            "mark": {"type": "bar", "color": COLOURS[0], "opacity": 0.6, "height": 12},
            "encoding": {"y": ROWS, "x": x},
        },
        {
            "data": {"values": data},
            "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11, "color": INK},
            "encoding": {"y": ROWS, "x": x, "text": {"field": "text"}},
        },
    ]
    return canvas.draw(layers, alt, height=22 * len(rows), width=WIDTH - 70)


def scatter(
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    x: str,
    y: str,
    alt: str,
    lines: Sequence[Mapping[str, Any]] = (),
    domains: tuple[tuple[float, float], tuple[float, float]] | None = None,
    diagonal: bool = False,
) -> str:
    """Points of several kinds, told apart by colour and shape, with straight lines of their own.

    A point has ``x``, ``y``, ``who`` (one of ``names``), and ``size`` (area in square pixels), ``low_x``, ``high_x``,
    ``low_y``, ``high_y`` where it has such. A line has ``x``, ``y``, ``x2``, ``y2``, ``who``. ``domains`` hold the axes;
    ``diagonal`` draws where both are equal. Nothing is clipped, since clips are numbered
    through the whole process and would make the picture depend on those before it: lines are to end inside.
    """
    colour = canvas.by_who(names, COLOURS)
    free = (None, None) if domains is None else domains
    across = canvas.axis("x", x, zero=False, domain=free[0], tickCount=5)
    up = canvas.axis("y", y, zero=False, domain=free[1], tickCount=5)
    layers = [_diagonal(*domains)] if diagonal and domains is not None else []
    layers += _spreads(points, across, up, colour)
    layers.append(
        _spots(points, {"x": across, "y": up, "color": colour, "shape": canvas.by_who(names, SHAPES)})
    )
    if lines:
        dash = canvas.by_who(names, DASHES)
        layers.append(
            {
                "data": {"values": canvas.clean(lines)},
                "mark": {"type": "rule", "strokeWidth": 2.2},
                "encoding": {**_ends(), "color": colour, "strokeDash": dash},
            }
        )
    return canvas.draw(layers, alt, height=190)


def _diagonal(x: tuple[float, float], y: tuple[float, float]) -> Spec:
    """Where both are equal, as far as both axes reach."""
    low, high = max(x[0], y[0]), min(x[1], y[1])
    return {
        "data": {"values": [{"x": low, "y": low, "x2": high, "y2": high}]},
        "mark": {"type": "rule", "color": FAINT, "strokeDash": [4, 3]},
        "encoding": _ends(),
    }


def _spreads(points: Sequence[Mapping[str, Any]], across: Spec, up: Spec, colour: Spec) -> list[Spec]:
    """From low to high of the points that have such, level and upright."""
    found = []
    others: tuple[tuple[str, Spec], ...] = (("x", {"y": up}), ("y", {"x": across}))
    for channel, other in others:
        low, high = f"low_{channel}", f"high_{channel}"
        if any(p.get(low) is not None for p in points):
            ends: Spec = {channel: {"field": low, "type": "quantitative"}, f"{channel}2": {"field": high}}
            found.append(
                {
                    "data": {"values": canvas.clean(points)},
                    "transform": [{"filter": f"isValid(datum.{low}) && isValid(datum.{high})"}],
                    "mark": {"type": "rule", "strokeWidth": 1.4, "opacity": 0.55},
                    "encoding": ends | other | {"color": colour},
                }
            )
    return found


def _spots(points: Sequence[Mapping[str, Any]], encoding: Spec) -> Spec:
    """The points themselves: smaller and fainter where they are many."""
    few = len(points) < 30
    sized = {"size": {"field": "size", "type": "quantitative", "scale": None}}
    return {
        "data": {"values": canvas.clean(points)},
        "mark": {"type": "point", "filled": True, "size": 46 if few else 16, "opacity": 0.9 if few else 0.5},
        "encoding": {**encoding, **(sized if points and "size" in points[0] else {})},
    }


def _ends() -> Spec:
    """From one point to another."""
    return {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "quantitative"},
        "x2": {"field": "x2"},
        "y2": {"field": "y2"},
    }


def heat_map(cells: Sequence[Mapping[str, Any]], row: str, column: str, alt: str) -> str:
    """A value per cell of two attributes, stronger in colour where it is larger, with the number written in it.

    A cell has ``row``, ``column``, ``value`` (None where undefined) and ``text``.
    """
    rows = list(dict.fromkeys(c["row"] for c in cells))
    columns = list(dict.fromkeys(c["column"] for c in cells))
    shown = (
        dict(zip(rows, canvas.unique(rows), strict=True)),
        dict(zip(columns, canvas.unique(columns), strict=True)),
    )
    known = [c["value"] for c in cells if c["value"] is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    data = [
        {
            "row": shown[0][c["row"]],
            "column": shown[1][c["column"]],
            "text": c["text"],
            "strength": 0.0 if c["value"] is None else 0.08 + 0.6 * ((c["value"] - low) / (high - low or 1)),
        }
        for c in cells
    ]
    angle = -35 if len(columns) > 6 or max(map(len, shown[1].values()), default=0) > 6 else 0
    x = {
        "field": "column",
        "type": "ordinal",
        "sort": None,
        "axis": {"title": canvas.cut(column, 40), "labelAngle": angle, "grid": False},
    }
    y = {
        "field": "row",
        "type": "ordinal",
        "sort": None,
        "axis": {"title": canvas.cut(row, 40), "grid": False},
    }
    layers: list[Spec] = [
        {
            "data": {"values": canvas.clean(data)},
            "mark": {"type": "rect", "color": COLOURS[0], "stroke": GRID},
            "encoding": {
                "x": x,
                "y": y,
                "opacity": {"field": "strength", "type": "quantitative", "scale": None, "legend": None},
            },
        },
        {
            "data": {"values": canvas.clean(data)},
            "mark": {"type": "text", "fontSize": 10.5, "color": INK},
            "encoding": {"x": x, "y": y, "text": {"field": "text"}},
        },
    ]
    return canvas.draw(layers, alt, height=24 * len(rows), width=max(46 * len(columns), 120))
