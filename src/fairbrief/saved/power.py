"""How many records would show a disparity of some size, from the rows of a saved audit or a pilot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.jackknifed import Jackknifed
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports import number_format
from fairbrief.reports.result import Result
from fairbrief.statistics.jackknife import Precision, Spread
from fairbrief.types import Table

PERMUTED = "permuted labels"
EXTRACTS = "random extracts"


@dataclass(frozen=True, slots=True)
class Power:
    """What one contrast needs, or what it would show: before any adjustment for several tests.

    ``against`` names what it is held against: permuted labels, or random extracts. ``clusters`` are those of the audit,
    ``se`` the contrast's standard error in them. ``shows`` is the smallest disparity that ``records`` clusters show with
    the power that was asked for; ``needs`` how many clusters show ``disparity``.
    """

    measure: str
    quantity: str
    system: str
    against: str
    clusters: int
    se: float
    records: int
    shows: float
    disparity: float | None = None
    needs: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a disparity, a number of records, a level of significance and a power.

    Raises RequestError where a number is out of its range.
    """

    disparity: float | None = None
    records: int | None = None
    alpha: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.disparity is not None and not 0 < self.disparity < float("inf"):
            raise RequestError(f"A disparity of {self.disparity:g} cannot be shown: give its size, above 0.")
        if self.records is not None and self.records < 2:
            raise RequestError(f"{self.records} records show nothing: give at least 2.")
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            if not 0 < value < 1:
                raise RequestError(f"{name} is between 0 and 1, not {value:g}.")

    def of(self, found: Precision, measure: str, quantity: str, system: str, against: str) -> Power:
        """The answer for one contrast."""
        records = self.records or found.clusters
        needs = None if self.disparity is None else found.needed(self.disparity, self.alpha, self.power)
        return Power(
            measure, quantity, system, against, found.clusters, found.error, records,
            float(found.detectable(records, self.alpha, self.power)), self.disparity, needs,
        )  # fmt: skip


def power(
    result: Result, question: Question, measures: Sequence[str] = (), quantities: Sequence[str] = ()
) -> list[Power]:
    """The answer for every signed contrast that leads, or for the ``quantities`` named; sanity baselines are left out.

    Of ``measures`` each is a spec or a bare name; none: all. Raises RequestError where the audit has none of what is
    named, or no contrast whose standard error is known.
    """
    seed = int(result.made.get("seed") or 0)
    taken = [(ledger, m) for ledger, several in ledgers_from(result.rows) for m in several]
    _refuse_unknown(measures, [name for _, m in taken for name in (repr(m), m.name)], "measure")
    chosen = [(ledger, m) for ledger, m in taken if not measures or {repr(m), m.name} & set(measures)]
    found: list[Power] = []
    seen: dict[str, None] = {}
    for ledger, measure in chosen:
        for part in parts_of(ledger, (), seed).values():
            if part.system_kind != "system" or part.subgroup != WHOLE or not part.clusters:
                continue
            here = Jackknifed(measure, part.units)
            seen |= dict.fromkeys(here.here)
            found += (
                question.of(precision, repr(measure), name, part.system, against)
                for name, against, precision in _precisions(here, part, quantities)
            )
    _refuse_unknown(quantities, list(seen), "quantity")
    if not found:
        raise RequestError(
            "The audit has no signed contrast whose standard error is known: it needs two clusters that have both groups. "
            "Name one of its quantities with --quantity, or give an error that you know with --se and --clusters."
        )
    return _once(found)


def planned(se: float, clusters: int, question: Question) -> Power:
    """The answer without an audit, for a standard error that was seen in so many clusters."""
    if not 0 < se < float("inf"):
        raise RequestError(f"A standard error of {se:g} says nothing: give one above 0.")
    if clusters < 2:
        raise RequestError(f"A standard error from {clusters} clusters says nothing: it needs at least 2.")
    return question.of(Precision(se, clusters, clusters - 1), "", "", "", "")


def _precisions(
    here: Jackknifed, part: Part, quantities: Sequence[str]
) -> Iterator[tuple[str, str, Precision]]:
    """Every contrast's precision, and that of its difference from random extracts."""
    for name, value in here.here.items():
        if name not in quantities if quantities else not value.is_primary:
            continue
        if not np.isfinite(value.array):
            continue
        if (precision := _precision(here.spreads(name)[0], part, here)) is not None:
            yield name, PERMUTED, precision
        less = here.less_extracts(name) if value.is_compared and here.units.has_extracts else None
        if (
            less is not None
            and np.isfinite(less.value[0])
            and (precision := _precision(less[0], part, here)) is not None
        ):
            yield name, EXTRACTS, precision


def _precision(found: Spread, part: Part, here: Jackknifed) -> Precision | None:
    """None where there is no standard error, or all clusters say the same."""
    if not np.isfinite(found.error) or found.error == 0:
        return None
    n = len(part.clusters)
    # Where clusters were left out in groups, the freedom is that of the clusters that they hold.
    freedom = (found.freedom + 1) * n / here.units.sums.shape[1] - 1
    return Precision(found.error, n, freedom)


def _once(found: Iterable[Power]) -> list[Power]:
    """Measures that share a contrast say it once."""
    kept: dict[tuple[object, ...], Power] = {}
    for p in found:
        kept.setdefault((p.measure.rpartition("@")[2], p.quantity, p.system, p.against, p.se), p)
    return list(kept.values())


def _refuse_unknown(named: Sequence[str], known: Sequence[str], kind: str) -> None:
    for name in named:
        if name not in known:
            raise RequestError(
                f"The audit has no {kind} '{name}'.{did_you_mean(name, known)} It has: {', '.join(dict.fromkeys(known))}."
            )


def tables(found: Sequence[Power], question: Question) -> list[Table]:
    """A table per measure: a row per contrast, system and what it is held against. Notes stand below the last."""
    header: tuple[str, ...] = ("contrast, system", "against", "standard\nerror", "records", "they\nshow")
    if question.disparity is not None:
        header = (*header, f"needed\nfor {question.disparity:g}")
    made = []
    for measure in dict.fromkeys(p.measure for p in found):
        of = [p for p in found if p.measure == measure]
        rows: list[tuple[str, ...]] = []
        for quantity in dict.fromkeys(p.quantity for p in of):
            if quantity:
                rows.append((quantity, *[""] * (len(header) - 1)))
            rows += [_row(p) for p in of if p.quantity == quantity]
        title = f"What records would show{f' · {measure}' if measure else ''}"
        made.append(Table(title, header, tuple(rows)))
    return [*made[:-1], replace(made[-1], notes=(_shown(question), OF_RECORDS))]


OF_RECORDS = (
    "Records that belong together (counterfactuals of one seed document, one product) count as one. The standard error is that of the "
    "audit; new records are taken to be of the same kind, and from few it is itself uncertain."
)


def _shown(question: Question) -> str:
    return (
        f"Shown: with a probability of {question.power:.0%}, at p ≤ {question.alpha:g} in one test by itself. For k tests "
        "that are adjusted together divide --alpha by k."
    )


def _row(p: Power) -> tuple[str, ...]:
    needs = () if p.needs is None else (number_format.count(p.needs),)
    name = f"  {p.system}" if p.system else "given"
    error, shows = number_format.number(p.se), number_format.number(p.shows)
    return (
        name,
        p.against.split()[-1] if p.against else "",
        error,
        number_format.count(p.records),
        shows,
        *needs,
    )
