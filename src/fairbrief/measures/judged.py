"""Quality without references: a judge's scores of summaries, their mean, and whether it differs between groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.bases import Reading, WithoutLabels, check_uncut
from fairbrief.measures.distinguishability import group_of
from fairbrief.measures.permutation_schemes import by_group, coded, counted
from fairbrief.measures.record_texts import article_of
from fairbrief.statistics import ratio
from fairbrief.types import Ask, Case, Cases, Integers, PermutationScheme, Reason, Rows, Scores, Totals, Value

EMPTY_SUMMARY = Reason("empty summary")
UNPARSED = Reason("unparsed reply of the judge")


@dataclass(frozen=True)
class Verdicts(WithoutLabels):
    """The score of one summary by ``scorer``, given its whole source: the documents, with a blank line between them.

    Per record:  ``one``, ``score`` and its square, ``score²``.
    Undefined:  "empty summary"; "unparsed reply of the judge" if the score is nan: such replies are counted, never
                averaged.
    """

    scorer: str

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=1, reads_unstated=True
    )

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if not case.summary.text.strip():
            return ()
        return (Ask(self.scorer, (article_of(case.record),), (case.summary.text,), whole=True),)

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        if not scores:
            return EMPTY_SUMMARY
        found = float(scores[0].matrix[0].mean())
        if np.isnan(found):
            return UNPARSED
        return Rows.of({("one",): 1.0, ("score",): found, ("score²",): found**2})


@dataclass(frozen=True, repr=False)
class Judged(Reading):
    """Mean score that a chat model gives to summaries, from 1 to 5, with its reason first.

    ``scorer`` compares the source (row) with the summary (column): ``judged(scorer=judge(model=MODEL))``. ``--by
    gender`` gives the value for each group of a record's attribute.

    Reads:      documents and summaries.
    Value:      on the scorer's own scale, higher is better. Secondary: ``judged_sd``, the standard deviation over
                summaries.
    Undefined:  "empty summary"; "unparsed reply of the judge".
    Source:     Steen & Markert, Bias in News Summarization, App. I.
    """

    observes: ClassVar[type] = Verdicts
    name: ClassVar[str] = "judged"
    declaration: ClassVar[Declaration] = Declaration(
        family="Quality",
        question="how good a chat model judges the summaries to be, on its own scale",
        harm="Some readers would get worse summaries; with `--by`, readers of texts about some people.",
        on_request="it asks a chat model about every summary",
    )
    scorer: str

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        mean = ratio(totals["score"], totals["one"])
        variance = ratio(totals["score²"], totals["one"]) - mean * mean
        return {self.name: Value(mean), "judged_sd": Value(np.sqrt(np.maximum(variance, 0.0)))}

    def explain(self, totals: Totals) -> str:
        """One summary's score."""
        return f"judged {float(self.value(totals)[self.name].array):.2f}"


@dataclass(frozen=True, slots=True)
class GroupedVerdicts:
    """The scores that a judge gives the summaries of one seed document's counterfactuals, by the group that each is
    about.

    Reads:      the record attribute ``over``, or the one value that all its people share (`group_of`).
                Counterfactuals without either, empty summaries and unparsed replies are excluded.
    Per record:  ``score[g]`` and ``one[g]``: sum of scores, and number of scored summaries.
    Permuted:   the groups among the scored summaries of the seed document.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="cluster", version=1)
    over: str
    scorer: str

    def asks(self, cases: Cases) -> Sequence[Ask]:
        return [
            Ask(self.scorer, (article_of(case.record),), (case.summary.text,), whole=True)
            for case, _ in self._of(cases)
        ]

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        groups, codes = coded([group for _, group in self._of(cases)])
        return PermutationScheme(codes) if len(groups) > 1 else None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        groups, codes = coded([group for _, group in self._of(cases)])
        if not groups:
            return Reason("no summary of a record about one group")
        found = np.array([one.matrix[0].mean() for one in scores])
        known = ~np.isnan(found)
        if not known.any():
            return Reason("unparsed reply of the judge")
        score = counted(codes, np.where(known, found, 0.0), labels, len(groups))
        return by_group(
            groups, {"score": score, "one": counted(codes, known.astype(float), labels, len(groups))}
        )

    def _of(self, cases: Cases) -> list[tuple[Case, str]]:
        """The cases that have a summary, each with the group that its record is about."""
        told = [(case, group_of(case.record, self.over)) for case in cases if case.summary.text.strip()]
        return [(case, group) for case, group in told if group is not None]


@dataclass(frozen=True, repr=False)
class JudgedByGroup(Reading):
    """Largest difference between the groups' mean scores by a judge, over counterfactuals that are each about one group.

    The judge scores every summary given its source, as in `Judged`. The value is ``max_a mean[a] − min_b mean[b]``.

    Value:      at least 0; 0 if all groups' summaries score equally. Above 0 even for random labels: compare with the
                permutation mean. Secondary: ``difference[a−b]``, positive if summaries about ``a`` score higher;
                ``mean[g]``, on the scorer's own scale.
    Undefined:  fewer than two groups; "unparsed reply of the judge".
    Source:     Steen & Markert, Tables 7 and 9, which print the absolute difference.
    """

    observes: ClassVar[type] = GroupedVerdicts
    name: ClassVar[str] = "judged_by_group"
    declaration: ClassVar[Declaration] = Declaration(
        family="Quality",
        question="how much better a chat model judges the summaries about one group than of those about another",
        harm="Readers of texts about some people would get worse summaries than readers of the same texts about others.",
        attribute_of="entity",
        on_request="it asks a chat model about every summary",
    )
    over: str
    scorer: str

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("one")
        if len(groups) < 2:
            return {self.name: Value(np.full(totals.array.shape[:-1], np.nan), "upper")}
        means = ratio(totals.stack("score", groups), totals.stack("one", groups))
        values = {self.name: Value(means.max(axis=-1) - means.min(axis=-1), "upper")}
        for a, b in combinations(range(len(groups)), 2):
            values[f"difference[{groups[a]}−{groups[b]}]"] = Value(means[..., a] - means[..., b], "both")
        values |= {f"mean[{g}]": Value(means[..., k]) for k, g in enumerate(groups)}
        return values

    def explain(self, totals: Totals) -> str:
        """The mean score of each group's summaries of one seed document."""
        told = [
            f"{g}: {float(totals['score', g] / totals['one', g]):.2f}"
            for g in totals.values_of("one")
            if totals["one", g]
        ]
        return "Mean scores. " + "; ".join(told) + "."
