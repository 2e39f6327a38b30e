"""How many fair years raise an alarm in ``fairbrief trend``, and how many nights is a drift not seen?

Six group differences (two systems, three groups) are followed for a year after a reference of 28 nights. The value of a night is the
mean of skewed records, and its standard error is the jackknife's. Drifts are in standard deviations of a usual night.
Run: python -m benchmarks.calibration.trend [OUT.json] [--years N]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.recording import options, write_json

from fairbrief.statistics import sequential

SYSTEMS, GROUPS, REFERENCE = 2, 3, 28
ALPHA = 0.05
LIMIT = sequential.log_limit(ALPHA, SYSTEMS * GROUPS)
NEVER = 10**6


@dataclass(frozen=True)
class World:
    """Records per night, the share of the variance that lies between nights, and the correlation of that part from night to night.

    ``baseline`` is the number of records of one audit that is the reference; 0: the first nights are. ``returning`` is the share of a
    night's records, chosen at random, that the next night has, too. ``missing`` is the share of nights without an audit, and of nights
    that lack a group.
    """

    records: tuple[int, int] = (40, 40)
    between: float = 0.0
    correlation: float = 0.0
    weekday: float = 0.0
    baseline: int = 0
    is_limit: bool = False
    returning: float = 0.0
    missing: float = 0.0


WORLDS = {
    "40 records": World(),
    "12 records": World((12, 12)),
    "5 to 100 records": World((5, 100)),
    "weekdays differ by a standard deviation": World(weekday=1.0),
    "30 % of the variance between nights": World(between=0.3),
    "the same, correlation 0.5": World(between=0.3, correlation=0.5),
    "half of the variance between nights, correlation 0.5": World(between=0.5, correlation=0.5),
    "30 % of the variance between nights, correlation 0.8": World(between=0.3, correlation=0.8),
    "half of the variance between nights, correlation 0.6": World(between=0.5, correlation=0.6),
    "half of the records return the next night": World(returning=0.5),
    "three of four records return": World(returning=0.75),
    "nine of ten records return": World(returning=0.9),
    "10 to 80 records, 5 % of nights missing, a group missing in 5 %": World((10, 80), missing=0.05),
    "all of it: half return, 30 % between nights, correlation 0.6, weekdays, missing": World(
        (10, 80), between=0.3, correlation=0.6, weekday=0.5, returning=0.5, missing=0.05
    ),
    "one baseline audit of 400 records": World(baseline=400),
    "the same, 30 % of the variance between nights": World(between=0.3, baseline=400),
    "mean exactly at a limit": World(is_limit=True),
}


def year(
    rng: np.random.Generator, world: World, nights: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, weights and standard errors of a fair year; shapes (6, nights). The number of common records; shape (nights, nights)."""
    low, high = world.records
    counts = rng.integers(low, high + 1, nights)
    if world.baseline:
        counts[0] = world.baseline
    shape = SYSTEMS, GROUPS, nights
    values, errors = np.empty(shape), np.empty(shape)
    records, ids, has = (
        np.empty((SYSTEMS, GROUPS, 0)),
        np.empty(0, dtype=int),
        np.zeros((nights, counts.sum())),
    )
    for night, n in enumerate(counts):
        chosen = np.empty(0, dtype=int)
        if world.returning:
            before = records.shape[-1]
            chosen = rng.choice(before, min(n, int(world.returning * before)), replace=False)
        known = records[..., chosen]
        new = rng.exponential(size=(SYSTEMS, GROUPS, n - known.shape[-1]))
        new -= new.mean(axis=1, keepdims=True)  # of one system, the groups' differences sum to 0
        records = np.concatenate([new * np.sqrt(1.5), known], axis=-1)
        ids = np.concatenate([counts[:night].sum() + np.arange(new.shape[-1]), ids[chosen]])
        has[night, ids] = 1
        values[..., night], errors[..., night] = records.mean(-1), records.std(-1, ddof=1) / np.sqrt(n)
    usual = (low + high) / 2
    level = np.empty(shape)
    noise = rng.standard_normal(shape)
    level[..., 0] = noise[..., 0]
    for night in range(1, nights):
        level[..., night] = world.correlation * level[..., night - 1]
        level[..., night] += np.sqrt(1 - world.correlation**2) * noise[..., night]
    values += level * np.sqrt(world.between / (1 - world.between) / usual)
    values += (
        world.weekday * rng.standard_normal((SYSTEMS, GROUPS, 7))[..., np.arange(nights) % 7] / np.sqrt(usual)
    )
    weights = np.broadcast_to(counts.astype(float), shape)
    if world.missing:
        weights = (
            weights * (rng.random(nights) >= world.missing) * (rng.random((GROUPS, nights)) >= world.missing)
        )
    return values.reshape(-1, nights), weights.reshape(-1, nights), errors.reshape(-1, nights), has @ has.T


def alarms(
    rng: np.random.Generator, world: World, nights: int, drift: float = 0.0, after: int = 0
) -> np.ndarray:
    """Which monitored nights have an alarm, of each series, if the first drifts so many nights after the reference."""
    reference = 1 if world.baseline else REFERENCE
    values, weights, errors, common = year(rng, world, reference + nights)
    usual = np.sqrt(2 / sum(world.records) / (1 - world.between))
    values[0, reference + after :] += drift * usual
    known = 0.0 if world.is_limit else None
    scan = sequential.scan(values, weights, errors, reference, known, common)
    seen = (scan.evidence >= LIMIT) & ((scan.change > 0) | (not world.is_limit))
    return np.asarray(seen.any(axis=-2))


def fair_years(world: World, years: int, nights: int = sequential.YEAR, seed: int = 0) -> float:
    """The share of fair years with an alarm."""
    rng = np.random.default_rng([seed, years, nights])
    return float(np.mean([alarms(rng, world, nights).any() for _ in range(years)]))


def delays(world: World, drift: float, after: int, years: int, nights: int = sequential.YEAR) -> list[int]:
    """The nights until a drift is seen, at least 1; `NEVER` if it is not seen in the year."""
    rng = np.random.default_rng([1, years, after])
    found = []
    for _ in range(years):
        seen = np.flatnonzero(alarms(rng, world, nights, drift, after)[0][after:])
        found.append(int(seen[0]) + 1 if len(seen) else NEVER)
    return found


def slow(drift: float, over: int, years: int, nights: int = 120) -> dict[str, float | None]:
    """Of a drift that begins 20 nights after the reference and grows to its size over some nights: the nights until it is seen, and the
    median of the nights after which the trend says that it began.
    """
    rng = np.random.default_rng([2, years, over])
    begins, seen, dated = REFERENCE + 20, [], []
    for _ in range(years):
        values, weights, errors = (of[:1] for of in year(rng, World(), REFERENCE + nights)[:3])
        grown = np.minimum(1, np.arange(1, values.shape[-1] - begins + 1) / over)
        values[:, begins:] += drift * grown / np.sqrt(40)
        evidence = sequential.scan(values, weights, errors, REFERENCE).evidence[0]
        nights_seen = np.flatnonzero((evidence >= LIMIT).any(axis=0)[20:])
        seen.append(int(nights_seen[0]) + 1 if len(nights_seen) else NEVER)
        if len(nights_seen):
            dated.append(float(evidence[:, nights_seen[0] + 20].argmax()) - 20)
    return {**_described(seen), "dated": float(np.median(dated)) if dated else None}


def _described(found: Sequence[int]) -> dict[str, float | None]:
    median, late = (float(q) if q < NEVER / 10 else None for q in np.quantile(found, (0.5, 0.9)))
    return {"seen": float(np.mean(np.array(found) < NEVER)), "median": median, "ninth decile": late}


def main() -> None:
    asked = options(__doc__, "out?", years=400).parse_args()
    found = {
        "nominal": ALPHA,
        "years": asked.years,
        "fair years with an alarm": {name: fair_years(world, asked.years) for name, world in WORLDS.items()},
        "nights until a drift is seen": {
            f"{drift:g} standard deviations, {after} nights after the reference": _described(
                delays(World(), drift, after, asked.years // 4)
            )
            for drift in (0.5, 1, 1.5, 2, 3, 5)
            for after in (0, 100)
        },
        "nights until a drift is seen, if nine of ten records return": {
            f"{drift:g} standard deviations": _described(
                delays(World(returning=0.9), drift, 0, asked.years // 4)
            )
            for drift in (3, 5)
        },
        "nights until a slow drift is seen": {
            f"{drift:g} standard deviations after {over} nights": slow(drift, over, asked.years)
            for drift in (2, 3, 5)
            for over in (30, 60)
        },
    }
    write_json(found, asked.out)


if __name__ == "__main__":
    main()
