"""The pictures of docs/explanation/inference.md, drawn with the report's figure code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from fairbrief.reports.plot import COLOURS, FAINT, INK, PAPER, complete, diamond, tag
from fairbrief.statistics.jackknife import Precision, leave_one_out, spreads, t_interval

WIDTH = 560
BLUE, AMBER, PURPLE = COLOURS[:3]


def drawn() -> Mapping[str, str]:
    """Every picture's text by its file name."""
    pictures = {
        "baselines": baselines(),
        "chance-adjusted-score": chance_adjusted_score(),
        "jackknife": jackknife(),
        "test-inverted-interval": test_inverted_interval(),
        "detectable-difference": detectable_difference(),
    }
    return {f"{name}.svg": f"{complete(svg)}\n" for name, svg in pictures.items()}


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


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, **more: object) -> str:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **more)


def text(x: float, y: float, words: str, colour: str = FAINT, anchor: str | None = None) -> str:
    """Words at a place, centred on its height."""
    return tag("text", escape(words), x=x, y=round(y + 4, 2), fill=colour, text_anchor=anchor)


def circle(x: float, y: float, area: float, **look: object) -> str:
    """A circle of about ``area`` square pixels."""
    return tag("circle", cx=x, cy=y, r=round(sqrt(area) * 0.565, 2), **look)


def _framed(parts: Sequence[str], alt: str, height: float) -> str:
    """The parts as one labelled picture with a margin."""
    size = WIDTH + 32, height + 24
    return (
        f'<svg role="img" aria-label={quoteattr(alt)} xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="-16 -12 {size[0]} {size[1]}" font-family="sans-serif" font-size="11" fill="none">{"".join(parts)}</svg>'
    )


def _interval(x: Scale, y: float, low: float, high: float, value: float, colour: str) -> str:
    return line(x.at(low), y, x.at(high), y, colour, 3) + circle(x.at(value), y, 70, fill=colour)


def _axis(x: Scale, y: float, ticks: Mapping[float, str]) -> str:
    marks = [
        line(x.at(v), y - 4, x.at(v), y, FAINT) + text(x.at(v), y + 10, t, anchor="middle")
        for v, t in ticks.items()
    ]
    return line(x.start, y, x.end, y, FAINT) + "".join(marks)


def _span(x: Scale, y: float, low: float, high: float, words: str, colour: str) -> str:
    """A labelled distance between two values."""
    ends = "".join(line(x.at(v), y - 4, x.at(v), y + 4, colour, 1.5) for v in (low, high))
    middle = (x.at(low) + x.at(high)) / 2
    return (
        line(x.at(low), y, x.at(high), y, colour, 1.5) + ends + text(middle, y - 12, words, colour, "middle")
    )


def baselines() -> str:
    """Label permutations at 0, random sentences below them, the system below both."""
    x = Scale(-0.2, 0.04, 20, WIDTH - 20)
    parts = [
        _span(x, 24, -0.155, 0.0, "difference from label permutations: do the groups matter?", FAINT),
        _span(x, 62, -0.155, -0.051, "difference from random sentences", BLUE),
        *(line(x.at(v), 28, x.at(v), 118, FAINT, 1, stroke_dasharray="2 3") for v in (-0.155, -0.051, 0.0)),
        _interval(x, 100, -0.175, -0.135, -0.155, BLUE),
        diamond(x.at(-0.051), 100, 80),
        line(x.at(0), 90, x.at(0), 110, AMBER, 3),
        text(x.at(-0.155), 82, "GPT-4", BLUE, "middle"),
        text(x.at(-0.051), 82, "random sentences", INK, "middle"),
        text(x.at(0), 82, "label permutations", AMBER, "middle"),
        _axis(x, 124, {-0.2: "−20%", -0.15: "−15%", -0.1: "−10%", -0.05: "−5%", 0.0: "0"}),
        text(WIDTH / 2, 152, "coverage of negative reviews, relative to the average review", anchor="middle"),
    ]
    return _framed(parts, "Label permutations give 0, random sentences −5.1%, the system −15.5%", 160)


def chance_adjusted_score() -> str:
    """An unsigned score is above 0 under label permutations, too; the chance-adjusted score is its difference from their mean."""
    x, mean, value, width = Scale(0.0, 0.22, 20, WIDTH - 20), 0.098, 0.169, 0.016
    heights = [(v, exp(-(((v - mean) / width) ** 2) / 2)) for v in np.arange(0.036, 0.161, 0.005)]
    parts = [
        *(
            tag(
                "rect",
                x=x.at(v) - 5,
                y=round(112 - 64 * h, 1),
                width=10,
                height=round(64 * h, 1),
                fill=AMBER,
                opacity=0.45,
            )
            for v, h in heights
        ),
        line(x.at(mean), 34, x.at(mean), 112, AMBER, 1.5, stroke_dasharray="4 3"),
        line(x.at(value), 34, x.at(value), 112, BLUE, 2),
        _span(x, 28, mean, value, "chance-adjusted score", BLUE),
        text(x.at(mean) - 8, 28, "label permutations, and their mean", AMBER, "end"),
        text(x.at(value) + 6, 60, "the value"),
        _axis(x, 112, {0.0: "0", 0.05: "0.05", 0.1: "0.10", 0.15: "0.15", 0.2: "0.20"}),
        text(
            WIDTH / 2,
            140,
            "an unsigned score, such as uer: above 0 even where groups are treated equally",
            anchor="middle",
        ),
    ]
    return _framed(parts, "The chance-adjusted score is the value minus the permutation mean", 148)


def jackknife() -> str:
    """The value without each cluster, and the resulting interval."""
    said = np.array([-0.31, -0.05, -0.22, 0.04, -0.12, -0.27, -0.02, -0.19])
    rows = np.column_stack([said, np.ones(len(said))])
    left = leave_one_out(rows)
    without = left[:, 0] / left[:, 1]
    value = float(said.mean())
    spread = spreads(np.array([value]), without[np.newaxis], said[np.newaxis])
    low, high = (float(bound[0]) for bound in t_interval(spread, 0.95))
    x = Scale(-0.36, 0.08, 150, WIDTH - 20)
    parts = [line(x.at(0), 0, x.at(0), 132, FAINT, 1.2)]
    for y, words, values, colour in (
        (14, "each cluster by itself", said, FAINT),
        (52, "without each in turn", without, PURPLE),
    ):
        parts.append(text(0, y, words))
        parts += [circle(x.at(v), y, 36, fill=colour, opacity=0.8) for v in values]
    parts += [
        text(0, 92, "value ± t · error"),
        _interval(x, 92, low, high, value, BLUE),
        text(x.at(value), 112, f"{value:.3f} [{low:.3f}, {high:.3f}]".replace("-", "−"), BLUE, "middle"),
        _axis(x, 132, {-0.3: "−0.3", -0.2: "−0.2", -0.1: "−0.1", 0.0: "0"}),
    ]
    return _framed(parts, "Values without each of eight clusters, and the jackknife interval", 150)


def test_inverted_interval() -> str:
    """Three unsigned scores: one that its test does not reject, one rejected near 0, one rejected far from it."""
    x = Scale(0.0, 0.16, 210, WIDTH - 20)
    rows = (
        ("not rejected: from 0", 0.035, 0.0, 0.075, "[0, 0.075]"),
        ("rejected, v − t · error below 0", 0.04, 0.0, 0.085, "> 0, at most 0.085"),
        ("rejected, well above 0", 0.1, 0.062, 0.138, "[0.062, 0.138]"),
    )
    parts = [line(x.at(0), 0, x.at(0), 112, FAINT, 1.2)]
    for i, (words, value, low, high, told) in enumerate(rows):
        y = 14 + 36 * i
        parts += [
            text(0, y, words),
            _interval(x, y, low, high, value, BLUE),
            text(x.at((low + high) / 2), y + 15, told, BLUE, "middle"),
        ]
    parts.append(circle(x.at(0), 50, 50, fill=PAPER, stroke=BLUE, stroke_width=2))
    parts.append(_axis(x, 118, {0.0: "0", 0.05: "0.05", 0.1: "0.10", 0.15: "0.15"}))
    return _framed(
        parts, "The interval of an unsigned score contains 0 exactly where its test does not reject", 134
    )


def detectable_difference() -> str:
    """The difference that exceeds the critical value in four of five audits."""
    seen = Precision(0.02, 60, 59)
    size = seen.detectable(60)
    critical = seen.error * 2.001
    x = Scale(-0.07, 0.13, 20, WIDTH - 20)
    grid = np.linspace(-0.07, 0.13, 121)

    def curve(middle: float, colour: str) -> str:
        points = " ".join(
            f"{x.at(v)},{104 - 80 * exp(-(((v - middle) / seen.error) ** 2) / 2):.1f}" for v in grid
        )
        return tag("polyline", points=points, stroke=colour, stroke_width=1.5)

    beyond = [v for v in grid if v >= critical]
    tops = [f"{x.at(v)},{104 - 80 * exp(-(((v - size) / seen.error) ** 2) / 2):.1f}" for v in beyond]
    shade = tag(
        "polygon",
        points=" ".join([f"{x.at(beyond[0])},104", *tops, f"{x.at(beyond[-1])},104"]),
        fill=BLUE,
        opacity=0.25,
    )
    parts = [
        shade,
        curve(0.0, AMBER),
        curve(size, BLUE),
        line(x.at(critical), 8, x.at(critical), 104, INK, 1.2, stroke_dasharray="4 3"),
        text(x.at(critical), 0, "significant from here", INK, "middle"),
        text(x.at(0), 60, "no difference", AMBER, "middle"),
        text(x.at(size) + 4, 60, "80% of audits", BLUE, "middle"),
        _axis(x, 104, {0.0: "0", size: "smallest difference found in 80 of 100 audits"}),
    ]
    return _framed(parts, "The detectable difference: 80 % of audits with it are significant", 122)
