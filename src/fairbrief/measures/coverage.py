"""Coverage: whether the documents of some groups support the summary's claims less than others.

The support of claim j by document i is p_ij, the scorer's answer for the document's best passage (the scorer's
setting ``by``); the document's coverage is x_i = mean over claims of p_ij. A record's gap is (1/K') Σ over its K'
groups of |mean of x in the group − mean of x|. `EqualCoverage` is the mean gap over records, `CoverageParity` the
mean over groups of |mean of x_i − mean x over all documents of the group|. Both share one observation, `Coverage`.

Source: Li, Zhang, Zhang, Chaturvedi: Coverage-based Fairness in Multi-document Summarization. Differences from their
released code: docs/explanation/deviations.md. The file is long since the family is one piece: how a matrix of support
is aggregated, which statistics of it are summed, and which values are functions of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, combinations, product
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ObservationDeclaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, Count, Fraction, ManyAtOnce, NotObserved, TextScorer, unique
from fairbrief.measures.group_sums import mean_defined, spread, stacked
from fairbrief.measures.groups import PRIMARY, TESTED_BY_T, ComparesGroups, mean_of_records
from fairbrief.measures.record_texts import NO_CLAIM, claims_of, compared_groups, is_blank, known
from fairbrief.score_tables import ObservedUnits, ScoredUnits
from fairbrief.statistics import TIE, ratio
from fairbrief.text.counted import counted
from fairbrief.text.segmentation import word_count, words_held

AT_ONCE = 1 << 20
"""Numbers of memberships of one record that are held at a time."""
WORDS: tuple[t.Column, ...] = (("words",), ("words in claims",), ("claims",), ("claims supported",))
DECLARED = Declaration(
    family="Coverage",
    harm="What some groups wrote would go missing more often than what others wrote, so that decisions made from summaries would rest on some people's words more than on others'.",
    scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
)
"""What both measures declare."""
LOG_LENGTH, EQUAL_LENGTH = "log_length", "equal_length_difference"
FROM_0 = (0.0, math.inf)
RELATIVE = (-1.0, math.inf)
"""Documents that are not covered at all are covered 100 % less than the others."""


class Coverage(ComparesGroups, ManyAtOnce):
    """How strongly each document of a record supports the summary, by group.

    With p_ij the scorer's support of claim j by document i, at least 0, document i's coverage is x_i = mean over
    claims of p_ij.

    The settings:

    - ``claims``: ``auto`` (the summary's claims if it has any, otherwise its sentences), ``given``, or ``sentences``.
    - ``denominator=covered`` drops claims that no document supports (the release); ``all`` keeps them.
    - ``unsupported=zero`` counts a summary that no document supports as a gap of 0 (the paper's formula taken
      literally); otherwise it is excluded.
    - ``merge`` joins claims that support each other above it; ``least_claims`` is the smallest number of claims.
    - ``pairwise`` adds differences between each two groups, and values by the group that most documents of a record
      have.

    Reads:      document attribute ``over``; support in [0, 1], shape (documents, claims).
    Per record:  ``gap`` = (1/K') Σ over the K' groups present of |mean x of the group − mean x|; ``level`` = mean x;
                Per group: the number of documents, sums over them of x_i − mean x (``difference``) and of mean x
                (``record mean``), and the mean gap (``shift``). Lengths: ``log length``, ``length²``,
                ``length·coverage`` (logarithms of lengths).
    Permuted:   labels among the documents of the record.
    Undefined:  "no document has the attribute …", "one group only", "the summary has no claim", "no claim is
                supported", "too few claims".
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=4, tests_units=("gap",), tests_within="dominated", chance_means=(("gap",),)
    )
    differences: ClassVar[Any] = {"difference": ({"difference": 1.0}, "documents")}
    """Coverage of each group's documents against their record's mean."""
    over: str
    scorer: TextScorer = "containment"
    claims: Literal["auto", "given", "sentences"] = "auto"
    merge: Fraction = 1.0
    denominator: Literal["all", "covered"] = "all"
    least_claims: Count = 1
    unsupported: Literal["left out", "zero"] = "left out"
    pairwise: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unsupported == "zero" and self.denominator == "covered":
            raise ValueError("unsupported=zero needs denominator=all: 0 divided by 0 is not 0")

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        (case,) = cases
        compared_groups(case.record, self.over)  # without which nothing is observed
        if not (claims := claims_of(case.summary, self.claims)):
            return ()
        support = t.Ask(self.scorer, known(case.record).texts, claims)
        return (support, t.Ask(self.scorer, claims, claims, whole=True)) if self.merge < 1 else (support,)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return compared_groups(cases[0].record, self.over).scheme

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Every document against every sentence of the sources: an extract is some of the columns."""
        return (t.Ask(self.scorer, known(cases[0].record).texts, extracts[0].sentences),)

    def observe_many(self, units: ScoredUnits, labels: t.Integers) -> ObservedUnits:
        """Records of the same groups and as many documents are observed together."""
        reasons: dict[int, t.Reason] = {}
        n_extracts = len(units.extracts[0][0].kept) if units.extracts else 1
        together: dict[tuple[Any, ...], list[_Covered]] = {}
        kinds = self.by_kind(units, lambda kind: kind[2] * kind[3] * n_extracts, reasons)
        for (names, most, documents, *_), members in kinds:
            places = np.array(members)
            support = np.maximum(units.table.matrices(units.first[places]), 0.0)
            texts = [known(units.cases[i][0].record).texts for i in members]
            support[np.array([list(map(is_blank, own)) for own in texts])] = 0.0  # which supports nothing
            if units.extracts:
                covered = _by_extracts(units, places, support, labels[places, 0], len(names))
            else:
                covered = self._by_summaries(units, places, support, reasons)
            together.setdefault((names, most, documents), []).append(covered)
        rows = []
        for (names, most, _), parts in together.items():
            records = _Covered(*map(np.concatenate, zip(*parts, strict=True)))
            # Only records whose documents differ in length have the columns of lengths.
            differ = (records.length * records.length).sum(axis=1) > TIE
            for kind in sorted(set(differ.tolist()), reverse=True):
                arrays: list[Any] = [array[differ == kind] for array in records]
                some = _Covered(*arrays)
                found = _statistics(names, most, some, labels[some.places], pairwise=self.pairwise)
                columns = tuple(c for c in found if not units.extracts or c[0] in READ_OF_EXTRACTS)
                values = np.stack([found[c] for c in columns], axis=-1)
                rows.append(t.AlikeRows(some.places.tolist(), columns, values))
        return rows, reasons

    def kind_of(self, units: ScoredUnits, i: int) -> tuple[Any, ...]:
        """The groups of a unit's record, the one of most documents, and how many documents and claims it has."""
        (case,), n_claims = units.cases[i], int(units.first_shapes[i, 1])
        groups = compared_groups(case.record, self.over)
        most: str | None = None
        more: Any = i if self.merge < 1 else None  # merged units are as many as come out
        if n_claims < 0:
            raise NotObserved(NO_CLAIM)
        if units.extracts:
            if self._has_given_claims(case):
                raise NotObserved("the summary's claims were given, the sources' were not")
            # Extracts are alike whose sentences a scorer of tokens cuts alike.
            more = units.first_owners[i], units.extracts[i][0].kept.shape
        elif self.pairwise:
            many = np.bincount(groups.codes)
            largest = np.flatnonzero(many == many.max())
            most = groups.names[largest[0]] if len(largest) == 1 else None
        return groups.names, most, len(groups.codes), n_claims, more

    def _by_summaries(
        self, units: ScoredUnits, places: t.Integers, support: t.Floats, reasons: dict[int, t.Reason]
    ) -> _Covered:
        """Coverage by summaries, of records that have as many documents and units; adds why others have none."""
        if self.merge < 1:
            between = units.table[int(units.first[places[0]]) + 1].matrix
            support = merge_mutual(support[0], between, self.merge)[np.newaxis]
        n_claims, share = support.shape[2], (support > 0).any(axis=1).mean(axis=1)
        is_few = n_claims < self.least_claims
        kept = ((share > 0) | (self.unsupported == "zero")) & (not is_few)
        reason = t.Reason("too few claims" if is_few else "no claim is supported")
        reasons |= dict.fromkeys(places[~kept].tolist(), reason)
        cases = [units.cases[i][0] for i in places[kept].tolist()]
        words = np.zeros((len(cases), 2))
        for i, case in enumerate(cases):
            is_given = self._has_given_claims(case)
            claims = claims_of(case.summary, self.claims) if is_given else ()
            held, words[i, 0] = words_held(case.summary.text, claims)
            words[i, 1] = held if is_given else words[i, 0]
        covered = document_coverage(support[kept], covered_only=self.denominator == "covered")
        length, no_gap = _log_lengths(cases, support.shape[1]), np.zeros((len(cases), 0))
        words = np.column_stack([words, np.full(len(cases), n_claims), share[kept] * n_claims])
        return _Covered(places[kept], covered, length, words, no_gap)

    def _has_given_claims(self, case: t.Case) -> bool:
        """Whether the claims are not the summary's sentences, which hold all of its words."""
        return case.summary.claims is not None and self.claims != "sentences"


class CoverageStrictlyTested(Coverage):
    """`Coverage`, whose records are tested as the paper words it: p is the share of permutations with a larger gap."""

    declaration = Coverage.declaration.replace(tests_strictly=True)


READ_OF_EXTRACTS = frozenset((
    "one", "gap", "level", "documents", "difference", "record mean", "log length", "length²", "length·coverage",
))  # fmt: skip
"""The statistics that are kept of random extracts: no other is a mean over them."""


class _Covered(NamedTuple):
    """Records of the same groups and as many documents, before any label permutation.

    Shapes: ``places`` (N,) among the units; ``coverage`` and ``length``, log length, (N, documents); ``words`` (N, 4), the
    columns `WORDS`; ``gap`` (N, 1), the mean over random extracts, or (N, 0) of summaries, whose gap goes by the label permutation.
    """

    places: t.Integers
    coverage: t.Floats
    length: t.Floats
    words: t.Floats
    gap: t.Floats


def _by_extracts(
    units: ScoredUnits, places: t.Integers, support: t.Floats, codes: t.Integers, groups: int
) -> _Covered:
    """Mean coverage by the extracts, and their mean gap. All other statistics are linear in coverage.

    Shapes: ``support`` (N, documents, claims); ``codes`` (N, documents), the groups.
    """
    sentence = units.table.owner_of(units.first[places[0]])
    kept = np.stack([units.extracts[i][0].kept for i in places.tolist()])
    drawn = unique(kept, max(support.shape[1:]))
    kept = drawn.kept
    if len(sentence) != kept.shape[2] or (sentence != np.arange(len(sentence))).any():
        kept = kept.take(sentence, axis=2)
    covered = kept @ support.transpose(0, 2, 1) / np.maximum(kept.sum(axis=2, keepdims=True), 1.0)
    member = (codes[:, :, np.newaxis] == np.arange(groups)).astype(np.float64)
    shift = (covered - covered.mean(axis=2, keepdims=True)) @ member / member.sum(axis=1)[:, np.newaxis]
    gap = np.abs(shift).mean(axis=2, keepdims=True)
    means = drawn.summed(np.concatenate([covered, gap], axis=2)) / drawn.which.shape[1]
    length = _log_lengths([units.cases[i][0] for i in places.tolist()], support.shape[1])
    return _Covered(places, means[:, :-1], length, np.zeros((len(places), len(WORDS))), means[:, -1:])


def _statistics(
    names: Sequence[str], most: str | None, records: _Covered, labels: t.Integers, *, pairwise: bool
) -> dict[t.Column, t.Floats]:
    """The additive statistics of records under every label permutation, (N, R) each; ``labels`` (N, R, documents)."""
    level = records.coverage.mean(axis=1, keepdims=True)
    centred = records.coverage - level
    count, difference, lengths = _by_group(labels, len(names), centred, records.length)
    shift = difference / count
    gap = records.gap if records.gap.shape[1] else np.abs(shift).mean(axis=0)
    one, extreme = np.ones(gap.shape), _extreme(shift)
    found: dict[t.Column, t.Floats] = {("one",): one, ("gap",): gap, ("level",): one * level}
    found |= {c: one * of[:, np.newaxis] for c, of in zip(WORDS, records.words.T, strict=True)}
    by_group = {
        "documents": count, "difference": difference, "record mean": count * level, "shift": shift,
        "extreme": np.where(extreme, shift, 0.0), "extremes": extreme.astype(np.float64), "log length": lengths,
    }  # fmt: skip
    for statistic, of_groups in by_group.items():
        found |= {(statistic, name): of_group for name, of_group in zip(names, of_groups, strict=True)}
    for a, b in combinations(names, 2) if pairwise else ():
        found |= {("between", a, b): found["shift", a] - found["shift", b], ("pairs", a, b): one}
    if most is not None:
        found |= {("dominated", most): one, ("dominated gap", most): gap}
        for name, statistic in product(names, ("documents", "difference", "extreme", "extremes")):
            found[f"dominated {statistic}", most, name] = found[statistic, name]
    return found | _of_lengths(records.length, centred, lengths, difference, count)


def merge_mutual(support: t.Floats, between: t.Floats, threshold: float) -> t.Floats:
    """Units that entail each other above ``threshold`` become one, transitively, with their best support.

    Shapes: ``support`` (documents, claims), ``between`` (units, units): row as premise, column as
    hypothesis → (documents, merged units), in order of each one's first unit. A step of the authors'
    release that their paper does not name.
    """
    from scipy.sparse.csgraph import connected_components

    mutual = (between > threshold) & (threshold < between.T)
    component = connected_components(mutual, directed=False)[1].tolist()
    columns = [support[:, np.equal(component, c)].max(axis=1) for c in dict.fromkeys(component)]
    return np.column_stack(columns)


def document_coverage(support: t.Floats, *, covered_only: bool) -> t.Floats:
    """Mean support of the units by each document. Shape (…, documents, claims) → (…, documents).

    ``covered_only`` divides by the number of units that any document supports, as the release does.
    """
    units = (support > 0).any(axis=-2).sum(axis=-1, keepdims=True) if covered_only else support.shape[-1]
    return np.asarray(support.sum(axis=-1) / units)


def _by_group(labels: t.Integers, groups: int, x: t.Floats, y: t.Floats) -> t.Floats:
    """Documents of each group and their sums of x and y; some label permutations at a time, in bounded memory.

    Shapes: ``labels`` (N, R, documents), ``x`` and ``y`` (N, documents) → (3, groups, N, R).
    """
    columns = np.stack([np.ones_like(x), x, y], axis=-1)
    parts = np.array_split(labels, 1 + labels[0].size // AT_ONCE, axis=1)
    sums = [np.stack([(part == g) @ columns for g in range(groups)]) for part in parts]
    return np.moveaxis(np.concatenate(sums, axis=2), -1, 0)


def _log_lengths(cases: t.Cases, documents: int) -> t.Floats:
    """Logarithms of the documents' lengths in words, less their mean, of records of so many. Shape (N, documents)."""
    texts = chain.from_iterable([known(case.record).texts for case in cases])
    length = np.array(list(map(word_count, texts))).reshape(len(cases), documents)
    logs = np.log(np.maximum(length, 1))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def _of_lengths(
    x: t.Floats, y: t.Floats, of_x: t.Floats, of_y: t.Floats, count: t.Floats
) -> dict[t.Column, t.Floats]:
    """The sums that separate coverage ``y`` from length ``x``: within the groups of the record, the sums of squares of lengths, and
    of their products with coverage. Shapes: ``x``, ``y`` (N, documents), of records whose lengths all differ or
    none of whose do; sums by group (groups, N, R) → (N, R) each.
    """
    whole = (x * x).sum(axis=1, keepdims=True)
    if not (whole > TIE).all():
        return {}
    mean = of_x / count
    squares = whole - (of_x * mean).sum(axis=0)
    products = (x * y).sum(axis=1, keepdims=True) - (of_y * mean).sum(axis=0)
    tells = squares > TIE
    return {("length²",): np.where(tells, squares, 0.0), ("length·coverage",): np.where(tells, products, 0.0)}


def _extreme(shift: t.Floats) -> t.Booleans:
    """Whether each group is the most or the least covered one; the first of equals. Shape (groups, N, R)."""
    found = np.zeros(shift.shape, dtype=bool)
    for is_meeting in (shift >= shift.max(axis=0) - TIE, shift <= shift.min(axis=0) + TIE):
        found |= is_meeting & (np.cumsum(is_meeting, axis=0) == 1)
    return found


class _CoverageMeasure(BaseMeasure, Coverage):
    """What both measures share."""

    observes = Coverage

    def explain(self, totals: t.Totals) -> str:
        """Coverage of each value in one record."""
        parts = [
            f"{v} {float(totals['level'] + totals['shift', v]):.2f} over {counted(float(totals['documents', v]), 'document')}"
            for v in totals.values_of("documents")
        ]
        return f"coverage by group: {'; '.join(parts)}; record mean {float(totals['level']):.2f}"


class EqualCoverage(_CoverageMeasure):
    """How unequally the groups of a record are covered, averaged over groups and records.

    A record's gap is (1/K') Σ_{k present} |mean of x_i for i in D_k − mean of x_i|. The value is the mean gap over
    records.

    Value:      in [0, 1]; 0 if all groups are covered equally. Above 0 even for random labels: compare with the
                permutation mean. It increases with the overall coverage. Secondary:
                - ``level``: mean coverage; ``relative_gap``: the value divided by it
                - ``uneven_share``: share of testable records with p < 0.05 over all permutations; compare with
                  ``uneven_share_by_chance``. ``version=text`` is the paper's R_EC: all records are in the
                  denominator, and p counts only permutations with a larger gap (>), so small records whose largest
                  gap has p = 0 are called uneven by chance alone
                - ``claim_recall``: share of the summary's words that its claims contain; ``supported_claims``: share
                  of the claims that some document supports
                - with ``pairwise=true``: ``between[k−l]``, mean coverage of group k minus that of l;
                  ``by_dominance``, the largest difference of the gap between records that different groups dominate;
                  ``uneven_share_by_dominance``, that of the uneven share (the paper's Table 5)
    Undefined:  "one group only"; "the summary has no claim"; "no claim is supported".
    Source:     Li et al., Coverage-based Fairness in MDS, Eqs. 2–5. Differences from their code: excluded records are
                counted; claims that no document supports stay in the denominator; identical texts count for every
                document.
    """

    version: Literal["recommended", "text"] = "recommended"
    name = "equal_coverage"
    declaration = DECLARED.replace(
        question="how far the groups of a record differ in how well the summary covers their documents",
        figures=("gaps",),
    )

    @property
    def observation(self) -> Coverage:
        """With every record tested in the way of this version."""
        kind = Coverage if self.version == "recommended" else CoverageStrictlyTested
        return self.observed_by(kind)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        values = {
            self.name: mean_of_records(totals, "gap", has_baseline=True, limits=FROM_0),
            "level": t.Value(totals.ratio("level", "one"), limits=FROM_0, has_baseline=True),
            "relative_gap": mean_of_records(totals, "gap", "level", limits=FROM_0),
        }
        for pair in sorted(c[1:] for c in totals.columns if c[0] == "pairs"):
            difference = totals.ratio(("between", *pair), ("pairs", *pair))
            values[f"between[{'−'.join(pair)}]"] = t.Value(difference, "both")
        shares = {
            "testable_share": ("testable", "one"),
            "uneven_share": ("significant", "testable"),
            "uneven_share_by_chance": ("expected_significant", "testable"),
            "claim_recall": ("words in claims", "words"),
            "supported_claims": ("claims supported", "claims"),
        }
        if self.version == "text":
            del shares["testable_share"]  # all records are testable
        values |= {name: t.Value(totals.ratio(*of), is_share=True) for name, of in shares.items()}
        if self.pairwise:
            gaps = _by_dominance(totals, "dominated gap", "dominated")
            uneven = [totals.ratio(("significant", g), ("testable", g)) for g in totals.values_of("testable")]
            for name, numbers in (("by_dominance", gaps), ("uneven_share_by_dominance", uneven)):
                values[name] = t.Value(spread(numbers, totals["one"].shape), "upper")
        return values


class CoverageParity(_CoverageMeasure):
    """How far each group's documents are covered above or below their record's mean, averaged over groups.

    CP = (1/K) Σ_k |E(C_k)|. C_k holds x_i − mean x for every document i of group k in every record. With
    ``extremes=true`` (the paper's text) it holds the coverage of k minus the record's mean, from the records where k
    is the most or the least covered group.

    Value:      in [0, 1]; 0 if no group is covered more or less over all records. Above 0 even for random labels:
                compare with the permutation mean. Secondary:
                - ``difference[k]`` = E(C_k); positive = covered more
                - ``relative_difference[k]``, the primary estimate: ``difference[k]`` divided by the mean coverage in
                  the records with k, each weighted by its documents of k; −1 if none of k's documents is covered.
                  Only relative differences are compared with random sentences, since copied sentences are covered
                  more
                - ``equal_length_difference[k]``: the same as if all documents of a record were equally long, by the
                  slope of coverage on log length within the groups of records
                - ``log_length[k]``: how much longer (in logarithms) documents of k are than their record's
                - ``by_dominance`` (``pairwise=true``): the largest difference of any E(C_k) between records that
                  different groups dominate
    Undefined:  as `EqualCoverage`.
    Source:     Li et al., Eq. 6; the release pools documents, the text takes extremes. Difference from the release: K
                is the number of groups present, never taken from a file name.
    """

    name = "coverage_parity"
    declaration = DECLARED.replace(
        question="how far documents of each group are covered above or below their record's mean",
        contrast=ContrastWords(
            title="coverage relative to the average document",
            question="Whose documents do the summaries cover less?",
            unit="percent",
            below="{size} less than the average document",
            above="{size} more than the average document",
            even="every document is covered equally",
            sentence="{system} covers documents with {group} {difference}",
            worse_below="documents with {group}",
        ),
        judges_support=True,
        items="documents",
    )
    extremes: bool = False

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        total, count = ("extreme", "extremes") if self.extremes else ("difference", "documents")
        means = totals.ratios(total, count)
        shape, is_pooled = totals["one"].shape, not self.extremes
        parity = mean_defined(np.abs(stacked(means.values(), shape)))
        own = {k: (f"difference[{k}]",) if is_pooled else () for k in means}
        every = tuple(chain.from_iterable(own.values()))
        values = {self.name: t.Value(parity, "upper", contrasts=every, has_baseline=is_pooled)}
        for k, mean in means.items():
            of_group: dict[str, Any] = {"tail": "both", "contrasts": own[k], "group": k}
            if is_pooled:
                relative = totals.ratio(("difference", k), ("record mean", k))
                values[f"relative_difference[{k}]"] = t.Value(
                    relative, limits=RELATIVE, present=((count, k),), **of_group, **PRIMARY
                )
            values[f"difference[{k}]"] = t.Value(mean, has_baseline=is_pooled, **of_group)
        if is_pooled:
            values |= _by_length(totals)
        if self.pairwise:
            dominated = partial(_by_dominance, totals, f"dominated {total}", f"dominated {count}")
            spreads = stacked((spread(dominated(k), shape) for k in means), shape)
            values["by_dominance"] = t.Value(np.fmax.reduce(spreads, axis=-1), "upper")
        return values


def _by_length(totals: t.Totals) -> dict[str, t.Value]:
    """How much longer each group's documents are than their record's mean, and its contrast with length held equal:
    less the slope of coverage on log length, within groups of records, times that.
    """
    found = {}
    for k, longer in totals.ratios("log length", "documents").items():
        found[f"{LOG_LENGTH}[{k}]"] = t.Value(longer, group=k)
        if ("length²",) in totals.columns:
            slope = totals.ratio("length·coverage", "length²")
            equal = totals["difference", k] - slope * totals["log length", k]
            relative = ratio(equal, totals["record mean", k])
            found[f"{EQUAL_LENGTH}[{k}]"] = t.Value(relative, limits=RELATIVE, **TESTED_BY_T, group=k)
    return found


def _by_dominance(totals: t.Totals, total: str, count: str, *group: str) -> list[t.Floats]:
    """The mean of a statistic, of one group if any is named, in the records that each group dominates."""
    return [totals.ratio((total, g, *group), (count, g, *group)) for g in totals.values_of("dominated")]
