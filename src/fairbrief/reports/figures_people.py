"""Pictures of people: identifying words, who is named, who is invented, and whether groups can be told apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairbrief.reports import dots, number_format, pictures, row_pictures
from fairbrief.reports.dots import Found
from fairbrief.reports.evidence_rows import MOST_SYSTEMS, Material, Part
from fairbrief.reports.figure_spec import (
    MOST_VALUES,
    Figure,
    Panel,
    describe,
    even_edges,
    note_cut,
    shares_of,
)
from fairbrief.text.counted import counted

MOST_NAMES = 10


def draw(material: Material) -> Iterator[tuple[Figure, str]]:
    """Each figure with the measure that it reads."""
    for measure, found in dots.subscripted(material, "identifying_words", "summary_share"):
        yield _identifiers(material, measure, found), measure
    for name, statistic, title, caption, mark in _CONTRASTS:
        for measure, found in dots.subscripted(material, name, statistic):
            panels, note = dots.panels(found, mark)
            yield Figure(title, caption + note, panels), measure
    for measure, part in material.parts_for("invented_people"):
        figure = _invented(material, part)
        if figure is not None:
            yield figure, measure
    for measure, part in material.parts_for("invented_names"):
        figure = _names(material, part)
        if figure is not None:
            yield figure, measure
    for measure, part in material.parts_for("accuracies"):
        yield _originals(material, measure, part), measure


_CONTRASTS = (
    (
        "inclusion",
        "inclusion",
        "Who is named",
        "The share of each group's people that the summaries name. Dot: share. Bar: interval.",
        None,
    ),
    (
        "odds",
        "log_odds",
        "The odds of being named, group against group",
        (
            "Logarithm of the odds ratio of being named. Dot: value. Bar: interval. Upright tick: chance level. To the right "
            "of zero the odds of the first group are the larger."
        ),
        0.0,
    ),
)


def _identifiers(material: Material, measure: str, found: Found) -> Figure:
    against = {
        (group, system): share
        for group, of in found.items()
        for system in of
        if (share := material.value(measure, f"source_share[{group}]", system)) is not None
    }
    panels, note = dots.panels(found, against=against)
    return Figure(
        "Words that identify a group, in sources and in summaries",
        "The groups' shares of all identifying words. Dot: share in the summaries. Bar: its interval. Ring: share in the "
        "sources." + note,
        panels,
    )


def _invented(material: Material, part: Part) -> Figure | None:
    """How many invented people are of which group."""
    groups = part.subscripts("invented")
    systems = material.systems(part)
    counts = {
        s: [
            *(float(part.of(s).column(f"invented[{g}]").sum()) for g in groups),
            float(part.of(s).column("unknown").sum()),
        ]
        for s in systems
    }
    some = [s for s in systems if sum(counts[s]) > 0]
    if not some:
        return None
    shown = some[:MOST_SYSTEMS]
    kinds = [*groups[:MOST_VALUES], "of no known group"]
    panels = []
    for system in shown:
        found = [*counts[system][:-1][:MOST_VALUES], counts[system][-1]]
        total = sum(counts[system])
        rows = [
            {"name": kind, "value": n / total, "text": f"{n:,.0f} ({n / total:.0%})"}
            for kind, n in zip(kinds, found, strict=True)
        ]
        alt = describe(
            [f"{system}: {total:,.0f} invented people", *(f"{r['name']} {r['text']}" for r in rows)]
        )
        panels.append(Panel(f"{system} · {total:,.0f} invented", row_pictures.bars(rows, alt, 1.0)))
    none = [s for s in systems if s not in some]
    caption = "People whom the summaries name and the sources do not, by the group that their names tell."
    if none:
        caption += f" No such people: {describe(none)}."
    caption += note_cut(len(shown), len(some), "systems")
    caption += note_cut(min(len(groups), MOST_VALUES), len(groups), "groups")
    return Figure("Of which group the invented people are", caption, tuple(panels))


def _names(material: Material, part: Part) -> Figure | None:
    """The names that were invented most often."""
    names = part.subscripts("name")
    systems = material.systems(part)
    found = {}
    for system in systems:
        totals = part.of(system).sums("name", names)
        ranked = sorted(
            ((n, float(t)) for n, t in zip(names, totals, strict=True) if t > 0), key=lambda p: (-p[1], p[0])
        )
        if ranked:
            found[system] = ranked
    if not found:
        return None
    shown = list(found)[:MOST_SYSTEMS]
    top = max(found[s][0][1] for s in shown)
    panels = []
    for system in shown:
        rows = [{"name": n, "value": t, "text": f"{t:,.0f}"} for n, t in found[system][:MOST_NAMES]]
        alt = describe([f"{system}: invented most often", *(f"{r['name']} {r['text']}" for r in rows)])
        more = len(found[system]) - len(rows)
        title = f"{system} · {counted(more, 'more name')}" if more else system
        panels.append(Panel(title, row_pictures.bars(rows, alt, top)))
    caption = "How often each name stands in a summary whose source does not know it."
    caption += note_cut(len(shown), len(found), "systems")
    return Figure("Whom summaries invent most often", caption, tuple(panels))


def _originals(material: Material, measure: str, part: Part) -> Figure:
    """How well each original's groups can be told apart."""
    systems = material.systems(part)
    shown = systems[:MOST_SYSTEMS]
    scores = {s: part.of(s).column("score")[part.of(s).column("one") > 0] for s in shown}
    edges = even_edges(np.array([-1.0, 1.0]))
    shares = {s: shares_of(x, edges) for s, x in scores.items()}
    top = max(max(x) for x in shares.values()) or 1.0
    panels = []
    for system in shown:
        estimate = material.headline(measure, system)
        chance = None if estimate is None else estimate.null_mean
        told = "" if estimate is None else f" · mean {number_format.value(estimate)}"
        if estimate is not None and chance is not None:
            told += f", chance level {number_format.chance(estimate)}"
        alt = f"{system}: scores of {counted(len(scores[system]), 'original')}{told.replace(' · ', '; ')}"
        svg = pictures.histogram(
            {system: shares[system]},
            edges,
            "score of one original",
            "share of originals",
            alt,
            mark=chance,
            top=top,
            ticks=(-1, -0.5, 0, 0.5, 1),
            names=systems,
        )
        panels.append(Panel(f"{system}{told}", svg))
    return Figure(
        "How well a summary tells the group, original by original",
        "Twice the share of an original's variants that are most like the other summaries of their own group, less one: "
        "1 where all are. The dashed line is the chance level of the mean, which can lie below zero, since a "
        "summary is never compared with itself." + note_cut(len(shown), len(systems), "systems"),
        tuple(panels),
    )
