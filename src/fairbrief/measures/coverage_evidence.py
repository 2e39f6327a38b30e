"""How much of a summary each document supports: what the measures of coverage observe.

Source: Li, Zhang, Wang, Zhang: Coverage-based Fairness in Multi-document Summarization. What their
released code does otherwise stands in docs/decisions/coverage.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import reduce
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.batches import different, in_parts, only_one, only_one_of_extracts, summed
from fairbrief.measures.coverage_folding import (
    covered_share,
    document_coverage,
    fold_chunks,
    merge_mutual,
)
from fairbrief.measures.known_records import Chunks, KnownRecord, known
from fairbrief.measures.measure_settings import check_known, check_uncut
from fairbrief.measures.permutation_schemes import groups_of
from fairbrief.measures.summary_units import chunks_by_document, owner_of, units_of
from fairbrief.score_tables import ScoredExtracts, ScoredUnits
from fairbrief.statistics import TIE
from fairbrief.text.segmentation import word_counts, word_totals, words_held
from fairbrief.text.sentences import CUTS, Cut
from fairbrief.types import (
    AlikeRows,
    Ask,
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
    Summary,
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
        check_uncut("scorer", self.scorer)
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
    the sums over them of x_i − mean x (``difference``) and of mean x (``record mean``), and the value's own mean
    gap (``shift``).
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
        scope="case", version=3, tests_units=("gap",), tests_within="dominated", chance_means=(("gap",),)
    )

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        units = units_of(case.summary, self.units)
        about = known(case.record)
        if not units or len(groups_of(about, self.over).names) < 2:
            return ()
        support = Ask(self.scorer, self._chunks(about)[0], units)
        return (support, Ask(self.scorer, units, units)) if self.merge < 1 else (support,)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        groups = groups_of(known(cases[0].record), self.over)
        return groups.scheme if len(groups.names) > 1 else None

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """Coverage of each group's documents against their record's mean."""
        return {
            f"difference[{c[1]}]": Ratio(((("difference", c[1]), 1.0),), ((("documents", c[1]), 1.0),))
            for c in columns
            if c[0] == "documents"
        }

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:
        """Every chunk against every sentence of the sources: an extract is some of the columns."""
        return (Ask(self.scorer, self._chunks(known(cases[0].record))[0], extracts[0].sentences),)

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The mean over the extracts; sentences of the sources are their units."""
        return only_one_of_extracts(self, cases, extracts, scores)

    def observe_many_extracts(
        self, units: Sequence[tuple[Cases, Sequence[Extracts], Sequence[Scores]]]
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same groups, and of as many documents and sentences, are observed together."""
        units = ScoredExtracts.of(units)
        table, first = units.scored.table, units.scored.first
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[Any, ...], list[tuple[int, Integers]]] = {}
        for i, ((case,), (drawn,)) in enumerate(zip(units.scored.cases, units.drawn, strict=True)):
            if case.summary.units is not None and self.units != "sentences":
                reasons[i] = OTHER_UNITS
                continue
            about = known(case.record)
            groups = groups_of(about, self.over)
            owner = table.owner_of(first[i]).tobytes()  # a scorer of tokens cuts sentences further
            kind = groups.names, self._chunks(about)[1], owner, drawn.kept.shape
            alike.setdefault(kind, []).append((i, groups.codes))
        found = []
        for (names, chunks, *_), members in in_parts(
            alike, lambda kind: len(kind[1]) * int(np.prod(kind[3]))
        ):
            places, codes = np.array([i for i, _ in members]), np.stack([codes for _, codes in members])
            some = units.some([i for i, _ in members])
            sentence = table.owner_of(first[places[0]])
            kept = np.stack([drawn.kept for (drawn,) in some.drawn])
            kept, which = different(kept, max(len(chunks), len(sentence)))
            if len(sentence) != kept.shape[2] or (sentence != np.arange(len(sentence))).any():
                kept = kept.take(sentence, axis=2)
            support = fold_chunks(table.matrices(first[places]), owner_of(chunks), len(chunks))
            length = _log_lengths([case for (case,) in some.scored.cases], len(chunks))
            for here in _by_lengths(length):
                columns, rows = _of_extracts(
                    names, kept[here], which[here], support[here], codes[here], length[here]
                )
                found.append(AlikeRows(places[here].tolist(), columns, rows[:, np.newaxis]))
        return found, reasons

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        return only_one(self, cases, scores, labels)

    def observe_many(
        self, units: Sequence[tuple[Cases, Sequence[Scores]]], labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same groups and as many documents are observed together."""
        units = ScoredUnits.of(units)
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[Any, ...], list[int]] = {}
        for i, ((case,), n_units) in enumerate(
            zip(units.cases, units.first_shapes[:, 1].tolist(), strict=True)
        ):
            about = known(case.record)
            groups = groups_of(about, self.over)
            names = groups.names
            if not names:
                reasons[i] = Reason(f"no document has the attribute '{self.over}'")
            elif len(names) < 2:
                reasons[i] = ONE_GROUP
            elif n_units < 0:
                reasons[i] = NO_UNIT
            else:
                most = _dominating(np.bincount(groups.codes), names) if self.pairwise else None
                merged = i if self.merge < 1 else -1  # of which as many units are left as come out
                kind = names, most, self._chunks(about)[1], n_units, merged
                alike.setdefault(kind, []).append(i)
        read: dict[tuple[Any, ...], list[_Covered]] = {}
        for (names, most, chunks, *_), places in alike.items():
            read.setdefault((names, most, len(chunks)), []).append(
                self._covered(units, np.array(places), chunks, reasons)
            )
        rows = []
        for (names, most, _), parts in read.items():
            together = _Covered(*map(np.concatenate, zip(*map(astuple, parts), strict=True)))
            rows += [
                _rows(names, most, together.of(here), labels, pairwise=self.pairwise)
                for here in _by_lengths(together.length)
            ]
        return rows, reasons

    def _covered(
        self,
        units: ScoredUnits,
        places: Integers,
        chunks: tuple[int, ...],
        reasons: dict[int, Reason],
    ) -> _Covered:
        """What is read, before any labelling, of records that have as many chunks and units; adds why others have no row."""
        first = units.first[places]
        support = fold_chunks(units.table.matrices(first), owner_of(chunks), len(chunks))
        if self.merge < 1:
            between = units.table[int(first[0]) + 1].matrix
            support = merge_mutual(support[0], between, self.merge)[np.newaxis]
        n_units, share = support.shape[2], covered_share(support)
        if n_units < self.least_units:
            reasons |= dict.fromkeys(places.tolist(), FEW_UNITS)
            kept = np.zeros(len(places), dtype=bool)
        else:
            kept = (share > 0) | (self.unsupported == "zero")
            reasons |= dict.fromkeys(places[~kept].tolist(), NO_SUPPORT)
        cases = [units.cases[i][0] for i in places[kept].tolist()]
        own, total = self._words([case.summary for case in cases])
        return _Covered(
            places[kept],
            document_coverage(support[kept], covered_only=self.denominator == "covered"),
            _log_lengths(cases, len(chunks)),
            np.column_stack([total, own, np.full(len(cases), n_units), share[kept] * n_units]),
        )

    def _chunks(self, about: KnownRecord) -> Chunks:
        """The chunks of the documents, and how many each has."""
        return chunks_by_document(about, self.cut, self.words)

    def _words(self, summaries: Sequence[Summary]) -> tuple[Floats, Floats]:
        """How many of each summary's words its units hold, and how many it has; its sentences hold all. Shape (N,) each."""
        total = word_totals([summary.text for summary in summaries]).astype(np.float64)
        own = total.copy()
        for i, summary in enumerate(summaries):
            if summary.units is not None and self.units != "sentences":
                own[i], _ = words_held(summary.text, units_of(summary, self.units))
        return own, total


WORDS: tuple[Column, ...] = (("words",), ("words in units",), ("units",), ("units supported",))


@dataclass(frozen=True, slots=True)
class _Covered:
    """Records of the same groups and as many documents, before any labelling.

    Shapes: ``places`` (N,) among the units; ``covered`` and ``length``, coverage and log length, (N, documents); ``words``
    (N, 4), the columns `WORDS`.
    """

    places: Integers
    covered: Floats
    length: Floats
    words: Floats

    def of(self, chosen: Integers | slice) -> _Covered:
        """Some of the records."""
        return _Covered(self.places[chosen], self.covered[chosen], self.length[chosen], self.words[chosen])


def _rows(
    names: Sequence[str], most: str | None, records: _Covered, labels: Integers, *, pairwise: bool
) -> AlikeRows:
    """The additive statistics of alike records under every labelling; ``labels`` (units, R, documents)."""
    places, covered, length = records.places, records.covered, records.length
    level = covered.mean(axis=1, keepdims=True)
    centred = covered - level
    count, difference, lengths = _by_group(labels[places], len(names), centred, length)
    n, r, k = count.shape
    shift = difference / count
    gap = np.abs(shift).mean(axis=-1)
    one = np.ones((n, r))
    columns: list[Column] = [("one",), ("gap",), ("level",), *WORDS]
    blocks = [one, gap, one * level, *(one * of[:, np.newaxis] for of in records.words.T)]
    for statistic, block in (
        ("documents", count),
        ("difference", difference),
        ("record mean", count * level[..., np.newaxis]),
        ("shift", shift),
    ):
        columns += [(statistic, name) for name in names]
        blocks += list(np.moveaxis(block, -1, 0))
    for a in range(k if pairwise else 0):
        for b in range(a + 1, k):
            columns += [("between", names[a], names[b]), ("pairs", names[a], names[b])]
            blocks += [shift[..., a] - shift[..., b], one]
    for place, (name, extreme) in enumerate(zip(names, _extreme(shift), strict=True)):
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
    return AlikeRows(places.tolist(), tuple(columns), np.stack(blocks, axis=-1))


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
    names: Sequence[str], kept: Floats, which: Integers, support: Floats, codes: Integers, length: Floats
) -> tuple[tuple[Column, ...], Floats]:
    """Columns, and a row of each record (N, columns): means over the extracts, each of which is one of those that differ.

    Shapes: ``kept`` (N, different, units), ``which`` (N, extracts), ``support`` (N, documents, units), ``codes`` and ``length`` (N, documents).
    """
    extracts = which.shape[1]
    read = np.maximum(kept.sum(axis=2, keepdims=True), 1.0)
    covered = kept @ support.transpose(0, 2, 1) / read
    member = (codes[:, :, np.newaxis] == np.arange(len(names))).astype(np.float64)
    count = member.sum(axis=1)
    level = covered.mean(axis=2)
    centred = covered - level[:, :, np.newaxis]
    difference = centred @ member
    gap = np.abs(difference / count[:, np.newaxis]).mean(axis=2)
    gap, level = (np.take_along_axis(of, which, axis=1).mean(axis=1) for of in (gap, level))
    means, centred_mean = summed(difference, which) / extracts, summed(centred, which) / extracts
    of_length = (length[:, np.newaxis] @ member)[:, 0]
    of_lengths = _of_lengths(
        length,
        centred_mean,
        of_length[:, np.newaxis],
        means[:, np.newaxis],
        count[:, np.newaxis],
        names,
    )
    columns: list[Column] = [("one",), ("gap",), ("level",)]
    columns += [
        (statistic, name) for statistic in ("documents", "difference", "record mean") for name in names
    ]
    blocks = [np.ones(len(kept)), gap, level, *count.T, *means.T, *(count.T * level)]
    blocks += [block[:, 0] for block in of_lengths.values()]
    return (*columns, *of_lengths), np.stack(blocks, axis=1)


def _log_lengths(cases: Cases, documents: int) -> Floats:
    """Logarithms of the documents' lengths in words, less their mean, of records of so many. Shape (N, documents)."""
    texts = list(chain.from_iterable([known(case.record).texts for case in cases]))
    length = word_counts(texts).reshape(len(cases), documents)
    logs = np.log(np.maximum(length, 1))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def _by_lengths(length: Floats) -> Iterator[Integers | slice]:
    """The records (N, documents) whose documents differ in length, and those whose do not, if there are any."""
    differ = (length * length).sum(axis=1) > TIE
    kinds = sorted(set(differ.tolist()), reverse=True)
    yield from (np.flatnonzero(differ == kind) if len(kinds) > 1 else slice(None) for kind in kinds)


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


def _extreme(shift: Floats) -> list[NDArray[np.bool_]]:
    """Of each group, under which labellings it is the most or the least covered one; the first of equals. (N, R, groups) → (N, R) each."""
    groups = list(np.moveaxis(shift, -1, 0))  # one by one: along so short an axis numpy takes long
    found = [np.zeros(shift.shape[:-1], dtype=bool) for _ in groups]
    is_most = reduce(np.maximum, groups) - TIE
    is_least = reduce(np.minimum, groups) + TIE
    for meets, limit in ((np.greater_equal, is_most), (np.less_equal, is_least)):
        is_open = np.ones(shift.shape[:-1], dtype=bool)
        for group, extreme in zip(groups, found, strict=True):
            first = meets(group, limit) & is_open
            extreme |= first
            is_open ^= first
    return found


def _dominating(count: Integers, names: Sequence[str]) -> str | None:
    """The value of most documents, if it is one."""
    most = np.flatnonzero(count == count.max())
    return names[most[0]] if len(most) == 1 else None
