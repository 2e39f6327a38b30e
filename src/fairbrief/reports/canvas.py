"""What all pictures share: the page's colours, scales, axes, short labels, and one labelled SVG around them.

Colours are the page's CSS variables, so that one picture serves light, dark and print. The same data
give the same text. A picture draws in the pixels of its own area, from 0, 0 at its upper left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.sax.saxutils import escape, quoteattr

from fairbrief.reports.plain import printable, shorten
from fairbrief.statistics.arrays import TIE

INK, FAINT, GRID, CHANCE = "var(--ink)", "var(--soft)", "var(--line)", "var(--chance)"
COLOURS = tuple(f"var(--s{i})" for i in range(1, 9))
DASHES = (None, "5 2", "2 2", "7 2 2 2", "1 2", "9 3", "4 1 1 1", "3 3")
"""Colour never speaks alone: lines also differ in their dashes."""
WIDTH = 262
LABEL = 24
LETTER = 5.8
"""Mean width of a letter of a label, in pixels."""
ROOM = 4
"""Pixels between an axis and its labels."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels: ``low`` is drawn at ``start``, ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        return round(self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low), 2)


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale with its title, the values that are marked, and what is written at them."""

    scale: Scale
    ticks: tuple[tuple[float, str], ...]
    title: str = ""


def step_of(low: float, high: float, count: int) -> float:
    """A round width of which about ``count`` lie between two values."""
    raw = (high - low) / count
    power: float = 10.0 ** floor(log10(raw))
    return next(m * power for m in STEPS if m * power >= raw * (1 - 1e-9))


def domain(values: Iterable[float], count: int = 5, *, zero: bool = False) -> tuple[float, float]:
    """Round bounds that hold all values, and zero where it is wanted."""
    held = [*values, *((0.0,) if zero else ())] or [0.0, 1.0]
    low, high = min(held), max(held)
    if high - low < TIE:
        low, high = low - 0.5, high + 0.5
    step = step_of(low, high, count)
    return floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step


def marked(
    low: float, high: float, count: int = 5, *, percent: bool = False
) -> tuple[tuple[float, str], ...]:
    """Round values between two bounds, with their labels.

    >>> marked(-0.5, 0.5, 2)
    ((-0.5, '−0.5'), (0.0, '0'), (0.5, '0.5'))
    """
    step = step_of(low, high, count)
    values = [round(i * step, 10) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
    if percent:
        return tuple((v, f"{100 * v:.6g}%") for v in values)
    return tuple((v, f"{v:,.8g}".replace("-", "−")) for v in values)


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """One element; attributes that are None are left out, and ``stroke_width`` becomes ``stroke-width``."""
    written = (
        f" {key.replace('_', '-')}={quoteattr(str(v))}" for key, v in attributes.items() if v is not None
    )
    head = f"<{name}{''.join(written)}"
    return f"{head}>{content}</{name}>" if content else f"{head}/>"


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, **more: object) -> str:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **more)


def text(
    x: float, y: float, words: str, colour: str = FAINT, anchor: str | None = None, **more: object
) -> str:
    """Words at a place, their middle at its height."""
    told = escape(printable(words))
    return tag("text", told, x=x, y=round(y + 4, 2), fill=colour, text_anchor=anchor, **more) if told else ""


def level_axis(axis: Axis, height: float) -> str:
    """An axis below the area, with faint upright lines at its marks."""
    found = [line(axis.scale.at(v), 0, axis.scale.at(v), height, GRID) for v, _ in axis.ticks]
    found += [text(axis.scale.at(v), height + 12, words, anchor="middle") for v, words in axis.ticks]
    found.append(line(axis.scale.start, height, axis.scale.end, height, FAINT))
    middle = (axis.scale.start + axis.scale.end) / 2
    return "".join(found) + text(middle, height + 30, cut(axis.title, 48), anchor="middle")


def upright_axis(axis: Axis, width: float) -> str:
    """An axis left of the area, with faint level lines at its marks; its title stands above."""
    found = [line(0, axis.scale.at(v), width, axis.scale.at(v), GRID) for v, _ in axis.ticks]
    found += [text(-ROOM, axis.scale.at(v), words, anchor="end") for v, words in axis.ticks]
    found.append(line(0, axis.scale.start, 0, axis.scale.end, FAINT))
    left = -ROOM - max((wide(words) for _, words in axis.ticks), default=0)
    return "".join(found) + text(left, min(axis.scale.start, axis.scale.end) - 14, cut(axis.title, 48))


def wide(words: str) -> float:
    """About how many pixels a label takes."""
    return len(words) * LETTER


def picture(
    parts: Iterable[str],
    alt: str,
    width: float,
    height: float,
    left: float = 4,
    top: float = 6,
    bottom: float = 6,
    right: float = 10,
) -> str:
    """The parts as one labelled image around an area of so many pixels, with room on each side of it."""
    size = round(left + width + right, 1), round(top + height + bottom, 1)
    return (
        f'<svg role="img" aria-label={quoteattr(printable(alt))} xmlns="http://www.w3.org/2000/svg" '
        f'width="{size[0]}" height="{size[1]}" viewBox="{-left:g} {-top:g} {size[0]} {size[1]}" '
        f'font-family="sans-serif" font-size="11" fill="none">{"".join(parts)}</svg>'
    )


def left_of(axis: Axis) -> float:
    """The room that an upright axis takes."""
    return round(max((wide(words) for _, words in axis.ticks), default=0) + ROOM + 4, 1)


def colour_of(names: Sequence[str], who: str) -> str:
    """The colour of a name; colours repeat when they run out."""
    return COLOURS[list(names).index(who) % len(COLOURS)] if who in names else FAINT


def dash_of(names: Sequence[str], who: str) -> str | None:
    """The dashes of a name's line; None is drawn whole."""
    return DASHES[list(names).index(who) % len(DASHES)] if who in names else None


def cut(words: str, limit: int = LABEL) -> str:
    """A label of at most so many characters."""
    return shorten(printable(words), limit)


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
