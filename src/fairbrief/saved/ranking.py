"""An order of systems over several data sets: the mean of min–max-normalised values.

Systems are ordered by their largest group difference in absolute value, minus the random-sentence baseline if there is one, and
without the noise that makes it larger for shorter summaries. The published order is of unsigned scores, which have that noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fairbrief import specs
from fairbrief.auditing import jackknifed, origins, per_record
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.parts import CommonClusters, Part, parts_of
from fairbrief.errors import RequestError
from fairbrief.reports.number_format import number
from fairbrief.reports.result import Result
from fairbrief.saved.compare import Audited
from fairbrief.saved.saved_values import DRAWS, Interval, Resampling
from fairbrief.statistics import ratio
from fairbrief.types import Data, Floats, Measure, Table, Totals, over_of

LARGEST = "largest group difference"
"""The order's value: the largest absolute group difference, minus its random-sentence baseline, without noise."""
SHARES = ("uneven_share",)
"""Secondary estimates in the published order: smaller is better, as for every disparity."""


class Overall(Data, frozen=True):
    """The order of the systems of all data sets by one quantity; smaller is fairer.

    ``values`` (data sets, systems) are the quantity's; ``overall`` is per system the mean over data sets of
    (v − min)/(max − min), in [0, 1], with min and max over ``systems``. ``records`` is per data set the number of records (seed
    documents) that all systems summarized; only these are used.
    """

    measure: str
    quantity: str
    datasets: tuple[str, ...]
    systems: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    overall: tuple[Interval, ...]
    records: tuple[int, ...]


def overall(
    results: Mapping[str, Result],
    systems: Iterable[str] = (),
    resampling: Resampling = DRAWS,
    *,
    published: bool = False,
) -> list[Overall]:
    """The overall order by `LARGEST` for every measure with group differences that all audits have.

    ``results`` are audits by name of the data set. ``published`` is the paper's order by every unsigned score. ``systems`` are
    those to order, all common ones if none are named: the normalisation depends on them. A data set in which the systems are
    equal, or one has no finite value, is left out of the mean.
    Raises RequestError if the audits have no such measure or fewer than two systems in common.
    Source: Li et al., Coverage-based Fairness in MDS, Tables 3 and 4 ("Overall"); the intervals are Fairbrief's.
    """
    by_spec: dict[str, dict[tuple[str, str], tuple[Ledger, Measure]]] = {}
    for name, result in results.items():
        wanted = None if published else {e.measure for e in result.estimates if e.is_primary}
        for ledger, measures in per_record.ledgers_from(result.rows, wanted=wanted):
            for measure in measures:
                over = over_of(measure)
                spelled = repr(measure).removesuffix(f"@{specs.quoted(over)}")
                by_spec.setdefault(spelled, {})[name, over] = ledger, measure
    named, found = tuple(dict.fromkeys(systems)), list[Overall]()
    for spelled, datasets in by_spec.items():
        audits = [name for name, _ in datasets]
        if set(audits) == set(results):
            # An audit by several attributes is several data sets.
            labelled = {
                f"{name}@{over}" if audits.count(name) > 1 else name: rows
                for (name, over), rows in datasets.items()
            }
            found += _overalls(spelled, labelled, named, resampling, published=published)
    if not found:
        what = "unsigned score" if published else "measure with group differences"
        raise RequestError(
            f"These audits have no {what} in common for two or more systems. "
            "Audit each data set with the same --measure and the same systems."
        )
    return found


def _overalls(
    spelled: str, datasets: Audited, named: Sequence[str], resampling: Resampling, *, published: bool
) -> list[Overall]:
    parts = {name: parts_of(ledger, ()) for name, (ledger, _) in datasets.items()}
    there = [[s for (s, _), part in one.items() if part.system_kind == "system"] for one in parts.values()]
    common = [s for s in there[0] if all(s in systems for systems in there)]
    for system in named if common else ():  # none of a check of scorers, whose sources no system wrote
        if system not in common:
            raise RequestError(f"Not every audit has the system '{system}'. All have: {', '.join(common)}.")
    entered = [s for s in common if not named or s in named]
    if len(entered) < 2:
        return []
    values: dict[str, list[Floats]] = {}
    records = []
    for name, (ledger, measure) in datasets.items():
        sums, many = _sums([parts[name][s, origins.WHOLE] for s in entered], resampling)
        records.append(many)
        ranked = _published if published else _largest
        for quantity, array in ranked(measure, ledger.totals(sums)).items():
            values.setdefault(quantity, []).append(np.broadcast_to(array, sums.shape[:-1]))
    found = []
    for quantity, arrays in values.items():
        if len(arrays) == len(datasets):
            whole = tuple(tuple(None if np.isnan(v) else float(v) for v in of_set[0]) for of_set in arrays)
            # One record in common, or none, has no resamples: it is the same in those of the others.
            scores = normalised(np.stack(np.broadcast_arrays(*arrays))).T
            of_each = tuple(map(resampling.interval, scores))
            names = tuple(datasets), tuple(entered)
            found.append(Overall(spelled, quantity, *names, whole, of_each, tuple(records)))
    return found


def _largest(measure: Measure, totals: Totals) -> dict[str, Floats]:
    """The largest absolute group difference of all records and of each resample, without noise; nan if one is undefined.

    √max(0, d² − v), with the variance v of the difference d over resamples. Shorter summaries have a larger v, and so a larger d².
    """
    squares = []
    for array in jackknifed.from_extracts(measure, totals).values():
        values = np.broadcast_to(array, totals.array.shape[:-1])
        drawn = np.ma.masked_invalid(values[1:])
        noise = drawn.var(axis=0).filled(0.0) if len(drawn) else np.zeros(values.shape[1:])
        # The square of a resample has the noise of the records, and that of resampling.
        squares.append(values**2 - np.stack([noise, *[2 * noise] * len(drawn)]))
    return {LARGEST: np.sqrt(np.maximum(np.max(np.stack(squares, axis=-1), axis=-1), 0.0))} if squares else {}


def _published(measure: Measure, totals: Totals) -> dict[str, Floats]:
    return {
        quantity: value.array
        for quantity, value in measure.value(totals).items()
        if (quantity == measure.name and value.tail == "upper") or quantity in SHARES
    }


def _sums(parts: Sequence[Part], resampling: Resampling) -> tuple[Floats, int]:
    """Totals of every system on the records that all summarized, then of each resample.

    Shape (1 + resamples, systems, columns); systems share the resamples.
    """
    answered = CommonClusters.of(parts)
    common = answered.common
    rows = [part.sums[place[common]] for part, place in zip(answered.parts, answered.places, strict=True)]
    stacked = np.stack(rows, axis=1)
    totals = resampling.totals(stacked.reshape(len(common), len(parts) * stacked.shape[-1]))
    return totals.reshape(len(totals), *stacked.shape[1:]), len(common)


def normalised(values: Floats) -> Floats:
    """Mean over data sets of (v − min)/(max − min) over systems. (data sets, …, systems) → (…, systems).

    A data set with an undefined or infinite value, or with equal values, is left out; nan if none remains.
    """
    values = np.where(np.isfinite(values), values, np.nan)
    low, high = values.min(axis=-1, keepdims=True), values.max(axis=-1, keepdims=True)
    scaled = ratio(values - low, high - low)
    some = np.isfinite(scaled)
    return ratio(np.where(some, scaled, 0.0).sum(axis=0), some.sum(axis=0))


def table(found: Overall, confidence_level: float = 0.95) -> Table:
    """One row per system, the fairest first."""
    scores = [np.inf if i.value is None else i.value for i in found.overall]
    order = np.argsort(scores, kind="stable")
    rows = ((found.systems[i], *(number(v[i]) for v in found.values), str(found.overall[i])) for i in order)
    told = ", ".join(f"{name} {many:,}" for name, many in zip(found.datasets, found.records, strict=True))
    scale = (
        f"Overall: mean over data sets of (value − min)/(max − min), with {confidence_level:.0%} interval; 0 is the least disparity. "
        f"Min and max are over {', '.join(found.systems)}, so the value depends on which systems are compared. "
        "–: in every data set, the systems are equal or one has no finite value."
    )
    header = ("system", *found.datasets, "overall")
    is_main = found.measure.partition("(")[0] == found.quantity
    title = f"Overall order by {found.measure}{'' if is_main else f': {found.quantity}'}"
    of_values = (BY_DIFFERENCES,) if found.quantity == LARGEST else ()
    records = f"Records that all systems summarized: {told}."
    return Table(title, header, tuple(rows), (*of_values, scale, records))


BY_DIFFERENCES = (
    "Values: the largest absolute group difference, minus the random-sentence baseline if there is one, and without its noise: "
    "√max(0, d² − v) of the difference d, with its variance v over resamples. 0: no larger than noise. With --resamples 0, v is 0."
)
