"""Which fields of a row hold what, and which of its fields nothing used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fairbrief.readers.paths import ABSENT, find, is_pattern, used_by

PATIENCE = 1_000
"""Objects of a source after which a field that none of them has is taken to be misspelt."""
ID = "id"
OWN = ("attributes", "original", "units", "entities", "reason", "made")
"""Fields of a row that are read under these names alone."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Which field of a row, or column of a table, holds what: its name, or a path (see `readers.paths`)."""

    id: str | None = ID
    """None numbers the rows. So does ``id``, where the first row has no such field."""
    summary: tuple[tuple[str | None, str], ...] = ((None, "summary"),)
    """Pairs of system and field; None for the system that the row or the source names."""
    documents: tuple[str, ...] = ("documents",)
    system: str = "system"
    references: str = "references"
    attributes: Mapping[str, str] = field(default_factory=dict)
    record_attributes: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    """Attributes that were named without a field: fields of these names are read if there are any."""
    separator: str | None = None
    document_id: str | None = None
    """Field with the documents' ids; None: their own field ``id``, if they have one."""
    cluster: str | None = None
    """Field whose value names the record's cluster."""
    group_by: str | None = None
    """Field whose value names the record of a row that holds one document."""

    @property
    def has_several_summaries(self) -> bool:
        """Whether a row may hold the summaries of several systems, a field each."""
        return len(self.summary) > 1 or self.summary[0][0] is not None or is_pattern(self.summary[0][1])

    @property
    def has_several_documents(self) -> bool:
        """Whether the documents of a record stand in several fields, or in parts of one."""
        return len(self.documents) > 1 or is_pattern(self.documents[0])

    def summary_names(self) -> list[str]:
        """The fields with summaries."""
        return [name for _, name in self.summary]

    def named(self) -> list[str]:
        """The fields that were named by the reader's caller and so must be somewhere in the input."""
        usual = Fields()
        pairs = [(self.id, usual.id), (self.system, usual.system), (self.references, usual.references)]
        pairs += [(name, usual.documents[0]) for name in self.documents]
        pairs += [(self.document_id, None), (self.cluster, None), (self.group_by, None)]
        named = [name for name, default in pairs if name is not None and name != default]
        return [*named, *self.attributes.values(), *self.record_attributes.values()]


OF_ENTITIES = ("id", "first_name", "last_name", "attributes", "mentions")
"""The fields of an entity."""


@dataclass(slots=True)
class FieldUse:
    """The fields of one source: which that were asked for have not been seen, and which nothing used."""

    unseen: set[str]
    rows: int = 0
    names: dict[str, None] = field(default_factory=dict)
    """The fields of the first rows, in their order."""
    used: set[str] = field(default_factory=set)
    inner: dict[str, None] = field(default_factory=dict)
    """The fields of the documents of the first rows."""
    inner_used: set[str] = field(default_factory=set)
    of_entities: dict[str, None] = field(default_factory=dict)
    """The fields of the entities of the first rows."""

    @property
    def is_watching(self) -> bool:
        """Whether the fields of rows are still looked at: those of the first rows are."""
        return self.rows <= PATIENCE

    def see(self, row: Mapping[str, Any]) -> None:
        """A row comes."""
        self.rows += 1
        if self.unseen:
            self.unseen -= {name for name in self.unseen if name in row or find(row, name) is not ABSENT}
        if self.is_watching:
            self.names.update(dict.fromkeys(map(str, row)))

    def see_documents(self, documents: Iterable[Any]) -> None:
        """The documents of a row, as they were given."""
        if self.is_watching:
            for given in documents:
                if isinstance(given, Mapping):
                    self.inner.update(dict.fromkeys(map(str, given)))

    def see_entities(self, entities: Any) -> None:
        """The entities of a row, as they were given."""
        if self.is_watching and isinstance(entities, (list, tuple)):
            for given in entities:
                if isinstance(given, Mapping):
                    self.of_entities.update(dict.fromkeys(map(str, given)))

    def value(self, row: Mapping[str, Any], name: str) -> Any:
        """The value of a field of the row, which is then used; ABSENT where there is none."""
        value = row[name] if name in row else find(row, name)
        if value is not ABSENT:
            self.use(row, name)
        return value

    def use(self, row: Mapping[str, Any], name: str) -> None:
        """The field was seen, and something read it."""
        self.unseen.discard(name)
        if self.is_watching:
            self.used.update(used_by(row, name))

    def unused(self) -> Iterator[str]:
        """The fields, of the rows and then of their documents and entities, that nothing read."""
        yield from (name for name in self.names if name and name not in self.used)
        known = {"text", "attributes", "id", *self.inner_used}
        yield from (f"{name} (of the documents)" for name in self.inner if name not in known)
        yield from (f"{name} (of the entities)" for name in self.of_entities if name not in OF_ENTITIES)
