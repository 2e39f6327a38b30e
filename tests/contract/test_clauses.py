"""Each clause of the contract is proved by a planted fault, and kept by a stranger's plug-in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from fairbrief_openings import FirstWords, Opened, OpeningGap, Openings

from fairbrief import registry, testing
from fairbrief.score_tables import ScoredUnits
from fairbrief.testing import MEASURE_CLAUSES, SCORER_CLAUSES, SUMMARIZER_CLAUSES
from fairbrief.types import (
    AlikeRows,
    Ask,
    Case,
    Cases,
    Document,
    Integers,
    Reason,
    Record,
    Rows,
    Scores,
    Summary,
    Totals,
    Value,
)

RECORDS = [
    Record(
        f"r{i}",
        tuple(
            Document(f"{word} is here", {"party": party}) for word, party in zip(words, "LLR", strict=True)
        ),
    )
    for i, words in enumerate(
        [("taxes", "rain", "wages"), ("bread", "roads", "taxes"), ("sun", "sun", "rain")]
    )
]
CASES = [
    Case(r, Summary(r.id, "s", text))
    for r, text in zip(RECORDS, ["taxes rise", "bread and roads", "snow"], strict=True)
]
ASKS = [Ask("openings", tuple(d.text for d in r.documents), (r.documents[0].text, "rain")) for r in RECORDS]


@dataclass(frozen=True, repr=False)
class Faulty(OpeningGap):
    """A measure whose observation or value is broken by a subclass."""


@dataclass(frozen=True, repr=False)
class Nameless(Faulty):
    """Its spec is not its own."""

    def __repr__(self) -> str:
        return "opening_gap@somebody"


class Infinite(Faulty):
    """A row holds infinity."""

    @property
    def observation(self) -> Opened:
        class Broken(Opened):
            def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
                rows = super().observe(cases, scores, labels)
                assert isinstance(rows, Rows)
                return Rows(rows.columns, rows.values + np.inf)

        return Broken(self.over)


class Forgetful(Faulty):
    """Every observation differs from the last."""

    seen = itertools.count()

    @property
    def observation(self) -> Opened:
        seen = self.seen

        class Broken(Opened):
            def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
                rows = super().observe(cases, scores, labels)
                assert isinstance(rows, Rows)
                return Rows(rows.columns, rows.values + next(seen))

        return Broken(self.over)


class Entangled(Faulty):
    """A label permutation's row depends on those beside it."""

    @property
    def observation(self) -> Opened:
        class Broken(Opened):
            def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
                rows = super().observe(cases, scores, labels)
                assert isinstance(rows, Rows)
                return Rows(rows.columns, rows.values - rows.values.mean(axis=0))

        return Broken(self.over)


class Neighbourly(Faulty):
    """A unit's row depends on the units beside it."""

    @property
    def observation(self) -> Opened:
        class Broken(Opened):
            def observe_many(
                self, units: ScoredUnits, labels: Integers
            ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
                found = [self.observe(*unit, own) for unit, own in zip(units, labels, strict=True)]
                rows = {i: rows for i, rows in enumerate(found) if isinstance(rows, Rows)}
                blocks = [
                    AlikeRows([i], r.columns, (r.values + len(units))[np.newaxis]) for i, r in rows.items()
                ]
                return blocks, {i: reason for i, reason in enumerate(found) if isinstance(reason, Reason)}

        return Broken(self.over)


class Snooping(Faulty):
    """It reads the record's id."""

    @property
    def observation(self) -> Opened:
        class Broken(Opened):
            def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
                rows = super().observe(cases, scores, labels)
                assert isinstance(rows, Rows)
                return Rows(rows.columns, rows.values + len(cases[0].record.id))

        return Broken(self.over)


class Flat(Faulty):
    """Its value looks at all leading axes at once."""

    def value(self, totals: Totals) -> Mapping[str, Value]:
        return {"opening_gap": Value(super().value(totals)["opening_gap"].array + totals.array.ndim, "upper")}


class Comforting(Faulty):
    """Nothing observed is called no gap."""

    def value(self, totals: Totals) -> Mapping[str, Value]:
        return {"opening_gap": Value(np.nan_to_num(super().value(totals)["opening_gap"].array), "upper")}


class Growing(Faulty):
    """Its value grows with the number of rows."""

    def value(self, totals: Totals) -> Mapping[str, Value]:
        return {
            "opening_gap": Value(totals["documents", "L"] * np.where(totals["documents", "L"] > 0, 1, np.nan))
        }


class Mute(Faulty):
    """It explains nothing."""

    def explain(self, totals: Totals) -> str:  # noqa: ARG002
        return " "


PLANTED = {
    testing.keeps_its_name: Nameless,
    testing.gives_a_row_or_a_reason: Infinite,
    testing.observes_the_same_twice: Forgetful,
    testing.reads_each_permutation_alone: Entangled,
    testing.reads_each_unit_alone: Neighbourly,
    testing.does_not_read_ids: Snooping,
    testing.broadcasts: Flat,
    testing.is_undefined_without_rows: Comforting,
    testing.depends_on_totals_only: Growing,
    testing.explains_a_row: Mute,
}


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
def test_a_sound_measure_keeps_the_clause(clause: testing.MeasureClause) -> None:
    """The stranger's measure meets every clause."""
    clause(OpeningGap("party"), CASES)


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
def test_a_planted_fault_breaks_the_clause(clause: testing.MeasureClause) -> None:
    """A measure with just this fault is found out by just this clause."""
    with pytest.raises(AssertionError):
        clause(PLANTED[clause]("party"), CASES)


class Short(Openings):
    """It forgets the last ask."""

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        yield from super().answer(asks[:-1] if len(asks) > 1 else asks)


class Drifting(Openings):
    """Its scores depend on the place in the batch."""

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for i, scores in enumerate(super().answer(asks)):
            yield Scores(scores.matrix + i, scores.owner, scores.sizes)


class Anonymous(Openings):
    """Its fingerprint says nothing."""

    @property
    def fingerprint(self) -> str:
        return "1"


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
def test_a_sound_scorer_keeps_the_clause(clause: testing.ScorerClause) -> None:
    """The stranger's scorer meets every clause."""
    clause(Openings(), ASKS)


@pytest.mark.parametrize(
    ("clause", "faulty"), list(zip(SCORER_CLAUSES, [Short(), Drifting(), Anonymous()], strict=True))
)
def test_a_planted_fault_in_a_scorer_breaks_the_clause(
    clause: testing.ScorerClause, faulty: Openings
) -> None:
    """Each scorer clause finds its fault."""
    with pytest.raises(AssertionError):
        clause(faulty, ASKS)


class Lazy(FirstWords):
    """It leaves a record out."""

    def summarize(self, records: Sequence[Record]) -> Iterator[Summary]:  # type: ignore[override] # a double
        yield from super().summarize(records[1:])


class Moody(FirstWords):
    """It counts the records that it has seen."""

    def summarize(self, records: Sequence[Record]) -> Iterator[Summary]:  # type: ignore[override] # a double
        for i, summary in enumerate(super().summarize(records)):
            yield Summary(summary.record, summary.system, f"{summary.text} {i}")


@pytest.mark.parametrize("clause", SUMMARIZER_CLAUSES, ids=lambda c: c.__name__)
def test_a_sound_summarizer_keeps_the_clause(clause: testing.SummarizerClause) -> None:
    """The stranger's summarizer meets every clause."""
    clause(FirstWords(), RECORDS)


@pytest.mark.parametrize(("clause", "faulty"), list(zip(SUMMARIZER_CLAUSES, [Lazy(), Moody()], strict=True)))
def test_a_planted_fault_in_a_summarizer_breaks_the_clause(
    clause: testing.SummarizerClause, faulty: FirstWords
) -> None:
    """Each summarizer clause finds its fault."""
    with pytest.raises(AssertionError):
        clause(faulty, RECORDS)


def test_a_plug_in_is_found_by_name_like_our_own() -> None:
    """An installed package's entry points are all it takes."""
    assert registry.make("measure", "opening_gap@party") == OpeningGap("party")
    assert registry.make("scorer", "openings") == Openings()
    assert registry.make("summarizer", "openings(words=2)") == FirstWords(2)
