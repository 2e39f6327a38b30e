"""The best of several summaries of one record: by a measure, above a floor of quality.

Each candidate is observed once, alone; choosing never changes a score. `Choice.pairs` are chosen and
rejected candidates for training on preferences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief import registry
from fairbrief.auditing.exhibits import Exhibits
from fairbrief.auditing.gating import Rule
from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.scorers import Scorers
from fairbrief.errors import RequestError
from fairbrief.nouns import Case, Floats, Measure, Totals
from fairbrief.statistics import LabelDraws

CHOSEN, RANDOM = "chosen", "random candidate"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One summary of a record, and its own value of the measure; None where it has none."""

    case: Case
    value: float | None
    row: Floats
    floors_kept: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One record's candidates; ``chosen`` and ``rejected`` are indices, ``rejected`` the worst, if any."""

    candidates: tuple[Candidate, ...]
    chosen: int
    rejected: int | None
    reason: str = ""
    """Why the choice is not the measure's: no candidate could be measured, or none kept the floors."""


def choose(
    cases: Iterable[Case],
    by: str,
    floors: Sequence[Rule] = (),
    *,
    corpus_aware: bool = False,
    scorers: Scorers,
) -> Iterator[Choice]:
    """One choice per record, in the order of the records.

    The smallest size of the measure's headline wins (the largest, for a quality like ``rouge1``), among
    the candidates that keep every floor. ``corpus_aware`` takes the candidate that brings the headline
    of all chosen so far nearest to zero: it offsets the running gap. Ties go to the first candidate.
    """
    measure = registry.make("measure", by)
    if measure.observation.scope != "case":
        raise RequestError(
            f"'{by}' is observed on all variants of an original together: it cannot choose one summary."
        )
    records: dict[str, list[Case]] = {}
    for case in cases:
        records.setdefault(case.record.id, []).append(case)
    everything = [case for several in records.values() for case in several]
    values, rows, ledger = _observed(measure, everything, scorers)
    kept = _kept(floors, everything, scorers)
    candidates = {
        id(case): Candidate(case, None if np.isnan(value) else float(value), row, bool(keeps))
        for case, value, row, keeps in zip(everything, values, rows, kept, strict=True)
    }
    wants_more = _wants_more(measure, ledger)
    total = np.zeros(rows.shape[1])
    for several in records.values():
        found = tuple(candidates[id(case)] for case in several)
        choice = _choice(found, measure, ledger, total if corpus_aware else None, wants_more=wants_more)
        total = total + found[choice.chosen].row
        yield choice


def _choice(
    found: tuple[Candidate, ...], measure: Measure, ledger: Ledger, total: Floats | None, *, wants_more: bool
) -> Choice:
    usable = [i for i, c in enumerate(found) if c.value is not None]
    if not usable:
        return Choice(found, 0, None, "no candidate could be measured")
    allowed = [i for i in usable if found[i].floors_kept]
    reason = "" if allowed else "no candidate keeps the floors"

    def cost(i: int) -> float:
        value = found[i].value or 0.0
        if total is not None:
            running = float(measure.value(ledger.totals(total + found[i].row))[measure.name].array)
            return abs(running) if np.isfinite(running) else abs(value)
        return -value if wants_more else abs(value)

    chosen = min(allowed or usable, key=cost)
    others = [i for i in usable if i != chosen]
    rejected = max(others, key=cost) if others and max(map(cost, others)) > cost(chosen) else None
    return Choice(found, chosen, rejected, reason)


def case_values(measure: Measure, cases: Sequence[Case], scorers: Scorers) -> dict[str, Floats]:
    """Every quantity of a measure in each case alone, (cases,); nan where it is undefined or absent."""
    headline, rows, ledger = _observed(measure, cases, scorers)
    observed = rows.any(axis=1)
    found = {
        name: np.where(observed, np.broadcast_to(value.array, (len(cases),)), np.nan)
        for name, value in measure.value(ledger.totals(rows)).items()
    }
    return {**found, measure.name: headline}


def _observed(measure: Measure, cases: Sequence[Case], scorers: Scorers) -> tuple[Floats, Floats, Ledger]:
    """Each case's own headline (nan where there is none) and row. Shapes: (cases,), (cases, columns)."""
    ledger = Ledger(measure.observation, draws=0)
    observer = Observer([ledger], scorers, LabelDraws(1, 0), Exhibits({}), skips=True)
    for start in range(0, len(cases), 256):
        observer.observe(
            [(c, Origin(str(start + i), c.record.id, "")) for i, c in enumerate(cases[start : start + 256])]
        )
    place = {origin.system: i for i, origin in enumerate(ledger.kept())}
    matrix = ledger.matrix()
    rows = np.zeros((len(cases), matrix.shape[1]))
    values = np.full(len(cases), np.nan)
    there = np.array([i for i in range(len(cases)) if str(i) in place], dtype=np.int64)
    if len(there):
        rows[there] = matrix[[place[str(i)] for i in there]]
        values[there] = measure.value(ledger.totals(rows[there]))[measure.name].array
    return values, rows, ledger


def _kept(floors: Sequence[Rule], cases: Sequence[Case], scorers: Scorers) -> Floats:
    kept = np.ones(len(cases), dtype=bool)
    for floor in floors:
        measure = registry.make("measure", floor.measure)
        _, rows, ledger = _observed(measure, cases, scorers)
        values = measure.value(ledger.totals(rows))
        name = floor.quantity or measure.name
        if name not in values:
            raise RequestError(f"'{floor.measure}' has no quantity '{name}'. It has: {', '.join(values)}.")
        found = np.asarray(values[name].array)
        with np.errstate(invalid="ignore"):
            kept &= (found <= floor.limit) if floor.sign == "<=" else (found >= floor.limit)
    return kept


def is_level(measure: Measure) -> bool:
    """Whether a measure's headline is a level, of which more is better, and no disparity."""
    return measure.value(Totals({}, np.zeros(0)))[measure.name].tail is None


def _wants_more(measure: Measure, ledger: Ledger) -> bool:
    """Whether more of the headline is better: it is a level (a quality), not a disparity."""
    return measure.value(ledger.totals(np.zeros(len(ledger.columns))))[measure.name].tail is None


def as_systems(choices: Sequence[Choice], seed: int = 0) -> Iterator[Case]:
    """The chosen summaries and a randomly drawn candidate each, as two systems to be audited in pairs.

    Records where nothing could be measured are in neither.
    """
    rng = np.random.default_rng([seed, 77])
    for choice in choices:
        draw = int(rng.integers(len(choice.candidates)))
        if choice.reason == "no candidate could be measured":
            continue
        for name, i in ((CHOSEN, choice.chosen), (RANDOM, draw)):
            case = choice.candidates[i].case
            yield Case(case.record, replace(case.summary, system=name))


def preference(choice: Choice, prompt: str) -> Mapping[str, object] | None:
    """``prompt``, ``chosen``, ``rejected`` and their values; None where no candidate is worse."""
    if choice.rejected is None:
        return None
    chosen, rejected = choice.candidates[choice.chosen], choice.candidates[choice.rejected]
    return {
        "id": chosen.case.record.id,
        "prompt": prompt,
        "chosen": chosen.case.summary.text,
        "rejected": rejected.case.summary.text,
        "chosen_value": chosen.value,
        "rejected_value": rejected.value,
    }
