"""How far two scorers or two measures agree: rank correlation over records and over systems."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief import registry, specs
from fairbrief.auditing.origins import first_met
from fairbrief.errors import RequestError
from fairbrief.reports.result import Result
from fairbrief.saved.intervals import Interval, Resampling
from fairbrief.saved.saved_values import SavedValues, in_common, saved_values, specs_in
from fairbrief.statistics import ResampledSpearman, spearman
from fairbrief.types import Floats, Integers, Measure, Table

FEWEST_SYSTEMS = 3
FEWEST_RECORDS = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's ρ of two readings of the same summaries: one measure by two scorers, or two measures.

    ``records`` is over single summaries, each system's with its record; ``of_system`` the same within each
    system; ``systems`` over systems, each on all records that both could read. Intervals resample records;
    None for fewer than three systems.
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
    *,
    n_resamples: int = 2000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> list[Correlation]:
    """ρ of every pair of ``measures``; without any, for each measure that the audits hold in two specs or more.

    Raises RequestError where the audits lack a measure, hold none twice, or no summary was read by both.
    Source: Li et al., Coverage-based Fairness in MDS, Table 2 (scorers), Table 8 (measures).
    """
    known = specs_in(results)
    pairs = (
        list(itertools.combinations(named_measures(known, measures), 2))
        if measures
        else _of_one_measure(known)
    )
    saved = saved_values(results, {spec for pair in pairs for spec in pair})
    resampling = Resampling(n_resamples, seed, confidence_level)
    every = (_correlation(saved[first], saved[second], resampling) for first, second in pairs)
    found = [correlation for correlation in every if correlation is not None]
    if not found:
        raise RequestError(
            "The two have no record in common that both could read: are these audits of one file?"
        )
    return found


def _of_one_measure(known: Iterable[str]) -> list[tuple[str, str]]:
    kinds: dict[tuple[str, str], list[str]] = {}
    for spec in known:
        parsed = specs.parse(spec)
        kinds.setdefault((parsed.name, parsed.over or ""), []).append(spec)
    pairs = [pair for of_kind in kinds.values() for pair in itertools.combinations(of_kind, 2)]
    if not pairs:
        raise RequestError(
            "No measure was taken with two scorers in these audits. Audit the same file twice with "
            "--measure 'NAME(scorer=…)', or name two measures to compare: --measure A --measure B."
        )
    return pairs


def named_measures(known: Collection[str], measures: Sequence[str]) -> list[str]:
    """The measures' canonical specs, two at least, all of them among those that are known."""
    wanted = list(dict.fromkeys(repr(registry.make("measure", text)) for text in measures))
    if len(wanted) < 2:
        raise RequestError("Name two different measures to compare: --measure A --measure B.")
    if absent := [spec for spec in wanted if spec not in known]:
        raise RequestError(
            f"{', '.join(absent)}: not in these audits, which hold {', '.join(sorted(known)) or 'no measure'}."
        )
    return wanted


def _correlation(a: SavedValues, b: SavedValues, resampling: Resampling) -> Correlation | None:
    in_a, in_b = in_common(a, b)
    if len(in_a) < 2:
        return None
    x, y, system, cluster = a.of_each()[in_a], b.of_each()[in_b], a.system[in_a], a.clusters.of(in_a).codes()
    numbers = system[first_met(system)[0]].tolist()
    names = tuple(a.systems[number] for number in numbers)
    records = _over_records(x, y, cluster, resampling)
    of_system = []
    for name, number in zip(names, numbers, strict=True):
        own = np.flatnonzero(system == number)
        if len(own) >= FEWEST_RECORDS:
            rho = records
            if len(names) > 1:
                rho = _over_records(x[own], y[own], cluster[own], resampling)
            of_system.append((name, rho, len(own)))
    label, first, second = _names(a.measure, b.measure)
    over_systems = None
    if len(names) >= FEWEST_SYSTEMS:
        chosen = [np.flatnonzero(system == number) for number in numbers]
        clusters = [first_met(cluster)[1][own] for own in chosen]
        bootstrap = resampling.bootstrap(len(np.unique(cluster)))
        of_a = a.of_systems([in_a[own] for own in chosen], clusters, bootstrap)
        of_b = b.of_systems([in_b[own] for own in chosen], clusters, bootstrap)
        drawn = None if bootstrap is None else spearman(of_a[1:], of_b[1:])
        over_systems = resampling.interval(float(spearman(of_a[0], of_b[0])), drawn)
    n = int(np.isfinite(x + y).sum())
    return Correlation(label, first, second, records, n, over_systems, names, tuple(of_system))


def _over_records(x: Floats, y: Floats, cluster: Integers, resampling: Resampling) -> Interval:
    """Of the readings of summaries; ``cluster`` (n,) tells whose variants they are."""
    point, bootstrap = float(spearman(x, y)), resampling.bootstrap(len(np.unique(cluster)))
    if bootstrap is None:
        return resampling.interval(point)
    cluster, resampled = first_met(cluster)[1], ResampledSpearman(x, y)
    drawn = [resampled.of(weights[:, cluster]) for weights in bootstrap.weights()]
    return resampling.interval(point, np.concatenate(drawn))


def _names(a: Measure, b: Measure) -> tuple[str, str, str]:
    """What is compared: one measure and its two settings, or two measures."""
    first, second = specs.parse(repr(a)), specs.parse(repr(b))
    if (first.name, first.over) != (second.name, second.over):
        return "two measures", repr(a), repr(b)
    over = f"@{first.over}" if first.over else ""
    return f"{first.name}{over}", _settings(a), _settings(b)


def _settings(measure: Measure) -> str:
    """What tells one spec of a measure from another."""
    parsed = specs.parse(repr(measure))
    scorer = getattr(measure, "scorer", None)
    others = [f"{key}={value}" for key, value in parsed.settings.items() if key != "scorer"]
    return ", ".join([*([str(scorer)] if scorer is not None else []), *others]) or "default settings"


def tables(found: Sequence[Correlation], confidence_level: float = 0.95) -> tuple[Table, ...]:
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
    note = f"{confidence_level:.0%} intervals resample records."
    fewest = f"{note} Fewer than {FEWEST_SYSTEMS} systems have no rank correlation."
    compared = ("measure", "first", "second", "over summaries", "n")
    made = Table("Agreement (Spearman)", (*compared, "over systems", "systems"), rows, (fewest,))
    if not by_system:
        return (made,)
    return made, Table("Agreement by system (Spearman)", ("system", *compared), by_system, (note,))
