"""The words of inputs as one self-contained page: which words tell groups apart, and who is spoken of where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, GRID, INK, Axis, Scale, line, tag
from fairbrief.reports.pages import page
from fairbrief.reports.pictures import shape
from fairbrief.types import Table
from fairbrief.workbench.corpora.word_differences import WordContrast

LABELLED = 12
"""Words per group with their name in the picture."""
MOST_POINTS = 1500
"""Points of one picture; the words nearest to no difference are left out first."""


def render(
    contrasts: Sequence[WordContrast],
    tables: Sequence[Table],
    shares: Mapping[str, Mapping[str, float]],
    by: str,
    documents: int,
) -> str:
    """The page as text: no network, no script, every text escaped.

    ``contrasts`` and ``tables`` as from `corpora.word_differences`; ``shares`` are identifier shares, topic → group → share.
    """
    told = {
        "by": by,
        "documents": documents,
        "tables": tables,
        "pictures": _pictures(contrasts),
        "topics": _topics(shares),
    }
    return page("words.html.j2", told, {})


def _pictures(contrasts: Sequence[WordContrast]) -> list[tuple[str, str]]:
    """One picture per group, title and drawing; of two groups one, since the other is its mirror."""
    groups = list(dict.fromkeys(c.group for c in contrasts))
    if len(groups) == 2:
        mine = [c for c in contrasts if c.group == groups[0]]
        return [(f"{groups[0]} (up) and {groups[1]} (down)", _picture(mine, groups[0], groups[1]))]
    return [(g, _picture([c for c in contrasts if c.group == g], g, "the others")) for g in groups]


def _picture(contrasts: Sequence[WordContrast], up: str, down: str) -> str:
    by_size = sorted(contrasts, key=lambda c: -abs(c.z))[:MOST_POINTS]
    high = [c for c in sorted(by_size, key=lambda c: -c.z)[:LABELLED] if c.z > 0]
    low = [c for c in sorted(by_size, key=lambda c: c.z)[:LABELLED] if c.z < 0]
    named = _apart(sorted((*high, *low), key=lambda c: -abs(c.z)), by_size)
    rows = [
        {
            "x": math.log10(c.count + c.rest),
            "z": c.z,
            "word": c.word if c.word in named else "",
            "leans": "up" if c.z > 1.96 else "down" if c.z < -1.96 else "no",
        }
        for c in by_size
    ]
    told = ", ".join(c.word for c in high[:5])
    other = ", ".join(c.word for c in low[:5])
    alt = f"z-scores of {len(rows)} words by frequency. Leaning to {up}: {told}; to {down}: {other}."
    return words_by_frequency(rows, up, down, alt)


def _apart(wanted: Sequence[WordContrast], drawn: Sequence[WordContrast]) -> set[str]:
    """The words whose names do not fall on another's, those of the largest z first."""
    if not drawn:
        return set()
    across = [math.log10(c.count + c.rest) for c in drawn]
    up = [c.z for c in drawn]
    per_x = WIDTH / ((max(across) - min(across)) or 1)
    per_z = HEIGHT / ((max(up) - min(up)) or 1)
    placed: list[tuple[float, float, float, str]] = []
    for c in wanted:
        left, height = math.log10(c.count + c.rest) * per_x, c.z * per_z
        right = left + 7 * len(c.word) + 12
        if all(abs(height - z) > 13 or right < a or b < left for a, b, z, _ in placed):
            placed.append((left, right, height, c.word))
    return {word for *_, word in placed}


def _topics(shares: Mapping[str, Mapping[str, float]]) -> str:
    rows = [{"topic": t, "group": g, "share": share} for t, own in shares.items() for g, share in own.items()]
    if not rows:
        return ""
    told = "; ".join(
        f"{t}: " + ", ".join(f"{g} {v:.0%}" for g, v in own.items()) for t, own in shares.items()
    )
    return bars(rows, f"Shares of identifying words by topic. {told}.")


# ------------------------------------------------------------------------------------------ figures


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
