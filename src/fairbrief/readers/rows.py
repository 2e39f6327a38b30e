"""One row (an object of named fields), or several rows of one document each, to one record and its summaries.

The summaries are one text, an object of texts by system, or one field per system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import field_values as v
from fairbrief.readers.documents import HOW_TO_NAME, Draft, draft_of, look_up, map_attribute, need
from fairbrief.readers.fields import ABSENT, ID, OWN, PATIENCE, USED, Fields, Several, find, given, parse_cell
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import Source, not_a_row
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import did_you_mean, fault, names, show
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.serialization import MISSING, case_line
from fairbrief.types import Case, Document, Entity, Record, Summary

Summaries = tuple[Summary, ...]
NOT_SIMPLE = {*OWN} - {"attributes"}
SIMPLE_DOCUMENT = {"text", "attributes"}
NO_REFERENCES: list[str] = []
TRIM = " _-:./"
"""Characters between a system's name and the rest of a field's name."""


class RowReader:
    """Reads the rows of one source, and notes which fields they have."""

    def __init__(self, source: Source, fields: Fields, system: str | None, own_summaries: bool) -> None:
        """``system`` is the system of rows that name none; by default the source names it."""
        self.source, self.fields, self.own_summaries = source, fields, own_summaries
        self.unseen = fields.named(is_table=source.is_table, with_summaries=own_summaries)
        """Named fields that must occur, and have not yet."""
        self.system = system or source.system
        self.is_numbered = fields.id is None
        self.is_plain = not self.is_numbered and self.unseen <= {"summary"}
        """Whether no field was named, and rows are not numbered."""
        self.blank = 0
        """Number of documents without text, which were excluded."""
        self.seen = 0
        """Number of rows whose fields were noted."""
        self.names: dict[str, dict[str, None]] = {what: {} for what in USED}
        """The fields of the first rows, and of the documents and entities in them."""
        self._attributes = [(name, source or name, False) for name, source in fields.attributes.items()]
        self._attributes += [(name, source, True) for name, source in fields.record_attributes.items()]
        is_renamed = any(is_of_record or name != source for name, source, is_of_record in self._attributes)
        has_several = fields.has_several_documents or fields.has_several_summaries
        is_special = source.is_table or is_renamed or has_several or fields.cluster is not None
        self._may_be_simple = not is_special and fields.separator is None

    # ---- The fields of the source.

    def _see(self, row: Mapping[str, Any]) -> None:
        """Note the fields of a row; RequestError if the first row of a table lacks a column that is needed."""
        fields, is_first = self.fields, not self.seen
        self.seen += 1
        if self.unseen:
            self.unseen -= {name for name in self.unseen if find(row, name) is not ABSENT}
        self._see_inside("", [row])
        if is_first:  # without the default field of ids, rows are numbered
            self.is_numbered = fields.id is None or (fields.id == ID and ID not in row)
            columns = {fields.id, fields.cluster, *fields.documents, *fields.summary_names()}
            if self.source.is_table and (lacking := self.unseen & columns):
                raise self.missing_field(lacking)

    def _see_inside(self, what: str, objects: Any) -> None:
        if self.seen <= PATIENCE and isinstance(objects, (list, tuple)):
            for one in objects:
                if isinstance(one, Mapping):
                    self.names[what].update(dict.fromkeys(map(str, one)))

    def check_fields(self, patience: int = PATIENCE) -> None:
        """RequestError if a named field has occurred in none of ``patience`` rows, or not in the first row of a table."""
        if self.unseen and self.seen >= (1 if self.source.is_table else patience):
            raise self.missing_field(self.unseen)

    def missing_field(self, unseen: Collection[str]) -> RequestError:
        """The error for named fields that are in none of the objects read."""
        wanted, what = min(unseen), "column" if self.source.is_table else "field"
        outer = self.names[""]
        inner = [name for name in self.names["documents"] if name not in USED["documents"]]
        many = "record" if self.seen == 1 else f"{self.seen:,} records"
        among = "" if self.source.is_table else f" in its first {many}"
        also = f" Of its documents: {names(inner)}." if inner else ""
        return RequestError(
            f"{self.source.name} has no {what} {wanted!r}{among}. Its {what}s: {names(outer)}.{also}"
            f"{did_you_mean(wanted, [*outer, *inner])}{HOW_TO_NAME.get(wanted, '')}"
        )

    def unused(self) -> list[str]:
        """The unused fields of the rows, their documents and entities."""
        with_summaries = self.own_summaries or self.fields.group_by is None
        return self.fields.unused(self.names, with_summaries=with_summaries)

    def rows(self, meter: Meter) -> Iterator[Row]:
        """The rows of the source, or with ``group_by`` those of its records."""
        rows = self._seen(self.source.read(meter))
        return rows if self.fields.group_by is None else gathered(rows, self.fields, self.own_summaries)

    def _seen(self, rows: Iterator[Row]) -> Iterator[Row]:
        for number, row in rows:
            if row.__class__ is dict or isinstance(row, Mapping):
                self._see(row)
            yield number, row

    # ---- The record and the summaries of a row.

    def read(self, row: Any, count: int, where: str) -> tuple[Record, Summaries]:
        """The record and summaries of a row, or of a Record or Case; DataError, without its place, for anything invalid."""
        if row.__class__ is not dict and not isinstance(row, Mapping):
            return self._made(row, count)
        if self._may_be_simple and self.seen > PATIENCE and not self.is_numbered:
            with suppress(DataError):  # raised again below, with its place in the row
                if (result := self._simple(row, where)) is not None:
                    return result
        if not self.is_numbered:
            ident = v.id_of(need(row, self.fields.id or ID), "the id")
        elif self.fields.id == ID and row.get(ID) is not None:
            raise fault("an id after rows without one", "ids in all rows or none", "add the ids")
        else:
            ident = str(count)
        return self._record(row, ident, where), self.summaries(row, ident)

    def _simple(self, row: Mapping[str, Any], where: str) -> tuple[Record, Summaries] | None:
        """The same for a row of plain texts whose documents have only attributes, sooner; None for other rows."""
        fields, documents = self.fields, list[Document]()
        get: Any = row.get
        listed, references = get(fields.documents[0]), get(fields.references, NO_REFERENCES)
        if listed.__class__ is not list or references.__class__ is not list or not NOT_SIMPLE.isdisjoint(row):
            return None
        for document in listed:
            if document.__class__ is not dict or document.keys() != SIMPLE_DOCUMENT:
                return None
            attributes = v.attributes_of(document["attributes"], "the attributes")
            documents.append(Document(document["text"], attributes))
        ident, system = get(fields.id or ID), get(fields.system, self.system)
        text = get(fields.summary[0][1])
        texts = (ident, system, text, *references, *[document.text for document in documents])
        has_attributes = documents and all(name in documents[0].attributes for name, *_ in self._attributes)
        if not has_attributes or not all(map(v.is_plain_and_filled, texts)):
            return None
        attributes = v.attributes_of(get("attributes"), "the attributes")
        record = Record(ident, tuple(documents), tuple(references), (), attributes, None, where)
        return record, (Summary(ident, system, text),)

    def _made(self, row: Any, count: int) -> tuple[Record, Summaries]:
        """The content of a Record or Case, read like its row; DataError for other rows, texts as documents, or the summary of another record."""
        case = Case(row, Summary(row.id, self.system, "", reason=MISSING)) if isinstance(row, Record) else row
        if not isinstance(case, Case):
            raise not_a_row(row)
        record, summary = case.record, case.summary
        for number, document in enumerate(cast("tuple[object, ...]", record.documents), 1):
            if not isinstance(document, Document):
                raise fault(f"{show(document)} as document {number}", "a Document", "write Document(text)")
        if summary.record != record.id:
            found = f"a summary of the record {summary.record!r}"
            raise fault(found, "one of this record", "pair each record with its own")
        if self.is_plain and _is_usual(case):
            return record, (summary,)
        self._see(line := case_line(case))
        read, summaries = self.read(line, count, record.where)
        about: Any = {"system_kind": summary.system_kind, "is_reference": summary.is_reference}
        read = replace(read, cluster_by=self.fields.cluster or record.cluster_by)
        return read, tuple([replace(one, **about) for one in summaries])

    def id_in(self, row: Any) -> Any:
        """The id of a row, for messages; None if it has none, or if rows are numbered."""
        if isinstance(row, Mapping):
            return None if self.is_numbered else find(row, self.fields.id or ID)
        return getattr(getattr(row, "record", row), "id", None)

    def _record(self, row: Mapping[str, Any], ident: str, where: str) -> Record:
        fields, attributes = self.fields, v.NOTHING
        draft = draft_of(row, fields, is_table=self.source.is_table)
        self._see_inside("documents", draft.objects)
        if (own := self._own(row, "attributes")) is not None:
            attributes = v.attributes_of(own, "the attributes")
        if self._attributes:
            attributes = self._mapped(row, draft, attributes)
        if fields.cluster is not None and fields.cluster not in attributes:
            need(row, fields.cluster)
            raise fault(f"no value of {fields.cluster!r}, the field of clusters", "one per record", "add it")
        entities: tuple[Entity, ...] = ()
        if (people := self._own(row, "entities")) is not None:
            self._see_inside("entities", people)
            entities = v.read_entities(people, draft.documents, draft.written)
        documents = draft.with_text
        self.blank += len(draft.documents) - len(documents)
        references, seed = given(row, fields.references), row.get("seed_document")
        references = self._references(references) if references else ()
        seed = None if seed in (None, "") else v.id_of(seed, "the seed document")
        return Record(ident, documents, references, entities, attributes, seed, where, fields.cluster)

    def _mapped(self, row: Mapping[str, Any], draft: Draft, known: Mapping[str, str]) -> Mapping[str, str]:
        """The record's attributes, with those from other fields; sets those of the documents."""
        own = dict(known)
        for name, source, is_of_record in self._attributes:
            value = look_up(row, source) if is_of_record else map_attribute(name, source, draft)
            if value is not ABSENT:
                self.unseen.discard(source)
                if value is not None and (text := v.value_of(value, f"the attribute {name!r}")) is not None:
                    own[name] = text
        return own or v.NOTHING

    def _references(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, Several):
            value = [text for text in value.values() if text is not None and text != ""]
        elif isinstance(value, str):
            parsed = self._cell(value)
            is_list = isinstance(parsed, list) and all(isinstance(part, str) for part in parsed)
            value = parsed if is_list else [value]
        listed = v.list_of(value, "the references")
        return tuple(v.text_of(text, f"reference {i}") for i, text in enumerate(listed, 1))

    def summaries(self, row: Mapping[str, Any], ident: str) -> Summaries:
        """The summary of each system."""
        fields = self.fields
        text = self._by_field(row) if fields.has_several_summaries else given(row, fields.summary[0][1])
        system, claims = given(row, fields.system), self._own(row, "claims")
        if text.__class__ is not str and isinstance(text, Mapping):
            return self._by_system(text, system, claims, ident)
        name = self.system if system is None else v.id_of(system, "the system")
        plain = v.read_summary(ident, name, text, claims)
        reason, made = row.get("reason"), self._own(row, "made")
        if reason not in (None, ""):
            plain = replace(plain, reason=v.id_of(reason, "the reason"))
        return (plain if made is None else replace(plain, made=v.attributes_of(made, "'made'")),)

    def _by_field(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The summaries in the named fields, or in the fields that match a pattern, by system."""
        texts: dict[str, Any] = {}
        for system, field in self.fields.summary:
            value = given(row, field)
            for part, text in value.items() if isinstance(value, Several) else [((), value)]:
                match = " ".join(piece.strip(TRIM) for piece in part)
                name = f"{system} {match}".rstrip() if system else match or field
                if name in texts:
                    found = f"two fields with the summary of {name!r}"
                    raise fault(found, "one per system", "write --summary-field NAME=FIELD")
                texts[name] = text
        return texts

    def _by_system(self, texts: Mapping[str, Any], system: Any, claims: Any, ident: str) -> Summaries:
        if not texts:
            raise fault("an empty object as the summaries", "a summary", "write null if there is none")
        if system is not None:
            found = f"{show(system)} as the system, in a row whose summaries name their systems"
            remedy = f"remove the field {self.fields.system!r}, or give another one with --system-field"
            raise fault(found, "one of the two", remedy)
        cut = {} if claims is None else v.object_of(claims, "the claims")
        if unknown := [name for name in cut if name not in texts]:
            raise fault(f"claims of {unknown[0]!r}", "the name of a system with a summary", "remove them")
        named = [(v.id_of(name, "a system's name"), name) for name in texts]
        return tuple([v.read_summary(ident, system, texts[name], cut.get(name)) for system, name in named])

    def _own(self, row: Mapping[str, Any], name: str) -> Any:
        """The value of a field with a fixed name, None if it is absent or empty; of a table, what the JSON in it contains."""
        value = row.get(name)
        if value.__class__ is not str:
            return value
        return self._cell(value) if value else None

    def _cell(self, value: Any) -> Any:
        """The value; of a table, in which a cell may contain JSON, what it contains."""
        return parse_cell(value) if self.source.is_table else value


def _is_usual(case: Case) -> bool:
    """Whether all texts are in their usual form and none is blank, so that reading the case's row would only cost time."""
    record, summary = case.record, case.summary
    if not record.documents or record.entities or summary.claims is not None:
        return False
    texts = [record.id, summary.system, summary.text, *record.references, *record.attributes.values()]
    for document in record.documents:
        texts += (document.text, *document.attributes.values())
    with suppress(DataError):
        return all(v.text_of(text, "a text") == text and text.strip() for text in texts)
    return False


# ---- Combines the rows of a record into one row.


StoredRow = tuple[int, dict[str, Any]]
"""The number of a row, and the values of its fields that are read."""


def gathered(rows: Iterator[Row], fields: Fields, own_summaries: bool) -> Iterator[Row]:
    """One row per record (and system, if rows name one), with the number of its first row; before them, errors of rows.

    Fields of documents (text, id, attributes) become lists. Fields of the record (summary, references, attributes of
    the record) must be equal in all its rows, where they are not blank.
    """
    if fields.has_several_documents:
        raise RequestError("--group-by needs one field of documents: give only one --documents-field.")
    key = fields.group_by or ID
    each = [*fields.documents, *(source or name for name, source in fields.attributes.items())]
    once = [fields.references, "seed_document", "entities", "claims", "reason"]
    once += fields.record_attributes.values()
    once += [fields.system, *fields.summary_names()] if own_summaries else []
    stored = RowsOnDisk()
    for number, row in rows:
        try:
            if isinstance(row, (Record, Case)):
                raise fault(show(row), "an object, as --group-by needs", "drop --group-by")
            if not isinstance(row, Mapping):
                raise not_a_row(row)
            ident = v.id_of(need(row, key), f"the value of {key!r}")
        except DataError as error:
            yield number, error
            continue
        system = given(row, fields.system)
        read = {field: find(row, field) for field in (*each, *once)}
        values = {field: value for field, value in read.items() if value is not ABSENT}
        stored.add((ident, None if system is None else str(system)), (number, values))
    for ident, system in list(stored):
        several = stored.pop((ident, system))
        try:
            yield several[0][0], {key: ident, **_joined(several, each), **_agreed(several, once)}
        except DataError as error:
            yield several[0][0], DataError(f"the record {ident!r}: {error}")


def _joined(rows: list[StoredRow], fields: Sequence[str]) -> dict[str, list[Any]]:
    """The values of the documents' fields in all rows of a record; an error without text, which the first field has."""
    text = fields[0]
    present = [field for field in fields if any(field in values for _, values in rows)]
    lists = {field: [values.get(field) for _, values in rows] for field in present}
    if all(map(_is_blank, lists.get(text, ()))):
        raise fault(f"no text in {text!r} in any row", "at least one text", "add it, or remove the rows")
    lists[text] = ["" if one is None else one for one in lists[text]]
    return lists


def _agreed(rows: list[StoredRow], fields: Sequence[str]) -> dict[str, Any]:
    """The values on which the rows of a record agree; blank ones count only if there are no others."""
    result = {}
    for field in fields:
        present = [(number, values[field]) for number, values in rows if field in values]
        if not present:
            continue
        filled = [pair for pair in present if not _is_blank(pair[1])] or present[:1]
        first, result[field] = filled[0]
        for number, value in filled[1:]:
            if value != result[field]:
                found = f"{show(result[field])} in the field {field!r} of row {first} and {show(value)} in row {number}"
                remedy = "correct it, or, if the field belongs to documents, name it with --attribute"
                raise fault(found, "one value in all rows of a record", remedy)
    return result


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
