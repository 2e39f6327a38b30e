"""The best of several summaries of one record: by a measure, with minimum quality and similar length.

Each candidate is observed once and separately; the choice does not change scores. A measure with group differences
decides by the largest absolute difference from the random baseline (random sentences of the record, with as many
words as the candidate). `preference` turns a choice into a chosen and a rejected text for preference training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from fairbrief import registry
from fairbrief.auditing import Plan, audit
from fairbrief.auditing.extracts import N_EXTRACTS, ExtractDraws
from fairbrief.auditing.jackknifed import from_extracts
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.origins import Origin, shared_by
from fairbrief.auditing.record_values import better
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.declarations import Direction
from fairbrief.errors import DataError, RequestError
from fairbrief.reports.result import Result
from fairbrief.saved.gate_rules import RANDOM as LESS_RANDOM
from fairbrief.saved.gate_rules import Rule, is_named
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.types import Case, Floats, Measure, Table, Totals

CHOSEN, RANDOM = "chosen", "random candidate"
NOT_MEASURED = "no candidate could be measured"
NOT_ALLOWED = "no candidate keeps the floors"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One summary of a record, and its deciding value (`decisive`); None if it has none."""

    case: Case
    value: float | None
    floors_kept: bool = True
    length_kept: bool = True

    @property
    def words(self) -> int:
        """The length of the text, in words between blanks."""
        return len(self.case.summary.text.split())


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of one record; ``chosen`` and ``rejected`` (the worst, if any) are indices."""

    candidates: tuple[Candidate, ...]
    chosen: int
    rejected: int | None
    reason: str = ""
    """Why the choice was limited: no candidate could be measured, or none met the floors."""

    @property
    def pool(self) -> list[int]:
        """The measurable candidates of similar length, from which a random one is drawn."""
        return [i for i, c in enumerate(self.candidates) if c.value is not None and c.length_kept]


def choose(
    cases: Iterable[Case],
    by: str,
    floors: Sequence[Rule] = (),
    *,
    length_within: float | None = None,
    scorers: Scorers,
) -> Iterator[Choice]:
    """One choice per record, in the order of the records.

    Among the candidates that meet every floor, the smallest absolute value of the measure's `decisive` value wins
    (the largest value for a quality such as ``rouge1``); ties go to the first candidate. If no candidate meets the
    floors, the best of all is chosen and the reason is recorded. ``length_within`` excludes candidates whose number
    of words differs by more than this share from the record's median measurable candidate. The median is itself a
    candidate, so at least one remains.
    """
    measure = registry.make("measure", by)
    if measure.observation.declaration.scope != "case":
        raise RequestError(
            f"'{by}' is observed on several records together: it cannot choose one record's summary."
        )
    records: dict[str, list[Case]] = {}
    for case in cases:
        records.setdefault(case.record.id, []).append(case)
    everything = [case for several in records.values() for case in several]
    observed = _Observed(measure, everything, scorers, extracts=True)
    direction = better(measure, observed.ledger.columns)
    values = observed.where_there(decisive(measure, observed.totals, direction)).tolist()
    kept = _kept(floors, everything, scorers).tolist()
    rated = iter(zip(everything, values, kept, strict=True))
    for several in records.values():
        found = [
            Candidate(case, None if np.isnan(value) else value, keeps)
            for case, value, keeps in islice(rated, len(several))
        ]
        lengths = sorted(c.words for c in found if c.value is not None)
        if length_within is not None and lengths:
            # The lower of two middle lengths: a candidate has it, so at least that candidate remains.
            middle = lengths[(len(lengths) - 1) // 2]
            found = [replace(c, length_kept=abs(c.words - middle) <= length_within * middle) for c in found]
        yield _choice(tuple(found), direction)


def _choice(found: tuple[Candidate, ...], direction: Direction) -> Choice:
    """The best candidate among those that meet the floors, and the worst of all."""
    costs = {
        i: (-candidate.value) if direction == "more" else abs(candidate.value)
        for i, candidate in enumerate(found)
        if candidate.value is not None and candidate.length_kept
    }
    if not costs:
        return Choice(found, 0, None, NOT_MEASURED)
    allowed = [i for i in costs if found[i].floors_kept]
    chosen, worst = min(allowed or costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
    rejected = worst if costs[worst] > costs[chosen] else None
    return Choice(found, chosen, rejected, "" if allowed else NOT_ALLOWED)


def decisive(measure: Measure, totals: Totals, direction: Direction) -> Floats:
    """The deciding value: the largest absolute group difference, minus its random-sentence baseline.

    Group differences without a baseline (the summary is as long as its source) are used unchanged. A quality, and a
    measure without group differences, decides by its main value.
    """
    values = measure.value(totals)
    differences = {} if direction == "more" else from_extracts(measure, totals)
    if not differences:
        return values[measure.name].array
    sizes = [np.abs(np.where(np.isnan(less), values[name].array, less)) for name, less in differences.items()]
    return np.asarray(np.fmax.reduce(sizes))


def case_values(measure: Measure, cases: Sequence[Case], scorers: Scorers) -> dict[str, Floats]:
    """Every quantity of a measure in each single case, (cases,); nan if undefined or absent."""
    return _Observed(measure, cases, scorers).values()


def resampled_values(
    measure: Measure, cases: Sequence[Case], scorers: Scorers, counts: Floats
) -> dict[str, Floats]:
    """Every quantity of a measure over groups of cases, (groups,); ``counts`` (groups, cases) has each case's multiplicity."""
    observed = _Observed(measure, cases, scorers)
    totals = observed.ledger.totals(counts @ observed.rows)
    return {name: value.array for name, value in measure.value(totals).items()}


class _Observed:
    """A measure's row of each single case, (cases, columns), and whether it exists, (cases,).

    With ``extracts`` also the rows of random sentences, unless the scorer is a model.
    """

    def __init__(
        self, measure: Measure, cases: Sequence[Case], scorers: Scorers, *, extracts: bool = False
    ) -> None:
        self.measure, self.ledger = measure, Ledger(measure.observation, n_resamples=0)
        units = [((c,), Origin(str(i), c.record.id, "")) for i, c in enumerate(cases)]
        draws = ExtractDraws(N_EXTRACTS, 0) if extracts else None
        observer = Observer(
            scorers, LabelDraws(1, 0), skips=True, extracts=draws, scores_extracts=scorers.is_cheap
        )
        scope = measure.observation.declaration.scope
        observer.observe(self.ledger, [unit for unit in units if shared_by(unit[0][0], scope) is None])
        matrix = self.ledger.matrix()
        places = [int(origin.system) for origin in self.ledger.kept()]
        self.rows, self.there = np.zeros((len(cases), matrix.shape[1])), np.zeros(len(cases), dtype=np.bool_)
        self.rows[places], self.there[places] = matrix, True

    @property
    def totals(self) -> Totals:
        """The rows by column name."""
        return self.ledger.totals(self.rows)

    def values(self) -> dict[str, Floats]:
        """Every quantity of each case, (cases,); nan if it is undefined or the case has no row."""
        return {
            name: self.where_there(value.array) for name, value in self.measure.value(self.totals).items()
        }

    def where_there(self, values: Floats) -> Floats:
        """The values of cases, nan if a case has no row. Shape (cases,)."""
        return np.where(self.there, np.broadcast_to(values, len(self.there)), np.nan)


def _kept(floors: Sequence[Rule], cases: Sequence[Case], scorers: Scorers) -> NDArray[np.bool_]:
    kept = np.ones(len(cases), dtype=np.bool_)
    for floor in floors:
        measure = registry.make("measure", floor.measure)
        observed = _Observed(measure, cases, scorers, extracts=floor.from_random)
        arrays = from_extracts(measure, observed.totals) if floor.from_random else observed.values()
        named = [name for name in arrays if is_named(name, floor.quantity or measure.name)]
        found = np.array([observed.where_there(arrays[name]) for name in named])
        if np.isnan(found).all():
            suffix = LESS_RANDOM if floor.from_random else ""
            known = ", ".join(f"{name}{suffix}" for name in arrays) or "none"
            why = ", ".join(filter(None, observed.ledger.known_reasons))
            raise RequestError(
                f"'{floor}' cannot be a floor: no candidate has this value of '{floor.measure}'{f' ({why})' if why else ''}. "
                f"Quantities: {known}."
            )
        with np.errstate(invalid="ignore"):
            keeps = (found <= floor.limit) if floor.sign == "<=" else (found >= floor.limit)
        kept &= (keeps | np.isnan(found)).all(axis=0) & np.isfinite(found).any(axis=0)
    return kept


def as_systems(choices: Iterable[Choice], seed: int = 0) -> Iterator[Case]:
    """The chosen summaries and one random candidate each, as two systems for a paired audit.

    The random one is drawn from the measurable candidates of similar length, whether or not they meet the floors.
    Records without a measurable candidate are in neither system.
    """
    rng = np.random.default_rng([seed, 77])
    for choice in choices:
        pool = choice.pool
        if not pool:
            continue
        draw = pool[int(rng.integers(len(pool)))]
        for name, i in ((CHOSEN, choice.chosen), (RANDOM, draw)):
            case = choice.candidates[i].case
            yield Case(case.record, replace(case.summary, system=name))


def chosen_case(choice: Choice, by: str) -> Case:
    """The chosen summary as a case of the system `CHOSEN`; ``made`` has the candidate's number and value."""
    candidate = choice.candidates[choice.chosen]
    case = candidate.case
    value = "" if candidate.value is None else repr(candidate.value)
    made = {
        "candidate": case.summary.system,
        "candidates": str(len(choice.candidates)),
        "by": by,
        **{name: text for name, text in (("value", value), ("choice", choice.reason)) if text},
    }
    return Case(case.record, replace(case.summary, system=CHOSEN, made={**case.summary.made, **made}))


def preference(choice: Choice, prompt: str) -> Mapping[str, object] | None:
    """``prompt``, ``chosen``, ``rejected`` and their values; None if no candidate is worse."""
    if choice.rejected is None or choice.reason:
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


# ---- The effect of choosing: chosen against random, in fairness and in length


def against_random(choices: Sequence[Choice], plan: Plan) -> Result:
    """An audit of the chosen summaries and of one random candidate each, with a table of the candidates.

    ``plan.seed`` determines the random candidates and all other draws.
    """
    cases = list(as_systems(choices, plan.seed))
    if not cases:
        raise DataError(
            f"There is nothing to choose: of {len(choices)} records, none has a candidate that could be measured."
        )
    result = audit(cases, replace(plan, baseline=RANDOM))
    return replace(result, tables=(_table(choices, cases), *result.tables))


def _table(choices: Sequence[Choice], cases: Sequence[Case]) -> Table:
    each = sorted({len(c.candidates) for c in choices})
    reasons = Counter(choice.reason for choice in choices)
    pool = sum(len(c.pool) for c in choices) / len(choices)
    pairs = sum(c.rejected is not None and not c.reason for c in choices)
    words = {
        name: [len(case.summary.text.split()) for case in cases if case.summary.system == name]
        for name in (CHOSEN, RANDOM)
    }
    rows = (
        ("records", f"{len(choices):,}"),
        ("candidates per record", str(each[0]) if len(each) == 1 else f"{each[0]} to {each[-1]}"),
        ("candidates with a value and a similar length, per record", f"{pool:.2f}"),
        ("records without a candidate that meets the limits (--floor)", f"{reasons[NOT_ALLOWED]:,}"),
        ("records without a candidate that has a value", f"{reasons[NOT_MEASURED]:,}"),
        ("records with a worse candidate (preference pairs)", f"{pairs:,}"),
        ("mean words, chosen", f"{fmean(words[CHOSEN]):.2f}"),
        ("mean words, random candidate", f"{fmean(words[RANDOM]):.2f}"),
    )
    return Table("The candidates", ("", ""), rows)
