"""What is done to records before they become cases: labels, a sample, and the replacement of personal data."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairbrief.errors import DataError, RequestError
from fairbrief.ranges import distinct
from fairbrief.readers.field_values import attributes_of
from fairbrief.readers.fields import SPEAKER
from fairbrief.readers.input_sources import not_a_row, one_source
from fairbrief.readers.messages import at, did_you_mean, fault, names
from fairbrief.text.counted import counted
from fairbrief.text.hashes import hash_of
from fairbrief.text.personal_data import has_email, names_in, without_identifiers, without_names
from fairbrief.types import Case, Claim, Document, Record, Summary

# ---- Labels: attributes of speakers, numbers in bins, documents without a label.


MISSING_GROUP = "missing"
"""The group of documents without a label, with ``missing="group"``."""


@dataclass(frozen=True, slots=True)
class SpeakerTable:
    """The attributes of speakers by name, from the file ``name``."""

    name: str
    of: Mapping[str, Mapping[str, str]]

    def applied(self, record: Record, *, may_lack: bool) -> Record:
        """The record, whose turns have the attributes of their speakers; an attribute that a turn already has is kept.

        ``may_lack`` leaves turns of speakers who are not in the table unchanged; otherwise, they raise DataError.
        """
        documents = []
        for number, document in enumerate(record.documents, 1):
            speaker = document.attributes.get(SPEAKER, "")
            if speaker not in self.of and not may_lack:
                who = f"the speaker {speaker!r}, who is not in {self.name}," if speaker else "no speaker"
                raise DataError(
                    f"found {who} in document {number}; add the row, name the field (--attribute {SPEAKER}=FIELD), or give "
                    f"--missing drop or group, with --attribute for a column of the table.{did_you_mean(speaker, self.of)}"
                )
            attributes = {**self.of.get(speaker, {}), **document.attributes}
            documents.append(replace(document, attributes=attributes))
        return replace(record, documents=tuple(documents))


def read_speakers(source: Any) -> SpeakerTable:
    """The table in a file, with one row per speaker and the column ``speaker``.

    Raises DataError for a speaker with two rows, and RequestError without that column or without any other.
    """
    table = one_source(source)
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    for number, row in table.read():
        where = f"{table.name}:{number}"
        if not isinstance(row, Mapping):
            raise at(where, not_a_row(row))
        if SPEAKER not in row or len(row) < 2:
            wanted = f"the column '{SPEAKER}' and columns with attributes"
            raise RequestError(f"{table.name} needs {wanted}. It has {names(row)}.")
        values = dict(attributes_of(row, "the columns"))
        if (speaker := values.pop(SPEAKER, None)) is None:
            raise at(where, fault("no speaker", "a name in every row", "add it, or remove the row"))
        if speaker in rows:
            twice = f"{names([speaker])} twice, first in row {rows[speaker][0]}"
            raise at(where, fault(twice, "one row per speaker", "remove one of them"))
        rows[speaker] = number, values
    return SpeakerTable(table.name, {speaker: values for speaker, (_, values) in rows.items()})


Cuts = tuple[float, ...]
"""Increasing cuts between groups of numbers; a number equal to a cut is below it."""


def group_of(number: float, cuts: Cuts) -> str:
    """The group of a number.

    >>> [group_of(x, (3.0, 7.0)) for x in (3, 5, 8)]
    ['up to 3', 'over 3 to 7', 'over 7']
    """
    place = bisect_left(cuts, number)
    if place == 0:
        return f"up to {cuts[0]:.12g}"
    over = f"over {cuts[place - 1]:.12g}"
    return over if place == len(cuts) else f"{over} to {cuts[place]:.12g}"


def cuts_of(text: str) -> Cuts:
    """The cuts in a text (``3,7``); RequestError for anything else.

    >>> cuts_of("3,7")
    (3.0, 7.0)
    """
    with suppress(ValueError):
        cuts = tuple(map(float, text.split(",")))
        if all(map(math.isfinite, cuts)) and list(cuts) == sorted(set(cuts)):
            return cuts
    raise RequestError(f"--bin with '{text}': write increasing cuts, as in --bin rating=3,7.")


@dataclass(slots=True)
class Labelling:
    """The treatment of the labels of each record."""

    bins: Mapping[str, Cuts]
    missing: str
    named: tuple[str, ...]
    """The named attributes."""
    speakers: SpeakerTable | None = None
    lacking: dict[str, dict[str, int]] = field(default_factory=dict)
    """Attribute → record → number of documents without it."""
    binned: set[str] = field(default_factory=set)

    @property
    def changes_records(self) -> bool:
        """Whether records may be changed."""
        return bool(self.bins) or self.missing != "refuse" or self.speakers is not None

    def applied(self, record: Record) -> Record | None:
        """The record with its labels; None if no document has one and such records are dropped."""
        if self.speakers is not None:
            record = self.speakers.applied(record, may_lack=self.missing != "refuse")
        for name, cuts in self.bins.items():
            record = self._in_bins(record, name, cuts)
        result: Record | None = record
        for name in self.named if self.missing != "refuse" else ():
            result = result and self._without_missing(result, name)
        return result

    def notes(self) -> list[str]:
        """What was done to documents without a label. RequestError for bins of an attribute that does not occur."""
        if unknown := self.bins.keys() - self.binned:
            name = min(unknown)
            lacking = f"no document and no record has the attribute {name!r}"
            raise RequestError(f"--bin {name}: {lacking}. Give its field: --attribute {name}=FIELD.")
        done = "excluded" if self.missing == "drop" else f"in the group '{MISSING_GROUP}'"
        return [
            f"{counted(sum(of.values()), 'document')} of {counted(len(of), 'record')} without {name!r} {done} (--missing)."
            for name, of in self.lacking.items()
        ]

    def _in_bins(self, record: Record, name: str, cuts: Cuts) -> Record:
        def in_bins(holder: Any) -> Any:
            """A document, an entity or the record, with its value in a bin."""
            if (value := holder.attributes.get(name)) is None:
                return holder
            self.binned.add(name)
            number = math.nan
            with suppress(ValueError):
                number = float(value)
            if not math.isfinite(number):
                raise fault(f"{value!r} as {name!r}", "a number, because of --bin", "correct it")
            return replace(holder, attributes={**holder.attributes, name: group_of(number, cuts)})

        documents, entities = tuple(map(in_bins, record.documents)), tuple(map(in_bins, record.entities))
        return replace(record, documents=documents, entities=entities, attributes=in_bins(record).attributes)

    def _without_missing(self, record: Record, name: str) -> Record | None:
        """The record without documents that lack the attribute, or with these in a group; None if all lack it and are dropped."""
        documents = record.documents
        present = [i for i, d in enumerate(documents) if name in d.attributes]
        if len(present) == len(documents) or (not present and name in record.attributes):
            return record
        if not present and self.missing == "drop":
            return None
        self.lacking.setdefault(name, {})[record.id] = len(documents) - len(present)
        if self.missing == "group":
            added = (replace(d, attributes={name: MISSING_GROUP, **d.attributes}) for d in documents)
            return replace(record, documents=tuple(added))
        place = {old: new for new, old in enumerate(present)}
        entities = []
        for entity in record.entities:
            kept = (replace(m, document=place[m.document]) for m in entity.mentions if m.document in place)
            entities.append(replace(entity, mentions=tuple(kept)))
        return replace(record, documents=tuple(documents[i] for i in present), entities=tuple(entities))


# ---- The sample: the records with the smallest hashes of their ids, which are the same in any order of the input.


WITHOUT = "(none)"
"""The group of records without the attribute."""
SHOWN = 6
"""Groups that a note lists."""


@dataclass(slots=True)
class Sampling:
    """Selects the records with the smallest hashes, of all records or of each group.

    ``size`` is a number of records or, below 1, a share. ``by`` is an attribute of the record; if only its documents have it,
    their values together are the group. Counterfactuals of one seed document are selected together.
    """

    size: float
    by: str | None
    seed: int
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Group → number of selected records, and of all."""
    _limits: dict[str, int] = field(default_factory=dict)

    def look(self, records: Iterable[Record]) -> None:
        """Determine the largest hash of each group's sample; holds eight bytes per record."""
        ranks: dict[str, array[int]] = {}
        for record in records:
            ranks.setdefault(self._group(record), array("q")).append(self._rank(record))
        if self.by is not None and ranks.keys() == {WITHOUT}:
            lacking = f"no record has the attribute {self.by!r}"
            raise RequestError(f"--sample-by {self.by}: {lacking}. Give --record-attribute {self.by}=FIELD.")
        for group in sorted(ranks):
            of_group = distinct(np.frombuffer(ranks[group], dtype=np.int64))
            wanted = round(self.size * len(of_group)) if self.size < 1 else int(self.size)
            many = min(max(wanted, 1), len(of_group))
            self._limits[group] = int(of_group[many - 1])
            self.counts[group] = many, len(of_group)

    def selects(self, record: Record) -> bool:
        """Whether the record belongs to the sample."""
        return self._rank(record) <= self._limits[self._group(record)]

    def described(self) -> dict[str, Any]:
        """The sample for results.json."""
        sampled, records = (sum(pair[i] for pair in self.counts.values()) for i in (0, 1))
        groups = {} if self.by is None else {"by": self.by, "groups": self.counts}
        return {"records": records, "sampled": sampled, "size": self.size, "seed": self.seed, **groups}

    def note(self) -> str:
        """The numbers of sampled and of all records, also by group."""
        made = self.described()
        text = f"Sample: {made['sampled']:,} of {counted(made['records'], 'record')}, by hashes of their ids (seed {self.seed})"
        if self.by is None or not self.counts:
            return f"{text}."
        shown = [f"{group} {many:,} of {of:,}" for group, (many, of) in self.counts.items()]
        more = f" and {counted(len(shown) - SHOWN, 'more group')}" if len(shown) > SHOWN else ""
        text = f"{text}; by {self.by}: {', '.join(shown[:SHOWN])}{more}."
        shares = {many / of for many, of in self.counts.values()} if self.size >= 1 else {self.size}
        return f"{text} Values of all records have the sample's mix of groups." if len(shares) > 1 else text

    def _group(self, record: Record) -> str:
        if self.by is None:
            return ""
        values = {d.attributes[self.by] for d in record.documents if self.by in d.attributes}
        return record.attributes.get(self.by) or " + ".join(sorted(values)) or WITHOUT

    def _rank(self, record: Record) -> int:
        return hash_of("sample", str(self.seed), record.seed_id)


# ---- Personal data, replaced before any other part of Fairbrief sees the texts.


NAMES = "names"
"""The kind of personal data whose replacement must be asked for; identifiers are always replaced."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """Replaces identifiers, and names of people if wanted, in the texts of records and summaries.

    A name that is recognized in one text of a record is replaced in all its texts. Attributes lose identifiers and keep
    names. Ids must stay distinct, so an e-mail address in one is an error. So are entities, whose positions would move.
    """

    names: bool = False

    def cases(self, record: Record, summaries: Iterable[Summary]) -> list[Case]:
        """The cases of a record without personal data; DataError if that is impossible."""
        _refuse(record)
        names = self._names(d.text for d in record.documents)
        clean = self._record(record, names)
        return [Case(clean, self._summary(one, names | self._names([one.text]))) for one in summaries]

    def _record(self, record: Record, names: frozenset[str]) -> Record:
        documents = tuple(
            Document(self._text(d.text, names), _attributes(d.attributes), d.id and without_identifiers(d.id))
            for d in record.documents
        )
        references = tuple(self._text(text, names) for text in record.references)
        attributes = _attributes(record.attributes)
        return replace(record, documents=documents, references=references, attributes=attributes)

    def _summary(self, summary: Summary, names: frozenset[str]) -> Summary:
        claims = summary.claims
        if claims is not None:
            claims = tuple(Claim(self._text(claim.text, names), claim.values) for claim in claims)
        text, made = self._text(summary.text, names), _attributes(summary.made)
        return replace(summary, text=text, claims=claims, made=made)

    def _names(self, texts: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*map(names_in, texts)) if self.names else frozenset()

    def _text(self, text: str, names: frozenset[str]) -> str:
        return without_identifiers(without_names(text, names) if names else text)


def _attributes(given: Mapping[str, str]) -> Mapping[str, str]:
    return {name: without_identifiers(value) for name, value in given.items()} if given else given


def _refuse(record: Record) -> None:
    """DataError for a record that cannot be redacted."""
    if any(map(has_email, (record.id, record.seed_id, record.cluster))):
        remedy = "give --id-field '' to number the rows, or another --cluster-by"
        raise fault("an e-mail address as the id or cluster", "a pseudonym, since --redact keeps ids", remedy)
    if record.entities:
        remedy = "drop the field 'entities', or --redact"
        raise fault("entities with mentions", "plain texts, since --redact would move the mentions", remedy)
