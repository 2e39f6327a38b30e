"""Which way is better: what a measure's headline says of itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from fairbrief import registry
from fairbrief.auditing.evidence_ledgers import columns_of
from fairbrief.declarations import Direction
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.types import Column, Measure, Totals


def better(measure: Measure, columns: Collection[Column] = ()) -> Direction:
    """``less`` of a disparity, ``more`` of a quality, and a signed contrast ``nearer zero``.

    A measure may declare it. Else: a disparity's headline is tested
    in its upper tail and a signed contrast's in both; a headline that no exchange of labels speaks to is
    a level, as ROUGE is, and more of it is better. ``columns`` are what the measure observed, if it did:
    a measure need not have a value of nothing.
    """
    if measure.declaration.better is not None:
        return measure.declaration.better
    nothing = Totals({c: i for i, c in enumerate(columns)}, np.zeros(len(columns)))
    tail = measure.value(nothing)[measure.name].tail
    return "more" if tail is None else "less" if tail == "upper" else "nearer zero"


def directions(evidence: EvidenceRows) -> Mapping[str, Direction]:
    """Which way is better, for every measure that a saved audit took on something: told by the first rows that have it."""
    found: dict[str, Direction] = {}
    known: dict[str, Collection[Column]] = {}
    for spec, observation in evidence.measures().items():
        if observation not in known:
            pieces = map(columns_of, evidence.each_of(observation))
            known[observation] = next(filter(None, pieces), {})
        if known[observation]:
            found[spec] = better(registry.make("measure", spec), known[observation])
    return found
