"""One row (an object of named fields), or several rows of one document each, to one record and its summaries.

The summaries are one text, an object of texts by system, or one field per system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.documents import Draft, draft_of, how_to_say, look_up, map_attribute, need
from fairbrief.readers.field_values import (
    NOTHING,
    attributes_of,
    id_of,
    is_plain,
    list_of,
    object_of,
    read_claims,
    read_entities,
    text_of,
    value_of,
)
from fairbrief.readers.fields import ABSENT, ID, Fields, FieldUse, Several, find, parse_cell
from fairbrief.readers.input_sources import Source, not_a_row
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import at, did_you_mean, fault, names, show
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.serialization import EMPTY, MISSING
from fairbrief.types import Case, Document, Entity, Record, Summary

TRIM = " _-:./"
"""Characters between a system's name and the rest of a field's name."""


def summary(ident: str, system: str, text: Any, claims: Any = None) -> Summary:
    """A summary from the value of its field: blank is empty, null is missing."""
    cut = read_claims(claims) if claims is not None else None
    if text is None:
        return Summary(ident, system, "", cut, MISSING, NOTHING)
    if not is_plain(text):
        text = text_of(text, f"the summary of {system!r}")
    return Summary(ident, system, text, cut, "" if text and not text.isspace() else EMPTY, NOTHING)


class RowReader:
    """Reads the rows of one source."""

    def __init__(self, source: Source, fields: Fields, system: str | None, use: FieldUse) -> None:
        """``system`` is the system of rows that name none; by default the source names it."""
        self.source, self.fields, self.use = source, fields, use
        self.system = system or source.system
        self.is_numbered = fields.id is None
        self.blank = 0
        """Number of documents without text, which were excluded."""
        self._attributes = [
            *((name, source or name, False) for name, source in fields.attributes.items()),
            *((name, source, True) for name, source in fields.record_attributes.items()),
        ]

    def missing_field(self, unseen: Collection[str]) -> RequestError:
        """The error for named fields that are in none of the objects read."""
        source, use, wanted = self.source, self.use, min(unseen)
        what = "column" if source.is_table else "field"
        outer = use.names_of("")
        inner = [name for name in use.names_of("documents") if name not in ("text", "attributes")]
        many = "record" if use.rows == 1 else f"{use.rows:,} records"
        among = "" if source.is_table else f" in its first {many}"
        also = f" Of its documents: {names(inner)}." if inner else ""
        return RequestError(
            f"{source.name} has no {what} {wanted!r}{among}. Its {what}s: {names(outer)}.{also}"
            f"{did_you_mean(wanted, [*outer, *inner])}{how_to_say(wanted, self.fields)}"
        )

    def read(self, row: Mapping[str, Any], count: int, where: str) -> tuple[Record, tuple[Summary, ...]]:
        """The record and summaries of a row; DataError with its place for invalid rows."""
        key = self.fields.id or ID
        try:
            if not self.is_numbered:
                ident = id_of(need(row, key), "the id")
                self.use.use(row, key)
            elif self.fields.id == ID and row.get(ID) is not None:
                raise fault("an id after rows without one", "ids in all rows or none", "add the ids")
            else:
                ident = str(count)
            return self._record(row, ident, where), self.summaries(row, ident)
        except DataError as error:
            raise at(where, error, None if self.is_numbered else find(row, key)) from None

    def _record(self, row: Mapping[str, Any], ident: str, where: str) -> Record:
        fields, get = self.fields, row.get
        draft = draft_of(row, fields, self.use, is_table=self.source.is_table)
        attributes: Mapping[str, str] = NOTHING
        if (given := get("attributes")) is not None:
            attributes = attributes_of(self._cell(given), "the attributes")
        if self._attributes:
            attributes = self._mapped(row, draft, attributes)
        if fields.cluster is not None and fields.cluster not in attributes:
            need(row, fields.cluster)
            raise fault(f"no value of {fields.cluster!r}, the field of clusters", "one per record", "add it")
        documents, entities = tuple(draft.documents), tuple[Entity, ...]()
        if (given := get("entities")) not in (None, ""):
            given = self._cell(given)
            self.use.see_inside("entities", given)
            entities = read_entities(given, documents)
        if draft.has_blank and (kept := tuple(d for d in documents if d.text and not d.text.isspace())):
            self.blank += len(documents) - len(kept)  # if no document has text, all are kept
            documents = kept
        references, seed = self.use.given(row, fields.references), get("seed_document")
        references = self._references(references) if references else ()
        seed = None if seed in (None, "") else id_of(seed, "the seed document")
        return Record(ident, documents, references, entities, attributes, seed, where, fields.cluster)

    def _mapped(self, row: Mapping[str, Any], draft: Draft, known: Mapping[str, str]) -> Mapping[str, str]:
        """The record's attributes, with those from other fields; sets those of the documents."""
        own = dict(known)
        for name, source, is_of_record in self._attributes:
            if is_of_record:
                value = look_up(row, source)
            else:
                value = map_attribute(name, source, row, draft, self.fields.separator)
            if value is not ABSENT:
                self.use.use(row, source)
                if value is not None and (text := value_of(value, f"the attribute {name!r}")) is not None:
                    own[name] = text
        return own or NOTHING

    def _references(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, Several):
            value = [text for text in value.values() if text is not None and text != ""]
        elif isinstance(value, str):
            parsed = self._cell(value)
            is_list = isinstance(parsed, list) and all(isinstance(part, str) for part in parsed)
            value = parsed if is_list else [value]
        listed = list_of(value, "the references")
        return tuple(text_of(text, f"reference {i}") for i, text in enumerate(listed, 1))

    def summaries(self, row: Mapping[str, Any], ident: str) -> tuple[Summary, ...]:
        """The summary of each system."""
        use, fields = self.use, self.fields
        text = self._by_field(row) if fields.has_several_summaries else use.given(row, fields.summary[0][1])
        system, claims = use.given(row, fields.system), row.get("claims")
        claims = None if claims in (None, "") else self._cell(claims)
        if text.__class__ is not str and isinstance(text, Mapping):
            return self._by_system(text, system, claims, ident)
        name = self.system if system is None else id_of(system, "the system")
        plain = summary(ident, name, text, claims)
        reason, made = row.get("reason"), row.get("made")
        if reason in (None, "") and made in (None, ""):
            return (plain,)
        made = self._cell(made)
        reason = plain.reason if reason in (None, "") else id_of(reason, "the reason")
        return (replace(plain, reason=reason, made=attributes_of(made, "'made'") if made != "" else NOTHING),)

    def _by_field(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The summaries in the named fields, or in the fields that match a pattern, by system."""
        texts: dict[str, Any] = {}
        for system, field in self.fields.summary:
            value = self.use.given(row, field)
            for part, text in value.items() if isinstance(value, Several) else [((), value)]:
                match = " ".join(piece.strip(TRIM) for piece in part)
                name = f"{system} {match}".rstrip() if system else match or field
                if name in texts:
                    found = f"two fields with the summary of {name!r}"
                    raise fault(found, "one per system", "name the systems: --summary-field NAME=FIELD")
                texts[name] = text
        return texts

    def _by_system(
        self, texts: Mapping[str, Any], system: Any, claims: Any, ident: str
    ) -> tuple[Summary, ...]:
        if not texts:
            raise fault("an empty object as the summaries", "a summary", "write null if there is none")
        if system is not None:
            found = f"{show(system)} as the system, in a row whose summaries name their systems"
            remedy = f"remove the field {self.fields.system!r}, or give another one with --system-field"
            raise fault(found, "one of the two", remedy)
        cut = {} if claims is None else object_of(claims, "the claims")
        if unknown := [name for name in cut if name not in texts]:
            remedy = "add its summary, or remove its claims"
            raise fault(f"claims of {unknown[0]!r}", "the name of a system with a summary", remedy)
        return tuple(
            summary(ident, id_of(name, "a system's name"), text, cut.get(name))
            for name, text in texts.items()
        )

    def _cell(self, value: Any) -> Any:
        """The value; of a table, in which a cell may contain JSON, what it contains."""
        return parse_cell(value) if self.source.is_table else value


def fault_of(given: Case | Record) -> DataError | None:
    """The error of a Case or Record that the caller made, if any: texts as documents, or the summary of another record."""
    record = given.record if isinstance(given, Case) else given
    documents: tuple[object, ...] = record.documents
    for number, document in enumerate(documents, 1):
        if not isinstance(document, Document):
            found = f"{show(document)} as document {number}"
            return fault(found, "a Document", "write fairbrief.Document(text)")
    if isinstance(given, Case) and given.summary.record != record.id:
        found = f"a summary of the record {given.summary.record!r}"
        return fault(found, "one of this record", "pair each record with its own summary")
    return None


# ---- Combines the rows of a record into one row.


StoredRow = tuple[int, dict[str, Any]]
"""The number of a row, and the values of its fields that are read."""


def gathered(rows: Iterator[Row], fields: Fields, use: FieldUse, *, own_summaries: bool) -> Iterator[Row]:
    """One row per record (and system, if rows name one), with the number of its first row; before them, errors of rows.

    Fields of documents (text, id, attributes) become lists. Fields of the record (summary, references, attributes of
    the record) must be equal in all its rows, where they are not blank.
    """
    if fields.has_several_documents:
        raise RequestError(
            "--group-by needs one field of documents, since each row is one document: give one --documents-field, or drop "
            "--group-by."
        )
    key, text = fields.group_by or ID, fields.documents[0]
    each = [text, *(source or name for name, source in fields.attributes.items())]
    once = [fields.references, "seed_document", "entities", "claims", "reason"]
    once += fields.record_attributes.values()
    once += [fields.system, *fields.summary_names()] if own_summaries else []
    stored = RowsOnDisk()
    for number, row in rows:
        try:
            if not isinstance(row, Mapping):
                raise not_a_row(row)
            ident = id_of(need(row, key), f"the value of {key!r}")
        except DataError as error:
            yield number, error
            continue
        system = use.value(row, fields.system)
        read = {field: use.value(row, field) for field in (key, *each, *once)}
        values = {field: value for field, value in read.items() if value is not ABSENT}
        stored.add((ident, None if system in (None, ABSENT) else str(system)), (number, values))
    for ident, system in list(stored):
        several = stored.pop((ident, system))
        yield several[0][0], _one_row(several, {key: ident}, each, once)


def _one_row(rows: list[StoredRow], row: dict[str, Any], each: Sequence[str], once: Sequence[str]) -> Any:
    """The rows of one record as one, added to ``row``; an error if it has no text, or if they disagree."""
    (ident,), text = row.values(), each[0]
    present = [field for field in each if any(field in values for _, values in rows)]
    row |= {field: [values.get(field) for _, values in rows] for field in present}
    row[text] = ["" if one is None else one for one in row.get(text, ())]
    try:
        if all(map(_is_blank, row[text])):
            raise fault(f"no text in {text!r} in any row", "at least one text", "add it, or remove the rows")
        return row | {field: value for field in once if (value := _agreed(field, rows)) is not ABSENT}
    except DataError as error:
        return DataError(f"the record {ident!r}: {error}")


def _agreed(field: str, rows: list[StoredRow]) -> Any:
    """The value on which the non-blank rows of a record agree; ABSENT if no row has the field."""
    present = [(number, values[field]) for number, values in rows if field in values]
    given = [(number, value) for number, value in present if not _is_blank(value)]
    for number, value in given[1:]:
        first, known = given[0]
        if value != known:
            found = f"{show(known)} in the field {field!r} of row {first} and {show(value)} in row {number}"
            remedy = "correct it, or, if the field belongs to documents, name it with --attribute"
            raise fault(found, "one value in all rows of a record", remedy)
    return given[0][1] if given else (present[0][1] if present else ABSENT)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
