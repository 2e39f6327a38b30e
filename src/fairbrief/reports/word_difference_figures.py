"""Pictures of words: z-scores by frequency, and shares of identifying words by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, GRID, INK, Axis, Scale, line, tag
from fairbrief.reports.pictures import shape

SIGNIFICANT = 1.96
WIDTH, HEIGHT = 640, 420
LEANS = {"up": (COLOURS[0], 1), "down": (COLOURS[1], 5), "no": (FAINT, 0)}
"""Colour and shape of the words that lean up, down, and nowhere."""


def words_by_frequency(rows: Sequence[Mapping[str, Any]], up: str, down: str, alt: str) -> str:
    """A point per word: how often it occurs (logarithm to base 10) and how it leans (z); some with their name.

    A row has ``x``, ``z``, ``word`` (empty: not named) and ``leans``: ``up``, ``down`` or ``no``.
    """
    found = [float(row["x"]) for row in rows] or [0.0, 1.0]
    low, high = floor(min(found)), max(ceil(max(found)), floor(min(found)) + 1)
    across = Axis(
        Scale(low, high, 0, WIDTH),
        tuple((float(power), f"{10**power:,.0f}") for power in range(low, high + 1)),
        "occurrences in all documents",
    )
    bounds = canvas.domain([*(float(row["z"]) for row in rows), -SIGNIFICANT, SIGNIFICANT])
    title = f"z: up leans to {canvas.cut(up)}, down to {canvas.cut(down)}"
    upright = Axis(Scale(*bounds, HEIGHT, 0), canvas.marked(*bounds), title)
    parts = [canvas.level_axis(across, HEIGHT), canvas.upright_axis(upright, WIDTH)]
    for bound in (-SIGNIFICANT, SIGNIFICANT):
        y = upright.scale.at(bound)
        parts.append(line(0, y, WIDTH, y, INK, 1.4, stroke_dasharray="4 3"))
    for row in rows:
        x, y = across.scale.at(float(row["x"])), upright.scale.at(float(row["z"]))
        colour, kind = LEANS[str(row["leans"])]
        parts.append(shape(kind, x, y, 26, fill=colour, opacity=0.65))
        parts.append(canvas.text(x + 7, y, canvas.cut(str(row["word"])), INK))
    return canvas.picture(parts, alt, WIDTH, HEIGHT, canvas.left_of(upright), 24, 42, right=90)


def bars(rows: Sequence[Mapping[str, Any]], alt: str) -> str:
    """Stacked shares of groups, one bar per topic, each share written in it; half is marked.

    A row has ``topic``, ``group`` and ``share``.
    """
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    topics = list(dict.fromkeys(str(row["topic"]) for row in rows))
    names = canvas.unique(topics)
    width, height = WIDTH - 120, 34 * len(topics)
    across = Axis(Scale(0, 1, 0, width), canvas.marked(0, 1, percent=True), "share of identifying words")
    parts = [canvas.level_axis(across, height)]
    parts += [canvas.text(-8, 34 * (i + 0.5), name, anchor="end") for i, name in enumerate(names)]
    starts = dict.fromkeys(topics, 0.0)
    for row in rows:
        topic, share = str(row["topic"]), float(row["share"])
        left, right = across.scale.at(starts[topic]), across.scale.at(starts[topic] + share)
        starts[topic] += share
        y = 34 * topics.index(topic)
        look = {"fill": canvas.colour_of(groups, str(row["group"])), "fill_opacity": 0.5, "stroke": GRID}
        parts.append(tag("rect", x=left, y=y + 3, width=round(right - left, 2), height=28, **look))
        if share >= 0.08:
            words = f"{canvas.cut(str(row['group']))} {share:.0%}"
            parts.append(canvas.text((left + right) / 2, y + 17, words, INK, "middle"))
    half = across.scale.at(0.5)
    parts.append(line(half, 0, half, height, CHANCE, 1.4, stroke_dasharray="4 3"))
    left = max(map(canvas.wide, names), default=0) + 12
    return canvas.picture(parts, alt, width, height, round(left, 1), 6, 42)
