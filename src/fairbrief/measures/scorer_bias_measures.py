"""Scorer bias: how differently a scorer scores sources that differ only in the group.

A source is its own perfect summary: nothing is added, left out or turned. Whatever differs between versions of
one original that differ only in the group is the scorer's own.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.declarations import Declaration
from fairbrief.measures.entity_inclusion import recogniser
from fairbrief.measures.measure_settings import check_known, check_people, check_uncut, check_variant, shared
from fairbrief.measures.scorer_bias_evidence import (
    SourceNames,
    SourcePeople,
    SourceSentiments,
    SourceSupports,
)
from fairbrief.measures.sentiment_shift import largest_difference
from fairbrief.specs import spell
from fairbrief.statistics import ratio
from fairbrief.types import Observation, Totals, Value

FAMILY = "Scorer bias (how scorers score sources that differ only in the group)"
ON_REQUEST = "it scores sources that differ only in the group, which the audit makes"
OWN = "Part of every result that relies on this scorer would be the scorer's own: it sees a difference between texts that differ only in the group."


def _declared(question: str) -> Declaration:
    return Declaration(
        family=FAMILY,
        question=question,
        harm=OWN,
        attribute_of="record",
        on_request=ON_REQUEST,
        checks_scorer=True,
    )


class ScorerBias(ABC):
    """What all measures of scorer bias do alike."""

    name: ClassVar[str]
    declaration: ClassVar[Declaration]

    @property
    @abstractmethod
    def observation(self) -> Observation:
        """What it observes."""

    @property
    @abstractmethod
    def checked_scorer(self) -> str:
        """The spec of the scorer that is checked."""

    @abstractmethod
    def told(self, first: str, second: str) -> str:
        """What a positive value says of the scorer, as a sentence without its subject."""

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("scored")
        mean = {g: ratio(totals["score", g], totals["scored", g]) for g in groups}
        values = {self.name: largest_difference(mean, totals, count="")}
        if len(groups) > 2:
            for k, other in itertools.combinations(groups, 2):
                values[f"difference[{k}−{other}]"] = Value(mean[k] - mean[other], "both")
        return values | {f"mean[{g}]": Value(mean[g]) for g in groups}

    def explain(self, totals: Totals) -> str:
        """How the scorer scores the versions of one original."""
        parts = [
            f"{g} {float(ratio(totals['score', g], totals['scored', g])):.3f}"
            for g in totals.values_of("scored")
            if totals["scored", g] > 0
        ]
        return f"The scorer gives: {', '.join(parts)}."

    __repr__ = spell


@dataclass(frozen=True, repr=False)
class ScorerBiasSentiment(ScorerBias):
    """Difference between groups in the sentiment a scorer gives to sources that differ only in the group.

    Per original: sentiment of its version about the first group − of its version about the second, in the
    order of the alphabet (female − male); the value is the mean over originals. With more groups, the largest
    difference of any two means, which cannot be negative.

    Reads:      variants of one original by the record attribute ``over`` (or the one value that all people of
                a record share); the summaries are not looked at. The audit makes such variants of its own input
                (`fairbrief.audit(check_scorers=…)`); inputs that hold them can be read by name.
    Evidence:   `SourceSentiments`.
    Value:      on the scorer's scale; positive = the scorer scores texts about the first group more
                favourably. ``mean[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "versions of one group only"; "the scorer finds nothing in a version".
    Source:     counterfactual evaluation of sentiment systems: Kiritchenko & Mohammad, *SEM 2018.
    """

    name: ClassVar[str] = "scorer_bias_sentiment"
    declaration: ClassVar[Declaration] = _declared(
        "how much more favourably a scorer scores sources about one group than the same about another"
    )
    over: str
    scorer: str = "vader"

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)

    @property
    def observation(self) -> SourceSentiments:
        return SourceSentiments(self.over, self.scorer)

    @property
    def checked_scorer(self) -> str:
        return self.scorer

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"scores sources about {first} people more favourably than the same about {second} people"


@dataclass(frozen=True, repr=False)
class ScorerBiasSupport(ScorerBias):
    """Difference between groups in how strongly a scorer finds sources to support their own sentences.

    Per version: the mean over documents and sentences of the best support of the sentence by any chunk of the
    document (at most ``sentences`` sentences of a source, evenly spread). Per original: the first group's − the
    second's; the value is the mean over originals; more groups as in `ScorerBiasSentiment`.

    A scorer that only compares words (containment, n-grams) scores any text alike; still one group's words may
    repeat more (her for his and him), which this shows. ``text=neutral`` makes names, pronouns and
    titles neutral before, as `distinguishability` does.

    Reads:      variants of one original by the record attribute ``over``, as `ScorerBiasSentiment`.
    Evidence:   `SourceSupports`.
    Value:      on the scorer's scale; positive = texts about the first group are found better supported.
                ``mean[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "versions of one group only"; "the scorer finds nothing in a version".
    """

    name: ClassVar[str] = "scorer_bias_support"
    declaration: ClassVar[Declaration] = _declared(
        "how much better supported a scorer finds sources' own sentences about one group than the same about another"
    )
    over: str
    scorer: str = "containment"
    sentences: int = 10
    text: str = "as written"

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)
        check_known("text", self.text, ("as written", "neutral"))
        if self.sentences < 1:
            raise ValueError(f"sentences={self.sentences} is 1 or more")

    @property
    def observation(self) -> SourceSupports:
        return SourceSupports(**shared(self, SourceSupports))

    @property
    def checked_scorer(self) -> str:
        return self.scorer

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"finds sentences about {first} people better supported than the same about {second} people"


@dataclass(frozen=True, repr=False)
class ScorerBiasPeople(ScorerBias):
    """Difference between groups in the share of the people of a source that are found in that very source.

    ``by=names``: as `entity_inclusion` finds known people in a summary. ``by=recogniser``: by what the
    recogniser ``people`` takes for a person's name by itself, as invented people are found.

    Reads:      variants of one original whose people differ in ``over``, as `ScorerBiasSentiment`; their names.
    Evidence:   `SourcePeople`.
    Value:      share found of the first group's people − of the second's, all originals pooled, in [−1, 1];
                positive = the first group's people are found more often. ``mean[g]``: the share of each. More
                groups as in `ScorerBiasSentiment`: in [0, 1].
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "no named people with the attribute in the source"; "versions of one group only"; "the
                scorer finds nothing in a version" (one without a named person).
    """

    name: ClassVar[str] = "scorer_bias_people"
    declaration: ClassVar[Declaration] = _declared(
        "how much more often people of one group are found in their own source than others"
    )
    over: str
    people: str = "builtin"
    alignment: str = "recommended"
    by: str = "names"

    def __post_init__(self) -> None:
        check_people(self.people)
        check_variant("alignment", self.alignment)
        check_known("by", self.by, ("names", "recogniser"))

    @property
    def observation(self) -> SourcePeople:
        return SourcePeople(**shared(self, SourcePeople))

    @property
    def checked_scorer(self) -> str:
        return recogniser(self.people)

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"finds {first} people more often than {second} people in the same places"


@dataclass(frozen=True, repr=False)
class ScorerBiasNames(ScorerBias):
    """Difference between groups in the share of people whose gender a scorer of names tells right.

    Asked are the first and last names of the people of a source, as they are given. A person counts as read
    right if the scorer gives the own group and no other. The audit draws the versions' names from the same census
    that the scorer ``names`` looks up: there it can only fail by its other rules and tables.

    Reads:      variants of one original whose people differ in ``over`` (a gender), as `ScorerBiasSentiment`.
    Evidence:   `SourceNames`.
    Value:      share read right of the first group − of the second, all originals pooled, in [−1, 1]; positive =
                the first group's names are told right more often. ``mean[g]``: the share of each.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "names do not tell the values of this attribute"; "no named people with the attribute in the
                source"; "versions of one group only".
    """

    name: ClassVar[str] = "scorer_bias_names"
    declaration: ClassVar[Declaration] = _declared(
        "how much more often the gender of one group's names is told right than another's"
    )
    over: str
    names: str = "names"

    @property
    def observation(self) -> SourceNames:
        return SourceNames(self.over, self.names)

    @property
    def checked_scorer(self) -> str:
        return self.names

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"tells the gender of {first} people's names right more often than of {second} people's"
