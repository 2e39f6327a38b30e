"""By which part of itself a measure falls from one system to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fairbrief.auditing import estimating
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.ledger import WHOLE
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.nouns import Estimate, Floats, Measure, Value
from fairbrief.statistics import Bootstrap

QUANTITY = "relative_change"
FROM_NOTHING = f"{estimating.UNDEFINED}the measure is 0 for the system that it is compared with"


def relative_changes(
    evidence: pa.Table, pairs: Iterable[tuple[str, str]], settings: Settings
) -> list[Estimate]:
    """(M(plain) − M(fair)) / M(plain) for every headline M and each pair (fair, plain) of systems.

    On the records that both answered. Positive where ``fair`` reads less than ``plain``, at most 1 for a
    measure that cannot be negative. The interval is the percentile interval of the ratio over shared
    bootstrap draws of clusters; draws with M(plain) = 0 are left out of it, and their share is said.
    Undefined where M(plain) = 0. Fewer than two common clusters: no estimate.
    """
    pairs = list(pairs)
    found: list[Estimate] = []
    for ledger, measures in ledgers_from(evidence):
        parts = parts_of(ledger, ())
        for fair, plain in pairs:
            if (fair, WHOLE) in parts and (plain, WHOLE) in parts:
                found += _changes(measures, parts[fair, WHOLE], parts[plain, WHOLE], settings)
    return found


def _changes(measures: list[Measure], fair: Part, plain: Part, settings: Settings) -> Iterator[Estimate]:
    place = {cluster: i for i, cluster in enumerate(plain.clusters)}
    common = [(i, place[c]) for i, c in enumerate(fair.clusters) if c in place]
    if len(common) < 2:
        return
    chosen = np.array(common)
    rows = (fair.sums[chosen[:, 0]], plain.sums[chosen[:, 1]])
    drawn: list[Floats] = []
    if settings.draws:
        bootstrap = Bootstrap(len(common), settings.draws, settings.seed)
        drawn = [bootstrap.totals(part) for part in rows]
    blank = Estimate(
        measure="", quantity="", system=fair.system, baseline=plain.system, value=None, n=len(common),
        clusters=len(common), signature=f"{settings.signature}|paired",
    )  # fmt: skip
    for measure in measures:
        made = estimating.described(blank, measure, QUANTITY)
        value = _ratio(measure, fair, [part.sum(axis=0) for part in rows])
        if not np.isfinite(value.array):
            yield replace(made, notes=(FROM_NOTHING,))
            continue
        resampled = _ratio(measure, fair, drawn) if drawn else None
        yield estimating.with_interval(made, value, resampled, settings)


def _ratio(measure: Measure, part: Part, totals: list[Floats]) -> Value:
    fair, plain = (np.asarray(measure.value(part.ledger.totals(t))[measure.name].array) for t in totals)
    defined = np.isfinite(fair) & np.isfinite(plain) & (plain != 0)
    ratio = np.divide(plain - fair, plain, out=np.full(np.shape(plain), np.nan), where=defined)
    return Value(ratio, "both")
