"""How much of a summary each document supports: what the measures of coverage observe.

Source: Li, Zhang, Wang, Zhang: Coverage-based Fairness in Multi-document Summarization. What their
released code does otherwise stands in docs/decisions/coverage.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.coverage_folding import (
    covered_share,
    document_coverage,
    fold_chunks,
    merge_mutual,
)
from fairbrief.measures.exchanging import coded
from fairbrief.measures.settings import check_known
from fairbrief.measures.units import chunks_of, units_of
from fairbrief.nouns import (
    Ask,
    Cases,
    Column,
    Exchange,
    Floats,
    Integers,
    Reason,
    Rows,
    Scores,
)
from fairbrief.text.chunks import CUTS, Cut
from fairbrief.text.statements import words_held

ONE_GROUP = Reason("one group only")
NO_UNIT = Reason("the summary has no unit")
NO_SUPPORT = Reason("no unit is supported")
FEW_UNITS = Reason("too few units")


@dataclass(frozen=True, repr=False)
class CoverageSettings:
    """What decides how coverage is observed; measures and observation share it."""

    over: str
    scorer: str = "containment"
    units: str = "auto"
    cut: Cut = "groups"
    words: int = 100
    merge: float = 1.0
    denominator: Literal["all", "covered"] = "all"
    least_units: int = 1
    unsupported: Literal["left out", "zero"] = "left out"

    def __post_init__(self) -> None:
        check_known("cut", self.cut, CUTS)
        check_known("units", self.units, ("auto", "given", "sentences"))
        check_known("denominator", self.denominator, ("all", "covered"))
        check_known("unsupported", self.unsupported, ("left out", "zero"))
        if self.words < 1 or self.least_units < 1:
            raise ValueError(f"words={self.words} and least_units={self.least_units} are 1 or more")
        if not 0 < self.merge <= 1:
            raise ValueError(f"merge={self.merge} is not in (0, 1], as support is")
        if self.unsupported == "zero" and self.denominator == "covered":
            raise ValueError("unsupported=zero needs denominator=all: nothing divided by nothing is no zero")


@dataclass(frozen=True)
class Coverage(CoverageSettings):
    """How much of the summary each document of a record supports, by the value of an attribute.

    With p_ij = max over the chunks of document i of score(chunk, unit j), document i's coverage is
    x_i = mean over units of p_ij. One row per summary: ``gap`` = (1/K') Σ over the K' values present
    of |mean of x in the value − mean of x|; ``level`` = mean of x; per value the number of documents,
    the sum of x_i − mean x over them (``difference``), and the value's own mean gap (``shift``).

    Reads:      document attribute ``over``; support in [0, 1], shape (chunks, units).
    Units:      ``auto`` (the summary's units if it has any, else its sentences), ``given``, ``sentences``.
    Unsupported: a summary that no document supports has no gap by covering nothing; it is left out
                unless ``unsupported=zero`` (the paper's formula taken literally).
    Exchange:   the documents' values, within the record.
    Undefined:  "no document has the attribute …", "one group only", "the summary has no unit", "no unit is
                supported", "too few units".
    """

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = ("gap",)
    tests_within: ClassVar[str] = "dominated"
    version: ClassVar[int] = 1

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        units = units_of(case.summary, self.units)
        if not units or len(set(self._values(cases))) < 2:
            return ()
        rows = tuple(
            chunk for d in case.record.documents for chunk in chunks_of(d.text, self.cut, self.words)
        )
        support = Ask(self.scorer, rows, units)
        return (support, Ask(self.scorer, units, units)) if self.merge < 1 else (support,)

    def exchange(self, cases: Cases) -> Exchange | None:
        names, codes = coded(self._values(cases))
        return Exchange(codes) if len(names) > 1 else None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        (case,) = cases
        names = sorted(set(self._values(cases)))
        if not names:
            return Reason(f"no document has the attribute '{self.over}'")
        if len(names) < 2:
            return ONE_GROUP
        units = units_of(case.summary, self.units)
        if not units:
            return NO_UNIT
        owner = np.repeat(
            np.arange(len(case.record.documents)),
            [len(chunks_of(d.text, self.cut, self.words)) for d in case.record.documents],
        )
        support = fold_chunks(scores[0].matrix, owner, len(case.record.documents))
        if self.merge < 1:
            support = merge_mutual(support, scores[1].matrix, self.merge)
        if support.shape[1] < self.least_units:
            return FEW_UNITS
        if not (support > 0).any() and self.unsupported == "left out":
            return NO_SUPPORT
        covered = document_coverage(support, covered_only=self.denominator == "covered")
        held, total = words_held(case.summary.text, units)
        fixed: dict[Column, float] = {
            ("words",): float(total),
            ("words in units",): float(held),
            ("units",): float(support.shape[1]),
            ("units supported",): covered_share(support) * support.shape[1],
        }
        return _rows(covered, labels, names, fixed)

    def _values(self, cases: Cases) -> list[str]:
        (case,) = cases
        return case.record.values_of(self.over)


def _rows(covered: Floats, labels: Integers, names: Sequence[str], fixed: Mapping[Column, float]) -> Rows:
    """The additive statistics under every labelling. ``covered`` (documents,), ``labels`` (R, documents)."""
    member = (labels[:, np.newaxis, :] == np.arange(len(names))[:, np.newaxis]).astype(np.float64)
    count = member.sum(axis=2)
    centred = covered - covered.mean()
    difference = member @ centred
    shift = difference / count
    gap = np.abs(shift).mean(axis=1)
    columns: list[Column] = [("one",), ("gap",), ("level",), *fixed]
    blocks = [np.ones(len(labels)), gap, np.full(len(labels), covered.mean())]
    blocks += [np.full(len(labels), value) for value in fixed.values()]
    for statistic, block in (("documents", count), ("difference", difference), ("shift", shift)):
        columns += [(statistic, name) for name in names]
        blocks += list(block.T)
    columns += [("present", name) for name in names]
    blocks += [np.ones(len(labels))] * len(names)
    for a in range(len(names)):
        for b in range(a + 1, len(names)):
            columns += [("between", names[a], names[b]), ("pairs", names[a], names[b])]
            blocks += [shift[:, a] - shift[:, b], np.ones(len(labels))]
    over, under = _extremes(shift)
    for k, name in enumerate(names):
        extreme = (over == k) | (under == k)
        columns += [("extreme", name), ("extremes", name)]
        blocks += [np.where(extreme, shift[:, k], 0.0), extreme.astype(np.float64)]
    most = _dominating(count[0], names)
    if most is not None:
        columns += [("dominated", most), ("dominated gap", most)]
        blocks += [np.ones(len(labels)), gap]
        for k, name in enumerate(names):
            columns += [("dominated documents", most, name), ("dominated difference", most, name)]
            blocks += [count[:, k], difference[:, k]]
    return Rows(tuple(columns), np.column_stack(blocks))


TIE = 1e-12


def _extremes(shift: Floats) -> tuple[Integers, Integers]:
    """Index of the most and the least covered value under each labelling; the first of equals."""
    return (
        np.argmax(shift >= shift.max(axis=1, keepdims=True) - TIE, axis=1),
        np.argmax(shift <= shift.min(axis=1, keepdims=True) + TIE, axis=1),
    )


def _dominating(count: Floats, names: Sequence[str]) -> str | None:
    """The value of most documents, if it is one."""
    most = np.flatnonzero(count == count.max())
    return names[most[0]] if len(most) == 1 else None
