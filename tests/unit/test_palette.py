"""Colours of pages and pictures: one meaning each, apart for colour-blind readers, complete in a saved picture."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import numpy as np
import pytest

from fairbrief.reports.plot import DARK, DRAWN, LIGHT, SERIES, complete
from fairbrief.statistics.arrays import Floats

# Machado and others (2009): colours of linear RGB as people with a complete deficiency see them.
SEEN = {
    "all": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> Floats:
    """A hex colour in linear RGB."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: Floats) -> Floats:
    """CIELAB of linear RGB."""
    x = XYZ @ np.clip(rgb, 0, 1) / np.array([0.9505, 1, 1.089])
    a, b, c = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * b - 16, 500 * (a - b), 200 * (b - c)])


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG defines it."""
    low, high = sorted(float(XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("sight", SEEN)
def test_systems_and_less_can_be_told_apart(colours: Mapping[str, str], sight: str) -> None:
    """Any two of the systems' colours and "less" differ for every kind of colour vision, and stand out from the paper."""
    used = [*SERIES, "less"]
    places = {name: lab(SEEN[sight] @ linear(colours[name])) for name in used}
    for one, other in itertools.combinations(used, 2):
        assert np.linalg.norm(places[one] - places[other]) > 9, (one, other)
    assert all(contrast(colours[name], colours["paper"]) >= 3 for name in used)


def test_no_colour_has_two_meanings() -> None:
    """A rule that recolours one of the drawn colours cannot recolour another."""
    assert len({LIGHT[name] for name in DRAWN}) == len(DRAWN)
    assert LIGHT.keys() == DARK.keys()
    assert LIGHT["less"] not in {LIGHT[name] for name in DRAWN}


def test_a_complete_picture_has_paper_and_dark_colours() -> None:
    """The rules recolour exactly the colours that the picture uses."""
    svg = f'<svg viewBox="-4 -6 20 10"><circle r="2" fill="{LIGHT["s2"]}"/></svg>'
    made = complete(svg)
    assert f'<rect x="-4" y="-6" width="100%" height="100%" fill="{LIGHT["paper"]}"/>' in made
    assert set(re.findall(r'\[fill="(#\w+)"\]\{fill:(#\w+)\}', made)) == {
        (LIGHT[name], DARK[name]) for name in ("paper", "s2")
    }
