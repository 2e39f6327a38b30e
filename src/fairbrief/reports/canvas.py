"""What all pictures share: the page's colours, axes, short labels, and the sealing of an SVG.

Colours are the page's CSS variables, so that one picture serves light, dark and print. The same data
give the same text.
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


def draw(layers: list[Spec], alt: str, height: int, width: int = WIDTH) -> str:
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
    return seal(str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])), alt)


def seal(svg: str, alt: str) -> str:
    """The picture as one labelled image, without inline styles, which the page's policy forbids."""
    svg = re.sub(r' (style|class|aria-[a-z]+|role)="[^"]*"', "", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label={quoteattr(printable(alt))} ', 1)


ROWS: Spec = {
    "field": "name",
    "type": "nominal",
    "sort": None,
    "axis": {"title": None, "grid": False, "ticks": False, "labelPadding": 8},
}
"""An upright axis of one line per ``name``, in the order of the data."""


def axis(
    field: str,
    title: str,
    *,
    zero: bool = True,
    domain: tuple[float, float] | None = None,
    **settings: Any,
) -> Spec:
    """A numeric axis; ``domain`` holds it where pictures side by side are to have one scale."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"zero": zero, "nice": True} if domain is None else {"domain": list(domain), "nice": False},
        "axis": {"title": cut(title, 48) or None, **settings},
    }


def shares_axis(field: str, title: str, top: float | None) -> Spec:
    """A vertical axis of shares from zero, to at least ``top``."""
    found = axis(field, title, format="%", tickCount=4)
    return found if top is None else {**found, "scale": {"domain": [0, top], "nice": True}}


def scale(names: Sequence[str], values: Sequence[Any]) -> Spec:
    """The same value for the same name, in the order of the names; they repeat when they run out."""
    return {
        "domain": [printable(n) for n in names],
        "range": [values[i % len(values)] for i in range(len(names))],
    }


def by_who(names: Sequence[str], values: Sequence[Any]) -> Spec:
    """What tells those apart that the field ``who`` names: colours, dashes or shapes; the page has the key."""
    return {"field": "who", "type": "nominal", "scale": scale(names, values), "legend": None}


def rule(channel: str, value: float, colour: str = INK, dash: Sequence[int] = (4, 3)) -> Spec:
    """A straight line across the picture at one place of an axis."""
    return {
        "data": {"values": [{"at": value}]},
        "mark": {"type": "rule", "color": colour, "strokeDash": list(dash), "strokeWidth": 1.4},
        "encoding": {channel: {"field": "at", "type": "quantitative"}},
    }


def clean(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose texts are printable."""
    return [{k: printable(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]


def cut(text: str, limit: int = LABEL) -> str:
    """A label of at most so many characters."""
    return shorten(printable(text), limit)


def unique(names: Sequence[str]) -> list[str]:
    """Short labels; those that became alike are numbered, so that no two rows fall on one another."""
    found: list[str] = []
    for name in names:
        short, i = cut(name), 1
        while short in found:
            i += 1
            short = f"{cut(name, LABEL - 4)} ({i})"
        found.append(short)
    return found
