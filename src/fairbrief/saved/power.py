"""How many records an audit needs to detect a disparity, from the standard errors of a saved audit, e.g. of a pilot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.readers.messages import unknown
from fairbrief.reports import number_format
from fairbrief.reports.result import Result
from fairbrief.reports.wording import name_of
from fairbrief.saved.compare import result_of
from fairbrief.settings import Names, as_list
from fairbrief.statistics.jackknife import FEWEST, GROUPS, ONE_BY_ONE, Precision
from fairbrief.text.counted import counted
from fairbrief.types import Data, Estimate, Table

if TYPE_CHECKING:
    from fairbrief.reports.audit_object import Audit


class Power(Data, frozen=True):
    """The power for one group difference, before any adjustment for several tests.

    ``against`` is the baseline: label permutations or random sentences. ``clusters`` are those of the audit, ``se`` the
    standard error in them. ``shows`` is the smallest disparity that ``records`` clusters detect with the requested power, nan if they are too few for any;
    ``needs`` is the number of clusters that detect ``disparity``.
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
    alpha: float = 0.05
    power: float = 0.8


def power(
    audited: Audit | Result | Path | str,
    *,
    disparity: float | None = None,
    records: int | None = None,
    measures: Names = (),
    quantities: Names = (),
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[Power]:
    """How many records detect a ``disparity``, and which disparity a number of ``records`` detects.

    ``audited`` is an audit or its folder, e.g. of a pilot. The result covers every primary group difference, compared with
    label permutations and with random sentences, or the named ``quantities``. ``alpha`` is the level of one two-sided
    test, ``power`` the probability of detection. Raises RequestError for numbers out of range, and for measures and
    quantities that the audit lacks.

    >>> import fairbrief
    >>> audit = fairbrief.audit("examples/reviews.jsonl", ["uer@sentiment"], n_resamples=200)
    >>> found = fairbrief.power(audit, disparity=0.01, quantities="difference[positive]")
    >>> [(p.system, p.clusters, p.needs) for p in found if p.against == "random sentences"]
    [('balanced', 28, 351), ('rosy', 28, 1651)]
    """
    _check_within(0, 1, alpha=alpha, power=power)
    _check_within(0, inf, disparity=disparity)
    _check_within(1, inf, records=records)
    of_audit = _asked(result_of(audited), as_list(measures), as_list(quantities))
    asked = [(e, against, precision) for e in of_audit for against, precision in _precisions(e)]
    if not asked:
        raise RequestError(
            "The audit has no group difference with a standard error, which needs two clusters with both groups, and --resamples "
            "above 0. Name another quantity with --quantity."
        )
    # A group difference that several measures have is shown once, by the name that the report has for it.
    found: dict[tuple[object, ...], Power] = {}
    for e, against, precision in sorted(asked, key=lambda one: not one[0].is_primary):
        n = records or precision.clusters
        shows = float(precision.detectable(n, alpha, power))
        needs = None if disparity is None else precision.needed(disparity, alpha, power)
        known = (precision.clusters, precision.error, n, shows, disparity, needs, alpha, power)
        key = (e.over, e.quantity, e.system, against, precision.error)
        found.setdefault(key, Power(e.measure, e.quantity, e.system, against, *known))
    return list(found.values())


def _check_within(above: int, below: float, **numbers: float | None) -> None:
    """RequestError for a number that is not between these two."""
    for name, number in numbers.items():
        if number is not None and not above < number < below:
            limits = f"above {above}" if below == inf else f"between {above} and {below:g}"
            raise RequestError(f"--{name} is {number:g}: give a number {limits}.")


def _asked(result: Result, measures: Sequence[str], quantities: Sequence[str]) -> list[Estimate]:
    """The estimates of these measures and quantities on all records; by default the primary group differences of all measures."""
    whole = [e for e in result.estimates if not e.subgroup and e.system_kind == "system"]
    of_measures = [e for e in whole if not measures or {e.measure, name_of(e.measure)} & set(measures)]
    _refuse_unknown(measures, [name for e in whole for name in (e.measure, name_of(e.measure))], "measure")
    _refuse_unknown(quantities, [e.quantity for e in of_measures], "quantity")
    if quantities:
        return [e for e in of_measures if e.quantity in quantities]
    observed = result.rows.measures
    primary = {(observed.get(e.measure), e.quantity) for e in whole if e.is_primary}
    return [e for e in of_measures if (observed.get(e.measure), e.quantity) in primary]


def _precisions(e: Estimate) -> Iterator[tuple[str, Precision]]:
    """The precision of a group difference, and of its difference from the random baseline, with a standard error above 0."""
    # If groups of clusters were left out, the degrees of freedom are those of the groups.
    units = e.clusters if e.clusters <= ONE_BY_ONE else GROUPS
    known = (("label permutations", e.se, e.freedom), ("random sentences", e.extract_se, e.extract_freedom))
    for against, error, freedom in known:
        if error and freedom is not None:
            of_clusters = float(Precision(error, units, freedom).freedom_of(e.clusters))
            yield against, Precision(error, e.clusters, of_clusters)


def _refuse_unknown(named: Sequence[str], known: Sequence[str], kind: str) -> None:
    for name in named:
        if name not in known:
            raise unknown(f"The audit has no {kind} '{name}'.", name, known)


def answer(found: Sequence[Power]) -> str:
    """The answer in one or two sentences, over all group differences and systems."""
    records = counted(found[0].records, "record")
    shows = [number_format.number(x) for x in sorted(p.shows for p in found if not isnan(p.shows))]
    if shows:
        on = ", depending on measure, group and system" if shows[0] != shows[-1] else ""
        text = f"{records} detect a difference of {_range(shows)} in {found[0].power:.0%} of such audits{on}."
    else:
        text = f"With {records}, no difference can be significant: at least {FEWEST} are needed."
    needs = [f"{n:,}" for n in sorted(p.needs for p in found if p.needs is not None)]
    if needs:
        text += f" A difference of {found[0].disparity:g} needs {_range(needs)} records."
    return text


def tables(found: Sequence[Power]) -> list[Table]:
    """A table per measure with a row per group difference, system and baseline."""
    asked = found[0]
    for_disparity = () if asked.disparity is None else (f"records\nfor {asked.disparity:g}",)
    detectable = (
        f"Detectable: significant (p ≤ {asked.alpha:g}, one test) in {asked.power:.0%} of such audits. For k tests that are "
        "adjusted together, divide --alpha by k."
    )
    header = (
        "group difference, system", "against", "standard\nerror", "records", "smallest\ndetectable", *for_disparity,
    )  # fmt: skip
    made = []
    for measure, of_measure in grouped((p.measure, p) for p in found).items():
        rows: list[tuple[str, ...]] = []
        for quantity, several in grouped((p.quantity, p) for p in of_measure).items():
            rows.append((quantity, *[""] * (len(header) - 1)))
            rows += map(_row, several)
        title = f"Detectable differences · {measure}"
        made.append(Table(title, header, tuple(rows), (detectable, OF_RECORDS)))
    return made


def _range(texts: Sequence[str]) -> str:
    """``a``, or ``a to b``, of texts in the order of their numbers."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


OF_RECORDS = (
    "Records of one cluster (counterfactuals of one seed document, one product) count as one. The standard error is from the audit "
    "and assumes new records of the same kind; from few records it is uncertain."
)


def _row(p: Power) -> tuple[str, ...]:
    numbers = (number_format.number(p.se), f"{p.records:,}", number_format.number(p.shows))
    needs = () if p.needs is None else (f"{p.needs:,}",)
    return f"  {p.system}", p.against.rpartition(" ")[2], *numbers, *needs
