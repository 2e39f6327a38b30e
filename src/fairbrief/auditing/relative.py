"""By which part of itself a measure falls from one system to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fairbrief.auditing import estimating
from fairbrief.auditing.answered import units_in_common
from fairbrief.auditing.estimate import Interval, finite, undefined
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.evidence_ledgers import ledgers_from
from fairbrief.auditing.jackknifed import Jackknifed
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.statistics.jackknife import spreads
from fairbrief.types import Estimate, Floats, Measure

QUANTITY = "relative_change"
FROM_NOTHING = undefined("the measure is 0 for the system that it is compared with")


def relative_changes(
    evidence: EvidenceRows, pairs: Iterable[tuple[str, str]], settings: Settings
) -> list[Estimate]:
    """(M(plain) − M(fair)) / M(plain) for every headline M and each pair (fair, plain) of systems.

    On the records that both answered. Positive where ``fair`` reads less than ``plain``, at most 1 for a
    measure that cannot be negative. The interval is the cluster jackknife t. Undefined where M(plain) = 0.
    Fewer than two common clusters: no estimate.
    """
    pairs = list(pairs)
    found: list[Estimate] = []
    for ledger, measures in ledgers_from(evidence):
        parts = parts_of(ledger, (), settings.seed)
        for fair, plain in pairs:
            if (fair, WHOLE) in parts and (plain, WHOLE) in parts:
                found += _changes(measures, parts[fair, WHOLE], parts[plain, WHOLE], settings)
    return found


def _changes(measures: list[Measure], fair: Part, plain: Part, settings: Settings) -> Iterator[Estimate]:
    sides, common = units_in_common([fair, plain], settings.seed)
    if common < 2:
        return
    for measure in measures:
        a, b = (Jackknifed(measure, side) for side in sides)
        here, without, alone = (
            _ratio(x[measure.name].array, y[measure.name].array)
            for x, y in ((a.here, b.here), (a.without, b.without), (a.alone, b.alone))
        )
        gap = float(here[0])
        interval = Interval(notes=(FROM_NOTHING,))
        if np.isfinite(gap):
            (interval,) = estimating.t_intervals(spreads(here, without, alone), settings)
        yield Estimate(
            **estimating.named(measure, f"{settings.signature}|paired"),
            quantity=QUANTITY,
            value=finite(gap),
            low=interval.low,
            high=interval.high,
            notes=interval.notes,
            system=fair.system,
            baseline=plain.system,
            n=common,
            clusters=common,
            system_kind=fair.system_kind,
            baseline_kind=plain.system_kind,
        )


def _ratio(fair: Floats, plain: Floats) -> Floats:
    defined = np.isfinite(fair) & np.isfinite(plain) & (plain != 0)
    return np.asarray(np.divide(plain - fair, plain, out=np.full(np.shape(plain), np.nan), where=defined))
