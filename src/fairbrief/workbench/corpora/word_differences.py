"""Which words tell groups of documents apart, and who is spoken of where; as numbers and as one self-contained page."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from fairbrief.errors import DataError
from fairbrief.reports import canvas
from fairbrief.reports.canvas import CHANCE, COLOURS, FAINT, GRID, INK, Axis, Scale, line, tag
from fairbrief.reports.pages import page
from fairbrief.reports.pictures import shape
from fairbrief.statistics import dirichlet_log_odds
from fairbrief.text.identifiers import count_identifiers, pair_markers, word_lists
from fairbrief.types import Record, Table

IGNORED = frozenset(("her", "him", "his", "hers"))
"""Pronouns that have no partner of their own: ``her`` is both ``him`` and ``his``."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TOKEN = re.compile(rf"{_WORD.pattern}|[^\w\s]")


@dataclass(frozen=True, slots=True)
class WordContrast:
    """How much more one group's documents use a word than the rest do.

    ``count`` and ``rest`` are occurrences; ``log_odds`` is smoothed by a Dirichlet prior, ``z`` its ratio to its
    standard error. Positive: the word leans to ``group``.
    """

    word: str
    group: str
    count: int
    rest: int
    log_odds: float
    z: float


@dataclass(frozen=True, slots=True)
class TopicShares:
    """A topic's documents, and each group's share of the identifying words in them; no share where there is no word."""

    documents: int
    shares: Mapping[str, float]


TOTAL = "total"


def distinctive_words(
    records: Iterable[Record], by: str, prior: float = 0.01, *, punctuation: bool = False
) -> list[WordContrast]:
    """Fightin' Words: every word's log-odds between the documents of each group and all others.

    Documents are grouped by their attribute ``by``, or their record's; where neither has it and ``by`` is
    ``gender``, by the gender most of whose identifiers they hold (ties: left out). Identifying words are
    replaced by one marker per pair (he/she), so that they do not tell groups apart by themselves; her, him,
    his and hers have no single partner and are left out, as if they were not in the text.
    An original that has several variants counts once in each group: twenty of them say what one says.
    Punctuation is no word, unless ``punctuation`` asks for the paper's reading, which counts every mark as one.

    Words of each group in falling order of z. With two groups one is the mirror of the other.
    Raises DataError where fewer than two groups are found.
    Source: Monroe et al., Fightin' Words, Eqs. 15-22; markers and prior: Steen & Markert, §4.
    """
    counts = _counts(records, by, _TOKEN if punctuation else _WORD)
    vocabulary = sorted(set().union(*counts.values()))
    table = {group: np.array([c[w] for w in vocabulary], dtype=float) for group, c in counts.items()}
    whole = sum(table.values(), start=np.zeros(len(vocabulary)))
    found = []
    for group, own in table.items():
        delta, z = dirichlet_log_odds(own, whole - own, prior)
        order = np.argsort(-z, kind="stable")
        found += [
            WordContrast(
                vocabulary[i], group, int(own[i]), int(whole[i] - own[i]), float(delta[i]), float(z[i])
            )
            for i in order
        ]
    return found


def word_tables(contrasts: Iterable[WordContrast], most: int = 20) -> list[Table]:
    """One table per group with its most distinctive words."""
    groups: dict[str, list[WordContrast]] = {}
    for contrast in contrasts:
        groups.setdefault(contrast.group, []).append(contrast)
    return [
        Table(
            f"Words that lean to {group}",
            ("word", "here", "elsewhere", "log-odds", "z"),
            tuple(
                (w.word, str(w.count), str(w.rest), f"{w.log_odds:+.2f}", f"{w.z:+.2f}")
                for w in words[:most]
                if w.z > 0
            ),
            ("|z| > 1.96 is commonly read as different; among many words some exceed it by chance.",),
        )
        for group, words in groups.items()
    ]


def identifier_shares(
    records: Iterable[Record], topics: Mapping[str, frozenset[str]], lists: str = "helm"
) -> dict[str, TopicShares]:
    """Per topic, how many documents it has, and the share of each group among their identifying words.

    A document's topic is the one most of whose words it holds; ``unknown`` on a tie. ``total`` stands first, for all
    documents; each original counts once, whatever variants it has.
    """
    groups = list(word_lists(lists))
    totals: dict[str, np.ndarray] = {}
    documents: Counter[str] = Counter()
    for record in once_each(records):
        for document in record.documents:
            words = Counter(_TOKEN.findall(document.text.lower()))
            scores = {topic: sum(words[w] for w in wanted) for topic, wanted in topics.items()}
            best = max(scores.values(), default=0)
            leading = [topic for topic, score in scores.items() if score == best]
            topic = leading[0] if len(leading) == 1 else "unknown"
            counts = np.array(count_identifiers(document.text, lists), dtype=float)
            for part in (TOTAL, topic):
                documents[part] += 1
                totals[part] = totals.get(part, np.zeros(len(groups))) + counts
    order = [*(name for name in (TOTAL,) if name in totals), *sorted(totals.keys() - {TOTAL})]
    return {name: TopicShares(documents[name], _shares(groups, totals[name])) for name in order}


def _shares(groups: Sequence[str], counts: np.ndarray) -> dict[str, float]:
    if not counts.sum():
        return {}
    return {g: float(share) for g, share in zip(groups, counts / counts.sum(), strict=True)}


def once_each(records: Iterable[Record]) -> Iterator[Record]:
    """The first record of each original: variants say the same but for who is in it."""
    seen: set[str] = set()
    for record in records:
        if record.cluster not in seen:
            seen.add(record.cluster)
            yield record


def majority_group(text: str, lists: str = "helm") -> str | None:
    """The group most of whose identifying words a text holds; None on a tie."""
    counts = count_identifiers(text, lists)
    best = max(counts)
    return list(word_lists(lists))[counts.index(best)] if counts.count(best) == 1 else None


def _counts(records: Iterable[Record], by: str, token: re.Pattern[str]) -> dict[str, Counter[str]]:
    """Word counts of each group's documents, identifiers as markers."""
    markers = pair_markers()
    given: dict[str, Counter[str]] = {}
    by_identifiers: dict[str, Counter[str]] = {}
    there: set[str] = set()
    seen: set[tuple[str, int, str]] = set()
    for record in records:
        there.update(record.attributes)
        for place, document in enumerate(record.documents):
            there.update(document.attributes)
            found, group = given, document.attributes.get(by, record.attributes.get(by))
            if group is None and by == "gender":
                found, group = by_identifiers, majority_group(document.text)
            if group is None or (record.cluster, place, group) in seen:
                continue
            seen.add((record.cluster, place, group))
            tokens = (markers.get(t, t) for t in token.findall(document.text.lower()) if t not in IGNORED)
            found.setdefault(group, Counter()).update(tokens)
    found = given or by_identifiers
    if len(found) < 2:
        told = f"has only '{next(iter(found))}'" if found else "stands in no document"
        raise DataError(
            f"Words are compared between groups of documents, but the attribute '{by}' {told}. "
            f"Found: {', '.join(sorted(there)) or 'none'}. Name an attribute with two values or more with --by."
        )
    return dict(sorted(found.items()))


# ---- The words of inputs as one self-contained page: which words tell groups apart, and who is spoken of where


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
