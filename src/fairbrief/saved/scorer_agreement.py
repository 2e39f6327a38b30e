"""Agreement of two scorers or two measures over records and systems, and relative changes of measures between systems."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief import registry, specs
from fairbrief.auditing.origins import first_met
from fairbrief.errors import RequestError
from fairbrief.reports.result import Result
from fairbrief.saved.saved_values import (
    DRAWS,
    Interval,
    Resampling,
    SavedValues,
    in_common,
    saved_values,
    specs_in,
)
from fairbrief.statistics.agreement import spearman
from fairbrief.types import Floats, Measure, Table

FEWEST_SYSTEMS = 3
FEWEST_RECORDS = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's ρ of two values of the same summaries: one measure by two scorers, or two measures.

    ``records`` is over single summaries; ``of_system`` the same within each system; ``systems`` over systems, each on all
    records that both could measure. Intervals resample records; None for fewer than three systems.
    """

    measure: str
    first: str
    second: str
    records: Interval
    summaries: int
    systems: Interval | None
    named: tuple[str, ...]
    of_system: tuple[tuple[str, Interval, int], ...] = ()


def correlations(
    results: Sequence[Result],
    measures: Sequence[str] = (),
    resampling: Resampling = DRAWS,
) -> list[Correlation]:
    """ρ of every pair of ``measures``; without any, of each measure that the audits have in two or more specs.

    Raises RequestError if the audits lack a measure, have none twice, or measured no summary by both.
    Source: Li et al., Coverage-based Fairness in MDS, Table 2 (scorers), Table 8 (measures).
    """
    known = specs_in(results)
    pairs = (
        list(itertools.combinations(named_measures(known, measures), 2))
        if measures
        else _of_one_measure(known)
    )
    saved = saved_values(results, {spec for pair in pairs for spec in pair})
    every = (_correlation(saved[first], saved[second], resampling) for first, second in pairs)
    found = [correlation for correlation in every if correlation is not None]
    if not found:
        raise RequestError("The two measures have no record in common. Audit the same file with both.")
    return found


def _of_one_measure(known: Iterable[str]) -> list[tuple[str, str]]:
    kinds: dict[tuple[str, str], list[str]] = {}
    for spec in known:
        parsed = specs.parse(spec)
        kinds.setdefault((parsed.name, parsed.over or ""), []).append(spec)
    pairs = [pair for of_kind in kinds.values() for pair in itertools.combinations(of_kind, 2)]
    if not pairs:
        raise RequestError(
            "These audits have no measure with two scorers. Audit the same file twice with "
            "--measure 'NAME(scorer=…)', or name two measures to compare: --measure A --measure B."
        )
    return pairs


def named_measures(known: Collection[str], measures: Sequence[str]) -> list[str]:
    """The canonical specs of at least two known measures."""
    wanted = list(dict.fromkeys(repr(registry.make("measure", text)) for text in measures))
    if len(wanted) < 2:
        raise RequestError("Name two different measures to compare: --measure A --measure B.")
    if absent := [spec for spec in wanted if spec not in known]:
        raise RequestError(
            f"{', '.join(absent)}: not in these audits. Their measures: {', '.join(sorted(known)) or 'none'}."
        )
    return wanted


def _correlation(a: SavedValues, b: SavedValues, resampling: Resampling) -> Correlation | None:
    in_a, in_b = in_common(a, b)
    if len(in_a) < 2:
        return None
    x, y = (saved.values(saved.rows)[places] for saved, places in ((a, in_a), (b, in_b)))
    system, cluster = a.system[in_a], a.clusters.of(in_a).codes()
    numbers = system[first_met(system)[0]].tolist()
    names = tuple(a.systems[number] for number in numbers)
    (records,) = resampling.intervals(_spearman, [x, y], cluster)
    of_system = []
    for name, number in zip(names, numbers, strict=True):
        own = np.flatnonzero(system == number)
        if len(own) >= FEWEST_RECORDS:
            rho = records
            if len(names) > 1:
                (rho,) = resampling.intervals(_spearman, [x[own], y[own]], cluster[own])
            of_system.append((name, rho, len(own)))
    label, first, second = _names(a.measure, b.measure)
    over_systems = None
    if len(names) >= FEWEST_SYSTEMS:
        chosen = [np.flatnonzero(system == number) for number in numbers]
        clusters = [first_met(cluster)[1][own] for own in chosen]
        of_a, of_b = (
            saved.by_system([places[own] for own in chosen], clusters, resampling)
            for saved, places in ((a, in_a), (b, in_b))
        )
        over_systems = resampling.interval(spearman(of_a, of_b))
    n = int(np.isfinite(x + y).sum())
    return Correlation(label, first, second, records, n, over_systems, names, tuple(of_system))


def _spearman(x: Floats, y: Floats) -> list[Floats]:
    return [spearman(x, y)]


def _names(a: Measure, b: Measure) -> tuple[str, str, str]:
    """The names of one measure and its two settings, or of two measures."""
    first, second = specs.parse(repr(a)), specs.parse(repr(b))
    if (first.name, first.over) != (second.name, second.over):
        return "two measures", repr(a), repr(b)
    over = f"@{first.over}" if first.over else ""
    return f"{first.name}{over}", _settings(a), _settings(b)


def _settings(measure: Measure) -> str:
    """The settings in which specs of one measure differ."""
    parsed = specs.parse(repr(measure))
    scorer = getattr(measure, "scorer", None)
    others = [f"{key}={value}" for key, value in parsed.settings.items() if key != "scorer"]
    return ", ".join([*([str(scorer)] if scorer is not None else []), *others]) or "default settings"


def tables(found: Sequence[Correlation], resampling: Resampling = DRAWS) -> tuple[Table, ...]:
    """One row per pair; then one row per pair and system."""
    rows = tuple(
        (
            c.measure, c.first, c.second, str(c.records), f"{c.summaries:,}",
            "–" if c.systems is None else str(c.systems), str(len(c.named)),
        )
        for c in found
    )  # fmt: skip
    by_system = tuple(
        (system, c.measure, c.first, c.second, str(rho), f"{n:,}")
        for c in found
        for system, rho, n in c.of_system
    )
    fewest = f"{resampling.note} A rank correlation over systems needs {FEWEST_SYSTEMS} systems."
    compared = ("measure", "first", "second", "over summaries", "n")
    made = Table("Agreement (Spearman)", (*compared, "over systems", "systems"), rows, (fewest,))
    if not by_system:
        return (made,)
    return made, Table("Agreement by system (Spearman)", ("system", *compared), by_system, (resampling.note,))


def _relative_change(plain: Floats, fair: Floats) -> Floats:
    """(plain − fair) / plain; nan if plain is 0 or either is undefined."""
    defined = np.isfinite(fair) & np.isfinite(plain) & (plain != 0)
    return np.asarray(np.divide(plain - fair, plain, out=np.full(np.shape(plain), np.nan), where=defined))


# ------------------------------------------------------------------------- relative changes compared


@dataclass(frozen=True, slots=True)
class ChangeComparison:
    """The relative changes of two measures, and the difference, first minus second.

    A relative change is (M(plain) − M(fair)) / M(plain): positive if the measure falls. ``n`` is the number of records that both systems
    summarized and both measures could use.
    """

    first: str
    second: str
    changes: tuple[Interval, Interval]
    difference: Interval
    n: int


def change_comparisons(
    results: Sequence[Result],
    plain: str,
    fair: str,
    measures: Sequence[str],
    resampling: Resampling = DRAWS,
) -> list[ChangeComparison]:
    """The difference of relative changes for each pair of measures; intervals resample records.

    Raises RequestError for a measure or system that the audits lack, and if they have no common record.
    Source: Li et al., Coverage-based Fairness in MDS, Section 5.8, Table 6.
    """
    audited = specs_in(results)
    named = named_measures(audited, measures or audited)
    saved = saved_values(results, named)
    known = {system for spec in named for system in saved[spec].systems}
    if absent := [system for system in (plain, fair) if system not in known]:
        raise RequestError(
            f"These audits have no system '{absent[0]}'. Their systems: {', '.join(sorted(known))}."
        )
    return [
        _comparison(saved[a], saved[b], plain, fair, resampling) for a, b in itertools.combinations(named, 2)
    ]


def _comparison(
    a: SavedValues, b: SavedValues, plain: str, fair: str, resampling: Resampling
) -> ChangeComparison:
    in_a, in_b = in_common(a, b)
    one, other = (
        np.flatnonzero(np.array([name == system for name in a.systems])[a.system[in_a]])
        for system in (plain, fair)
    )
    place = a.records.of(in_a[one]).places_in(a.records.of(in_a[other]))
    one, other = one[place >= 0], other[place[place >= 0]]
    if not len(one):
        raise RequestError(f"'{plain}' and '{fair}' have no record in common that both measures could use.")
    cluster = first_met(a.clusters.of(in_a[one]).codes())[1]
    values = (
        saved.by_system([places[one], places[other]], [cluster] * 2, resampling)
        for saved, places in ((a, in_a), (b, in_b))
    )
    x, y = (_relative_change(of[:, 0], of[:, 1]) for of in values)
    first, second, difference = map(resampling.interval, (x, y, x - y))
    return ChangeComparison(repr(a.measure), repr(b.measure), (first, second), difference, len(cluster))


def change_table(
    found: Sequence[ChangeComparison], plain: str, fair: str, resampling: Resampling = DRAWS
) -> Table:
    """One row per pair of measures."""
    rows = tuple((c.first, c.second, *map(str, c.changes), str(c.difference), f"{c.n:,}") for c in found)
    return Table(
        f"Relative changes from {plain} to {fair}",
        ("first", "second", "change of first", "of second", "difference", "n"),
        rows,
        (
            "Change: the share of its value by which a measure falls. A difference above 0: the first falls more.",
            resampling.note,
        ),
    )
