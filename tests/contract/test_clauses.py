"""Each clause of the contract is proved by a planted fault, and kept by a stranger's plug-in."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from fairbrief_openings import FirstWords, Opened, OpeningGap, Openings

from fairbrief import testing
from fairbrief import types as t
from fairbrief.score_tables import ScoredUnits
from fairbrief.testing import MEASURE_CLAUSES, SCORER_CLAUSES, SUMMARIZER_CLAUSES

WORDS = ("taxes rain wages", "bread roads taxes", "sun sun rain")
PARTIES = [{"party": party} for party in "LLR"]
RECORDS = [
    t.Record(f"r{i}", tuple(map(t.Document, [f"{word} is here" for word in words.split()], PARTIES)))
    for i, words in enumerate(WORDS)
]
CASES = [
    t.Case(r, t.Summary(r.id, "s", text))
    for r, text in zip(RECORDS, ["taxes rise", "bread and roads", "snow"], strict=True)
]
ASKS = [t.Ask("openings", tuple(d.text for d in r.documents), (r.documents[0].text, "rain")) for r in RECORDS]


def changed(change: Callable[[t.Cases, t.Floats], t.Floats]) -> type[OpeningGap]:
    """A measure whose observation has other rows."""

    class Broken(Opened):
        def observe(
            self, cases: t.Cases, scores: Sequence[t.Scores], labels: t.Integers
        ) -> t.Rows | t.Reason:
            rows = super().observe(cases, scores, labels)
            assert isinstance(rows, t.Rows)
            return t.Rows(rows.columns, change(cases, rows.values))

    class Faulty(OpeningGap):
        @property
        def observation(self) -> Opened:
            return Broken(self.over)

    return Faulty


@dataclass(frozen=True, repr=False)
class Nameless(OpeningGap):
    """Its spec is not its own."""

    def __repr__(self) -> str:
        return "opening_gap@somebody"


class Neighbourly(OpeningGap):
    """A unit's row depends on the units beside it."""

    @property
    def observation(self) -> Opened:
        class Broken(Opened):
            def observe_many(
                self, units: ScoredUnits, labels: t.Integers
            ) -> tuple[Sequence[t.AlikeRows], Mapping[int, t.Reason]]:
                found = [self.observe(*unit, own) for unit, own in zip(units, labels, strict=True)]
                rows = {i: rows for i, rows in enumerate(found) if isinstance(rows, t.Rows)}
                blocks = [
                    t.AlikeRows([i], r.columns, (r.values + len(units))[np.newaxis]) for i, r in rows.items()
                ]
                return blocks, {i: reason for i, reason in enumerate(found) if isinstance(reason, t.Reason)}

        return Broken(self.over)


def valued(value: Callable[[t.Totals, t.Floats], t.Floats]) -> type[OpeningGap]:
    """A measure with another value, of its totals and its value."""

    class Faulty(OpeningGap):
        def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
            gap = super().value(totals)["opening_gap"].array
            return {"opening_gap": t.Value(value(totals, gap), "upper")}

    return Faulty


def growing(totals: t.Totals, gap: t.Floats) -> t.Floats:
    """A value that grows with the number of rows."""
    return np.where(np.isnan(gap), gap, totals["documents", "L"])


class Mute(OpeningGap):
    """It explains nothing."""

    def explain(self, totals: t.Totals) -> str:  # noqa: ARG002
        return " "


class Short(Openings):
    """It forgets the last ask."""

    def answer(self, asks: Sequence[t.Ask]) -> Iterator[t.Scores]:
        yield from super().answer(asks[:-1] if len(asks) > 1 else asks)


class Drifting(Openings):
    """Its scores depend on the place in the batch."""

    def answer(self, asks: Sequence[t.Ask]) -> Iterator[t.Scores]:
        for i, scores in enumerate(super().answer(asks)):
            yield t.Scores(scores.matrix + i, scores.owner, scores.sizes)


class Anonymous(Openings):
    """Its fingerprint says nothing."""

    @property
    def fingerprint(self) -> str:
        return "1"


class Lazy(FirstWords):
    """It leaves a record out."""

    def summarize(self, records: Sequence[t.Record]) -> Iterator[t.Summary]:  # type: ignore[override] # a double
        yield from super().summarize(records[1:])


class Moody(FirstWords):
    """It counts the records that it has seen."""

    def summarize(self, records: Sequence[t.Record]) -> Iterator[t.Summary]:  # type: ignore[override] # a double
        for i, summary in enumerate(super().summarize(records)):
            yield t.Summary(summary.record, summary.system, f"{summary.text} {i}")


SEEN = itertools.count()
FAULTY_MEASURES = [
    (testing.keeps_its_name, Nameless),
    (testing.gives_a_row_or_a_reason, changed(lambda _, values: values + np.inf)),
    (testing.gives_a_row_or_a_reason, Mute),
    (testing.observes_the_same_twice, changed(lambda _, values: values + next(SEEN))),
    (testing.observes_the_same_twice, changed(lambda cases, values: values + len(cases[0].record.id))),
    (testing.reads_each_permutation_alone, changed(lambda _, values: values - values.mean(axis=0))),
    (testing.reads_each_unit_alone, Neighbourly),
    (testing.broadcasts, valued(lambda totals, gap: gap + totals.array.ndim)),
    (testing.is_undefined_without_rows, valued(lambda _, gap: np.nan_to_num(gap))),
    (testing.depends_on_totals_only, valued(growing)),
]
PLANTED = [
    *((clause, measure("party"), CASES) for clause, measure in FAULTY_MEASURES),
    *((clause, faulty, ASKS) for clause, faulty in zip(SCORER_CLAUSES, [Short(), Drifting(), Anonymous()], strict=True)),
    *((clause, faulty, RECORDS) for clause, faulty in zip(SUMMARIZER_CLAUSES, [Lazy(), Moody()], strict=True)),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "faulty", "given"), PLANTED)
def test_a_planted_fault_breaks_the_clause(clause: Callable[..., None], faulty: Any, given: Any) -> None:
    """A plug-in with just this fault is found out by just this clause. Without faults, it is tested with the built-ins."""
    with pytest.raises(AssertionError):
        clause(faulty, given)


def test_each_clause_has_a_planted_fault() -> None:
    """No clause is without a proof."""
    assert {clause for clause, *_ in PLANTED} == {*MEASURE_CLAUSES, *SCORER_CLAUSES, *SUMMARIZER_CLAUSES}
