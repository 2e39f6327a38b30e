"""How far two scorers tell the same story: rank correlation over records and over systems."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief import spelling
from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.ledger import CONTROL, Ledger
from fairbrief.auditing.resampled import Interval, interval, with_intervals
from fairbrief.errors import RequestError
from fairbrief.nouns import Floats, Measure, Table
from fairbrief.reports.result import Result
from fairbrief.statistics import Bootstrap, spearman

FEWEST_SYSTEMS = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's ρ of one measure's values by two scorers (or other settings), on what both could read.

    ``records`` is over single summaries, each system's with its record; ``systems`` over systems, each
    on all records that both settings could read. Intervals resample records; None for fewer than three systems.
    """

    measure: str
    first: str
    second: str
    records: Interval
    summaries: int
    systems: Interval | None
    named: tuple[str, ...]


@dataclass
class _Readings:
    """The evidence of one spelling: its measure, and the rows of each (system, cluster) by record."""

    measure: Measure
    ledger: Ledger
    rows: dict[tuple[str, str], dict[str, Floats]] = field(default_factory=dict)


def correlations(
    results: Sequence[Result], *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> list[Correlation]:
    """ρ for each measure that the audits hold in two spellings or more, every pair of them.

    Raises RequestError where there is no such measure, or no summary that both spellings could read.
    Source: Li et al., Coverage-based Fairness in MDS, Table 2.
    """
    readings = _readings(results)
    kinds: dict[tuple[str, str], list[str]] = {}
    for spelled in readings:
        parsed = spelling.parse(spelled)
        kinds.setdefault((parsed.name, parsed.over or ""), []).append(spelled)
    pairs = [pair for spelled in kinds.values() for pair in itertools.combinations(spelled, 2)]
    if not pairs:
        raise RequestError(
            "No measure was taken with two scorers in these audits. Audit the same file twice with "
            "--measure 'NAME(scorer=…)', or name both in one audit."
        )
    found = [
        correlation
        for first, second in pairs
        if (correlation := _correlation(readings[first], readings[second], draws, seed, level)) is not None
    ]
    if not found:
        raise RequestError(
            "The scorers have no record in common that both could read: are these audits of one file?"
        )
    return found  # fmt: skip


def _readings(results: Iterable[Result]) -> dict[str, _Readings]:
    readings: dict[str, _Readings] = {}
    for result in results:
        for ledger, measures in ledgers_from(result.evidence):
            origins, matrix = ledger.kept(), ledger.matrix()
            for measure in measures:
                known = readings.setdefault(repr(measure), _Readings(measure, ledger))
                place = [
                    known.ledger.columns.setdefault(c, len(known.ledger.columns)) for c in ledger.columns
                ]
                for origin, row in zip(origins, matrix, strict=True):
                    if origin.system.startswith(CONTROL):
                        continue
                    placed = np.zeros(len(known.ledger.columns))
                    placed[place] = row
                    known.rows.setdefault((origin.system, origin.cluster), {})[origin.record] = placed
    return readings


def _correlation(a: _Readings, b: _Readings, draws: int, seed: int, level: float) -> Correlation | None:
    common = [
        (*key, record)
        for key, rows in a.rows.items()
        if key in b.rows
        for record in rows
        if record in b.rows[key]
    ]
    if len(common) < 2:
        return None
    systems = list(dict.fromkeys(system for system, _, _ in common))
    clusters = list(dict.fromkeys(cluster for _, cluster, _ in common))
    rows_a, rows_b = (_stacked(r, common) for r in (a, b))
    x, y = (_values(r.measure, r.ledger, rows) for r, rows in ((a, rows_a), (b, rows_b)))
    grouped = _by_cluster(common, clusters, [x, y])
    (records,) = with_intervals(_rho, grouped, draws=draws, seed=seed, level=level)
    over_systems = None
    if len(systems) >= FEWEST_SYSTEMS:
        weights = Bootstrap(len(clusters), draws, seed).totals(np.eye(len(clusters))) if draws else None
        of_a, of_b = (
            _of_systems(r, rows, common, systems, clusters, weights) for r, rows in ((a, rows_a), (b, rows_b))
        )
        over_systems = interval(
            float(spearman(of_a[0], of_b[0])), spearman(of_a[1:], of_b[1:]) if draws else None, level
        )
    parsed = spelling.parse(repr(a.measure))
    label = parsed.name + (f"@{parsed.over}" if parsed.over else "")
    return Correlation(
        label, _settings(a.measure), _settings(b.measure), records, int(np.isfinite(x + y).sum()), over_systems, tuple(systems)
    )  # fmt: skip


def _settings(measure: Measure) -> str:
    """What tells one spelling of a measure from another."""
    parsed = spelling.parse(repr(measure))
    scorer = getattr(measure, "scorer", None)
    others = [f"{key}={value}" for key, value in parsed.settings.items() if key != "scorer"]
    return ", ".join([*([str(scorer)] if scorer is not None else []), *others]) or "default settings"


def _stacked(readings: _Readings, common: Sequence[tuple[str, str, str]]) -> Floats:
    width = len(readings.ledger.columns)
    rows = np.zeros((len(common), width))
    for i, (system, cluster, record) in enumerate(common):
        row = readings.rows[system, cluster][record]
        rows[i, : len(row)] = row
    return rows


def _values(measure: Measure, ledger: Ledger, sums: Floats) -> Floats:
    """The headline of summed rows. Shape (…, columns) → (…)."""
    return np.asarray(measure.value(ledger.totals(sums))[measure.name].array, dtype=np.float64)


def _by_cluster(
    common: Sequence[tuple[str, str, str]], clusters: Sequence[str], values: Sequence[Floats]
) -> list[Floats]:
    """Values in one row per cluster, filled up with nan. Shape (clusters, most of one cluster) each."""
    place = {cluster: i for i, cluster in enumerate(clusters)}
    members: list[list[int]] = [[] for _ in clusters]
    for i, (_, cluster, _) in enumerate(common):
        members[place[cluster]].append(i)
    width = max(map(len, members))
    made = [np.full((len(clusters), width), np.nan) for _ in values]
    for array, flat in zip(made, values, strict=True):
        for c, chosen in enumerate(members):
            array[c, : len(chosen)] = flat[chosen]
    return made


def _rho(x: Floats, y: Floats) -> Sequence[Floats]:
    return (spearman(x.reshape(*x.shape[:-2], -1), y.reshape(*y.shape[:-2], -1)),)


def _of_systems(
    readings: _Readings,
    rows: Floats,
    common: Sequence[tuple[str, str, str]],
    systems: Sequence[str],
    clusters: Sequence[str],
    weights: Floats | None,
) -> Floats:
    """Each system's value: as it is, then by draw. Shape (1 + draws, systems)."""
    place = {cluster: i for i, cluster in enumerate(clusters)}
    of_systems = []
    for system in systems:
        sums = np.zeros((len(clusters), rows.shape[1]))
        chosen = [i for i, key in enumerate(common) if key[0] == system]
        np.add.at(sums, [place[common[i][1]] for i in chosen], rows[chosen])
        drawn = [sums.sum(axis=0, keepdims=True), *([weights @ sums] if weights is not None else [])]
        of_systems.append(_values(readings.measure, readings.ledger, np.concatenate(drawn)))
    return np.stack(of_systems, axis=-1)


def table(found: Sequence[Correlation], level: float = 0.95) -> Table:
    """One row per measure and pair of scorers."""
    rows = tuple(
        (
            c.measure, c.first, c.second, str(c.records), f"{c.summaries:,}",
            "–" if c.systems is None else str(c.systems), str(len(c.named)),
        )
        for c in found
    )  # fmt: skip
    return Table(
        "Agreement of scorers (Spearman)",
        ("measure", "scorer", "and", "over summaries", "n", "over systems", "systems"),
        rows,
        (f"{level:.0%} intervals resample records. Fewer than {FEWEST_SYSTEMS} systems have no rank correlation.",),
    )  # fmt: skip
