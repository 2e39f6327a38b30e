"""What each document and sentence of a chosen record does to its value: left out in turn, all records at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite

import numpy as np

from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import FairbriefError
from fairbrief.explaining.ablation import Evidence, observed
from fairbrief.explaining.leave_one_out import without_document, without_sentence, without_unit
from fairbrief.reports.result import Row
from fairbrief.text.sentences import sentence_spans
from fairbrief.types import Case, Column, Measure, Observation, Reason, Totals

MOST_PARTS = 40
"""Documents, sentences and units of one record that are left out in turn; beyond, none is."""

Key = tuple[str, str]
"""System and record."""
Observed = Evidence | Reason


def told(
    rows: Sequence[Row], cases: Mapping[Key, Case], measures: Mapping[str, Measure], scorers: Scorers
) -> list[Row]:
    """The rows with their stories, and with what each part of the record does to the headline.

    ``measures`` share one observation, so that each case, whole and without each part, is observed once for all.
    Where it reads a model, or variants together, no part is left out: ``fairbrief explain`` does that.
    """
    observation = next(iter(measures.values())).observation
    kept = {(row.system, row.record): cases[row.system, row.record] for row in rows}
    leaves = observation.declaration.scope == "case" and not holds_model(observation, kept.values(), scorers)
    parts = {key: _parts(case) if leaves else {} for key, case in kept.items()}
    groups = [
        left
        for key, case in kept.items()
        for left in ((case,), *((c,) for lefts in parts[key].values() for c in lefts))
    ]
    try:
        found = iter(observed(observation, groups, scorers))
    except FairbriefError:  # what a scorer needs is not here any more
        return list(rows)
    seen = {
        key: (next(found), {kind: [next(found) for _ in lefts] for kind, lefts in parts[key].items()})
        for key in kept
    }
    return [_told(row, measures[row.measure], *seen[row.system, row.record]) for row in rows]


def _told(row: Row, measure: Measure, whole: Observed, left: Mapping[str, Sequence[Observed]]) -> Row:
    now, *then = _headlines(measure, [whole, *(o for lefts in left.values() for o in lefts)])
    effects = iter([_effect(now, value) for value in then])
    without = {kind: tuple(next(effects) for _ in lefts) for kind, lefts in left.items()}
    return replace(row, story=_story(measure, whole), without=_moving(without))


def _headlines(measure: Measure, rows: Sequence[Observed]) -> list[float | None]:
    """What the measure reads of each row, where it is defined; rows of the same columns are read together."""
    found: list[float | None] = [None] * len(rows)
    alike: dict[tuple[Column, ...], list[tuple[int, Evidence]]] = {}
    for i, row in enumerate(rows):
        if row and not isinstance(row, Reason):
            alike.setdefault(tuple(row), []).append((i, row))
    for columns, members in alike.items():
        array = np.array([list(row.values()) for _, row in members])
        values = measure.value(Totals({column: k for k, column in enumerate(columns)}, array))
        read = np.broadcast_to(values[measure.name].array, len(members)).tolist()
        for (i, _), value in zip(members, read, strict=True):
            found[i] = value if isfinite(value) else None
    return found


def holds_model(observation: Observation, cases: Iterable[Case], scorers: Scorers) -> bool:
    """Whether any scorer that the observation asks is a model or a service."""
    try:
        asks = [ask for case in islice(cases, 1) for ask in observation.asks((case,))]
    except FairbriefError:
        return True
    return any(scorers.holds_model(ask.scorer) for ask in asks)


def _parts(case: Case) -> dict[str, list[Case]]:
    documents = case.record.documents
    sentences, units = sentence_spans(case.summary.text), case.summary.units or ()
    if len(documents) + len(sentences) + len(units) > MOST_PARTS or case.summary.reason:
        return {}
    found = {
        "document": [without_document(case, i) for i in range(len(documents))] if len(documents) > 1 else [],
        "sentence": [without_sentence(case, i) for i in range(len(sentences))],
        "unit": [without_unit(case, i) for i in range(len(units))],
    }
    return {kind: lefts for kind, lefts in found.items() if lefts}


def _effect(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else round(now - then, 4)


def _moving(without: Mapping[str, tuple[float | None, ...]]) -> dict[str, tuple[float | None, ...]]:
    """Without the kinds that the measure does not read: leaving any of them out changes nothing."""
    return {kind: effects for kind, effects in without.items() if any(effects)}


def _story(measure: Measure, row: Observed) -> str:
    if isinstance(row, Reason):
        return ""
    return measure.explain(Totals({column: i for i, column in enumerate(row)}, np.array(list(row.values()))))
