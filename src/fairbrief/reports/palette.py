"""The colours of pages and pictures, for light and dark screens.

A colour means one thing. ``s1`` to ``s8`` are systems (or groups, in figures that compare groups). They contain no pair of red and
green, and stay apart for colour-blind readers. ``less`` is the one red and marks a group that gets significantly less.

Pictures name the light colours themselves, so that they are complete without a style sheet. On a dark screen a page's
style sheet, or the style inside a saved picture, replaces them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#fcfbf8", "ink": "#1d1c1a", "soft": "#5d5a54", "line": "#dedad0",
        "s1": "#1f5f99", "s2": "#cc7a00", "s3": "#a63be0", "s4": "#453f4d",
        "s5": "#2f9aa3", "s6": "#998c73", "s7": "#ec4fd0", "s8": "#4d1bb2",
        "panel": "#f4f2ec", "link": "#1a5276", "mark": "#ffe08a", "faint-mark": "#f6efd8", "less": "#a5161b",
    }
)  # fmt: skip
DARK: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#16171a", "ink": "#e9e6df", "soft": "#aba69b", "line": "#383a40",
        "s1": "#5aa5ee", "s2": "#f2c14c", "s3": "#b06bff", "s4": "#e9e2f0",
        "s5": "#14d0c0", "s6": "#8c8f96", "s7": "#e04fd0", "s8": "#bf8a50",
        "panel": "#1f2125", "link": "#8cc0ea", "mark": "#6b5514", "faint-mark": "#2e2a1c", "less": "#ff7b72",
    }
)  # fmt: skip
SERIES = tuple(f"s{i}" for i in range(1, 9))
DRAWN = ("paper", "ink", "soft", "line", *SERIES)
"""The colours that pictures use."""


def page_style() -> str:
    """The colours as variables of a page's style sheet, light and dark, and the rules by which its pictures follow them."""
    variables, dark = (";".join(f"--{name}:{value}" for name, value in of.items()) for of in (LIGHT, DARK))
    pictures = "".join(_recoloured("svg ", LIGHT[name], f"var(--{name})") for name in DRAWN)
    return f":root{{{variables}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{pictures}\n"


def complete(svg: str) -> str:
    """A picture for a file or a notebook: with its background, and with dark colours for dark screens."""
    left, top = re.search(r'viewBox="(\S+) (\S+)', svg).groups()  # type: ignore[union-attr] # every picture has one
    paper = f'<rect x="{left}" y="{top}" width="100%" height="100%" fill="{LIGHT["paper"]}"/>'
    rules = (_recoloured("", LIGHT[name], DARK[name]) for name in DRAWN if LIGHT[name] in svg + paper)
    style = f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"
    head, _, rest = svg.partition(">")
    return f"{head}>{style}{paper}{rest}"


def _recoloured(where: str, drawn: str, shown: str) -> str:
    """Rules that show one drawn colour as another."""
    return "".join(f'{where}[{name}="{drawn}"]{{{name}:{shown}}}' for name in ("fill", "stroke"))
