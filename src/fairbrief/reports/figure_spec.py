"""What a picture on the page is: panels under one caption, and what every caption says of cuts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor

import numpy as np

from fairbrief.reports import canvas
from fairbrief.reports.plain import printable, shorten
from fairbrief.types import Floats

MOST_VALUES = 12
"""Panels of values, or rows of one panel."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture with its heading."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures that are read together, under one caption; ``key`` names the lines, in order of colour."""

    title: str
    caption: str
    panels: tuple[Panel, ...]
    key: tuple[str, ...] = field(default=())


def with_own_titles(figures: Iterable[tuple[Figure, str]]) -> tuple[Figure, ...]:
    """Figures whose title came before, say of another reading of the same measure, name what they read."""
    seen: set[str] = set()
    found = []
    for figure, measure in figures:
        title = f"{figure.title}: {measure}" if figure.title in seen and measure else figure.title
        seen.add(title)
        found.append(replace(figure, title=title))
    return tuple(found)


def note_cut(shown: int, total: int, what: str, which: str = "first") -> str:
    """What a caption says where not all is shown; empty where all is."""
    return f" Shown are the {which} {shown} of {total} {what}." if shown < total else ""


def describe(parts: Iterable[str]) -> str:
    """Texts for those who cannot see the picture, as one of bearable length."""
    return shorten(printable("; ".join(parts)), 2000)


def even_edges(values: Floats, bins: int = 20) -> tuple[float, ...]:
    """Edges of about so many bins of a round width that hold all values."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    step = canvas.step_of(low, high, bins)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(round(i * step, 10) for i in range(first, last + 1))


def shares_of(values: Floats, edges: Sequence[float]) -> list[float]:
    """The share of the values in each bin; a value on an edge (within rounding) belongs to the bin above it."""
    counts, _ = np.histogram(np.round(values, 9), bins=np.asarray(edges))
    return [float(share) for share in counts / max(len(values), 1)]
