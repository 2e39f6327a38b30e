"""Framing: how often a summary's sentiment class differs from that of its source, and in which direction.

Each text is negative, neutral or positive, by two cut-offs of a sentiment score. `framing_change` counts the transitions, also
by group; `framing_direction` compares how many texts become brighter and how many darker.

Source: Alessa et al., IJCNLP-AACL 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import TEXTS_OF_TWO_GROUPS, ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure
from fairbrief.measures.groups import COMPARED, PRIMARY, SHARE, pair_differences
from fairbrief.measures.sentiment import Sentiments
from fairbrief.statistics import ratio

CLASSES = ("negative", "neutral", "positive")
CHANGES = tuple(f"{a} to {b}" for a in CLASSES for b in CLASSES)
"""The nine transitions, from the source's class to the summary's."""
SIGNS = np.array([np.sign(j - i) for i in range(len(CLASSES)) for j in range(len(CLASSES))])
"""Of each transition: 1 if the summary is brighter, -1 if it is darker. Shape (9,)."""
SURPLUS = "the share of texts that become brighter minus the share that become darker"
ALL = "all texts"
"""The group of every record without an attribute."""
DECLARED = Declaration(
    family="Framing",
    harm="Readers of the summaries would take an event, a product or a person for better or worse than the texts show it.",
    attribute_of="record",
    scorer_kind="classifier",
)
"""What both measures declare."""


class Framings(Sentiments):
    """An observation of the sentiment classes of a source and its summary, by the group of the source."""

    threshold: float = field(default=1.0, init=False)
    negative: float = -0.05
    positive: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.negative >= self.positive:
            limits = f"negative={self.negative} must be below positive={self.positive}"
            raise ValueError(f"{limits}: scores between them are neutral")

    def group_of(self, record: t.Record) -> str:
        return super().group_of(record) if self.over else ALL

    def statistics(self, a: float, s: Any, article_words: float, summary_words: float) -> dict[str, Any]:
        change = len(CLASSES) * self.class_of(a) + self.class_of(s)
        return {"one": 1.0, **{name: (change == i).astype(float) for i, name in enumerate(CHANGES)}}

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """The class and score of both texts."""
        return [
            f"{name}: {CLASSES[int(self.class_of(score))]}, with a sentiment of {float(score):+z.3f}."
            for answer in scores[: len(cases)]
            for name, score in zip(("Source", "Summary"), answer.matrix[:, 0], strict=True)
        ]

    def explain(self, totals: t.Totals) -> str:
        """The transition of one record, or how many records have each."""
        counts = {c: sum(float(totals[c, g]) for g in totals.values_of("one")) for c in CHANGES}
        told = (c if count == 1 else f"{c} in {count:g} records" for c, count in counts.items() if count)
        return f"Sentiment class: {'; '.join(told)}"

    def class_of(self, scores: Any) -> t.Integers:
        """The class of each score: 0 up to the cut-off ``negative``, 2 from ``positive``, otherwise 1."""
        scores = np.asarray(scores)
        return np.asarray((scores > self.negative).astype(np.int64) + (scores >= self.positive))


class FramingChange(BaseMeasure, Framings):
    """Share of summaries whose sentiment class differs from that of their source, and differences between groups in its direction.

    The mean over records of 1[class(summary) ≠ class(source)]. The direction of a group is its share of summaries that are
    brighter than their source, minus the share of darker ones.

    A slight shift changes the class of a source near a cut-off, and short texts are rarely as neutral as long ones. So random
    sentences change the class, too: compare with the random-sentence baseline.

    Reads:      the record's text and summary. Classes: a score of ``scorer`` up to ``negative`` (−0.05) is negative, one from
                ``positive`` (0.05) is positive, as VADER's authors recommend; a scorer with another scale needs other cut-offs.
                Groups: ``@ATTRIBUTE`` of the record (or shared by all its documents or people); without it all texts are one
                group.
    Per record:  columns of its group g: ``one``, and for each of the nine transitions (``negative to positive``) 1 if it is
                the record's.
    Value:      in [0, 1]; 0 if every summary keeps its source's class. Secondary:
                - ``direction``: share brighter − share darker, and with groups ``direction[g]``
                - ``difference[k−l]`` (primary): direction of k − direction of l, in [−2, 2]; positive if k has the larger surplus of brighter texts
                - with groups also ``changed[g]`` and ``changed_difference[k−l]``, the difference in the share of changes
                - ``transition[a to b]``: the share of records in each cell of the matrix of classes; with groups
                  ``transition[a to b, g]``, among those of g
    Permuted:   nothing within a record; groups are permuted among clusters.
    Undefined:  records: "the record lacks the attribute", no known sentiment in source or summary.
    Errors:     RequestError if ``negative`` is not below ``positive``.
    Source:     Alessa et al., IJCNLP-AACL 2025 (share of changed classes). Groups, direction, cut-offs and baseline are ours.
    """

    name = "framing_change"
    declaration = DECLARED.replace(
        question="how often the sentiment class changes from text to summary, and for which groups it becomes brighter",
        on_request="it reduces sentiment to three classes; sentiment_shift compares the scores",
        better="less",
        scorer_checks=(ScorerCheck(measure="scorer_bias_sentiment", given={"scorer": "scorer"}),),
        contrast=TEXTS_OF_TWO_GROUPS.replace(
            title="texts that become brighter minus texts that become darker",
            question="Whose texts become darker when summarized?",
            unit="points",
            below=f"{SURPLUS} is {{size}} lower for {{first}} texts than for {{second}} texts",
            above=f"{SURPLUS} is {{size}} higher for {{first}} texts than for {{second}} texts",
            even="both groups become brighter or darker equally often",
        ),
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        groups, lead = totals.values_of("one"), totals.array.shape[:-1]
        matrix = {g: np.stack([totals[c, g] for c in CHANGES], axis=-1) for g in groups}
        one = sum((totals["one", g] for g in groups), np.zeros(lead))[..., np.newaxis]
        share = ratio(sum(matrix.values(), np.zeros((*lead, len(CHANGES)))), one)
        values = {
            self.name: t.Value(_changed(share), is_share=True, **COMPARED),
            "direction": t.Value(_direction(share), limits=t.SHARE_DIFFERENCE, **COMPARED),
        }
        values |= {f"transition[{c}]": t.Value(share[..., i], **SHARE) for i, c in enumerate(CHANGES)}
        if not self.over:
            return values
        shares = {g: ratio(matrix[g], totals["one", g][..., np.newaxis]) for g in groups}
        changes = {g: _changed(row) for g, row in shares.items()}
        directions = {g: _direction(row) for g, row in shares.items()}
        values |= pair_differences(directions, "one", **PRIMARY)
        values |= pair_differences(changes, "one", "changed_difference[{}−{}]", **COMPARED)
        of_group: dict[str, Any] = {"limits": t.SHARE_DIFFERENCE, "has_baseline": True}
        for g, row in shares.items():
            values[f"changed[{g}]"] = t.Value(changes[g], **SHARE, group=g)
            values[f"direction[{g}]"] = t.Value(directions[g], **of_group, group=g)
            for i, c in enumerate(CHANGES):
                values[f"transition[{c}, {g}]"] = t.Value(row[..., i], **SHARE)
        return values


class FramingDirection(BaseMeasure, Framings):
    """Share of summaries that are brighter than their source, minus the share of darker ones, over all records.

    The mean over records of sign(class(summary) − class(source)), with the classes negative, neutral and positive. It compares
    no groups; `FramingChange` does, with the same classes and cut-offs.

    Value:      in [−1, 1]; positive if more texts become brighter than darker. Random sentences may have a direction as well:
                compare with the random-sentence baseline. Secondary: ``brighter``, ``darker``.
    Permuted:   sign flips of clusters.
    Undefined:  records: no known sentiment in source or summary.
    Source:     the direction is ours; the classes are those of Alessa et al., IJCNLP-AACL 2025.
    """

    name = "framing_direction"
    declaration = DECLARED.replace(
        question="whether summaries make more texts brighter than darker",
        on_request="it compares no groups; framing_change does",
        contrast=ContrastWords(
            title="texts that become brighter minus texts that become darker",
            question="Do summaries make their texts sound better or worse?",
            unit="points",
            below="darker rather than brighter, by {size}",
            above="brighter rather than darker, by {size}",
            even="brighter as often as darker",
            sentence="Summaries by {system} make texts {difference}",
            worse_below="",
            baseline="no change",
        ),
    )
    over: str = field(default="", init=False)
    observes = Framings

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        changes = np.stack([totals[c, ALL] for c in CHANGES], axis=-1)
        share = ratio(changes, totals["one", ALL][..., np.newaxis])
        return {
            self.name: t.Value(_direction(share), "both", limits=t.SHARE_DIFFERENCE, **PRIMARY),
            "brighter": t.Value(share @ (SIGNS == 1), **SHARE),
            "darker": t.Value(share @ (SIGNS == -1), **SHARE),
        }


def _changed(shares: t.Floats) -> t.Floats:
    """(…, 9) → (…)."""
    return np.asarray(shares @ np.abs(SIGNS))


def _direction(shares: t.Floats) -> t.Floats:
    """(…, 9) → (…)."""
    return np.asarray(shares @ SIGNS)
