"""Scores of sources that differ only in the group: what the scorer bias measures observe."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.coverage_folding import fold_chunks
from fairbrief.measures.distinguishability import group_of
from fairbrief.measures.entity_inclusion import IncludedPeople, is_named, recogniser
from fairbrief.measures.known_records import known
from fairbrief.measures.permutation_schemes import group_names, renamed
from fairbrief.measures.sentiment_shift import SENTIMENT
from fairbrief.measures.summary_units import chunks_of
from fairbrief.text.anonymisation import anonymise
from fairbrief.text.name_words import GENDER_WORDS
from fairbrief.text.people import Name, candidates, find_people
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
)

ONE_GROUP = Reason("versions of one group only")
UNREAD = Reason("the scorer finds nothing in a version")
NO_PEOPLE = Reason("no named people with the attribute in the source")
NO_GENDERS = Reason("names do not tell the values of this attribute")


class _Readings:
    """What all observations of this room do alike: one row per original, the groups' names exchanged.

    Evidence:   per group ``scored`` (sources, or people in them) and ``score`` (the sum of their scores).
    Undefined:  an original whose versions are not of two groups, or one of whose versions is not read.
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
        columns = tuple((name, g) for name in ("scored", "score") for g in groups)
        return Rows(columns, np.hstack([renamed(sums[:, 0], labels), renamed(sums[:, 1], labels)]))


def _groups(cases: Cases, over: str) -> list[str]:
    return sorted({g for case in cases if (g := group_of(case.record, over)) is not None})


def _grouped(cases: Cases, over: str) -> list[Case]:
    """The cases whose record is about one group."""
    return [case for case in cases if group_of(case.record, over) is not None]


@dataclass(frozen=True)
class SourceSentiments(_Readings):
    """The sentiment of the sources of one original's versions, by group; versions of one group are averaged."""

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
    of the best support by any chunk of the document; chunks are runs of sentences of at most 100 words.
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
                asks.append(Ask(self.scorer, tuple(chunks), tuple(units)))
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
        cut = [found for text in self._texts(record) if (found := chunks_of(text, "groups", 100))]
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
        accepted = {s for s, yes in zip(spans, scores[0].matrix[:, 0], strict=True) if yes > 0.5}
        others = [p for p in case.record.entities if self.over not in p.attributes]
        names = [
            Name.of(p.first_name, p.last_name, p.attributes.get("gender", "")) for p in [*people, *others]
        ]
        return is_named(
            find_people(text, names, text, accepted, self.alignment, with_known=False), len(people)
        )

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
