"""Scorer bias: how differently a scorer scores sources that differ only in the group.

A source is its own perfect summary: nothing is added, left out or turned. Whatever differs between versions of
one seed document that differ only in the group is due to the scorer.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.bases import Reading, check_known, check_people, check_uncut, check_variant
from fairbrief.measures.coverage import fold_chunks
from fairbrief.measures.distinguishability import group_of
from fairbrief.measures.entity_inclusion import IncludedPeople, accepted, is_named, recogniser
from fairbrief.measures.permutation_schemes import by_group, group_names, renamed
from fairbrief.measures.record_texts import known
from fairbrief.measures.sentiment import SENTIMENT, largest_difference
from fairbrief.statistics import ratio
from fairbrief.text.anonymisation import anonymise
from fairbrief.text.name_words import GENDER_WORDS
from fairbrief.text.passages import passages_of
from fairbrief.text.people import candidates, find_people
from fairbrief.text.sentences import sentences_of
from fairbrief.types import (
    Ask,
    Case,
    Cases,
    Entity,
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

ONE_GROUP = Reason("versions of one group only")
UNREAD = Reason("the scorer finds nothing in a version")
NO_PEOPLE = Reason("no named people with the attribute in the source")
NO_GENDERS = Reason("names do not tell the values of this attribute")


class _Readings:
    """What all observations of this room do alike: one row per seed document, the groups' names exchanged.

    Evidence:   per group ``scored`` (sources, or people in them) and ``score`` (the sum of their scores).
    Undefined:  a seed document whose versions are not of two groups, or one of whose versions is not read.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="cluster", version=1)
    over: str

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        return group_names(len(_groups(cases, self.over)))

    def _row(self, cases: Cases, found: Sequence[tuple[float, float]], labels: Integers) -> Rows | Reason:
        """A row from each version's (how much was read, the sum of its readings)."""
        groups = _groups(cases, self.over)
        if len(groups) < 2:
            return ONE_GROUP
        sums = np.zeros((len(groups), 2))
        for case, pair in zip(cases, found, strict=True):
            sums[groups.index(group_of(case.record, self.over) or "")] += pair
        if not sums[:, 0].all():
            return UNREAD
        return by_group(groups, {"scored": renamed(sums[:, 0], labels), "score": renamed(sums[:, 1], labels)})


def _groups(cases: Cases, over: str) -> list[str]:
    return sorted({g for case in cases if (g := group_of(case.record, over)) is not None})


def _grouped(cases: Cases, over: str) -> list[Case]:
    """The cases whose record is about one group."""
    return [case for case in cases if group_of(case.record, over) is not None]


@dataclass(frozen=True)
class SourceSentiments(_Readings):
    """The sentiment of the sources of one seed document's versions, by group; versions of one group are averaged."""

    over: str
    scorer: str

    def asks(self, cases: Cases) -> Sequence[Ask]:
        texts = tuple(known(case.record).source for case in _grouped(cases, self.over))
        return (Ask(self.scorer, texts, SENTIMENT),) if texts else ()

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        cases = _grouped(cases, self.over)
        if not cases:
            return ONE_GROUP
        sizes, readings = scores[0].sizes, scores[0].matrix[:, 0]
        if not sizes.all():
            return UNREAD
        return self._row(cases, _averaged(cases, self.over, readings), labels)


@dataclass(frozen=True)
class SourceSupports(_Readings):
    """How strongly the documents of a source support its own sentences, by group.

    Of one version: the mean, over its documents and at most ``sentences`` of its sentences (evenly spread),
    of the best support by any chunk of the document; chunks are runs of sentences of at most 100 words,
    whatever the scorer's setting ``by``: a sentence that were compared with itself would tell nothing.
    ``text=neutral``: with names, pronouns and titles made neutral before.
    """

    over: str
    scorer: str
    sentences: int
    text: str

    def asks(self, cases: Cases) -> Sequence[Ask]:
        asks = []
        for case in _grouped(cases, self.over):
            chunks, _ = self._chunks(case.record)
            units = self._units(case.record)
            if chunks and units:
                asks.append(Ask(self.scorer, tuple(chunks), tuple(units), whole=True))
        return asks

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        cases = _grouped(cases, self.over)
        if len(scores) < len(cases) or not cases:
            return UNREAD if cases else ONE_GROUP
        readings = []
        for case, score in zip(cases, scores, strict=True):
            _, owner = self._chunks(case.record)
            if not score.matrix.shape[1]:
                return UNREAD
            readings.append(float(fold_chunks(score.matrix, owner, int(owner[-1]) + 1).mean()))
        if not np.isfinite(readings).all():
            return UNREAD
        return self._row(cases, _averaged(cases, self.over, readings), labels)

    def _texts(self, record: Record) -> list[str]:
        if self.text == "neutral":
            names = [(p.first_name, p.last_name) for p in record.entities]
            return [anonymise(d.text, names) for d in record.documents]
        return [d.text for d in record.documents]

    def _chunks(self, record: Record) -> tuple[list[str], Integers]:
        """The chunks of all documents that have any, and which of these documents each is of."""
        cut = [
            found for text in self._texts(record) if text.strip() and (found := passages_of(text, "100words"))
        ]
        owner = np.repeat(np.arange(len(cut)), [len(found) for found in cut])
        return list(itertools.chain.from_iterable(cut)), owner

    def _units(self, record: Record) -> list[str]:
        units = [s for text in self._texts(record) for s in sentences_of(text)]
        spread = np.linspace(0, len(units) - 1, min(self.sentences, len(units))).round().astype(int)
        return [units[i] for i in spread]


@dataclass(frozen=True)
class SourcePeople(_Readings):
    """Which of the people of a source are found in it, by group: ``scored`` counts people, ``score`` those found."""

    over: str
    people: str
    alignment: str
    by: str

    def asks(self, cases: Cases) -> Sequence[Ask]:
        if self.by == "names":
            return [ask for case in _own(cases, self.over) for ask in self._included.asks((case,))]
        scorer = recogniser(self.people)
        texts = [case.summary.text for case in _own(cases, self.over)]
        return [Ask(scorer, candidates(text), (text,)) for text in texts]

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        cases = _own(cases, self.over)
        if not any(_people(case.record, self.over) for case in cases):
            return NO_PEOPLE
        found = []
        for i, case in enumerate(cases):
            flags = self._found(case, scores[i : i + 1])
            found.append((float(len(flags)), float(flags.sum())))
        return self._row(cases, found, labels)

    def _found(self, case: Case, scores: Sequence[Scores]) -> Floats:
        """1 for each person of the source who is found in it."""
        people = _people(case.record, self.over)
        if self.by == "names":
            return is_named(self._included.find(case, people, scores), len(people))
        text = case.summary.text
        spans = candidates(text)
        names, found = self._included.names(case, people), accepted(spans, scores[0])
        return is_named(find_people(text, names, text, found, self.alignment, with_known=False), len(people))

    @property
    def _included(self) -> IncludedPeople:
        return IncludedPeople(self.over, self.people, self.alignment)


@dataclass(frozen=True)
class SourceNames(_Readings):
    """Whose gender is read right from the name, of the people with a first name; ``read`` counts people."""

    over: str
    names: str

    def asks(self, cases: Cases) -> Sequence[Ask]:
        cases, groups = _grouped(cases, self.over), _groups(cases, self.over)
        if not _are_genders(groups):
            return ()
        written = [tuple(_written(p) for p in _first_named(case.record, self.over)) for case in cases]
        return [Ask(self.names, names, tuple(groups)) for names in written if names]

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        cases, groups = _grouped(cases, self.over), _groups(cases, self.over)
        if not _are_genders(groups):
            return NO_GENDERS
        waiting, found = iter(scores), []
        for case in cases:
            people = _first_named(case.record, self.over)
            if not people:
                return NO_PEOPLE
            own = np.array([groups.index(p.attributes[self.over]) for p in people])
            said = next(waiting).matrix > 0.5
            right = said[np.arange(len(own)), own] & (said.sum(axis=1) == 1)
            found.append((float(len(own)), float(right.sum())))
        return self._row(cases, found, labels)


def _averaged(cases: Cases, over: str, readings: Sequence[float] | Floats) -> list[tuple[float, float]]:
    """Each version's weight and weighted reading; the versions of one group weigh one together."""
    groups = [group_of(case.record, over) for case in cases]
    return [
        (1 / groups.count(g), float(reading) / groups.count(g))
        for g, reading in zip(groups, readings, strict=True)
    ]


def _own(cases: Cases, over: str) -> list[Case]:
    """The cases with the source in the summary's place."""
    return [
        replace(case, summary=replace(case.summary, text=known(case.record).source))
        for case in _grouped(cases, over)
    ]


def _people(record: Record, over: str) -> list[Entity]:
    return [p for p in record.entities if over in p.attributes and (p.first_name or p.last_name)]


def _first_named(record: Record, over: str) -> list[Entity]:
    return [p for p in record.entities if p.first_name and p.attributes.get(over) == group_of(record, over)]


def _written(person: Entity) -> str:
    return " ".join(part for part in (person.first_name, person.last_name) if part)


def _are_genders(groups: Sequence[str]) -> bool:
    return all(g.lower() in GENDER_WORDS for g in groups)


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


class ScorerBias(Reading):
    """What all measures of scorer bias do alike."""

    name: ClassVar[str]
    declaration: ClassVar[Declaration]
    finding: ClassVar[str]
    """What a positive value says of the scorer, as a sentence without its subject."""
    scorer: str

    @property
    def checked_scorer(self) -> str:
        """The spec of the scorer that is checked."""
        return self.scorer

    def told(self, first: str, second: str) -> str:
        """The finding about two groups."""
        return self.finding.format(first=first, second=second)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("scored")
        mean = {g: ratio(totals["score", g], totals["scored", g]) for g in groups}
        values = {self.name: largest_difference(mean, totals, count="")}
        if len(groups) > 2:
            for k, other in itertools.combinations(groups, 2):
                values[f"difference[{k}−{other}]"] = Value(mean[k] - mean[other], "both")
        return values | {f"mean[{g}]": Value(mean[g]) for g in groups}

    def explain(self, totals: Totals) -> str:
        """How the scorer scores the versions of one seed document."""
        parts = [
            f"{g} {float(ratio(totals['score', g], totals['scored', g])):.3f}"
            for g in totals.values_of("scored")
            if totals["scored", g] > 0
        ]
        return f"The scorer gives: {', '.join(parts)}."


@dataclass(frozen=True, repr=False)
class ScorerBiasSentiment(ScorerBias):
    """Difference between groups in the sentiment a scorer gives to sources that differ only in the group.

    Per seed document: sentiment of its version about the first group − of its version about the second, in the
    order of the alphabet (female − male); the value is the mean over originals. With more groups, the largest
    difference of any two means, which cannot be negative.

    Reads:      counterfactuals of one seed document by the record attribute ``over`` (or the one value that all people of
                a record share); the summaries are not looked at. The audit makes such counterfactuals of its own input
                (`fairbrief.audit(check_scorers=…)`); inputs that hold them can be read by name.
    Evidence:   `SourceSentiments`.
    Value:      on the scorer's scale; positive = the scorer scores texts about the first group more
                favourably. ``mean[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each seed document.
    Undefined:  "versions of one group only"; "the scorer finds nothing in a version".
    Source:     counterfactual evaluation of sentiment systems: Kiritchenko & Mohammad, *SEM 2018.
    """

    observes: ClassVar[type] = SourceSentiments
    name: ClassVar[str] = "scorer_bias_sentiment"
    finding: ClassVar[str] = (
        "scores sources about {first} people more favourably than the same about {second} people"
    )
    declaration: ClassVar[Declaration] = _declared(
        "how much more favourably a scorer scores sources about one group than the same about another"
    )
    over: str
    scorer: str = "vader"

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)


@dataclass(frozen=True, repr=False)
class ScorerBiasSupport(ScorerBias):
    """Difference between groups in how strongly a scorer finds sources to support their own sentences.

    Per version: the mean over documents and sentences of the best support of the sentence by any chunk of the
    document (at most ``sentences`` sentences of a source, evenly spread). Per seed document: the first group's − the
    second's; the value is the mean over originals; more groups as in `ScorerBiasSentiment`.

    A scorer that only compares words (containment, n-grams) scores any text alike; still one group's words may
    repeat more (her for his and him), which this shows. ``text=neutral`` makes names, pronouns and
    titles neutral before, as `distinguishability` does.

    Reads:      counterfactuals of one seed document by the record attribute ``over``, as `ScorerBiasSentiment`.
    Evidence:   `SourceSupports`.
    Value:      on the scorer's scale; positive = texts about the first group are found better supported.
                ``mean[g]``: the mean of each group.
    Chance:     the versions' groups exchanged inside each seed document.
    Undefined:  "versions of one group only"; "the scorer finds nothing in a version".
    """

    observes: ClassVar[type] = SourceSupports
    name: ClassVar[str] = "scorer_bias_support"
    finding: ClassVar[str] = (
        "finds sentences about {first} people better supported than the same about {second} people"
    )
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


@dataclass(frozen=True, repr=False)
class ScorerBiasPeople(ScorerBias):
    """Difference between groups in the share of the people of a source that are found in that very source.

    ``by=names``: as `entity_inclusion` finds known people in a summary. ``by=recogniser``: by what the
    recogniser ``people`` takes for a person's name by itself, as invented people are found.

    Reads:      counterfactuals of one seed document whose people differ in ``over``, as `ScorerBiasSentiment`; their names.
    Evidence:   `SourcePeople`.
    Value:      share found of the first group's people − of the second's, all seed documents pooled, in [−1, 1];
                positive = the first group's people are found more often. ``mean[g]``: the share of each. More
                groups as in `ScorerBiasSentiment`: in [0, 1].
    Chance:     the versions' groups exchanged inside each seed document.
    Undefined:  "no named people with the attribute in the source"; "versions of one group only"; "the
                scorer finds nothing in a version" (one without a named person).
    """

    observes: ClassVar[type] = SourcePeople
    name: ClassVar[str] = "scorer_bias_people"
    finding: ClassVar[str] = "finds {first} people more often than {second} people in the same places"
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
    def checked_scorer(self) -> str:
        return recogniser(self.people)


@dataclass(frozen=True, repr=False)
class ScorerBiasNames(ScorerBias):
    """Difference between groups in the share of people whose gender a scorer of names tells right.

    Asked are the first and last names of the people of a source, as they are given. A person counts as read
    right if the scorer gives the own group and no other. The audit draws the versions' names from the same census
    that the scorer ``names`` looks up: there it can only fail by its other rules and tables.

    Reads:      counterfactuals of one seed document whose people differ in ``over`` (a gender), as `ScorerBiasSentiment`.
    Evidence:   `SourceNames`.
    Value:      share read right of the first group − of the second, all seed documents pooled, in [−1, 1]; positive =
                the first group's names are told right more often. ``mean[g]``: the share of each.
    Chance:     the versions' groups exchanged inside each seed document.
    Undefined:  "names do not tell the values of this attribute"; "no named people with the attribute in the
                source"; "versions of one group only".
    """

    observes: ClassVar[type] = SourceNames
    name: ClassVar[str] = "scorer_bias_names"
    finding: ClassVar[str] = (
        "tells the gender of {first} people's names right more often than of {second} people's"
    )
    declaration: ClassVar[Declaration] = _declared(
        "how much more often the gender of one group's names is told right than another's"
    )
    over: str
    names: str = "names"

    @property
    def checked_scorer(self) -> str:
        return self.names
