"""Pictures of words: z-scores by frequency, and shares of identifying words by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, GRID, INK, Spec

SIGNIFICANT = 1.96
WIDTH, HEIGHT = 640, 420


def words_by_frequency(rows: Sequence[Mapping[str, Any]], up: str, down: str, alt: str) -> str:
    """A point per word: how often it occurs (logarithm to base 10) and how it leans (z); some with their name.

    A row has ``x``, ``z``, ``word`` (empty: not named) and ``leans``: ``up``, ``down`` or ``no``.
    """
    data: Spec = {"data": {"values": canvas.clean(rows)}}
    x = canvas.axis(
        "x",
        "occurrences in all documents",
        zero=False,
        tickMinStep=1,
        labelExpr="format(pow(10, datum.value), ',d')",
    )
    y = canvas.axis("z", f"z: up leans to {up}, down to {down}", grid=True)
    layers: list[Spec] = [canvas.rule("y", bound) for bound in (-SIGNIFICANT, SIGNIFICANT)]
    layers.append(
        {
            **data,
            "mark": {"type": "point", "filled": True, "size": 26, "opacity": 0.65},
            "encoding": {
                "x": x,
                "y": y,
                "color": {
                    "field": "leans",
                    "type": "nominal",
                    "scale": {"domain": ["up", "down", "no"], "range": [COLOURS[0], COLOURS[1], FAINT]},
                    "legend": None,
                },
                "shape": {
                    "field": "leans",
                    "type": "nominal",
                    "scale": {
                        "domain": ["up", "down", "no"],
                        "range": ["triangle-up", "triangle-down", "circle"],
                    },
                    "legend": None,
                },
            },
        }
    )
    layers.append(
        {
            **data,
            "transform": [{"filter": "datum.word != ''"}],
            "mark": {"type": "text", "align": "left", "dx": 7, "fontSize": 11, "color": INK, "limit": 140},
            "encoding": {
                "x": {"field": "x", "type": "quantitative"},
                "y": {"field": "z", "type": "quantitative"},
                "text": {"field": "word"},
            },
        }
    )
    return canvas.draw(layers, alt, height=HEIGHT, width=WIDTH)


def bars(rows: Sequence[Mapping[str, Any]], alt: str) -> str:
    """Stacked shares of groups, one bar per topic, each share written in it; half is marked.

    A row has ``topic``, ``group`` and ``share``.
    """
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    topics = list(dict.fromkeys(str(row["topic"]) for row in rows))
    starts = dict.fromkeys(topics, 0.0)
    data = []
    for row in rows:
        start = starts[str(row["topic"])]
        starts[str(row["topic"])] = start + float(row["share"])
        middle, text = (
            start + row["share"] / 2,
            f"{row['group']} {row['share']:.0%}" if row["share"] >= 0.08 else "",
        )
        data.append({**row, "start": start, "end": start + row["share"], "middle": middle, "text": text})
    y = {
        "field": "topic",
        "type": "nominal",
        "sort": None,
        "axis": {"title": None, "grid": False, "ticks": False},
    }
    across = canvas.axis("start", "share of identifying words", format="%", tickCount=5)
    across["scale"] = {"domain": [0, 1]}
    layers: list[Spec] = [
        {
            "data": {"values": canvas.clean(data)},
            "mark": {"type": "bar", "opacity": 0.5, "stroke": GRID},
            "encoding": {
                "y": y,
                "x": across,
                "x2": {"field": "end"},
                "color": {
                    "field": "group",
                    "type": "nominal",
                    "scale": {
                        "domain": groups,
                        "range": [COLOURS[i % len(COLOURS)] for i in range(len(groups))],
                    },
                    "legend": None,
                },
            },
        },
        {
            "data": {"values": canvas.clean(data)},
            "mark": {"type": "text", "fontSize": 11, "color": INK},
            "encoding": {"y": y, "x": {"field": "middle", "type": "quantitative"}, "text": {"field": "text"}},
        },
        {
            "data": {"values": [{"at": 0.5}]},
            "mark": {"type": "rule", "color": CHANCE, "strokeDash": [4, 3]},
            "encoding": {"x": {"field": "at", "type": "quantitative"}},
        },
    ]
    return canvas.draw(layers, alt, height=34 * len(topics), width=WIDTH - 120)
