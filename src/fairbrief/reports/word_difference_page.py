"""The words of inputs as one self-contained page: which words tell groups apart, and who is spoken of where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fairbrief.corpora.word_differences import WordContrast
from fairbrief.reports.pages import page
from fairbrief.reports.word_difference_figures import HEIGHT, WIDTH, bars, words_by_frequency
from fairbrief.types import Table

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
