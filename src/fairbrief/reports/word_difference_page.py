"""The words of inputs as one self-contained page: which words tell groups apart, and who is spoken of where."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil, floor

from fairbrief.corpora.word_differences import WordContrast
from fairbrief.reports import plot
from fairbrief.reports.estimate_figures import Figure, Panel
from fairbrief.reports.pages import page
from fairbrief.reports.plot import CHANCE, COLOURS, FAINT, GRID, Axis, Box, Dot, Mark, Words
from fairbrief.types import Table

WORDS_CAPTION = (
    "Log-odds with a Dirichlet prior, divided by their standard error. Dashed lines: |z| = 1.96, beyond which one word in "
    "twenty is by chance. Words that name a gender are shown as one marker per pair."
)
TOPICS_CAPTION = (
    "A document belongs to the topic most of whose words it holds, to unknown on a tie. A system that writes more about one "
    "topic speaks more of that topic's people, without any preference for a group."
)
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
    context = {
        "by": by,
        "documents": documents,
        "tables": tables,
        "words": Figure("Words by frequency", WORDS_CAPTION, tuple(_panels(contrasts))),
        "topics": Figure(
            "Share of each group among identifying words", TOPICS_CAPTION, tuple(_topics(shares))
        ),
    }
    return page("words.html.j2", context)


def _panels(contrasts: Sequence[WordContrast]) -> Iterator[Panel]:
    """One picture per group; of two groups one, since the other is its mirror."""
    groups = list(dict.fromkeys(c.group for c in contrasts))
    if len(groups) == 2:
        mine = [c for c in contrasts if c.group == groups[0]]
        yield Panel(f"{groups[0]} (up) and {groups[1]} (down)", _picture(mine, groups[0], groups[1]))
        return
    for g in groups:
        yield Panel(g, _picture([c for c in contrasts if c.group == g], g, "the others"))


def _picture(contrasts: Sequence[WordContrast], up: str, down: str) -> str:
    by_size = sorted(contrasts, key=lambda c: -abs(c.z))[:MOST_POINTS]
    high = [c for c in sorted(by_size, key=lambda c: -c.z)[:LABELLED] if c.z > 0]
    low = [c for c in sorted(by_size, key=lambda c: c.z)[:LABELLED] if c.z < 0]
    named = _apart(sorted((*high, *low), key=lambda c: -abs(c.z)), by_size)
    alt = (
        f"z-scores of {len(by_size)} words by frequency. Leaning to {up}: {', '.join(c.word for c in high[:5])}; "
        f"to {down}: {', '.join(c.word for c in low[:5])}."
    )
    return _words_by_frequency(by_size, named, up, down, alt)


def _apart(wanted: Sequence[WordContrast], drawn: Sequence[WordContrast]) -> set[str]:
    """The words whose names do not fall on another's, those of the largest z first."""
    if not drawn:
        return set()
    across = [_power(c) for c in drawn]
    up = [c.z for c in drawn]
    per_x = WIDTH / ((max(across) - min(across)) or 1)
    per_z = HEIGHT / ((max(up) - min(up)) or 1)
    placed: list[tuple[float, float, float, str]] = []
    for c in wanted:
        left, height = _power(c) * per_x, c.z * per_z
        right = left + 7 * len(c.word) + 12
        if all(abs(height - z) > 13 or right < a or b < left for a, b, z, _ in placed):
            placed.append((left, right, height, c.word))
    return {word for *_, word in placed}


# ------------------------------------------------------------------------------------------ pictures


SIGNIFICANT = 1.96
WIDTH, HEIGHT = 640, 420
ROW = 34


def _words_by_frequency(
    contrasts: Sequence[WordContrast], named: Collection[str], up: str, down: str, alt: str
) -> str:
    """A dot per word: how often it occurs and how it leans (z); the ``named`` with their name."""
    powers = [_power(c) for c in contrasts] or [0.0, 1.0]
    low, high = floor(min(powers)), max(ceil(max(powers)), floor(min(powers)) + 1)
    ticks = tuple((float(power), f"{10**power:,.0f}") for power in range(low, high + 1))
    bounds = plot.domain([*(c.z for c in contrasts), -SIGNIFICANT, SIGNIFICANT])
    marks: list[Mark] = [plot.level(-SIGNIFICANT), plot.level(SIGNIFICANT)]
    for c in contrasts:
        colour, kind = (COLOURS[0], plot.TRIANGLE) if c.z > SIGNIFICANT else (COLOURS[1], plot.DOWNWARD)
        if abs(c.z) <= SIGNIFICANT:
            colour, kind = FAINT, plot.CIRCLE
        marks.append(Dot(_power(c), c.z, colour, kind, 26, 0.65))
        marks.append(Words(_power(c), c.z, plot.cut(c.word) if c.word in named else "", shift=7))
    title = f"z: up leans to {plot.cut(up)}, down to {plot.cut(down)}"
    x = Axis(low, high, ticks, "occurrences in all documents")
    return plot.drawn(alt, x, Axis.of_numbers(bounds, title), marks, WIDTH, HEIGHT, right=90)


def _power(c: WordContrast) -> float:
    return math.log10(c.count + c.rest)


def _topics(shares: Mapping[str, Mapping[str, float]]) -> Iterator[Panel]:
    """Stacked shares of groups, one bar per topic, each share written in it; half is marked."""
    topics = {topic: by_group for topic, by_group in shares.items() if by_group}
    if not topics:
        return
    groups = list(dict.fromkeys(group for by_group in topics.values() for group in by_group))
    marks: list[Mark] = []
    for i, by_group in enumerate(topics.values()):
        start = 0.0
        for group, share in by_group.items():
            colour = plot.colour_of(groups, group)
            marks.append(Box((start, start + share), (i + 0.09, i + 0.91), colour, 0.5, GRID))
            if share >= 0.08:
                marks.append(Words(start + share / 2, i + 0.5, f"{plot.cut(group)} {share:.0%}", "middle"))
            start += share
    marks.append(plot.upright(0.5, CHANCE))
    parts = (
        f"{t}: {', '.join(f'{g} {v:.0%}' for g, v in by_group.items())}" for t, by_group in topics.items()
    )
    x = Axis.of_numbers((0, 1), "share of identifying words", percent=True)
    alt = f"Shares of identifying words by topic. {'; '.join(parts)}."
    svg = plot.drawn(alt, x, Axis.of_names(list(topics)), marks, WIDTH - 120, ROW * len(topics))
    yield Panel("", svg)
