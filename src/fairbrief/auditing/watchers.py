"""Watchers: they see every case of an audit and change none.

A watcher is shown cases (`Watcher.note`), in this or other processes, and watchers are merged. At the end it gives notes
for estimates or entries of ``made``. No watcher stores more than a few numbers per record.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from fairbrief.auditing.notes import NotesOf, is_leading
from fairbrief.auditing.sanity_baselines import SANITY_PREFIX
from fairbrief.auditing.system_runs import id_of
from fairbrief.conclusions import FEWEST_TO_DECIDE
from fairbrief.errors import DataError
from fairbrief.ranges import distinct, grouped
from fairbrief.reports.frames import numbers
from fairbrief.text.attribution import is_label
from fairbrief.text.hashes import hash_of, hash_of_name, hash_of_texts
from fairbrief.text.languages import NAMES, other_language
from fairbrief.types import Case, Estimate, Integers, Measure, Note, Record, Summary, over_of

SHOWN = 3
"""Ids that are stored for display."""


class Watcher(ABC):
    """Collects something about cases: a dataclass whose private fields, counters, sets and `Tuples`, hold the state."""

    __slots__ = ()

    @abstractmethod
    def note(self, cases: Sequence[Case]) -> None:
        """Look at some cases."""

    def merge(self, other: Self) -> None:
        """Add what another watcher of the same kind noted of other cases."""
        for name in (f.name for f in fields(self) if f.name.startswith("_")):  # type: ignore[arg-type]
            getattr(self, name).update(getattr(other, name))


# ----------------------------------------------------------------------------------- hashes of texts


MANY = 1 << 22
"""Numbers that are added before equal tuples are made one; or as many as are distinct, if these are more."""


class Tuples:
    """Distinct tuples of 64-bit numbers; eight bytes a number."""

    def __init__(self, width: int = 2) -> None:
        self._width, self._numbers, self._room = width, array("q"), MANY
        self._distinct: Integers | None = None

    def add(self, numbers: Sequence[int]) -> None:
        """More tuples, one after another."""
        self._numbers.extend(numbers)
        self._distinct = None
        self._room -= len(numbers)
        if self._room <= 0:
            self._numbers = array("q", self.distinct().tobytes())
            self._room = max(MANY, len(self._numbers))

    def update(self, other: Tuples) -> None:
        """All tuples of another."""
        self._numbers.extend(other._numbers)
        self._distinct = None

    def distinct(self) -> Integers:
        """Each tuple once, in order. Shape (distinct, width)."""
        if self._distinct is None:
            found = np.frombuffer(self._numbers, dtype=np.int64).reshape(-1, self._width)
            # A copy: an array that is looked at cannot be resized.
            found = found[np.lexsort(found.T[::-1])]
            is_new = np.ones(len(found), dtype=np.bool_)
            is_new[1:] = (found[1:] != found[:-1]).any(axis=1)
            self._distinct = found[is_new]
        return self._distinct


@dataclass(slots=True)
class TextHashes(Watcher):
    """Hashes of what systems cannot change, by record: a later comparison detects what changed under the same id. And by system
    pairs of hashes, of a summary and of its record's id.

    ``attributes`` are those whose values are hashed.
    """

    attributes: tuple[str, ...] = ()
    _sources: Tuples = field(init=False)
    _systems: set[str] = field(default_factory=set)
    _summaries: Tuples = field(default_factory=lambda: Tuples(3))

    def __post_init__(self) -> None:
        """Nothing is hashed yet."""
        self._sources = Tuples(4 + len(self.attributes))

    def note(self, cases: Sequence[Case]) -> None:
        """Hash the records of some cases, and the summaries that can be used."""
        sources, summaries = list[int](), list[int]()
        for record in _records([case for case in cases if not case.summary.is_reference]):
            sources += (
                hash_of_name(record.id), hash_of_texts(*[d.text for d in record.documents]),
                hash_of_texts(*record.references), hash_of_name(record.cluster),
                *[hash_of_texts(*_values(record, attribute)) for attribute in self.attributes],
            )  # fmt: skip
        hash_of_texts.cache_clear()
        for record, summary in [(case.record, case.summary) for case in cases if not case.summary.reason]:
            self._systems.add(summary.system)
            summaries += hash_of_name(summary.system), hash_of(summary.text), hash_of_name(record.id)
        self._sources.add(sources)
        self._summaries.add(summaries)

    def table(self) -> pa.Table:
        """Columns ``record``, ``documents``, ``references``, ``cluster`` and ``attribute.NAME`` (int64), one row per record."""
        attributes = (f"attribute.{name}" for name in self.attributes)
        names, found = ("record", "documents", "references", "cluster", *attributes), self._sources.distinct()
        return pa.table({name: numbers(found[:, i].copy()) for i, name in enumerate(names)})

    def digest(self) -> str:
        """A hash of all that was hashed, the same in any order of the input."""
        made = blake2b(digest_size=8)
        for hashes in (self._sources, self._summaries):
            made.update(hashes.distinct().tobytes())
        return made.hexdigest()

    def pairs(self) -> Iterator[tuple[str, Integers]]:
        """Systems by name, with summary and record of each that they wrote, in the order of the summaries. Shape (n, 2)."""
        found = self._summaries.distinct()
        for system in sorted(self._systems):
            yield system, found[found[:, 0] == hash_of_name(system), 1:]


def _records(cases: Sequence[Case]) -> Iterable[Record]:
    """The records of some cases; one that several cases share comes once."""
    return {id(case.record): case.record for case in cases}.values()


def _values(record: Record, name: str) -> list[str]:
    """An attribute's values of a record, its documents and its people, with their names."""
    values = [record.attributes.get(name, "\0"), *[d.attributes.get(name, "\0") for d in record.documents]]
    for person in record.entities:
        values += [person.first_name or "", person.last_name or "", person.attributes.get(name, "\0")]
    return values


# ------------------------------------------------------------------------------------ other languages


CODES = tuple(NAMES)


@dataclass(slots=True)
class OtherLanguages(Watcher):
    """Counts documents whose language certainly differs from the ``usual`` one.

    It stores sixteen bytes per such document (record hash, language and position), and nothing for others.
    """

    usual: str
    _found: Tuples = field(default_factory=Tuples)
    _examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, cases: Sequence[Case]) -> None:
        """Look at the documents of some cases."""
        for record in _records(cases):
            for i, document in enumerate(record.documents):
                if code := other_language(document.text, self.usual):
                    self._found.add((hash_of_name(record.id), CODES.index(code) << 32 | i))
                    self._show(code, [record.id])

    def merge(self, other: Self) -> None:
        """Add the documents of other cases."""
        self._found.update(other._found)
        for code, ids in other._examples.items():
            self._show(code, ids)

    def counts(self) -> dict[str, dict[str, Any]]:
        """By language how many documents of how many records are in it, and the first of these by their ids."""
        found = self._found.distinct()
        languages = found[:, 1] >> 32
        counts: dict[str, dict[str, Any]] = {}
        for code in sorted(self._examples):
            own = found[languages == CODES.index(code), 0]
            records, examples = len(distinct(own)), self._examples[code]
            counts[code] = {"documents": len(own), "records": records, "examples": examples}
        return counts

    def records(self) -> Integers:
        """The hashes of the records with such documents, ascending."""
        return distinct(self._found.distinct()[:, 0])

    def _show(self, code: str, ids: Sequence[str]) -> None:
        self._examples[code] = sorted({*self._examples.get(code, ()), *ids})[:SHOWN]


# ------------------------------------------------------------------------------------ places of groups


NEARLY_ALWAYS = 0.9
"""The share of pairs (a document of the group, another document of the record) in which the group's document is first (or last)."""
FEWEST = 8
"""Records with the group and another one; in fewer a random order looks like that too often."""
MOST_GROUPS = 200
"""An attribute with more holds names or numbers."""
PARTS = 1_000_000
"""Shares of pairs are summed in such parts, so that no order of the records changes a digit."""


@dataclass(slots=True)
class GroupPlaces(Watcher):
    """Finds groups whose documents nearly always come first or last in their records.

    Per system, attribute and group: the number of records with other groups, and the sum of the shares of pairs in which it is
    first.
    """

    attributes: tuple[str, ...] = ()
    _sums: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _records: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def note(self, cases: Sequence[Case]) -> None:
        """Note the order of the documents of some cases."""
        orders = Counter(
            (case.summary.system, name, tuple([d.attributes.get(name) for d in case.record.documents]))
            for case in cases
            for name in self.attributes
        )
        for (system, name, values), many in orders.items():
            for group, share in _shares_before(values):
                self._sums[system, name, group] += many * share
                self._records[system, name, group] += many

    def notes(self, measures: Mapping[str, Measure]) -> NotesOf:
        """At primary estimates and main values: that groups of their attribute nearly always come first or last; at those of position,
        for every such attribute. ``measures`` are by spec.
        """
        found: dict[tuple[str, str], dict[str, Any]] = {}
        groups = Counter(attribute for attribute, _ in {key[1:] for key in self._records})
        for (system, attribute, group), records in sorted(self._records.items()):
            first = self._sums[system, attribute, group] / records / PARTS
            share, place = max(first, 1 - first), "first" if first > 0.5 else "last"
            if records >= FEWEST and share >= NEARLY_ALWAYS and groups[attribute] <= MOST_GROUPS:
                of_group = {"place": place, "share": share, "records": records}
                found.setdefault((system, attribute), {})[group] = of_group

        def notes_of(e: Estimate) -> Sequence[Note]:
            return [
                Note("place_is_group", {"attribute": attribute, "groups": placed})
                for (system, attribute), placed in found.items()
                if system == e.system and is_leading(e) and _depends_on(measures[e.measure], attribute)
            ]

        return notes_of


def _depends_on(measure: Measure, attribute: str) -> bool:
    """Whether a measure compares groups of documents by the attribute, or asks where in the text something is."""
    declared, over = measure.declaration, over_of(measure)
    return declared.needs_order or (declared.attribute_of == "document" and over == attribute)


def _shares_before(values: tuple[str | None, ...]) -> tuple[tuple[str, int], ...]:
    """Per group, if there are several: the share of its pairs with documents of other groups in which it is first, in `PARTS`.

    Documents without a value are skipped.
    """
    known = [value for value in values if value is not None]
    size, total = Counter(known), len(known)
    first: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for i, group in enumerate(known):
        first[group] += (total - size[group]) - (i - before[group])
        before[group] += 1
    return tuple(
        (group, round(PARTS * first[group] / (many * (total - many))))
        for group, many in size.items()
        if many < total
    )


# ------------------------------------------------------------------------------------ people of groups


ITEMS_OF_PEOPLE = ("appearances", "people", "entities", "claims")
"""What measures count (`Declaration.items`) whose groups consist of people with names."""


@dataclass(slots=True)
class GroupPeople(Watcher):
    """Finds groups that are the same few people in many records: speakers by an attribute of their turns, entities by theirs.

    Per attribute and group it stores sixteen bytes for each name and for each record.
    """

    attributes: tuple[str, ...] = ()
    _groups: set[tuple[str, str]] = field(default_factory=set)
    _found: Tuples = field(default_factory=Tuples)

    def note(self, cases: Sequence[Case]) -> None:
        """Note who belongs to which group in some cases."""
        for record in _records(cases) if self.attributes else ():
            people = [
                (d.attributes["speaker"], d.attributes) for d in record.documents if "speaker" in d.attributes
            ]
            people += [(e.full_name, e.attributes) for e in record.entities]
            groups = {(a, held[a], name) for name, held in people for a in self.attributes if a in held}
            for attribute, group, name in sorted(groups):
                self._groups.add((attribute, group))
                # "Chair" or "Speaker 2" is somebody else in each record.
                who = f"{record.id} {name}" if is_label(name) else name
                self._found.add((hash_of_texts("name", attribute, group), hash_of_name(who)))
                self._found.add((hash_of_texts("record", attribute, group), hash_of_name(record.cluster)))

    def notes(self, measures: Mapping[str, Measure]) -> NotesOf:
        """At primary estimates and main values that compare people: the groups with fewer names than a group needs records, if the
        names recur. ``measures`` are by spec.
        """
        keys, counts = np.unique(self._found.distinct()[:, 0], return_counts=True)
        many = dict(zip(keys.tolist(), counts.tolist(), strict=True))
        few: dict[str, dict[str, dict[str, int]]] = {}
        for key in sorted(self._groups):
            names, records = (many[hash_of_texts(what, *key)] for what in ("name", "record"))
            if names < FEWEST_TO_DECIDE and 2 * names <= records:
                few.setdefault(key[0], {})[key[1]] = {"names": names, "records": records}

        def notes_of(e: Estimate) -> Sequence[Note]:
            if e.over not in few or not is_leading(e):
                return ()
            if measures[e.measure].declaration.items not in ITEMS_OF_PEOPLE:
                return ()
            return (Note("few_people", {"attribute": e.over, "groups": few[e.over]}),)

        return notes_of


# --------------------------------------------------------------------------------- what inputs are like


SPLIT = "claims_by"
"""The key in a summary's ``made`` after an attempt to split it."""


@dataclass(slots=True)
class InputProfile(Watcher):
    """Counts of records, documents, characters and values of ``attributes``, by system, so that audits can be compared; and of
    summaries that have claims, that have none, and that were to be split.

    ``attributes`` are names by owner: ``document``, ``record``, or ``summary`` for how it was made.
    """

    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """By system: each total; summaries by ``claims`` or ``reason``; values by owner and attribute."""
    _ids: Tuples = field(default_factory=lambda: Tuples(1))

    def note(self, cases: Sequence[Case]) -> None:
        """Count some cases. DataError where a system has the name of a sanity baseline."""
        for system, some in grouped((case.summary.system, case) for case in cases).items():
            self._count(system, some)
        self._ids.add([hash_of_name(id_of(case.record)) for case in cases])

    def _count(self, system: str, cases: Sequence[Case]) -> None:
        first = cases[0].record
        if system.startswith(SANITY_PREFIX):
            raise DataError(
                f"{first.where or 'input'} (id {first.id!r}): found the system {system!r}; "
                f"'{SANITY_PREFIX}' begins the names of sanity baselines; rename the system."
            )
        documents = [document for case in cases for document in case.record.documents]
        summaries = [case.summary for case in cases if not case.summary.reason]
        absent = sum([summary.claims is None for summary in summaries])
        counts: dict[tuple[str, ...], int] = {
            ("records",): len(cases),
            ("documents",): len(documents),
            ("characters",): sum([len(document.text) for document in documents]),
            ("summaries",): len(summaries),
            ("summary_characters",): sum([len(summary.text) for summary in summaries]),
            ("claims", "absent"): absent,
            ("claims", "given"): len(summaries) - absent,
            ("claims", "split"): sum([SPLIT in summary.made for summary in summaries]),
        }
        counts |= Counter(("reason", case.summary.reason) for case in cases if case.summary.reason)
        holders = {
            "document": [document.attributes for document in documents],
            "record": [case.record.attributes for case in cases],
            "summary": [case.summary.made for case in cases],
        }
        for owner, names in self.attributes.items():
            for name in names:
                counts |= Counter((owner, name, held[name]) for held in holders[owner] if name in held)
        self._counts.update({(system, *what): many for what, many in counts.items()})

    def records(self) -> int:
        """How many records were summarized."""
        return len(self._ids.distinct())

    def contains_any(self, ids: Integers) -> bool:
        """Whether a record's id has one of these hashes. Shape: (n,)."""
        return bool(len(ids) and np.isin(ids, self._ids.distinct()).any())

    def summaries(self) -> dict[str, int]:
        """By system how many summaries were read, with those without text."""
        return dict(
            sorted((system, many) for (system, *what), many in self._counts.items() if what == ["records"])
        )

    def without_text(self) -> dict[str, dict[str, int]]:
        """By system and reason how many summaries have no text."""
        found: dict[str, dict[str, int]] = {}
        for (system, *what), many in sorted(self._counts.items()):
            if what[0] == "reason":
                found.setdefault(system, {})[what[1]] = many
        return found

    def described(self) -> dict[str, dict[str, Any]]:
        """By system the counts, and by owner and attribute those of each value; not of attributes with many values."""
        found: dict[str, dict[str, Any]] = {system: {} for system in self.summaries()}
        for (system, *what), many in self._counts.items():
            if len(what) == 1:
                found[system][what[0]] = many
        for (system, *what), many in sorted(self._counts.items()):
            if what[0] in self.attributes:
                owner, name, value = what
                found[system].setdefault(owner, {}).setdefault(name, {})[value] = many
        for of in found.values():
            for owner in set(self.attributes) & set(of):
                of[owner] = {name: values for name, values in of[owner].items() if len(values) <= MOST_GROUPS}
        return found

    def claim_notes(self, measures: Mapping[str, Measure]) -> NotesOf:
        """At estimates of measures that look for claims: how many summaries were cut into sentences, where others have claims.
        ``measures`` are by spec.
        """
        kinds = itertools.product(self.summaries(), ["claims"], ("given", "split"))
        is_mixed = any(self._counts[kind] for kind in kinds)

        def notes_of(e: Estimate) -> Sequence[Note]:
            absent = self._counts[e.system, "claims", "absent"] if is_mixed else 0
            if not absent or not _reads_claims(measures[e.measure]):
                return ()
            summaries = absent + self._counts[e.system, "claims", "given"]
            return (Note("without_claims", {"system": e.system, "absent": absent, "summaries": summaries}),)

        return notes_of


def _reads_claims(measure: Measure) -> bool:
    """Whether a measure takes given claims, and sentences where there are none."""
    return "auto" in (getattr(measure, "claims", None), getattr(measure.observation, "claims", None))


# --------------------------------------------------------------------------------- a sample of sources


SOURCES = 200
"""Originals that are sampled: enough to see, four times in five, a difference of a fifth of its standard deviation over sources."""
CHARACTERS = 500_000
"""Of these sources, so that a check that was not asked for takes a second or two."""


@dataclass(slots=True)
class Sources(Watcher):
    """A uniform sample of at most ``most`` originals, one record of each with its summaries; the same in any order of the input."""

    most: int
    seed: int
    characters: float = math.inf
    longest: float = math.inf
    """Characters of the longest record that is noted."""
    _kept: dict[int, tuple[Record, dict[str, Summary]]] = field(default_factory=dict)
    """By the rank of its seed document a record, and its usable summaries by system."""
    _limit: int = 1 << 64
    """The highest rank, once as many as ``most`` are here; until then above all ranks."""

    def note(self, cases: Sequence[Case]) -> None:
        """Offer the records of some cases, with their summaries."""
        for case in cases:
            self.offer(case.record, () if case.summary.reason else (case.summary,))

    def merge(self, other: Self) -> None:
        """Offer what was sampled of other records."""
        for record, summaries in other._kept.values():
            self.offer(record, summaries.values())

    def offer(self, record: Record, summaries: Iterable[Summary] = ()) -> None:
        """Keep the record if its seed document has one of the smallest ranks so far, and it is the first of that by its id.

        Of several summaries that one system wrote, as runs that are pooled, the first by its text is kept.
        """
        rank = self._rank(record)
        if rank > self._limit or sum(len(d.text) for d in record.documents) > self.longest:
            return
        kept, of_kept = self._kept.get(rank, (None, {}))
        if kept is None or record.id < kept.id:
            kept, of_kept = self._kept[rank] = record, {}
            if len(self._kept) > self.most:
                del self._kept[self._limit]
            if len(self._kept) == self.most:
                self._limit = max(self._kept)
        if kept.id == record.id:
            for summary in summaries:
                known = of_kept.setdefault(summary.system, summary)
                of_kept[summary.system] = min(known, summary, key=lambda one: one.text)

    def _rank(self, record: Record) -> int:
        name = f"{self.seed}|{record.seed_id}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")

    def cases(self, record: Record) -> list[Case]:
        """A stored record with each of its summaries, sorted by system."""
        return [Case(record, summary) for _, summary in sorted(self._kept[self._rank(record)][1].items())]

    def records(self) -> list[Record]:
        """The stored records by rank, up to ``characters`` of text."""
        ranked = [record for _, (record, _) in sorted(self._kept.items(), key=lambda kept: kept[0])]
        lengths = itertools.accumulate(sum(len(d.text) for d in record.documents) for record in ranked)
        return [
            record
            for record, length in zip(ranked, lengths, strict=True)
            if length <= self.characters or record is ranked[0]
        ]


# ---------------------------------------------------------------------------------------- all together


class Watchers(NamedTuple):
    """The watchers of one audit."""

    sources: Sources
    languages: OtherLanguages
    hashes: TextHashes
    places: GroupPlaces
    people: GroupPeople
    profile: InputProfile

    def note(self, cases: Sequence[Case]) -> None:
        """Show some cases to each."""
        for watcher in self:
            watcher.note(cases)

    def merge(self, other: Watchers) -> None:
        """Add what was seen of other cases."""
        for own, others in zip(self, other, strict=True):
            own.merge(others)
