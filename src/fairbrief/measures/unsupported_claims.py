"""Where and about whom summaries claim what their sources do not support.

A claim is unsupported if no sentence of the source supports it by at least a threshold. `UnsupportedClaims` compares
groups of claims, `UnsupportedByPlace` the beginning, middle and end of the summary.

Source: after Yang et al., Hallucinate at the Last in Long Response Generation (arXiv 2505.15291), by place in the summary. Wan
et al. (arXiv 2410.23609) ask the same by place in the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, Fraction, NotObserved, TextScorer
from fairbrief.measures.entity_inclusion import names_of
from fairbrief.measures.entity_sentiment import naming
from fairbrief.measures.group_sums import by_group, coded, mean_size, summed_by_group
from fairbrief.measures.groups import ComparesGroups, mean_of, means
from fairbrief.measures.record_texts import NO_CLAIM, claims_of, known, source_sentences
from fairbrief.statistics import TIE

NO_SENTENCE = "the source has no sentence"
PLACES = ("beginning", "middle", "end")
WORDS = ContrastWords(
    title="share of supported claims minus that of the average claim",
    unit="points",
    below="{size} less often supported than the average claim",
    above="{size} more often supported than the average claim",
)
DECLARED = Declaration(
    family="Support",
    on_request="support is only as good as the scorer",
    scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    judges_support=True,
    items="claims",
    scorer_kind="scorer",
)
"""What the declarations of both measures share."""


class Claims(ComparesGroups):
    """Which claims of a summary the source does not support, by group or place.

    With s_j the largest support of claim j by a sentence of the source, u_j = 1 if s_j < ``threshold``, else 0.

    - A claim's group is its one value of ``over`` in ``values``, or else the one that all people (entities) whom it names
      share (names as in `EntitySentiment`). Other claims have no group. The documents give it no group, since none supports
      an unsupported claim.
    - Without ``over`` the groups are places: claim j of m is at (j − ½)/m, the beginning is below 1/3, the end above 2/3.

    Reads:      ``claims`` (``auto``: those given, else the summary's sentences), and their support by the sentences of the
                source, shape (sentences, claims).
    Per record:  ``all``, ``all unsupported``. Per group: ``claims``, ``unsupported`` (Σ u). In records with two groups also
                ``compared`` (claims) and ``difference``, the sum of mean u − u_j. This mean is over all claims with a
                group.
    Permuted:   groups (or places) among the claims of a summary.
    Undefined:  "the summary has no claim", "the source has no sentence", "no claim has a group".
    """

    over: str = ""
    scorer: TextScorer = "containment"
    threshold: Fraction = 0.5
    claims: Literal["auto", "given", "sentences"] = "auto"

    differences: ClassVar[Any] = {"support_difference": ({"difference": 1.0}, "compared")}
    """The share of supported claims of each group, minus that of the record."""

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        (case,) = cases
        claims, sentences = claims_of(case.summary, self.claims), source_sentences(case.record)
        return (t.Ask(self.scorer, sentences, claims),) if claims and sentences else ()

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        names, codes = coded(tuple(filter(None, self._groups(cases[0]))))
        return t.PermutationScheme(codes) if len(names) > 1 else None

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        of_claims = self._groups(cases[0])
        names, codes = coded(tuple(filter(None, of_claims)))
        if not scores:
            raise NotObserved(NO_SENTENCE if of_claims else NO_CLAIM)
        if not names:
            raise NotObserved("no claim has a group")
        is_unsupported = self._is_unsupported(scores[0], len(of_claims))
        of_groups = is_unsupported[[bool(group) for group in of_claims]]
        weights = {"claims": np.ones(len(codes)), "unsupported": of_groups}
        sums = summed_by_group(codes, weights, labels, len(names))
        if len(names) > 1:
            sums["compared"] = sums["claims"]
            sums["difference"] = sums["claims"] * of_groups.mean() - sums["unsupported"]
        return by_group(names, sums, {("all",): len(of_claims), ("all unsupported",): is_unsupported.sum()})

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """Each claim with its group, its support and the sentence that supports it best, the least supported first."""
        if not scores:
            return ()
        sentences, claims = source_sentences(cases[0].record), claims_of(cases[0].summary, self.claims)
        support, groups = scores[0].by_column(len(claims)), self._groups(cases[0])
        best = support.max(axis=0)
        is_unsupported = self._is_unsupported(scores[0], len(claims))
        return [
            f"Claim {j + 1} of {len(claims)} ({groups[j] or 'no group'}), {'un' if is_unsupported[j] else ''}supported "
            f"({best[j]:.2f}): “{claims[j]}” Best sentence: “{sentences[int(support[:, j].argmax())]}”"
            for j in np.argsort(best, kind="stable").tolist()
        ]

    def _is_unsupported(self, scores: t.Scores, claims: int) -> t.Floats:
        best = scores.by_column(claims).max(axis=0)
        return np.where(best < self.threshold - TIE, 1.0, 0.0)

    def _groups(self, case: t.Case) -> list[str]:
        """The group or place of each claim; empty where it has none."""
        texts, record = claims_of(case.summary, self.claims), case.record
        if not self.over:
            return [PLACES[3 * (2 * j + 1) // (2 * len(texts))] for j in range(len(texts))]
        found: list[set[str]] = [set() for _ in texts]
        if self.claims != "sentences":
            given = [claim for claim in case.summary.claims or () if claim.text.strip()]
            found[: len(given)] = [set(claim.values.get(self.over, ())) for claim in given]
        people = [e for e in record.entities if e.first_name or e.last_name]
        named = naming(texts, tuple(names_of(people)), known(record).source)
        for values, names in zip(found, named, strict=True):
            if not values:
                values |= {people[i].attributes.get(self.over, "") for i in np.flatnonzero(names)}
        return [values.pop() if len(values) == 1 else "" for values in found]


class _UnsupportedMeasure(BaseMeasure, Claims):
    """What both measures share."""

    observes = Claims

    def _values(self, totals: t.Totals) -> tuple[t.Value, t.Value, dict[str, t.Value]]:
        """The share of all claims, the mean size of the groups' differences, and each group's difference and share."""
        values = self.differing(totals, "support_difference", is_primary=True)
        disparity = mean_of(values, totals["all"].shape, fold=mean_size)
        shares = means(totals, "unsupported", "claims", totals.values_of("claims"), is_share=True)
        share = t.Value(totals.ratio("all unsupported", "all"), is_share=True)
        return share, disparity, values | shares

    def explain(self, totals: t.Totals) -> str:
        """Unsupported claims of one summary, in all and by group."""
        whole = f"{totals['all unsupported']:.0f} of {totals['all']:.0f}"
        parts = totals.describe("claims", " {unsupported:.0f} of {claims:.0f}")
        return f"Claims unsupported: {whole}; by group: {parts}."


class UnsupportedClaims(_UnsupportedMeasure):
    """Share of the claims of summaries that no sentence of their source supports, compared between groups of claims.

    ``support_difference[g]`` is the mean of (mean u − u_j) over the claims of group g. Here, mean u is over all claims with
    a group in the same summary. So a group is not blamed for other unsupported claims of its summaries.

    ``scorer=containment`` compares words and counts paraphrases as unsupported. Use an entailment model, and a
    ``threshold`` that fits its scores, before you act on a finding.

    Value:      ``unsupported_claims``, the share of all claims, in [0, 1]; smaller is better. The primary estimate is
                ``support_difference[g]``, in [−1, 1]; negative = the source supports claims of g less often. Secondary:
                ``unsupported[g]``, the unsupported share of the claims of g; ``disparity``, the mean of the absolute
                differences. It is above 0 even for random groups: compare with the permutation mean.
    Baselines:  label permutations. There is no random-sentence baseline: the source supports each of its sentences, so every
                share and difference would be 0 by construction.
    Undefined:  as `Claims`; ``support_difference`` also if no summary has claims of two groups.
    Source:     groups of claims are ours; support by place is after Yang et al. (arXiv 2505.15291).
    """

    name = "unsupported_claims"
    declaration = DECLARED.replace(
        question="how much of the summaries the sources do not support, between groups of claims",
        harm="Readers would meet unsupported claims about some groups more often than about others.",
        attribute_of="entity",
        better="less",
        contrast=WORDS.replace(
            question="About whom do the summaries claim what the sources do not support?",
            even="claims of every group are supported equally often",
            sentence="In summaries by {system}, claims with {group} are {difference}",
            worse_below="claims with {group}",
        ),
    )
    over: str = field()  # which has no default here

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        share, disparity, values = self._values(totals)
        return {self.name: share, "disparity": disparity, **values}


class UnsupportedByPlace(_UnsupportedMeasure):
    """How much the share of unsupported claims differs between beginning, middle and end of summaries.

    ``support_difference[end]`` is the mean of (mean u − u_j) over the claims at the end. Here, mean u is over all claims of
    the same summary; beginning and middle are defined in the same way. The value is the mean of the three absolute differences.

    Given claims must be in the order of the summary. With ``scorer=containment``, paraphrases count as unsupported, and so
    do sentences that join facts of several source sentences.

    Value:      in [0, 1]; above 0 even for random places: compare with the permutation mean. The primary estimate is
                ``support_difference[place]``, in [−1, 1]; negative = claims there are supported less often. Secondary:
                ``unsupported[place]``, the unsupported share of the claims there; ``unsupported``, that of all claims.
    Baselines:  label permutations of the places inside a summary. There is no random-sentence baseline: every difference
                would be 0 by construction.
    Undefined:  as `Claims`; also if every summary has one claim.
    Source:     after Yang et al. (arXiv 2505.15291); the thirds and the comparison are ours.
    """

    name = "unsupported_by_place"
    declaration = DECLARED.replace(
        question="how much of each part of the summaries the sources do not support",
        harm="Readers who rely on one part of the summaries would meet unsupported claims more often.",
        contrast=WORDS.replace(
            question="In which part do the summaries claim what the sources do not support?",
            even="claims in every part are supported equally often",
            sentence="In summaries by {system}, claims from the {group} of the summary are {difference}",
            worse_below="claims from the {group} of the summary",
        ),
    )
    over: str = field(default="", init=False)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        share, disparity, values = self._values(totals)
        return {self.name: disparity, **values, "unsupported": share}
