"""Whose documents' opening words does a summary repeat? A whole plug-in in one page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.specs import spell
from fairbrief.types import (
    Ask,
    Cases,
    Integers,
    PermutationScheme,
    Reason,
    Record,
    Rows,
    Scores,
    Summary,
    Totals,
    Value,
)


@dataclass(frozen=True)
class Openings:
    """1 where the first word of a row's text occurs in the column's text, else 0."""

    name: ClassVar[str] = "openings"

    @property
    def fingerprint(self) -> str:
        """There is nothing to set."""
        return "openings:1"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """Shape of each matrix: (rows, columns)."""
        for ask in asks:
            matrix = np.zeros((len(ask.rows), len(ask.columns)))
            for j, column in enumerate(ask.columns):
                words = set(column.lower().split())
                matrix[:, j] = [bool(row.split()) and row.split()[0].lower() in words for row in ask.rows]
            yield Scores(matrix, np.arange(len(ask.columns)), np.zeros(len(ask.rows)))


@dataclass(frozen=True)
class Opened:
    """Per value: how many documents there are, and how many of their first words the summary repeats."""

    over: str

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        return (Ask("openings", tuple(d.text for d in case.record.documents), (case.summary.text,)),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        values = self._values(cases)
        if None in values:
            return None
        return PermutationScheme(np.array([sorted(set(values)).index(v) for v in values]))

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        names = self._values(cases)
        if None in names:
            return Reason(f"a document has no attribute '{self.over}'")
        values = sorted(set(names))
        opened = scores[0].matrix[:, 0]
        member = labels[:, :, np.newaxis] == np.arange(len(values))
        columns = [(kind, value) for kind in ("documents", "opened") for value in values]
        return Rows(tuple(columns), np.hstack([member.sum(axis=1), np.einsum("rdv,d->rv", member, opened)]))

    def _values(self, cases: Cases) -> list[str]:
        (case,) = cases
        return [d.attributes.get(self.over) for d in case.record.documents]


@dataclass(frozen=True, repr=False)
class OpeningGap:
    """Largest difference between values in the share of documents whose first word the summary repeats.

    In [0, 1]; 0 when all values are repeated alike. Positive by chance: read with its null.
    """

    name: ClassVar[str] = "opening_gap"
    declaration: ClassVar[Declaration] = Declaration(
        family="Openings",
        question="how unequally summaries repeat the first words of the groups' documents",
        harm="Who begins with the same words as others would be heard less than they are.",
    )
    over: str

    @property
    def observation(self) -> Opened:
        return Opened(self.over)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        values = totals.values_of("documents")
        documents, opened = totals.stack("documents", values), totals.stack("opened", values)
        share = np.where(documents > 0, opened / np.where(documents > 0, documents, 1), np.nan)
        found = np.isfinite(share)
        gap = np.where(found, share, -np.inf).max(axis=-1) - np.where(found, share, np.inf).min(axis=-1)
        return {"opening_gap": Value(np.where(found.sum(axis=-1) > 1, gap, np.nan), "upper")}

    def explain(self, totals: Totals) -> str:
        return "; ".join(
            f"{v}: {totals['opened', v]:.0f} of {totals['documents', v]:.0f}"
            for v in totals.values_of("documents")
        )

    def __repr__(self) -> str:
        return spell(self)


@dataclass(frozen=True)
class FirstWords:
    """The first words of every document."""

    name: ClassVar[str] = "openings"
    words: int = 3

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        for record in records:
            text = " ".join(" ".join(d.text.split()[: self.words]) for d in record.documents)
            yield Summary(record.id, self.name, text)
