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
from itertools import chain, combinations, compress, product
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ObservationDeclaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, Count, Fraction, ManyAtOnce, NotObserved, TextScorer, unique
from fairbrief.measures.group_sums import columned, mean_defined, spread, stacked, summed_by_group
from fairbrief.measures.groups import PRIMARY, TESTED_BY_T, ComparesGroups, mean_of_records
from fairbrief.measures.record_texts import NO_CLAIM, claims_of, compared_groups, is_blank, known
from fairbrief.score_tables import Alike, ScoredUnits
from fairbrief.statistics import TIE, ratio
from fairbrief.text.counted import counted
from fairbrief.text.segmentation import words_held

WORDS: tuple[t.Column, ...] = (("words",), ("words in claims",), ("claims",), ("claims supported",))
DOMINATED = ("documents", "difference", "extreme", "extremes")
"""The statistics that are also summed by the group of most documents of a record."""
DECLARED = Declaration(
    family="Coverage",
    harm="What some groups wrote would go missing more often than what others wrote, so that decisions made from summaries would rest on some people's words more than on others'.",
    scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    scorer_kind="scorer",
)
"""What both measures declare."""
LOG_LENGTH, EQUAL_LENGTH = "log_length", "equal_length_difference"
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

    def kind_of(self, units: ScoredUnits, i: int) -> tuple[Any, ...]:
        """The groups of a unit's record, those of most documents, and whether its documents differ in length; of extracts, which
        column each score is about, since extracts are alike whose sentences a scorer of tokens cuts alike.
        """
        (case,) = units.cases[i]
        groups = compared_groups(case.record, self.over)
        if not units.asked[i]:
            raise NotObserved(NO_CLAIM)
        if units.extracts and self._has_given_claims(case):
            raise NotObserved("the summary's claims were given, the sources' were not")
        owner, most = b"", tuple[str, ...]()
        if units.extracts:
            owner = units.first_owners[i]
        elif self.pairwise:
            many = np.bincount(groups.codes)
            most = tuple(compress(groups.names, many == many.max()))
        return groups.names, most, len(set(known(case.record).lengths)) > 1, owner

    def observe_alike(self, kind: tuple[Any, ...], units: ScoredUnits, labels: t.Integers) -> Alike:
        """Records of the same groups and of as many documents. Shape of ``labels``: (N, R, documents)."""
        names, most, differs, _ = kind
        texts = [known(case.record).texts for (case,) in units.cases]
        reads = np.array([[not is_blank(text) for text in own] for own in texts])
        lengths = np.log([known(case.record).lengths for (case,) in units.cases])
        lengths -= lengths.mean(axis=1, keepdims=True)
        of_units: dict[t.Column, t.Floats]
        if units.extracts:
            coverage, gap = _of_extracts(units, reads, labels[:, 0], len(names))
            why, of_units = np.full(len(units), ""), {("gap",): gap}
        else:
            coverage, of_units, why = self._of_summaries(units, reads)
        level = coverage.mean(axis=1, keepdims=True)
        weights = {
            "documents": np.ones(coverage.shape), "difference": coverage - level, "log length": lengths,
        }  # fmt: skip
        sums = summed_by_group(labels[:, 0], weights, labels, len(names))
        count, difference, longer = sums.values()
        shift = difference / count
        extreme = _extreme(shift)
        sums |= {"record mean": count * level[..., np.newaxis], "shift": shift}
        sums |= {"extreme": np.where(extreme, shift, 0.0), "extremes": extreme.astype(np.float64)}
        alone: dict[t.Column, Any] = {("one",): 1.0, ("gap",): np.abs(shift).mean(axis=-1), ("level",): level}
        alone |= {column: numbers[:, np.newaxis] for column, numbers in of_units.items()}
        if differs:
            alone |= _of_lengths(lengths, weights["difference"], longer, difference, count)
        if units.extracts:  # no other statistic is a mean over them
            kept = ("documents", "difference", "record mean", "log length")
            return *columned(names, {name: sums[name] for name in kept}, alone), why
        for (i, a), (j, b) in combinations(enumerate(names), 2) if self.pairwise else ():
            alone |= {("between", a, b): shift[..., i] - shift[..., j], ("pairs", a, b): 1.0}
        for group in most if len(most) == 1 else ():
            alone |= {("dominated", group): 1.0, ("dominated gap", group): alone["gap",]}
            for (k, name), statistic in product(enumerate(names), DOMINATED):
                alone[f"dominated {statistic}", group, name] = sums[statistic][..., k]
        return *columned(names, sums, alone), why

    def _of_summaries(
        self, units: ScoredUnits, reads: t.Booleans
    ) -> tuple[t.Floats, dict[t.Column, t.Floats], NDArray[np.str_]]:
        """The coverage of documents by summaries (N, documents), the counts `WORDS` (N,) each, and why a unit has no row (N,)."""
        many = units.table.shapes[units.first, 1]
        support = np.maximum(units.table.beside(units.first), 0.0) * np.repeat(reads, many, axis=0).T
        if self.merge < 1:
            parts = np.split(support, np.cumsum(many)[:-1], axis=1)
            between = [units.table[i + 1].matrix for i in units.first.tolist()]
            merged = [merge_mutual(*of_unit, self.merge) for of_unit in zip(parts, between, strict=True)]
            many, support = np.array([own.shape[1] for own in merged]), np.hstack(merged)
        whose = np.repeat(np.arange(len(units)), many)
        supported = np.bincount(whose, (support > 0).any(axis=0), len(units))
        is_unsupported = (supported == 0) & (self.unsupported != "zero")
        why = np.select(
            [many < self.least_claims, is_unsupported],
            ["too few claims", "no claim is supported"],
            default="",
        )
        sums = np.stack([np.bincount(whose, row, len(units)) for row in support], axis=1)
        among = supported if self.denominator == "covered" else many
        counts = np.column_stack([[self._words(case) for (case,) in units.cases], many, supported])
        return sums / np.maximum(among, 1)[:, np.newaxis], dict(zip(WORDS, counts.T, strict=True)), why

    def _words(self, case: t.Case) -> tuple[int, int]:
        """How many words a summary has, and how many of them its claims hold."""
        is_given = self._has_given_claims(case)
        held, every = words_held(case.summary.text, claims_of(case.summary, self.claims) if is_given else ())
        return every, held if is_given else every

    def _has_given_claims(self, case: t.Case) -> bool:
        """Whether the claims are not the summary's sentences, which hold all of its words."""
        return case.summary.claims is not None and self.claims != "sentences"


class CoverageStrictlyTested(Coverage):
    """`Coverage`, whose records are tested as the paper words it: p is the share of permutations with a larger gap."""

    declaration = Coverage.declaration.replace(tests_strictly=True)


def _of_extracts(
    units: ScoredUnits, reads: t.Booleans, codes: t.Integers, groups: int
) -> tuple[t.Floats, t.Floats]:
    """Mean coverage by the extracts (N, documents), and their mean gap (N,). All other statistics are linear in coverage.

    Shape of ``codes``, the groups: (N, documents).
    """
    support = np.maximum(units.table.matrices(units.first), 0.0) * reads[:, :, np.newaxis]
    drawn = unique(np.stack([own.kept for (own,) in units.extracts]), max(support.shape[1:]))
    kept, sentence = drawn.kept, units.table.owner_beside(units.first[:1])
    if not np.array_equal(sentence, np.arange(kept.shape[2])):
        kept = kept.take(sentence, axis=2)
    covered = kept @ support.transpose(0, 2, 1) / np.maximum(kept.sum(axis=2, keepdims=True), 1.0)
    member = (codes[:, :, np.newaxis] == np.arange(groups)).astype(np.float64)
    shift = (covered - covered.mean(axis=2, keepdims=True)) @ member / member.sum(axis=1)[:, np.newaxis]
    gap = np.abs(shift).mean(axis=2, keepdims=True)
    means = drawn.summed(np.concatenate([covered, gap], axis=2)) / drawn.times.sum(axis=1, keepdims=True)
    return means[:, :-1], means[:, -1]


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


def _of_lengths(
    x: t.Floats, y: t.Floats, of_x: t.Floats, of_y: t.Floats, count: t.Floats
) -> dict[t.Column, t.Floats]:
    """The sums that separate coverage ``y`` from length ``x``: within the groups of the record, the sums of squares of lengths, and
    of their products with coverage. Shapes: ``x``, ``y`` (N, documents); sums by group (N, R, groups) → (N, R) each.
    """
    mean = of_x / count
    squares = (x * x).sum(axis=1, keepdims=True) - (of_x * mean).sum(axis=-1)
    products = (x * y).sum(axis=1, keepdims=True) - (of_y * mean).sum(axis=-1)
    tells = squares > TIE
    return {("length²",): np.where(tells, squares, 0.0), ("length·coverage",): np.where(tells, products, 0.0)}


def _extreme(shift: t.Floats) -> t.Booleans:
    """Whether each group is the most or the least covered one; the first of equals. Shape (…, groups)."""
    ends = shift.max(axis=-1, keepdims=True) - TIE, shift.min(axis=-1, keepdims=True) + TIE
    places = [is_end.argmax(axis=-1, keepdims=True) for is_end in (shift >= ends[0], shift <= ends[1])]
    return np.asarray(np.logical_or(*(np.arange(shift.shape[-1]) == place for place in places)))


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
            self.name: mean_of_records(totals, "gap", has_baseline=True, limits=t.FROM_0),
            "level": t.Value(totals.ratio("level", "one"), limits=t.FROM_0, has_baseline=True),
            "relative_gap": mean_of_records(totals, "gap", "level", limits=t.FROM_0),
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
        if self.version == "text" or ("testable",) not in totals.columns:
            del shares["testable_share"]  # all records are testable, or none was tested
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
