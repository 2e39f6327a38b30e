"""How much of a summary each document supports: what the measures of coverage observe.

Source: Li, Zhang, Wang, Zhang: Coverage-based Fairness in Multi-document Summarization. What their
released code does otherwise stands in docs/decisions/coverage.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.batches import in_parts, only_one, only_one_of_extracts
from fairbrief.measures.coverage_folding import (
    covered_share,
    document_coverage,
    fold_chunks,
    merge_mutual,
)
from fairbrief.measures.measure_settings import check_known
from fairbrief.measures.permutation_schemes import coded, item_keys
from fairbrief.measures.summary_units import chunks_of, units_of
from fairbrief.statistics import TIE
from fairbrief.text.chunks import CUTS, Cut
from fairbrief.text.segmentation import word_count
from fairbrief.text.statements import words_held
from fairbrief.types import (
    AlikeRows,
    Ask,
    Case,
    Cases,
    Column,
    Extracts,
    Floats,
    Integers,
    PermutationScheme,
    Ratio,
    Reason,
    Rows,
    Scores,
)

ONE_GROUP = Reason("one group only")
NO_UNIT = Reason("the summary has no unit")
NO_SUPPORT = Reason("no unit is supported")
FEW_UNITS = Reason("too few units")
OTHER_UNITS = Reason("the summary's units were given, the sources' were not")


AT_ONCE = 1 << 20
"""Numbers of memberships of one record that are held at a time."""


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
    pairwise: bool = False

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
    Also log lengths of the documents (``log length``, ``length²``, ``length·coverage``), by which coverage is told from
    length.
    ``pairwise`` adds what grows with the square of the groups: differences between each two, and all of it by
    the group that most documents of the record belong to.

    Reads:      document attribute ``over``; support in [0, 1], shape (chunks, units).
    Units:      ``auto`` (the summary's units if it has any, else its sentences), ``given``, ``sentences``.
    Unsupported: a summary that no document supports has no gap by covering nothing; it is left out
                unless ``unsupported=zero`` (the paper's formula taken literally).
    Permuted:   the documents' values, within the record.
    Undefined:  "no document has the attribute …", "one group only", "the summary has no unit", "no unit is
                supported", "too few units".
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=2, tests_units=("gap",), tests_within="dominated", chance_means=(("gap",),)
    )

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

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        names, codes = coded(self._values(cases))
        return PermutationScheme(codes, items=item_keys(cases[0].record)) if len(names) > 1 else None

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """Coverage of each group's documents against their record's mean."""
        return {
            f"difference[{c[1]}]": Ratio(((("difference", c[1]), 1.0),), ((("documents", c[1]), 1.0),))
            for c in columns
            if c[0] == "documents"
        }

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:
        """Every chunk against every sentence of the sources: an extract is some of the columns."""
        (ask, *_) = self.asks(cases)
        return (Ask(self.scorer, ask.rows, extracts[0].sentences),)

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The mean over the extracts; sentences of the sources are their units."""
        return only_one_of_extracts(self, cases, extracts, scores)

    def observe_many_extracts(
        self, units: Sequence[tuple[Cases, Sequence[Extracts], Sequence[Scores]]]
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same groups, and of as many documents and sentences, are observed together."""
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[Any, ...], list[tuple[int, tuple[Floats, Floats, Integers, Floats]]]] = {}
        for i, ((case,), (drawn,), scores) in enumerate(units):
            if case.summary.units is not None and self.units != "sentences":
                reasons[i] = OTHER_UNITS
                continue
            support = fold_chunks(scores[0].matrix, self._owner(case), len(case.record.documents))
            names, codes = coded(case.record.values_of(self.over))
            length = _log_lengths(case)
            kept = drawn.kept[:, scores[0].owner]  # a scorer of tokens cuts sentences further
            differs = bool((length * length).sum() > TIE)
            kind = (tuple(names), differs, len(codes), *kept.shape)
            alike.setdefault(kind, []).append((i, (kept, support, codes, length)))
        found = []
        for (names, *_), members in in_parts(alike, lambda kind: int(np.prod(kind[2:]))):
            kept, support, codes, length = (
                np.stack(part) for part in zip(*(read for _, read in members), strict=True)
            )
            columns, rows = _of_extracts(names, kept, support, codes, length)
            found.append(AlikeRows([i for i, _ in members], columns, rows[:, np.newaxis]))
        return found, reasons

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        return only_one(self, cases, scores, labels)

    def observe_many(
        self, units: Sequence[tuple[Cases, Sequence[Scores]]], labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same groups and as many documents are observed together."""
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[object, ...], list[tuple[int, _Covered]]] = {}
        for i, (cases, scores) in enumerate(units):
            found = self._covered(cases, scores)
            if isinstance(found, Reason):
                reasons[i] = found
            else:
                kind = (found.names, len(found.covered), found.has_lengths, found.most)
                alike.setdefault(kind, []).append((i, found))
        rows = [_rows(members, labels, pairwise=self.pairwise) for members in alike.values()]
        return rows, reasons

    def _covered(self, cases: Cases, scores: Sequence[Scores]) -> _Covered | Reason:
        """What is read of one record before any labelling."""
        (case,) = cases
        values = self._values(cases)
        names, codes = coded(values)
        if not names:
            return Reason(f"no document has the attribute '{self.over}'")
        if len(names) < 2:
            return ONE_GROUP
        units = units_of(case.summary, self.units)
        if not units:
            return NO_UNIT
        support = fold_chunks(scores[0].matrix, self._owner(case), len(case.record.documents))
        if self.merge < 1:
            support = merge_mutual(support, scores[1].matrix, self.merge)
        if support.shape[1] < self.least_units:
            return FEW_UNITS
        if not (support > 0).any() and self.unsupported == "left out":
            return NO_SUPPORT
        held, total = words_held(case.summary.text, units)
        supported = covered_share(support) * support.shape[1]
        length = _log_lengths(case)
        return _Covered(
            tuple(names),
            document_coverage(support, covered_only=self.denominator == "covered"),
            length,
            (float(total), float(held), float(support.shape[1]), supported),
            bool((length * length).sum() > TIE),
            _dominating(np.bincount(codes), names) if self.pairwise else None,
        )

    def _owner(self, case: Case) -> Integers:
        """The document of each chunk."""
        documents = case.record.documents
        return np.repeat(
            np.arange(len(documents)), [len(chunks_of(d.text, self.cut, self.words)) for d in documents]
        )

    def _values(self, cases: Cases) -> list[str]:
        (case,) = cases
        return case.record.values_of(self.over)


WORDS: tuple[Column, ...] = (("words",), ("words in units",), ("units",), ("units supported",))


@dataclass(frozen=True, slots=True)
class _Covered:
    """One record before any labelling: its groups, and of its documents coverage and log length (documents,)."""

    names: tuple[str, ...]
    covered: Floats
    length: Floats
    words: tuple[float, ...]
    """The columns `WORDS`."""
    has_lengths: bool
    """Whether the documents differ in length."""
    most: str | None
    """The group of most documents, where it is asked for and one."""


def _rows(members: Sequence[tuple[int, _Covered]], labels: Integers, *, pairwise: bool) -> AlikeRows:
    """The additive statistics of alike records under every labelling; ``labels`` (units, R, documents)."""
    places, records = [i for i, _ in members], [record for _, record in members]
    names, most = records[0].names, records[0].most
    covered = np.stack([record.covered for record in records])
    length = np.stack([record.length for record in records])
    level = covered.mean(axis=1, keepdims=True)
    centred = covered - level
    count, difference, lengths = _by_group(labels[places], len(names), centred, length)
    n, r, k = count.shape
    shift = difference / count
    gap = np.abs(shift).mean(axis=-1)
    one = np.ones((n, r))
    words = np.array([record.words for record in records])
    columns: list[Column] = [("one",), ("gap",), ("level",), *WORDS]
    blocks = [one, gap, one * level, *(one * of[:, np.newaxis] for of in words.T)]
    for statistic, block in (("documents", count), ("difference", difference), ("shift", shift)):
        columns += [(statistic, name) for name in names]
        blocks += list(np.moveaxis(block, -1, 0))
    columns += [("present", name) for name in names]
    blocks += [one] * k
    for a in range(k if pairwise else 0):
        for b in range(a + 1, k):
            columns += [("between", names[a], names[b]), ("pairs", names[a], names[b])]
            blocks += [shift[..., a] - shift[..., b], one]
    over, under = _extremes(shift)
    for place, name in enumerate(names):
        extreme = (over == place) | (under == place)
        columns += [("extreme", name), ("extremes", name)]
        blocks += [np.where(extreme, shift[..., place], 0.0), extreme.astype(np.float64)]
    if most is not None:
        columns += [("dominated", most), ("dominated gap", most)]
        blocks += [one, gap]
        for place, name in enumerate(names):
            columns += [("dominated documents", most, name), ("dominated difference", most, name)]
            blocks += [count[..., place], difference[..., place]]
    of_lengths = _of_lengths(length, centred, lengths, difference, count, names)
    columns += of_lengths
    blocks += of_lengths.values()
    return AlikeRows(places, tuple(columns), np.stack(blocks, axis=-1))


def _by_group(labels: Integers, groups: int, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Documents of each group and their sums of x and y, (N, R, groups) each; some labellings at a time, in bounded memory.

    Shapes: ``labels`` (N, R, documents), ``x`` and ``y`` (N, documents).
    """
    n, r, documents = labels.shape
    found = np.empty((3, n, r, groups))
    step = max(1, AT_ONCE // max(1, groups * documents))
    for start in range(0, r, step):
        part = labels[:, start : start + step]
        member = (part[:, :, np.newaxis] == np.arange(groups)[:, np.newaxis]).astype(np.float64)
        of_documents = member.reshape(n, -1, documents)
        found[0, :, start : start + step] = member.sum(axis=-1)
        for sums, of in zip(found[1:], (x, y), strict=True):
            sums[:, start : start + step] = (of_documents @ of[:, :, np.newaxis]).reshape(n, -1, groups)
    return found[0], found[1], found[2]


def _of_extracts(
    names: Sequence[str], kept: Floats, support: Floats, codes: Integers, length: Floats
) -> tuple[tuple[Column, ...], Floats]:
    """Columns, and a row of each record (N, columns): means over the extracts.

    Shapes: ``kept`` (N, extracts, units), ``support`` (N, documents, units), ``codes`` and ``length`` (N, documents).
    """
    read = np.maximum(kept.sum(axis=2, keepdims=True), 1.0)
    covered = kept @ support.transpose(0, 2, 1) / read
    member = (codes[:, :, np.newaxis] == np.arange(len(names))).astype(np.float64)
    count = member.sum(axis=1)
    level = covered.mean(axis=2)
    centred = covered - level[:, :, np.newaxis]
    difference = centred @ member
    gap = np.abs(difference / count[:, np.newaxis]).mean(axis=2)
    means = difference.mean(axis=1)
    of_length = (length[:, np.newaxis] @ member)[:, 0]
    of_lengths = _of_lengths(
        length,
        centred.mean(axis=1),
        of_length[:, np.newaxis],
        means[:, np.newaxis],
        count[:, np.newaxis],
        names,
    )
    columns: list[Column] = [("one",), ("gap",), ("level",)]
    columns += [("documents", name) for name in names] + [("difference", name) for name in names]
    one = np.ones(len(kept))
    blocks = [one, gap.mean(axis=1), level.mean(axis=1), *count.T, *means.T]
    blocks += [block[:, 0] for block in of_lengths.values()]
    return (*columns, *of_lengths), np.stack(blocks, axis=1)


def _log_lengths(case: Case) -> Floats:
    """Logarithms of the documents' lengths in words, less their mean. Shape (documents,)."""
    length = np.log([max(1, word_count(d.text)) for d in case.record.documents])
    return np.asarray(length - length.mean())


def _of_lengths(
    x: Floats, y: Floats, of_x: Floats, of_y: Floats, count: Floats, names: Sequence[str]
) -> dict[Column, Floats]:
    """What tells coverage ``y`` from length ``x``: lengths by group, and, within the groups of the record, their sums of
    squares and of products with coverage. Shapes: ``x``, ``y`` (N, documents), of records whose lengths all differ or
    none of whose do; sums by group (N, R, groups); (N, R) each.
    """
    found: dict[Column, Floats] = {("log length", name): of_x[..., k] for k, name in enumerate(names)}
    whole = (x * x).sum(axis=1, keepdims=True)
    if (whole > TIE).all():
        mean = of_x / count
        squares = whole - (of_x * mean).sum(axis=-1)
        tells = squares > TIE
        products = (x * y).sum(axis=1, keepdims=True) - (of_y * mean).sum(axis=-1)
        found["length²",] = np.where(tells, squares, 0.0)
        found["length·coverage",] = np.where(tells, products, 0.0)
    return found


def _extremes(shift: Floats) -> tuple[Integers, Integers]:
    """Index of the most and the least covered value under each labelling; the first of equals."""
    return (
        np.argmax(shift >= shift.max(axis=-1, keepdims=True) - TIE, axis=-1),
        np.argmax(shift <= shift.min(axis=-1, keepdims=True) + TIE, axis=-1),
    )


def _dominating(count: Integers, names: Sequence[str]) -> str | None:
    """The value of most documents, if it is one."""
    most = np.flatnonzero(count == count.max())
    return names[most[0]] if len(most) == 1 else None
