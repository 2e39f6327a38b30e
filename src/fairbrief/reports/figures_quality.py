"""Pictures of quality against disparity: whether systems that score well also stand close to chance."""

from __future__ import annotations

from collections.abc import Iterator

from fairbrief.reports import number_format, pictures, wording
from fairbrief.reports.evidence_rows import Material
from fairbrief.reports.figure_spec import Figure, Panel, describe, note_cut
from fairbrief.types import Estimate

FEWEST_SYSTEMS, MOST_SYSTEMS, MOST_PANELS = 3, 8, 12


def draw(material: Material) -> Iterator[tuple[Figure, str]]:
    """One figure where at least three systems have both a quality and a headline with a chance level."""
    headlines: dict[str, dict[str, Estimate]] = {}
    for (measure, _, system), e in material.estimates.items():
        if wording.is_headline(e) and e.value is not None:
            headlines.setdefault(measure, {})[system] = e
    # In the order of names, the last ROUGE is that of the longest common subsequences.
    measure = next((m for m in reversed(headlines) if material.draws(m, "quality")), "")
    if not measure:
        return
    quality = headlines[measure]
    tested = {
        m: of
        for m, of in headlines.items()
        if any(e.null_mean is not None for e in of.values())
        and len(quality.keys() & of.keys()) >= FEWEST_SYSTEMS
    }
    if not tested:
        return
    systems = [s for s in quality if any(s in of for of in tested.values())]
    shown = systems[:MOST_SYSTEMS]
    panels = [
        _panel(m, measure, {s: (quality[s], of[s]) for s in shown if s in of}, shown)
        for m, of in list(tested.items())[:MOST_PANELS]
    ]
    caption = (
        f"Across: {measure}, {wording.declared(measure, material.result.made).question}. Upwards: the measure named above each picture. Lines: "
        "intervals. Few systems show no law: read where each of them stands."
    )
    caption += note_cut(len(shown), len(systems), "systems") + note_cut(len(panels), len(tested), "measures")
    yield Figure("Quality beside disparity", caption, tuple(panels), tuple(shown)), measure


def _panel(
    measure: str, quality: str, pairs: dict[str, tuple[Estimate, Estimate]], names: list[str]
) -> Panel:
    points = [
        {
            "x": x.value, "low_x": x.low, "high_x": x.high,
            "y": y.value, "low_y": y.low, "high_y": y.high, "who": system,
        }
        for system, (x, y) in pairs.items()
    ]  # fmt: skip
    alt = describe(
        f"{s}: {quality} {number_format.value(x)}, {measure} {number_format.value(y)}"
        for s, (x, y) in pairs.items()
    )
    return Panel(measure, pictures.scatter(points, names, quality, "", alt))
