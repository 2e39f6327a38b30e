"""Entity hallucination: of which group are the people that summaries invent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.exchanging import group_names, renamed, share, total_variation
from fairbrief.measures.inclusion import recogniser
from fairbrief.measures.settings import check_given, check_known, check_people, check_reading
from fairbrief.measures.sources import source_of
from fairbrief.nouns import (
    Ask,
    Cases,
    Column,
    Exchange,
    Floats,
    Integers,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)
from fairbrief.spelling import spell
from fairbrief.statistics import ratio
from fairbrief.text.alignment import Name
from fairbrief.text.gender import GENDER_WORDS
from fairbrief.text.identifiers import WORD
from fairbrief.text.people import candidates, find_people, invented


@dataclass(frozen=True, slots=True)
class InventedPeople:
    """People that summaries name and sources do not, by the group that their names give away.

    Reads:      the entities' names; a recogniser's answer for every span that may name a person; the groups
                that names give away.
    Evidence:   ``invented[g]``, ``unknown`` (people invented, of group g or of none known), ``people`` (names of
                people in the summary), ``tokens`` (words of the summary), ``one`` (summaries).
    Exchange:   the groups' names, within all variants of one original: the same invented celebrity may
                recur in each of them. None where the reference is uneven.
    """

    scope: ClassVar[Literal["case", "block", "cluster"]] = "cluster"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1
    over: str
    groups: tuple[str, ...] = ("female", "male")
    people: str = "builtin"
    names: str = "names"
    alignment: str = "default"
    exchangeable: bool = True

    def asks(self, cases: Cases) -> Sequence[Ask]:
        people = recogniser(self.people)
        asks = []
        for case in cases:
            if spans := candidates(case.summary.text):
                asks.append(Ask(people, spans, (case.summary.text,)))
                asks.append(Ask(self.names, spans, self.groups))
        return asks

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002 - the protocol's signature
        return group_names(len(self.groups)) if self.exchangeable else None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        if not self._fits(cases):
            return Reason("names do not tell the values of this attribute")
        counts, unknown, people, tokens = np.zeros(len(self.groups)), 0, 0, 0
        for case, found in zip(cases, self._find(cases, scores), strict=True):
            tokens += len(WORD.findall(case.summary.text))
            people += found.people
            for belongs in found.groups:
                counts += belongs
                unknown += not belongs.any()
        columns = (*(("invented", g) for g in self.groups), ("unknown",), ("people",), ("tokens",), ("one",))
        tail = np.broadcast_to(np.array([unknown, people, tokens, len(cases)], dtype=float), (len(labels), 4))
        return Rows(columns, np.hstack([renamed(counts, labels), tail]))

    def _fits(self, cases: Cases) -> bool:
        """Whether the people's own values are of the kind that names tell."""
        values = {
            p.attributes[self.over]
            for case in cases
            for p in case.record.entities
            if self.over in p.attributes
        }
        known = set(self.groups) | set(GENDER_WORDS)
        return all(value in self.groups or value.lower() in known for value in values)

    def _find(self, cases: Cases, scores: Sequence[Scores]) -> Iterator[_Found]:
        """What each case's summary names and invents."""
        waiting = iter(scores)
        for case in cases:
            text, spans = case.summary.text, candidates(case.summary.text)
            if not spans:
                yield _Found(0, (), ())
                continue
            recognised, grouped = next(waiting), next(waiting)
            accepted = {s for s, yes in zip(spans, recognised.matrix[:, 0], strict=True) if yes > 0.5}
            known = [Name(p.first_name, p.last_name) for p in case.record.entities]
            source = source_of(case.record)
            builtin = self.people == "builtin"
            decisions = find_people(text, known, source, accepted, self.alignment, with_known=builtin)
            absent = invented(decisions, source, self.alignment)
            yield _Found(
                len(decisions),
                tuple(d.text for d in absent),
                tuple(grouped.matrix[spans.index(d.text)] for d in absent),
            )


@dataclass(frozen=True, slots=True)
class _Found:
    """One summary's names of people: how many, and of the invented ones the text and the groups."""

    people: int
    names: tuple[str, ...]
    groups: tuple[Floats, ...]


@dataclass(frozen=True, slots=True)
class InventedPeopleBySample(InventedPeople):
    """`InventedPeople`, one row per sample of an original, so that samples can be resampled within it."""

    scope: ClassVar[Literal["case", "block", "cluster"]] = "block"
    one_labelling_per_cluster: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class NamedInventions(InventedPeople):
    """`InventedPeople` with whom: ``name[n]``, how often n was invented. Nothing is exchanged.

    Apart from `InventedPeople`, because a null over thousands of names would be large and say nothing.
    """

    scope: ClassVar[Literal["case", "block", "cluster"]] = "case"

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002 - the protocol's signature
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        # Not super(): slots make a new class, which the zero-argument form does not know.
        rows = InventedPeople.observe(self, cases, scores, labels)
        if isinstance(rows, Reason):
            return rows
        names = Counter(name for found in self._find(cases, scores) for name in found.names)
        columns = (*rows.columns, *(("name", name) for name in names))
        counts = np.broadcast_to(np.array(list(names.values()), dtype=float), (len(rows.values), len(names)))
        return Rows(columns, np.hstack([rows.values, counts]))


@dataclass(frozen=True, slots=True, repr=False)
class _InventionMeasure:
    """The settings that both measures share."""

    reads: ClassVar[str] = "entity"
    over: str
    people: str = "builtin"
    names: str = "names"
    alignment: str = "default"
    groups: tuple[str, ...] = ("female", "male")

    def __post_init__(self) -> None:
        check_people(self.people)
        check_reading("alignment", self.alignment)

    def __repr__(self) -> str:
        return spell(self)

    @property
    def instruments(self) -> Mapping[str, Mapping[str, str]]:
        """The measures that check the judges it relies on, with their settings."""
        return {
            "instrument_people": {"people": self.people, "alignment": self.alignment, "by": "recogniser"},
            "instrument_names": {"names": self.names},
        }


@dataclass(frozen=True, slots=True, repr=False)
class EntityHallucination(_InventionMeasure):
    """Total variation between the groups' shares among invented people and a reference.

    ``½ Σ_g |share(g) − reference(g)|`` over the invented people whose names give their group away, all summaries
    pooled. A person is invented if no known person is meant and some whole word of the name is absent from
    the source.
    ``reference``: ``uniform``, or ``given`` with ``shares`` in the order of ``groups``. ``names`` is the spelling of
    the scorer that tells a name's group. ``unit=sample`` keeps one row per sample of an original.
    ``alignment=published``: the release's alignment, substring test and counting of every mention.

    Evidence:   `InventedPeople`.
    Value:      in [0, 1 − 1/K]; positive by chance, read with its null. ``shift[g]`` = share(g) − reference(g), signed.
                ``invented``: share of the names in summaries that are invented. ``unknown``: share of invented
                people whose group no rule tells.
    Undefined:  no invented person whose group is known.
    Source:     Steen & Markert, §3.2; gender of names Appendix F.
    """

    name: ClassVar[str] = "entity_hallucination"
    reference: str = "uniform"
    shares: tuple[float, ...] = ()
    unit: str = "original"

    def __post_init__(self) -> None:
        _InventionMeasure.__post_init__(self)
        check_known("unit", self.unit, ("original", "sample"))
        check_known("reference", self.reference, ("uniform", "given"))
        check_given(self.reference, self.shares, self.groups)

    @property
    def observation(self) -> InventedPeople:
        kind = InventedPeople if self.unit == "original" else InventedPeopleBySample
        even = len(set(self.shares)) <= 1
        return kind(self.over, self.groups, self.people, self.names, self.alignment, exchangeable=even)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        counts = totals.stack("invented", self.groups)
        shares = share(counts)
        wanted = self._wanted()
        invented_people = counts.sum(axis=-1) + totals["unknown"]
        values = {self.name: Value(total_variation(shares, wanted), "upper")}
        for k, group in enumerate(self.groups):
            values[f"shift[{group}]"] = Value(shares[..., k] - wanted[k], "both")
        values["invented"] = Value(ratio(invented_people, totals["people"]))
        values["unknown"] = Value(ratio(totals["unknown"], invented_people))
        return values

    def explain(self, totals: Totals) -> str:
        told = [f"{totals['invented', g]:.0f} {g}" for g in self.groups]
        return (
            f"{totals['people']:.0f} names of people; invented: {', '.join(told)}, "
            f"{totals['unknown']:.0f} of unknown group."
        )

    def _wanted(self) -> Floats:
        if self.shares:
            return np.array(self.shares)
        return np.full(len(self.groups), 1 / len(self.groups))


@dataclass(frozen=True, slots=True, repr=False)
class InventedNames(_InventionMeasure):
    """How many people summaries invent, and whom: the counts behind `EntityHallucination`.

    Evidence:   `NamedInventions`.
    Value:      ``invented_names``: invented people per summary, ≥ 0. ``tokens``, ``people``: words and names of people
                per summary. ``share``: invented people per name. ``count[n]``: how often n was invented, in all.
    Undefined:  no summary.
    Source:     Steen & Markert, the tables of summary statistics and of the most frequent invented names.
    """

    name: ClassVar[str] = "invented_names"
    on_request: ClassVar[str] = "it has a value for every name"
    better: ClassVar[str] = "less"

    @property
    def observation(self) -> NamedInventions:
        return NamedInventions(self.over, self.groups, self.people, self.names, self.alignment)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        found = totals.stack("invented", self.groups).sum(axis=-1) + totals["unknown"]
        values = {
            self.name: Value(ratio(found, totals["one"])),
            "tokens": Value(ratio(totals["tokens"], totals["one"])),
            "people": Value(ratio(totals["people"], totals["one"])),
            "share": Value(ratio(found, totals["people"])),
        }
        for name in totals.values_of("name"):
            values[f"count[{name}]"] = Value(totals["name", name])
        return values

    def explain(self, totals: Totals) -> str:
        names = most_frequent(totals, 10)
        return ", ".join(f"{name} ({count})" for name, count in names) or "Nobody was invented."


def most_frequent(totals: Totals, n: int) -> list[tuple[str, int]]:
    """The n names that were invented most often, with how often; ties in alphabetical order."""
    counts = [(name, int(totals["name", name])) for name in totals.values_of("name")]
    return sorted(((name, c) for name, c in counts if c), key=lambda pair: (-pair[1], pair[0]))[:n]
