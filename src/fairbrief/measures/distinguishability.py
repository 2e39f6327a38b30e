"""Distinguishability: can one tell from a summary which group its source was about?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, NotObserved
from fairbrief.measures.group_sums import coded, labelled
from fairbrief.measures.groups import mean_of_records
from fairbrief.measures.record_texts import needs_english, with_group
from fairbrief.text.anonymisation import anonymise, anonymise_published

TIE = 1e-9
"""Mean similarities closer than this are tied; rounding decides nothing."""


class Distinguishability(BaseMeasure):
    """How often a summary reveals the group that its source is about: twice the accuracy, minus one.

    All counterfactuals of one seed document are compared, after names, pronouns and titles are made neutral. A
    summary counts as right if its mean similarity to the other summaries of its group exceeds that to the summaries
    of the other groups; ties within 1e-9 count half (``ties=strict``: not at all). The value is the mean over seed
    documents.

    ``similarity`` is a scorer's spec: ``counts`` (cosine of word counts within the seed document), ``embedding`` …
    ``version=published`` uses the release's neutralisation and counts summaries that cannot be compared as wrong.
    ``version=text`` is Eq. 4 as printed: ties count as wrong, and the accuracy is that of all summaries of all seed
    documents.

    Reads:      the record attribute ``over``, or the one value that all its people share; counterfactuals without
                either are excluded. Similarities of the neutralised summaries, one square matrix per seed document.
    Per record:  ``score`` = 2·accuracy − 1 of this seed document, ``one`` (seed documents), ``texts`` (compared
                summaries); with ``version=text`` the first two are multiplied by the number of classified summaries.
    Permuted:   the groups among the summaries of the seed document.
    Value:      in [−1, 1]; 0 if groups cannot be distinguished. Leaving one out biases it downwards (perfectly
                matched groups score −1), so negative values have no meaning alone: compare with the permutation mean.
    Undefined:  no seed document with two groups or more that each have two usable summaries.
    Source:     Steen & Markert, §3.4 and Eq. 4. Differences from the release: ties have a tolerance; summaries
                without a counted word are excluded instead of making the whole seed document −1.
    """

    name = "distinguishability"
    languages = ("en",)
    declaration = Declaration(
        scope="cluster",
        chance_means=(("score",),),
        family="People",
        question="how well one can tell a person's group from a summary without names and pronouns",
        harm="The same deeds would be described in different words for some groups.",
        attribute_of="entity",
        figures=("accuracies",),
        scorer_checks=(
            ScorerCheck(
                measure="scorer_bias_support", given={"scorer": "similarity"}, fixed={"text": "neutral"}
            ),
        ),
    )
    over: str
    similarity: str = "counts"
    ties: Literal["half", "strict"] = "half"
    version: Literal["recommended", "published", "text"] = "recommended"

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        neutral = anonymise_published if self.version == "published" else anonymise
        texts = tuple(
            neutral(case.summary.text, [(p.first_name, p.last_name) for p in case.record.entities])
            for case, _ in with_group(cases, self.over)
        )
        return [t.Ask(self.similarity, texts, texts, whole=True)] if texts else []

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        groups, codes = coded(tuple(group for _, group in with_group(cases, self.over)))
        return t.PermutationScheme(codes) if len(groups) > 1 else None

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        groups, codes = coded(tuple(group for _, group in with_group(cases, self.over)))
        needs_english(cases, "the pronouns and titles that are made neutral")
        if not groups:
            raise NotObserved("no variant with the attribute")
        used = labelled(codes, labels)
        similarity, one = scores[0].matrix, np.ones(len(used))
        # A text is always as similar as can be to itself, unless nothing in it is counted.
        filled = similarity.diagonal() > 0.5
        if self.version == "published":
            # As in the release: whatever cannot be compared counts as wrong. With an empty text, every mean is nan.
            right = self._right(_own_less_other(similarity, used, len(groups))) * filled.all()
            accuracy = right.sum(axis=1) / used.shape[1]
        else:
            sizes = np.bincount(codes[filled], minlength=len(groups))
            if len(groups) < 2:
                raise NotObserved("one group only")
            if sizes.min() < 2:
                raise NotObserved("fewer than two usable summaries in a group")
            similarity, used = similarity[np.ix_(filled, filled)], used[:, filled]
            difference = _own_less_other(similarity, used, len(groups))
            counted = (~np.isnan(difference)).sum(axis=1).astype(float)
            accuracy = self._right(difference).sum(axis=1) / np.maximum(counted, 1)
            one = counted if self.version == "text" else np.minimum(counted, 1.0)
        texts = np.full(len(used), float(used.shape[1]))
        return t.Rows((("score",), ("one",), ("texts",)), np.array([one * (2 * accuracy - 1), one, texts]).T)

    def _right(self, difference: t.Floats) -> t.Floats:
        """1 if a text is classified correctly, 0 if not or if nan; a tie has the value that ``ties`` sets."""
        half = 0.5 if self.ties == "half" and self.version != "text" else 0.0
        return np.where(difference > TIE, 1.0, np.where(difference >= -TIE, half, 0.0))

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        return {self.name: mean_of_records(totals, "score", limits=(-1, 1))}

    def explain(self, totals: t.Totals) -> str:
        score = float(totals["score"] / totals["one"])
        return (
            f"Of {totals['texts']:.0f} summaries, {(score + 1) / 2:.0%} are closer to their own group's "
            f"summaries than to the others' (score {score:+z.2f})."
        )


def _own_less_other(similarity: t.Floats, labels: t.Integers, groups: int) -> t.Floats:
    """Each text's mean similarity to the others of its own group, less that to all of other groups; nan if none.

    Shapes: ``similarity`` (n, n), ``labels`` (R, n) → (R, n).
    """
    itself = similarity.diagonal()
    own_sum, own_size = np.zeros(labels.shape), np.zeros(labels.shape)
    for group in range(groups):
        member = (labels == group).astype(float)
        own_sum += member * (member @ similarity.T)
        own_size += member * member.sum(axis=1, keepdims=True)
    own_sum -= itself
    own_size -= 1
    other_sum = similarity.sum(axis=1) - itself - own_sum
    other_size = labels.shape[1] - 1 - own_size
    difference: t.Floats = own_sum / np.maximum(own_size, 1) - other_sum / np.maximum(other_size, 1)
    difference[(own_size == 0) | (other_size == 0)] = np.nan
    return difference
