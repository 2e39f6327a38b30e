"""Small pictures from plain data, as SVG text: histograms, segments, forests, heat maps.

Each is a Vega-Lite specification rendered in this process, without a network and without a script.
Colours are the page's CSS variables, so that one picture serves light, dark and print. The same data
give the same text. Labels are cut, never the picture stretched; the whole text stands in the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from fairbrief.reports.plain import printable, shorten

INK, FAINT, GRID, CHANCE = "var(--ink)", "var(--soft)", "var(--line)", "var(--chance)"
COLOURS = tuple(f"var(--s{i})" for i in range(1, 9))
DASHES = ([1, 0], [5, 2], [2, 2], [7, 2, 2, 2], [1, 2], [9, 3], [4, 1, 1, 1], [3, 3])
"""Colour never speaks alone: lines also differ in their dashes."""
WIDTH = 262
LABEL = 24
Spec = dict[str, Any]


def histogram(
    series: Mapping[str, Sequence[float]],
    edges: Sequence[float],
    x: str,
    y: str,
    alt: str,
    mark: float | None = None,
    top: float | None = None,
) -> str:
    """Steps of several series over common bins.

    ``series`` maps a name to the share of each bin (len(edges) − 1); the last bin is open to the
    right. ``mark`` draws a line at one place of the axis; ``top`` is the largest share that the axis
    must hold, so that pictures side by side can have one scale.
    """
    rows = [
        {"x": start, "y": share, "who": name}
        for name, shares in series.items()
        for start, share in zip(edges, (*shares, shares[-1]), strict=True)
    ]
    names = list(series)
    steps: Spec = {
        "data": {"values": _clean(rows)},
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8},
        "encoding": {
            "x": _axis(
                "x", x, values=[edges[0], *(e for e in edges[1:-1] if float(e).is_integer() or e == 0.5)]
            ),
            "y": _shares_axis("y", y, top),
            "color": {"field": "who", "type": "nominal", "scale": _scale(names, COLOURS), "legend": None},
            "strokeDash": {"field": "who", "type": "nominal", "scale": _scale(names, DASHES), "legend": None},
        },
    }
    rule = _rule("x", mark) if mark is not None else None
    return _draw([*([rule] if rule else []), steps], alt, height=120)


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
    x = _axis("start", "place in the text", format="%", tickCount=5)
    x["scale"] = {"domain": [0, 1]}
    bars: Spec = {
        "data": {"values": rows},
        "mark": {"type": "bar", "color": colour, "opacity": 0.55, "binSpacing": 1},
        "encoding": {
            "x": {**x, "bin": "binned"},
            "x2": {"field": "end"},
            "y": _shares_axis("y", "share of content", top),
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
    return _draw(layers, alt, height=120)


def forest(rows: Sequence[Mapping[str, Any]], alt: str) -> str:
    """One line per row: interval, value as a dot, chance level as a tick.

    A row has ``name``, ``value``, and ``low``, ``high``, ``chance`` (None where there is none).
    """
    names = _unique([row["name"] for row in rows])
    data = [{**row, "name": name} for row, name in zip(rows, names, strict=True)]
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "axis": {"title": None, "grid": False, "ticks": False, "labelPadding": 8},
    }
    base: Spec = {"data": {"values": data}}
    across = _axis("value", "", zero=False)
    layers: list[Spec] = [
        {
            **base,
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "color": COLOURS[0], "opacity": 0.6},
            "encoding": {"y": y, "x": {**across, "field": "low"}, "x2": {"field": "high"}},
        },
        {
            **base,
            "transform": [{"filter": "isValid(datum.chance)"}],
            "mark": {"type": "tick", "thickness": 2, "height": 14, "color": CHANCE, "opacity": 1},
            "encoding": {"y": y, "x": {"field": "chance", "type": "quantitative"}},
        },
        {
            **base,
            "mark": {"type": "point", "filled": True, "size": 55, "color": COLOURS[0], "opacity": 1},
            "encoding": {"y": y, "x": {"field": "value", "type": "quantitative"}},
        },
    ]
    return _draw(layers, alt, height=max(22 * len(rows), 34), width=WIDTH - 70)


def heat_map(cells: Sequence[Mapping[str, Any]], row: str, column: str, alt: str) -> str:
    """A value per cell of two attributes, stronger in colour where it is larger, with the number written in it.

    A cell has ``row``, ``column``, ``value`` (None where undefined) and ``text``.
    """
    rows = list(dict.fromkeys(c["row"] for c in cells))
    columns = list(dict.fromkeys(c["column"] for c in cells))
    shown = dict(zip(rows, _unique(rows), strict=True)), dict(zip(columns, _unique(columns), strict=True))
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
        "axis": {"title": _cut(column, 40), "labelAngle": angle, "grid": False},
    }
    y = {"field": "row", "type": "ordinal", "sort": None, "axis": {"title": _cut(row, 40), "grid": False}}
    layers: list[Spec] = [
        {
            "data": {"values": _clean(data)},
            "mark": {"type": "rect", "color": COLOURS[0], "stroke": GRID},
            "encoding": {
                "x": x,
                "y": y,
                "opacity": {"field": "strength", "type": "quantitative", "scale": None, "legend": None},
            },
        },
        {
            "data": {"values": _clean(data)},
            "mark": {"type": "text", "fontSize": 10.5, "color": INK},
            "encoding": {"x": x, "y": y, "text": {"field": "text"}},
        },
    ]
    return _draw(layers, alt, height=24 * len(rows), width=max(46 * len(columns), 120))


def _draw(layers: list[Spec], alt: str, height: int, width: int = WIDTH) -> str:
    """Render layers that share their axes, with the page's colours and a text for those who cannot see it."""
    import vl_convert

    text = {
        "labelColor": FAINT,
        "titleColor": FAINT,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    }
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": width,
        "height": height,
        "background": None,
        "layer": layers,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": None},
            "axis": {
                **text,
                "gridColor": GRID,
                "domainColor": FAINT,
                "tickColor": FAINT,
                "labelLimit": 150,
                "tickSize": 4,
            },
        },
    }
    return _seal(str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])), alt)


def _seal(svg: str, alt: str) -> str:
    """The picture as one labelled image, without inline styles, which the page's policy forbids."""
    svg = re.sub(r' (style|class|aria-[a-z]+|role)="[^"]*"', "", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label={quoteattr(printable(alt))} ', 1)


def _axis(field: str, title: str, *, zero: bool = True, **axis: Any) -> Spec:
    scale = {"zero": zero, "nice": True}
    return {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": _cut(title, 48) or None, **axis},
    }


def _shares_axis(field: str, title: str, top: float | None) -> Spec:
    """A vertical axis of shares from zero, to at least ``top``."""
    axis = _axis(field, title, format="%", tickCount=4)
    return axis if top is None else {**axis, "scale": {"domain": [0, top], "nice": True}}


def _scale(names: Sequence[str], values: Sequence[Any]) -> Spec:
    return {
        "domain": [printable(n) for n in names],
        "range": [values[i % len(values)] for i in range(len(names))],
    }


def _rule(channel: str, value: float) -> Spec:
    return {
        "data": {"values": [{"at": value}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1.4},
        "encoding": {channel: {"field": "at", "type": "quantitative"}},
    }


def _clean(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{k: printable(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]


def _cut(text: str, limit: int = LABEL) -> str:
    return shorten(printable(text), limit)


def _unique(names: Sequence[str]) -> list[str]:
    """Short labels; those that became alike are numbered, so that no two rows fall on one another."""
    found: list[str] = []
    for name in names:
        cut, i = _cut(name), 1
        while cut in found:
            i += 1
            cut = f"{_cut(name, LABEL - 4)} ({i})"
        found.append(cut)
    return found
