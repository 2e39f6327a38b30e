"""What the judges themselves read into a group: their readings of sources that differ in the group alone.

A source is its own perfect summary: nothing is added, left out or turned. Whatever differs between versions of
one original that are alike but for the group is the judge's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.measures.inclusion import recogniser
from fairbrief.measures.instrument_evidence import SourceNames, SourcePeople, SourceSentiments, SourceSupports
from fairbrief.measures.sentiment import largest_difference
from fairbrief.measures.settings import check_known, check_people, check_reading, shared
from fairbrief.nouns import Totals, Value
from fairbrief.spelling import spell
from fairbrief.statistics import ratio


class _Instrument:
    """What all measures of this room do alike."""

    name: ClassVar[str]
    reads: ClassVar[str] = "record"
    on_request: ClassVar[str] = "it reads sources that differ in the group alone, which the audit makes"
    is_instrument: ClassVar[bool] = True

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("read")
        mean = {g: ratio(totals["reading", g], totals["read", g]) for g in groups}
        values = {self.name: largest_difference(mean, totals)}
        if len(groups) > 2:
            for k, other in itertools.combinations(groups, 2):
                values[f"difference[{k}−{other}]"] = Value(mean[k] - mean[other], "both")
        return values | {f"reading[{g}]": Value(mean[g]) for g in groups}

    def explain(self, totals: Totals) -> str:
        """What the judge reads in the versions of one original."""
        parts = [
            f"{g} {float(ratio(totals['reading', g], totals['read', g])):.3f}"
            for g in totals.values_of("read")
            if totals["read", g] > 0
        ]
        return f"The judge reads: {', '.join(parts)}."

    def __repr__(self) -> str:
        return spell(self)


@dataclass(frozen=True, repr=False)
class InstrumentSentiment(_Instrument):
    """Difference between groups in the sentiment that a judge reads in sources alike but for the group.

    Per original: sentiment of its version about the first group − of its version about the second, in the
    order of the alphabet (female − male); the value is the mean over originals. With more groups, the largest
    difference of any two means, which cannot be negative.

    Reads:      variants of one original by the record attribute ``over`` (or the one value that all people of
                a record share); the summaries are not looked at. The audit makes such variants of its own input
                (`fairbrief.audit(check_instruments=…)`); inputs that hold them can be read by name.
    Evidence:   `SourceSentiments`.
    Value:      on the scorer's scale; positive = the judge reads texts about the first group more
                favourably. ``reading[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "versions of one group only"; "the judge reads nothing in a version".
    Source:     counterfactual evaluation of sentiment systems: Kiritchenko & Mohammad, *SEM 2018.
    """

    name: ClassVar[str] = "instrument_sentiment"
    over: str
    scorer: str = "vader"

    @property
    def observation(self) -> SourceSentiments:
        return SourceSentiments(self.over, self.scorer)

    @property
    def judge(self) -> str:
        return self.scorer

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"reads sources about {first} people more favourably than the same about {second} people"


@dataclass(frozen=True, repr=False)
class InstrumentSupport(_Instrument):
    """Difference between groups in how strongly a judge finds sources to support their own sentences.

    Per version: the mean over documents and sentences of the best support of the sentence by any chunk of the
    document (at most ``sentences`` sentences of a source, evenly spread). Per original: the first group's − the
    second's; the value is the mean over originals; more groups as in `InstrumentSentiment`.

    A judge that only compares words (containment, n-grams) reads any text alike; still one group's words may
    repeat more (her for his and him), which this shows. ``text=neutral`` makes names, pronouns and
    titles neutral before, as `distinguishability` does.

    Reads:      variants of one original by the record attribute ``over``, as `InstrumentSentiment`.
    Evidence:   `SourceSupports`.
    Value:      on the scorer's scale; positive = texts about the first group are found better supported.
                ``reading[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "versions of one group only"; "the judge reads nothing in a version".
    """

    name: ClassVar[str] = "instrument_support"
    over: str
    scorer: str = "containment"
    sentences: int = 10
    text: str = "as written"

    def __post_init__(self) -> None:
        check_known("text", self.text, ("as written", "neutral"))
        if self.sentences < 1:
            raise ValueError(f"sentences={self.sentences} is 1 or more")

    @property
    def observation(self) -> SourceSupports:
        return SourceSupports(**shared(self, SourceSupports))

    @property
    def judge(self) -> str:
        return self.scorer

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"finds sentences about {first} people better supported than the same about {second} people"


@dataclass(frozen=True, repr=False)
class InstrumentPeople(_Instrument):
    """Difference between groups in the share of the people of a source that are found in that very source.

    ``by=names``: as `entity_inclusion` finds known people in a summary. ``by=recogniser``: by what the
    recogniser ``people`` takes for a person's name by itself, as invented people are found.

    Reads:      variants of one original whose people differ in ``over``, as `InstrumentSentiment`; their names.
    Evidence:   `SourcePeople`.
    Value:      share found of the first group's people − of the second's, all originals pooled, in [−1, 1];
                positive = the first group's people are found more often. ``reading[g]``: the share of each. More
                groups as in `InstrumentSentiment`: in [0, 1].
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "no named people with the attribute in the source"; "versions of one group only"; "the judge
                reads nothing in a version" (one without a named person).
    """

    name: ClassVar[str] = "instrument_people"
    over: str
    people: str = "builtin"
    alignment: str = "default"
    by: str = "names"

    def __post_init__(self) -> None:
        check_people(self.people)
        check_reading("alignment", self.alignment)
        check_known("by", self.by, ("names", "recogniser"))

    @property
    def observation(self) -> SourcePeople:
        return SourcePeople(**shared(self, SourcePeople))

    @property
    def judge(self) -> str:
        return recogniser(self.people)

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"finds {first} people more often than {second} people in the same places"


@dataclass(frozen=True, repr=False)
class InstrumentNames(_Instrument):
    """Difference between groups in the share of people whose gender a judge of names reads right.

    Asked are the first and last names of the people of a source, as they are given. A person counts as read
    right if the judge gives the own group and no other. The audit draws the versions' names from the same census
    that the judge ``names`` looks up: there it can only fail by its other rules and tables.

    Reads:      variants of one original whose people differ in ``over`` (a gender), as `InstrumentSentiment`.
    Evidence:   `SourceNames`.
    Value:      share read right of the first group − of the second, all originals pooled, in [−1, 1]; positive =
                the first group's names are read right more often. ``reading[g]``: the share of each.
    Chance:     the versions' groups exchanged inside each original.
    Undefined:  "names do not tell the values of this attribute"; "no named people with the attribute in the
                source"; "versions of one group only".
    """

    name: ClassVar[str] = "instrument_names"
    over: str
    names: str = "names"

    @property
    def observation(self) -> SourceNames:
        return SourceNames(self.over, self.names)

    @property
    def judge(self) -> str:
        return self.names

    def told(self, first: str, second: str) -> str:
        """What a positive value says."""
        return f"reads the gender of {first} people's names right more often than of {second} people's"
