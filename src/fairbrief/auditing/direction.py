"""Which way is better: what a measure's headline says of itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fairbrief.auditing.evidence_table import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.declarations import Direction
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.types import Measure, Totals


def better(measure: Measure, ledger: Ledger | None = None) -> Direction:
    """``less`` of a disparity, ``more`` of a quality, and a signed contrast ``nearer zero``.

    A measure may declare it. Else: a disparity's headline is tested
    in its upper tail and a signed contrast's in both; a headline that no exchange of labels speaks to is
    a level, as ROUGE is, and more of it is better. ``ledger`` holds what the measure observed, if it did:
    a measure need not have a value of nothing.
    """
    if measure.declaration.better is not None:
        return measure.declaration.better
    columns = ledger.columns if ledger is not None else {}
    tail = measure.value(Totals(columns, np.zeros(len(columns))))[measure.name].tail
    return "more" if tail is None else "less" if tail == "upper" else "nearer zero"


def directions(evidence: EvidenceRows) -> Mapping[str, Direction]:
    """Which way is better, for every measure that a saved audit took on something."""
    return {
        repr(measure): better(measure, ledger)
        for ledger, measures in ledgers_from(evidence)
        for measure in measures
        if ledger.columns
    }
