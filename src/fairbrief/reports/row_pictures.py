"""Pictures with a line or a cell per name: forests, bars, heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, GRID, INK, WIDTH, Axis, Scale, line, tag

ROW = 22
CELL = 46
ACROSS = WIDTH - 70


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
    fields = ("value", "low", "high", "chance", "against")
    bounds = domain or canvas.domain(float(r[f]) for r in rows for f in fields if r.get(f) is not None)
    across = Axis(Scale(*bounds, 0, ACROSS), canvas.marked(*bounds))
    height = max(ROW * len(rows), 34)
    parts = [canvas.level_axis(across, height)]
    if mark is not None:
        at = across.scale.at(mark)
        parts.append(line(at, 0, at, height, FAINT, 1.4, stroke_dasharray="2 3"))
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = height * (i + 0.5) / len(rows)
        parts += [canvas.text(-8, y, name, anchor="end"), *_marks(row, across.scale, round(y, 2))]
    return canvas.picture(parts, alt, ACROSS, height, _left(names), 6, 26)


def bars(rows: Sequence[Mapping[str, Any]], alt: str, top: float) -> str:
    """One level bar per row with a text at its end. A row has ``name``, ``value`` ≥ 0 and ``text``; ``top`` fills it."""
    names = canvas.unique([row["name"] for row in rows])
    scale = Scale(0, 1.25 * top or 1.0, 0, ACROSS)  # a fifth is left for the texts behind the bars
    parts = []
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        y, end = ROW * (i + 0.5), scale.at(float(row["value"]))
        parts.append(canvas.text(-8, y, name, anchor="end"))
        parts.append(tag("rect", x=0, y=y - 6, width=end, height=12, fill=COLOURS[0], opacity=0.6))
        parts.append(canvas.text(end + 4, y, str(row["text"]), INK))
    return canvas.picture(parts, alt, ACROSS, ROW * len(rows), _left(names), right=34)


def heat_map(cells: Sequence[Mapping[str, Any]], row: str, column: str, alt: str) -> str:
    """A value per cell of two attributes, stronger in colour where it is larger, with the number written in it.

    A cell has ``row``, ``column``, ``value`` (None where undefined) and ``text``.
    """
    rows = list(dict.fromkeys(c["row"] for c in cells))
    columns = list(dict.fromkeys(c["column"] for c in cells))
    names, heads = canvas.unique(rows), canvas.unique(columns)
    width, height = max(CELL * len(columns), 120), 24 * len(rows)
    side = width / len(columns)
    known = [c["value"] for c in cells if c["value"] is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    parts = [canvas.text(-8, 24 * (i + 0.5), name, anchor="end") for i, name in enumerate(names)]
    steep = len(columns) > 6 or max(map(len, heads), default=0) > 6
    for i, head in enumerate(heads):
        x, y = side * (i + 0.5), height + 12
        turn = {"transform": f"rotate(-35 {x:g} {y})", "anchor": "end"} if steep else {"anchor": "middle"}
        parts.append(canvas.text(x, y, head, **turn))
    for c in cells:
        strength = 0.0 if c["value"] is None else 0.08 + 0.6 * ((c["value"] - low) / (high - low or 1))
        x, y = round(side * columns.index(c["column"]), 2), 24 * rows.index(c["row"])
        look = {"fill": COLOURS[0], "fill_opacity": round(strength, 3), "stroke": GRID}
        parts.append(tag("rect", x=x, y=y, width=round(side, 2), height=24, **look))
        parts.append(canvas.text(x + side / 2, y + 12, str(c["text"]), INK, "middle"))
    below = 14 + (max(map(canvas.wide, heads), default=0) * 0.6 if steep else 8)
    parts.append(canvas.text(width / 2, height + below + 10, canvas.cut(column, 40), anchor="middle"))
    parts.append(canvas.text(-_left(names) + 4, -10, canvas.cut(row, 40)))
    return canvas.picture(parts, alt, width, height, _left(names), 22, below + 18)


def _marks(row: Mapping[str, Any], x: Scale, y: float) -> Iterator[str]:
    if row.get("low") is not None and row.get("high") is not None:
        yield line(x.at(row["low"]), y, x.at(row["high"]), y, COLOURS[0], 3, opacity=0.6)
    if row.get("chance") is not None:
        yield line(x.at(row["chance"]), y - 7, x.at(row["chance"]), y + 7, CHANCE, 2)
    if row.get("against") is not None:
        yield tag("circle", cx=x.at(row["against"]), cy=y, r=4.4, stroke=INK, stroke_width=1.6)
    if row.get("value") is not None:
        yield tag("circle", cx=x.at(row["value"]), cy=y, r=4.2, fill=COLOURS[0])


def _left(names: Sequence[str]) -> float:
    """The room that names take left of the area."""
    return round(max(map(canvas.wide, names), default=0) + 12, 1)
