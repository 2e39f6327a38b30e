"""Self-retrieval: how often a scorer finds paraphrased sentences of each group's documents in their own document.

A sentence that says the same in other words is supported by the document that it was taken from. Whatever differs between
groups in how often a scorer finds it there is the scorer's, and not a summary's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.errors import FairbriefError
from fairbrief.measures.bases import check_uncut
from fairbrief.measures.permutation_schemes import by_group, counted, groups_of
from fairbrief.measures.record_texts import known
from fairbrief.measures.scorer_bias import ON_REQUEST, OWN, ScorerBias
from fairbrief.measures.sentiment import largest_difference
from fairbrief.statistics import TIE, ratio
from fairbrief.text.paraphrase import paraphrase
from fairbrief.text.sentences import sentences_of
from fairbrief.types import (
    Ask,
    Cases,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Record,
    Rows,
    Scores,
    Totals,
    Value,
)

ONE_GROUP = Reason("one group only")
NO_SENTENCE = Reason("no sentence is long enough to be found again")
NO_WORDNET = Reason("without WordNet no sentence can be paraphrased")
KEY = "self-retrieval"
"""Another would choose other words and synonyms."""
SHORTEST = 5
"""Words of the shortest sentence that is looked for."""


@dataclass(frozen=True)
class SelfRetrieval:
    """How many paraphrased sentences of each group's documents are best supported by their own document.

    From each document, at most ``sentences`` sentences of five words or more are taken, evenly spread. Synonyms
    replace a ``share`` of their content words. A sentence is retrieved if no other document of the record supports it
    as much; a tie of k documents counts 1/k.

    Reads:      document attribute ``over``; support, shape (documents, sentences).
    Per record:  per group ``scored`` (sentences) and ``score`` (retrieved sentences).
    Permuted:   labels among the documents of the record.
    Undefined:  "one group only"; "no sentence is long enough to be found again"; "without WordNet no sentence can be
                paraphrased".
    """

    over: str
    scorer: str
    sentences: int
    share: float

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)

    def asks(self, cases: Cases) -> Sequence[Ask]:
        about = known(cases[0].record)
        chosen = self._chosen(about.record)
        if len(groups_of(about, self.over).names) < 2 or not chosen:
            return ()
        try:
            sentences = tuple(paraphrase(text, self.share, KEY) if self.share else text for _, text in chosen)
        except FairbriefError:  # WordNet is not here
            return ()
        return (Ask(self.scorer, about.texts, sentences),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        groups = groups_of(known(cases[0].record), self.over)
        return groups.scheme if len(groups.names) > 1 else None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        about = known(cases[0].record)
        groups = groups_of(about, self.over)
        if len(groups.names) < 2:
            return ONE_GROUP
        if not scores:
            return NO_WORDNET if self._chosen(about.record) else NO_SENTENCE
        document = np.array([i for i, _ in self._chosen(about.record)])
        support = scores[0].by_column(len(document))
        is_best = support >= support.max(axis=0) - TIE
        hits = is_best[document, np.arange(len(document))] / is_best.sum(axis=0)
        sums: list[Floats] = [
            np.bincount(document, w, minlength=len(about.texts)).astype(np.float64)
            for w in (np.ones(len(document)), hits)
        ]
        by_labels = [counted(groups.codes, each, labels, len(groups.names)) for each in sums]
        return by_group(groups.names, dict(zip(("scored", "score"), by_labels, strict=True)))

    def _chosen(self, record: Record) -> list[tuple[int, str]]:
        """The sentences to look for, each with its document."""
        chosen = []
        for i, document in enumerate(record.documents):
            long = long_sentences(document.text)
            places = np.linspace(0, len(long) - 1, min(self.sentences, len(long))).round().astype(int)
            chosen += [(i, long[place]) for place in places.tolist()]
        return chosen


def long_sentences(text: str) -> list[str]:
    """The sentences that are long enough to be looked for."""
    return [sentence for sentence in sentences_of(text) if len(sentence.split()) >= SHORTEST]


def _largest(mean: Mapping[str, Floats], totals: Totals) -> Value:
    """As `largest_difference`; of more than two groups tested by itself under permuted labels."""
    largest = largest_difference(mean, totals, count="")
    return largest if len(mean) < 3 else Value(largest.array, "upper")


@dataclass(frozen=True, repr=False)
class ScorerBiasRetrieval(ScorerBias):
    """Difference between groups in how often a scorer finds paraphrased sentences in their own document.

    Sentences of each group's documents are paraphrased by rules (synonyms of WordNet for a ``share`` of the content
    words). The scorer searches them among the documents of their record. All are equally true of their document. So a
    group whose sentences are found less often is covered less in summaries too, whatever they say.

    Reads:      document attribute ``over``, not the summaries. English texts.
    Value:      share found of the first group's sentences − of the second's, in alphabetical order, over all records,
                in [−1, 1]. Of more groups, the largest difference of any two. Secondary: ``difference[g]``, share
                found of g's sentences − of all others'; ``mean[g]``, the share of each group.
    """

    observes: ClassVar[type] = SelfRetrieval
    name: ClassVar[str] = "scorer_bias_retrieval"
    finding: ClassVar[str] = (
        "finds sentences of {first} documents again more often than of {second} documents"
    )
    declaration: ClassVar[Declaration] = Declaration(
        family="Self-retrieval (how often scorers find paraphrased sentences in their own document)",
        question="how much more often a scorer finds paraphrased sentences of one group in their own document than of others",
        harm=OWN,
        on_request=ON_REQUEST,
        checks_scorer=True,
    )
    over: str
    scorer: str = "containment"
    sentences: int = 3
    share: float = 0.5

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)
        if self.sentences < 1:
            raise ValueError(f"sentences={self.sentences} is 1 or more")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share={self.share} is not in [0, 1]")

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("scored")
        mean = {g: ratio(totals["score", g], totals["scored", g]) for g in groups}
        values = {self.name: _largest(mean, totals)}
        scored, score = (sum(totals[statistic, g] for g in groups) for statistic in ("scored", "score"))
        for g in groups:
            others = ratio(score - totals["score", g], scored - totals["scored", g])
            values[f"difference[{g}]"] = Value(mean[g] - others, "both", group=g)
            values[f"mean[{g}]"] = Value(mean[g], is_share=True, group=g)
        return values
