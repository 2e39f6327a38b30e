"""One row (an object of named fields) -> one record and its summaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fairbrief.errors import DataError, RequestError
from fairbrief.lines import EMPTY, MISSING
from fairbrief.nouns import Record, Summary
from fairbrief.readers.documents import (
    ABSENT,
    draft_documents,
    map_attribute,
    need,
    parse_cell,
    parse_documents_cell,
    record_id,
    record_value,
)
from fairbrief.readers.people import read_entities, read_units
from fairbrief.readers.places import at, did_you_mean, fault, names, show
from fairbrief.readers.values import NOTHING, attributes_of, id_of, is_plain, list_of, object_of, text_of


@dataclass(frozen=True, slots=True)
class Fields:
    """Which field of a row, or column of a table, holds what; ``id`` None numbers the rows."""

    id: str | None = "id"
    summary: str = "summary"
    documents: str = "documents"
    system: str = "system"
    references: str = "references"
    attributes: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None

    def named(self) -> list[str]:
        """The fields that were named by the reader's caller and so must be somewhere in the input."""
        usual = Fields()
        pairs = (
            (getattr(self, f), getattr(usual, f))
            for f in ("id", "summary", "documents", "system", "references")
        )
        return [name for name, default in pairs if name is not None and name != default]


class Read(NamedTuple):
    """A row that was read: its record, and what each system wrote for it."""

    record: Record
    summaries: tuple[Summary, ...]


class RowReader:
    """Reads the rows of one source, and remembers which of the wanted fields it has not seen yet.

    ``cells`` says that rows come from a table, where lists may stand as JSON in one cell.
    """

    def __init__(
        self, fields: Fields, system: str, *, cells: bool = False, own_summaries: bool = True
    ) -> None:
        self.fields = fields
        self.system = system
        self.cells = cells
        self.own_summaries = own_summaries
        self.last: Mapping[str, Any] | None = None
        self.count = 0
        self.unseen = {*fields.named(), fields.summary, *fields.attributes.values()}
        if not own_summaries:
            self.unseen.discard(fields.summary)

    def check_columns(self, columns: Mapping[str, Any], name: str) -> None:
        """RequestError unless a table has the columns without which no row of it can be read."""
        fields = self.fields
        summary = fields.summary if self.own_summaries else None
        for wanted in (fields.id, fields.documents, summary):
            if wanted is not None and wanted not in columns:
                raise RequestError(
                    f"{name} has no column {wanted!r}. Its columns: {names(columns)}.{did_you_mean(wanted, columns)}"
                )

    def read(self, row: Mapping[str, Any], number: int, where: str) -> Read:
        """The record and summaries of a row; DataError, with its place, where it is not as it must be."""
        self.last = row
        self.count += 1
        if self.unseen:
            self.unseen.difference_update(row)
        try:
            return self._read(row, number, where)
        except DataError as error:
            raise at(where, error, row.get(self.fields.id) if self.fields.id else number) from None

    def _read(self, row: Mapping[str, Any], number: int, where: str) -> Read:
        fields = self.fields
        ident = record_id(row, fields.id) if fields.id else str(number)
        record = self._record(row, ident, where)
        return Read(record, self._summaries(row, ident))

    def _record(self, row: Mapping[str, Any], ident: str, where: str) -> Record:
        fields, get = self.fields, row.get
        value = get(fields.documents)
        if value is None:
            value = need(row, fields.documents)
        if self.cells and not fields.separator:
            value = parse_documents_cell(value)
        draft = draft_documents(value, fields.separator)
        attributes = attributes_of(self._cell(get("attributes")), "the attributes")
        if fields.attributes:
            attributes = self._mapped(row, draft, attributes)
        documents = draft.documents()
        references, entities, original = get(fields.references), get("entities"), get("original")
        return Record(
            ident,
            documents,
            self._references(references) if references else (),
            read_entities(self._cell(entities), documents) if entities not in (None, "") else (),
            attributes,
            id_of(original, "the original") if original not in (None, "") else None,
            where,
        )

    def _mapped(self, row: Mapping[str, Any], draft: Any, attributes: Mapping[str, str]) -> Mapping[str, str]:
        own = dict(attributes)
        for name, source in self.fields.attributes.items():
            value = map_attribute(name, source, row, draft, self.fields.separator)
            if value is ABSENT:
                continue
            self.unseen.discard(source)
            if value is not None and (text := record_value(value, name)) is not None:
                own[name] = text
        return own or NOTHING

    def _references(self, value: Any) -> tuple[str, ...]:
        if self.cells and isinstance(value, str):
            parsed = parse_cell(value)
            value = parsed if isinstance(parsed, list) and all(isinstance(p, str) for p in parsed) else value
        if isinstance(value, str):
            value = [value]
        return tuple(
            text if is_plain(text) else text_of(text, f"reference {i}")
            for i, text in enumerate(list_of(value, "the references"), 1)
        )

    def _summaries(self, row: Mapping[str, Any], ident: str) -> tuple[Summary, ...]:
        text, system, units = row.get(self.fields.summary), row.get(self.fields.system), row.get("units")
        if text.__class__ is not str and isinstance(parsed := self._cell(text), Mapping):
            return self._by_system(parsed, system, self._cell(units), ident)
        name = self.system if system is None else id_of(system, "the system")
        plain = summary(ident, name, text, self._cell(units) if units != "" else None)
        return (self._told(plain, row),)

    def _told(self, plain: Summary, row: Mapping[str, Any]) -> Summary:
        """The summary with what the row says of how it was made, and why its text is none."""
        reason, made = row.get("reason"), row.get("made")
        if reason in (None, "") and made in (None, ""):
            return plain
        return replace(
            plain,
            reason=plain.reason if reason in (None, "") else id_of(reason, "the reason"),
            made=attributes_of(self._cell(made), "'made'") if made != "" else NOTHING,
        )

    def _by_system(
        self, texts: Mapping[str, Any], system: Any, units: Any, ident: str
    ) -> tuple[Summary, ...]:
        if not texts:
            raise fault(
                "an empty object as the summaries", "a summary per system", "write null where there is none"
            )
        if system is not None:
            raise fault(
                f"{show(system)} as the system, beside summaries that name their own",
                "the one or the other",
                f"remove the field {self.fields.system!r}",
            )
        cut = {} if units is None else object_of(units, "the units")
        for name in cut:
            if name not in texts:
                raise fault(
                    f"units of {name!r}",
                    "the name of a system with a summary",
                    "add its summary, or remove its units",
                )
        return tuple(
            summary(ident, id_of(name, "a system's name"), text, cut.get(name))
            for name, text in texts.items()
        )

    def _cell(self, value: Any) -> Any:
        return parse_cell(value) if self.cells else value


def summary(ident: str, system: str, text: Any, units: Any = None) -> Summary:
    """A summary from the value of its field: blank is an empty one, null a missing one."""
    cut = read_units(units) if units is not None else None
    if text is None:
        return Summary(ident, system, "", cut, MISSING)
    if not is_plain(text):
        text = text_of(text, f"the summary of {system!r}")
    return Summary(ident, system, text, cut, "" if text and not text.isspace() else EMPTY)
