"""Contract clauses for plug-ins: the properties that audits rely on. Run them on your plug-in.

    from fairbrief.testing import MEASURE_CLAUSES

    @pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
    def test_my_measure_keeps_the_contract(clause):
        clause(MyMeasure("party"), cases)

A clause returns None, or raises AssertionError with the broken property. The clauses of measures come first, then those
of scorers and summarizers: read them before you write a plug-in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from fairbrief import specs
from fairbrief import types as t
from fairbrief.auditing import origins
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.score_tables import BatchObservation, ScoredUnits

MeasureClause = Callable[[t.Measure, Sequence[t.Case]], None]
ScorerClause = Callable[[t.Scorer, Sequence[t.Ask]], None]
SummarizerClause = Callable[[t.Summarizer, Sequence[t.Record]], None]

TOLERANCE = 1e-9


# ---------------------------------------------------------------------------------------- measures


def keeps_its_name(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """A measure rebuilt from its spec is equal and has an equal observation."""
    del cases
    again = specs.build(type(measure), specs.parse(repr(measure)))
    _promise(again == measure, f"{measure!r} is rebuilt as {again!r}")
    _promise(again.observation == measure.observation, f"{measure!r} is rebuilt with another observation")
    _promise(hash(again) == hash(measure), f"{measure!r} has another hash after rebuilding")


def gives_a_row_or_a_reason(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """Every unit gives rows of finite numbers, one per label permutation and with an explanation, or a reason with a text."""
    for unit in units_of(measure, cases):
        labels = permutations_of(measure, unit)
        result = measure.observation.observe(unit, scores_of(measure, unit), labels)
        if isinstance(result, t.Reason):
            _promise(result.text.strip(), "a reason is empty")
            continue
        _promise(isinstance(result, t.Rows), f"neither Rows nor Reason: {type(result).__name__}")
        wanted = (len(labels), len(result.columns))
        _promise(result.values.shape == wanted, f"rows of shape {result.values.shape}, expected {wanted}")
        _promise(len(set(result.columns)) == len(result.columns), "two columns have the same name")
        _promise(np.isfinite(result.values).all(), "a row contains nan or infinity")
        text = measure.explain(t.Totals({c: i for i, c in enumerate(result.columns)}, result.values[0]))
        _promise(isinstance(text, str) and text.strip(), "explain() returns no text")


def observes_the_same_twice(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """A second observation, in another order and of copies under other ids, gives the same: no randomness, no state."""
    units = units_of(measure, cases)
    first = [_observed(measure, unit) for unit in units]
    again = [_observed(measure, tuple(map(_copy, unit))) for unit in reversed(units)]
    for a, b in zip(first, reversed(again), strict=True):
        _same(a, b, "copies under other ids, observed in another order")


def _copy(case: t.Case) -> t.Case:
    record, ident = case.record, f"copy of {case.record.id}"
    return t.Case(
        dataclasses.replace(record, id=ident, seed_document=f"copy of {record.seed_id}"),
        dataclasses.replace(case.summary, record=ident, system="copy"),
    )


def reads_each_permutation_alone(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """A label permutation's row does not depend on other label permutations; the first label permutation is the real one."""
    for unit in units_of(measure, cases):
        labels, scores = permutations_of(measure, unit), scores_of(measure, unit)
        together = measure.observation.observe(unit, scores, labels)
        if isinstance(together, t.Reason):
            continue
        for r in range(len(labels)):
            alone = measure.observation.observe(unit, scores, labels[r : r + 1])
            beside = t.Rows(together.columns, together.values[r : r + 1])
            _same(alone, beside, f"label permutation {r} alone and together with others")


def reads_each_unit_alone(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """A batch observation gives each unit exactly the row that it has alone."""
    observation = measure.observation
    if not isinstance(observation, BatchObservation):
        return
    by_shape: dict[tuple[int, ...], list[tuple[t.Cases, t.Answers, t.Integers]]] = {}
    for unit in units_of(measure, cases):
        labels = permutations_of(measure, unit)
        by_shape.setdefault(labels.shape, []).append((unit, scores_of(measure, unit), labels))
    for together in by_shape.values():
        units = ScoredUnits.of([(unit, scores) for unit, scores, _ in together])
        blocks, reasons = observation.observe_many(units, np.stack([labels for *_, labels in together]))
        result: dict[int, t.Rows | t.Reason] = dict(reasons)
        for block in blocks:
            pairs = zip(block.units, block.values, strict=True)
            result |= {i: t.Rows(block.columns, values) for i, values in pairs}
        _promise(sorted(result) == list(range(len(together))), "a unit has neither a row nor a reason")
        for i, one in enumerate(together):
            _same(observation.observe(*one), result[i], "a unit alone and together with others", tolerance=0)


def broadcasts(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """`value` over stacked totals is `value` of each: same names, same numbers, main value first."""
    if (totals := _stacked(measure, cases)) is None:
        return
    together = measure.value(totals)
    names = list(together)
    main = f"the first value is {names[:1]}, expected the main value '{measure.name}'"
    _promise(names[:1] == [measure.name], main)
    for index in np.ndindex(totals.array.shape[:-1]):
        alone = measure.value(t.Totals(totals.columns, totals.array[index]))
        _promise(list(alone) == names, "the names of the values depend on the leading axes")
        for name, value in alone.items():
            part = np.broadcast_to(together[name].array, totals.array.shape[:-1])[index]
            is_same = np.isclose(value.array, part, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
            _promise(is_same, f"'{name}' depends on the leading axes")
            _promise(value.tail == together[name].tail, f"the tail of '{name}' depends on the leading axes")


def is_undefined_without_rows(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """The main value of nothing is undefined (nan), never zero or infinite, and nothing warns."""
    if (totals := _stacked(measure, cases)) is None:
        return
    with np.errstate(all="raise"):
        values = measure.value(t.Totals(totals.columns, np.zeros(len(totals.columns))))
    main = values[measure.name].array
    _promise(np.isnan(main), f"the main value of nothing is {main}")
    for name, value in values.items():
        _promise(not np.isinf(value.array), f"'{name}' of nothing is infinite")


def depends_on_totals_only(measure: t.Measure, cases: Sequence[t.Case]) -> None:
    """Statistics are additive: twice the rows give the same value."""
    if (totals := _stacked(measure, cases)) is None:
        return
    whole = totals.array.reshape(-1, totals.array.shape[-1]).sum(axis=0)
    once = measure.value(t.Totals(totals.columns, whole))[measure.name].array
    twice = measure.value(t.Totals(totals.columns, 2 * whole))[measure.name].array
    is_same = np.isclose(once, twice, rtol=1e-6, atol=1e-9, equal_nan=True)
    _promise(is_same, f"all rows twice give {twice}, once {once}: the value is not a ratio of sums")


MEASURE_CLAUSES: tuple[MeasureClause, ...] = (
    keeps_its_name,
    gives_a_row_or_a_reason,
    observes_the_same_twice,
    reads_each_permutation_alone,
    reads_each_unit_alone,
    broadcasts,
    is_undefined_without_rows,
    depends_on_totals_only,
)


# ----------------------------------------------------------------------------------------- scorers


def answers_every_ask(scorer: t.Scorer, asks: Sequence[t.Ask]) -> None:
    """One answer per ask, in order, with the documented shapes and finite numbers."""
    answers = list(scorer.answer(asks))
    _promise(len(answers) == len(asks), f"{len(answers)} answers to {len(asks)} asks")
    for ask, scores in zip(asks, answers, strict=True):
        units = len(scores.owner)
        is_matrix = scores.matrix.ndim == 2 and scores.matrix.shape[1] == units
        _promise(is_matrix, f"matrix {scores.matrix.shape} for {units} units")
        _promise(len(scores.sizes) == scores.matrix.shape[0], "sizes and rows differ in number")
        _promise(np.isfinite(scores.matrix).all(), "a score is nan or infinite")
        inside = (scores.owner >= 0) & (scores.owner < max(len(ask.columns), 1))
        is_ordered = inside.all() and (np.diff(scores.owner) >= 0).all()
        _promise(is_ordered, "owner is not a non-decreasing column index")


def scores_alone_as_in_a_batch(scorer: t.Scorer, asks: Sequence[t.Ask]) -> None:
    """An ask's answer does not depend on other asks, nor on their order."""
    together = list(scorer.answer(asks))
    backwards = list(scorer.answer(list(reversed(asks))))[::-1]
    for i, ask in enumerate(asks):
        (alone,) = scorer.answer([ask])
        for other, how in ((together[i], "together with others"), (backwards[i], "in another order")):
            has_shape = other.matrix.shape == alone.matrix.shape
            is_same = has_shape and np.allclose(other.matrix, alone.matrix, rtol=0, atol=1e-5)
            _promise(is_same, f"ask {i} is scored differently {how}")


def has_a_stable_fingerprint(scorer: t.Scorer, asks: Sequence[t.Ask]) -> None:
    """The fingerprint is stable and contains the scorer's name."""
    del asks
    _promise(scorer.fingerprint == scorer.fingerprint, "the fingerprint changes")
    named = f"the fingerprint '{scorer.fingerprint}' does not contain '{scorer.name}'"
    _promise(scorer.name in scorer.fingerprint, named)


SCORER_CLAUSES: tuple[ScorerClause, ...] = (
    answers_every_ask,
    scores_alone_as_in_a_batch,
    has_a_stable_fingerprint,
)


# ------------------------------------------------------------------------------------- summarizers


def summarizes_every_record(summarizer: t.Summarizer, records: Sequence[t.Record]) -> None:
    """One summary per record, in order, with the record's id."""
    made = [s.record for s in summarizer.summarize(records)]
    _promise(made == [r.id for r in records], f"summaries of {made}, expected {[r.id for r in records]}")


def summarizes_the_same_twice(summarizer: t.Summarizer, records: Sequence[t.Record]) -> None:
    """A seeded summarizer writes the same summaries again, whatever the other records."""
    first = {s.record: s.text for s in summarizer.summarize(records)}
    again = {s.record: s.text for s in summarizer.summarize(list(reversed(records)))}
    _promise(first == again, "the summaries differ the second time")


SUMMARIZER_CLAUSES: tuple[SummarizerClause, ...] = (summarizes_every_record, summarizes_the_same_twice)


# ------------------------------------------------------------------------------------ helpers


def units_of(measure: t.Measure, cases: Sequence[t.Case]) -> list[t.Cases]:
    """The units of the cases in an audit of this measure."""
    return origins.units_of(cases, measure.observation.declaration.scope)


def scores_of(measure: t.Measure, unit: t.Cases) -> list[t.Scores]:
    """The scores that the measure asks for."""
    scorers, asks = Scorers(), measure.observation.asks(unit)
    return [scores for ask in asks for scores in scorers[ask.scorer].answer([ask])]


def permutations_of(measure: t.Measure, unit: t.Cases) -> t.Integers:
    """The real label permutation and four random ones. Shape (5, n), or (1, 0) without an exchange."""
    scheme = measure.observation.permutation_scheme(unit)
    if scheme is None:
        return np.zeros((1, 0), dtype=np.int64)
    rows = np.tile(scheme.labels, (5, 1)).astype(np.int64)
    rows[1:] = np.random.default_rng(0).permuted(rows[1:], axis=1)
    return rows


def _observed(measure: t.Measure, unit: t.Cases) -> t.Observed:
    return measure.observation.observe(unit, scores_of(measure, unit), permutations_of(measure, unit))


def _stacked(measure: t.Measure, cases: Sequence[t.Case]) -> t.Totals | None:
    """All rows over one set of columns. Shape (label permutations, units, columns), real label permutation at 0."""
    observed = (_observed(measure, unit) for unit in units_of(measure, cases))
    result = [rows for rows in observed if isinstance(rows, t.Rows)]
    if not result:
        return None
    columns = {c: i for i, c in enumerate(dict.fromkeys(c for rows in result for c in rows.columns))}
    depth = min(len(rows.values) for rows in result)
    array: t.Floats = np.zeros((depth, len(result), len(columns)))
    for i, rows in enumerate(result):
        array[:, i, [columns[c] for c in rows.columns]] = rows.values[:depth]
    return t.Totals(columns, array)


def _same(a: t.Rows | t.Reason, b: t.Rows | t.Reason, how: str, tolerance: float = TOLERANCE) -> None:
    if isinstance(a, t.Reason) or isinstance(b, t.Reason):
        _promise(a == b, f"{how}: {a} and {b}")
        return
    _promise(a.columns == b.columns, f"{how}: other columns")
    is_same = np.allclose(a.values, b.values, rtol=tolerance, atol=tolerance)
    _promise(is_same, f"{how}: other numbers")


def _promise(is_kept: object, message: str) -> None:
    if not is_kept:
        raise AssertionError(message)
