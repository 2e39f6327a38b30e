"""How often summaries say given phrases that their sources do not: "first woman", "first man"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.known_records import known
from fairbrief.specs import spell
from fairbrief.statistics import ratio
from fairbrief.types import (
    Ask,
    Cases,
    Column,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)

FIRSTS = "first woman, first female, first man, first male"


@dataclass(frozen=True, slots=True)
class Phrases:
    """Occurrences of phrases in one summary and in its source.

    Evidence: ``summary[p]``, ``source[p]``: occurrences of phrase p; ``added[p]``: those in the summary where the
    source has none; ``one`` (summaries).
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)
    phrases: str = FIRSTS

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002 - words are counted, nothing is scored
        return ()

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - there are no labels
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        (case,) = cases
        row: dict[Column, float] = {("one",): 1.0}
        for phrase, pattern in patterns(self.phrases).items():
            said = len(pattern.findall(case.summary.text))
            given = len(pattern.findall(known(case.record).source))
            row |= {("summary", phrase): said, ("source", phrase): given}
            row["added", phrase] = 0 if given else said
        return Rows(tuple(row), np.array([list(row.values())], dtype=float))


@dataclass(frozen=True, repr=False)
class PhraseCounts:
    """Phrases that summaries add, per summary: occurrences of any phrase of a list where the source has none of it.

    ``phrases`` parts them by commas; whole words, case aside. By default those by which Steen & Markert saw that
    women in office are marked as such: first woman, first female, first man, first male. ``--slice gender`` tells
    them by the group that a record is about.

    Reads:      documents and summaries.
    Evidence:   `Phrases`.
    Value:      ≥ 0. ``count[p]``: occurrences in summaries, in all; ``added[p]``: where the source has none;
                ``source_count[p]``: occurrences in sources.
    Source:     Steen & Markert, §9.2.
    """

    name: ClassVar[str] = "phrase_counts"
    declaration: ClassVar[Declaration] = Declaration(
        family="People",
        question="how often summaries use phrases that their texts do not",
        harm="A group in office would be told as an exception, where the text tells of no exception.",
        on_request="its phrases are chosen for a question",
        better="less",
    )
    phrases: str = FIRSTS

    def __post_init__(self) -> None:
        if not patterns(self.phrases):
            raise ValueError("phrases= names none; write phrases='first woman, first man'.")

    __repr__ = spell

    @property
    def observation(self) -> Phrases:
        return Phrases(self.phrases)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        phrases = list(patterns(self.phrases))
        values = {self.name: Value(ratio(totals.stack("added", phrases).sum(axis=-1), totals["one"]))}
        for phrase in phrases:
            values[f"count[{phrase}]"] = Value(totals["summary", phrase])
            values[f"added[{phrase}]"] = Value(totals["added", phrase])
            values[f"source_count[{phrase}]"] = Value(totals["source", phrase])
        return values

    def explain(self, totals: Totals) -> str:
        """The phrases of one summary, and how many of them its source has."""
        told = [
            f"'{p}': {totals['summary', p]:.0f} in the summary, {totals['source', p]:.0f} in the source"
            for p in patterns(self.phrases)
            if totals["summary", p]
        ]
        return "; ".join(told) or "None of the phrases."


@lru_cache(maxsize=64)
def patterns(phrases: str) -> dict[str, re.Pattern[str]]:
    """Each phrase, and what finds it as whole words."""
    wanted = dict.fromkeys(" ".join(part.split()) for part in phrases.split(","))
    return {
        phrase: re.compile(rf"\b{re.escape(phrase)}\b".replace(r"\ ", r"\s+"), re.IGNORECASE)
        for phrase in wanted
        if phrase
    }
