"""Which way is better: what a measure's headline says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pyarrow as pa

from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.nouns import Measure, Totals

Direction = Literal["less", "more", "nearer zero"]


def better(measure: Measure, ledger: Ledger | None = None) -> Direction:
    """``less`` of a disparity, ``more`` of a quality, and a signed contrast ``nearer zero``.

    A measure may say so itself, in a class attribute ``better``. Else: a disparity's headline is tested
    in its upper tail and a signed contrast's in both; a headline that no exchange of labels speaks to is
    a level, as ROUGE is, and more of it is better. ``ledger`` holds what the measure observed, if it did:
    a measure need not have a value of nothing.
    """
    told: Direction | None = getattr(measure, "better", None)
    if told is not None:
        return told
    columns = ledger.columns if ledger is not None else {}
    tail = measure.value(Totals(columns, np.zeros(len(columns))))[measure.name].tail
    return "more" if tail is None else "less" if tail == "upper" else "nearer zero"


def directions(evidence: pa.Table) -> Mapping[str, Direction]:
    """Which way is better, for every measure that a saved audit took on something."""
    return {
        repr(measure): better(measure, ledger)
        for ledger, measures in ledgers_from(evidence)
        for measure in measures
        if ledger.columns
    }
