"""The best of several summaries of one record: by a measure, with minimum quality and similar length.

Each candidate is observed once and separately; the choice does not change scores. A measure with group differences
decides by the largest absolute difference from the random baseline (random sentences of the record, with as many
words as the candidate). `preference` turns a choice into a chosen and a rejected text for preference training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from fairbrief import registry
from fairbrief.auditing.extracts import N_EXTRACTS, ExtractDraws
from fairbrief.auditing.jackknifed import from_extracts
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.origins import Origin, shared_by
from fairbrief.auditing.record_values import better
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.declarations import Direction
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.saved.gate_rules import Rule
from fairbrief.text.segmentation import word_count
from fairbrief.types import Case, Floats, Measure, Table, Totals

CHOSEN = "chosen"
NOT_MEASURED = "no candidate could be measured"
NOT_ALLOWED = "no candidate keeps the floors"


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of one record with their deciding values (`decisive`, nan if undefined), and the chosen one.

    ``pool`` are the measurable candidates of similar length; ``rejected`` is the worst of them, if it is worse than
    the chosen one. All are indices. ``reason``: why the choice was limited, `NOT_MEASURED` or `NOT_ALLOWED`.
    """

    candidates: tuple[Case, ...]
    values: tuple[float, ...]
    pool: tuple[int, ...]
    chosen: int
    rejected: int | None
    reason: str = ""


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
        raise RequestError(f"'{by}' is observed on several records together: it cannot choose summaries.")
    everything = list(cases)
    places = grouped((case.record.id, i) for i, case in enumerate(everything))
    totals, has_row = _rows_of(measure, everything, scorers, extracts=True)
    direction = better(measure, totals.columns)
    values = np.where(has_row, decisive(measure, totals, direction), np.nan)
    costs = -values if direction == "more" else np.abs(values)
    meets_floors = _meets(floors, everything, scorers)
    for these in places.values():
        several = tuple(everything[i] for i in these)
        cost, allowed = costs[these].tolist(), meets_floors[these].tolist()
        pool = [i for i, value in enumerate(cost) if not np.isnan(value)]
        words = [word_count(case.summary.text) for case in several]
        if length_within is not None and pool:
            # The lower of two middle lengths: a candidate has it, so at least that candidate remains.
            middle = sorted(words[i] for i in pool)[(len(pool) - 1) // 2]
            pool = [i for i in pool if abs(words[i] - middle) <= length_within * middle]
        best = [i for i in pool if allowed[i]]
        chosen = min(best or pool or [0], key=cost.__getitem__)
        worst = max(pool, key=cost.__getitem__, default=0)
        rejected = worst if cost[worst] > cost[chosen] else None
        reason = "" if best else NOT_ALLOWED if pool else NOT_MEASURED
        yield Choice(several, tuple(values[these].tolist()), tuple(pool), chosen, rejected, reason)


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


def _meets(floors: Sequence[Rule], cases: Sequence[Case], scorers: Scorers) -> NDArray[np.bool_]:
    """Whether each case meets every floor; an undefined value does not. Shape (cases,)."""
    meets = np.ones(len(cases), dtype=np.bool_)
    for floor in floors:
        if floor.system:
            raise RequestError(f"'{floor}': a floor limits every candidate. Drop {{{floor.system}}}.")
        measure = registry.make("measure", floor.measure)
        values = case_values(measure, cases, scorers)
        value = values.get(floor.quantity or measure.name, np.zeros(0))
        if floor.from_random or np.isnan(value).all():
            has_no = f"no candidate has this value of '{floor.measure}'"
            raise RequestError(f"'{floor}' cannot be a floor: {has_no}. Quantities: {', '.join(values)}.")
        meets &= value <= floor.limit if floor.sign == "<=" else value >= floor.limit
    return meets


def case_values(measure: Measure, cases: Sequence[Case], scorers: Scorers) -> dict[str, Floats]:
    """Every quantity of a measure in each single case, (cases,); nan if undefined or absent."""
    totals, has_row = _rows_of(measure, cases, scorers)
    return {name: np.where(has_row, value.array, np.nan) for name, value in measure.value(totals).items()}


def resampled_values(
    measure: Measure, cases: Sequence[Case], scorers: Scorers, counts: Floats
) -> dict[str, Floats]:
    """Every quantity of a measure over groups of cases, (groups,); ``counts`` (groups, cases) has each case's multiplicity."""
    totals, _ = _rows_of(measure, cases, scorers)
    summed = Totals(totals.columns, counts @ totals.array)
    return {name: value.array for name, value in measure.value(summed).items()}


def _rows_of(
    measure: Measure, cases: Sequence[Case], scorers: Scorers, *, extracts: bool = False
) -> tuple[Totals, NDArray[np.bool_]]:
    """A measure's row of each single case, (cases, columns), zeros if there is none; and whether there is one, (cases,).

    With ``extracts`` also the rows of random sentences, unless the scorer is a model.
    """
    ledger = Ledger(measure.observation, n_resamples=0)
    draws = ExtractDraws(N_EXTRACTS, 0) if extracts else None
    observer = Observer(scorers, skips=True, extracts=draws, scores_extracts=scorers.is_cheap)
    scope = measure.observation.declaration.scope
    alone = ((i, case) for i, case in enumerate(cases) if shared_by(case, scope) is None)
    observer.observe(ledger, [((case,), Origin(str(i), case.record.id, "")) for i, case in alone])
    matrix = ledger.matrix()
    places = [int(origin.system) for origin in ledger.kept()]
    rows, has_row = np.zeros((len(cases), matrix.shape[1])), np.zeros(len(cases), dtype=np.bool_)
    rows[places], has_row[places] = matrix, True
    return ledger.totals(rows), has_row


def chosen_case(choice: Choice, by: str) -> Case:
    """The chosen summary as a case of the system `CHOSEN`; ``made`` has the candidate's number and value."""
    case, value = choice.candidates[choice.chosen], choice.values[choice.chosen]
    made = {"candidate": case.summary.system, "candidates": str(len(choice.candidates)), "by": by}
    if not np.isnan(value):
        made["value"] = repr(value)
    if choice.reason:
        made["choice"] = choice.reason
    return Case(case.record, replace(case.summary, system=CHOSEN, made={**case.summary.made, **made}))


def preference(choice: Choice, prompt: str) -> Mapping[str, object] | None:
    """``prompt``, ``chosen``, ``rejected`` and their values; None if no candidate is worse."""
    if choice.rejected is None or choice.reason:
        return None
    chosen, rejected = choice.candidates[choice.chosen], choice.candidates[choice.rejected]
    return {
        "id": chosen.record.id,
        "prompt": prompt,
        "chosen": chosen.summary.text,
        "rejected": rejected.summary.text,
        "chosen_value": choice.values[choice.chosen],
        "rejected_value": choice.values[choice.rejected],
    }


def table(choices: Sequence[Choice]) -> Table:
    """The numbers of records and candidates, and chosen summaries beside all candidates of which they were chosen.

    At least one candidate has a value.
    """
    numbers = sorted({len(choice.candidates) for choice in choices})
    reasons = Counter(choice.reason for choice in choices)
    pairs = sum(choice.rejected is not None and not choice.reason for choice in choices)
    measured = [choice for choice in choices if choice.pool]
    rows = [
        ("records", f"{len(choices):,}"),
        ("candidates per record", " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))),
        ("records without a candidate that meets the limits (--floor)", f"{reasons[NOT_ALLOWED]:,}"),
        ("records without a candidate that has a value", f"{reasons[NOT_MEASURED]:,}"),
        ("records with a worse candidate (preference pairs)", f"{pairs:,}"),
    ]
    best = [(choice, choice.chosen) for choice in measured]
    every = [(choice, i) for choice in measured for i in choice.pool]
    for who, taken in (("chosen", best), ("all candidates", every)):
        rows.append((f"mean value, {who}", f"{fmean(choice.values[i] for choice, i in taken):z.3f}"))
        words = fmean(word_count(choice.candidates[i].summary.text) for choice, i in taken)
        rows.append((f"mean words, {who}", f"{words:.2f}"))
    return Table("The candidates", ("", ""), tuple(rows))
