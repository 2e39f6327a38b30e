"""Gaps that cancel: an unsigned score is significant and no group difference is, since they have opposite signs in parts of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief.auditing import estimating
from fairbrief.auditing.evidence_ledgers import ledgers_from
from fairbrief.auditing.evidence_table import attributes_in, sliced_by
from fairbrief.auditing.parts import parts_of
from fairbrief.reports import wording
from fairbrief.reports.result import Result
from fairbrief.standings import SIGNIFICANT, leading, standing
from fairbrief.statistics import holm
from fairbrief.types import Estimate, Measure

MOST_VALUES = 20
"""An attribute with more values than this tells records apart, not kinds of records."""


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A significant unsigned score of a system, none of whose group differences by the same attribute is significant."""

    score: Estimate
    tested: Sequence[Estimate]
    """All leading group differences of the audit that have a p."""


def told_opposite(result: Result, given: Mapping[str, Measure]) -> list[dict[str, Any]]:
    """By system and attribute the unsigned score, and the parts of the data in which a group is significantly above or below.

    The parts are searched for among the records' attributes of at most `MOST_VALUES` values that the audit was not sliced by. Holm's
    correction is over this search together with all leading group differences of the audit. ``given`` are measures by spec.
    """
    suspects = _suspects(result)
    if not suspects:
        return []
    asked = {name for names in result.made["slices"] for name in names}
    names = [name for name in attributes_in(result.rows) if name not in asked]
    found = list(_parts(result, given, names)) if names else []
    return [_told(suspect, found, result.made["alpha"]) for suspect in suspects]


def _suspects(result: Result) -> list[_Suspect]:
    alpha = result.made["alpha"]
    leads = [e for e in leading(result.estimates) if not e.baseline]
    tested = [e for e in leads if e.blind_p is not None or e.p is not None]
    loud = {(e.system, e.over) for e in leads if standing(e, alpha) in SIGNIFICANT}
    found: dict[tuple[str, str], _Suspect] = {}
    for e in result.estimates:
        key = e.system, e.over
        is_score = (
            e.kind == "magnitude" and wording.is_headline(e) and not e.slice and e.system_kind == "system"
        )
        if is_score and e.over and key not in loud and e.p_adjusted is not None and e.p_adjusted <= alpha:
            found.setdefault(key, _Suspect(e, tested))
    return list(found.values())


def _parts(result: Result, given: Mapping[str, Measure], names: Sequence[str]) -> Iterable[Estimate]:
    """The group differences that would lead, by each value of each attribute of few values."""
    made = result.made
    settings = estimating.Settings.of(made)
    specs = [spec for spec in result.rows.measures() if spec in set(made["measures"])]
    for name in names:
        for ledger, measures in ledgers_from(sliced_by(result.rows, [name]), given, [(name,)], specs):
            slices = {part for kind in ledger.origins.kinds()[1] for part in kind.slices}
            if not 2 <= len(slices) <= MOST_VALUES:
                continue
            ledger.lacks_null = repr(measures[0]) in made["permuted"]
            parts = [part for part in parts_of(ledger, sorted(slices), settings.seed).values() if part.slice]
            for part, own in estimating.estimates(measures, parts, settings):
                if part.system_kind == "system":
                    yield from (e for e in own if e.leads and (e.blind_p is not None or e.p is not None))


def _told(suspect: _Suspect, found: Sequence[Estimate], alpha: float) -> dict[str, Any]:
    score = suspect.score
    own = [e for e in found if e.system == score.system and e.over == score.over]
    known = [_p(e) for e in suspect.tested]
    adjusted = holm([*map(_p, own), *known])[: len(own)]
    significant = sorted(
        ((p, e) for p, e in zip(adjusted, own, strict=True) if p is not None and p <= alpha),
        key=lambda one: one[0],
    )
    attribute = next(iter(significant[0][1].slice)) if significant else ""
    clearest: dict[tuple[str, str], tuple[float, Estimate]] = {}
    for p, e in significant:
        if attribute in e.slice:
            clearest.setdefault((e.slice[attribute], e.group), (p, e))
    return {
        "system": score.system, "over": score.over, "measure": score.measure, "p": score.p_adjusted,
        "attribute": attribute, "comparisons": len(own) + len(known),
        "parts": [
            {
                "part": e.slice[attribute], "group": e.group, "measure": e.measure, "value": e.value,
                "blind_difference": e.blind_difference, "p": p,
            }
            for p, e in clearest.values()
        ],
    }  # fmt: skip


def _p(e: Estimate) -> float | None:
    return e.p if e.blind_p is None else e.blind_p
