"""The documents of a row, and their attributes from other fields of the row.

Documents are a list of texts or of objects ``{"text", "attributes"}``, one text, or one text that a separator splits.
An attribute is part of each document, or a parallel list (a list, a JSON list in one text, or one text split by the
documents' separator or by ``|``) with one value per document; lists of another length are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers.field_values import NOTHING, attributes_of, id_of, is_plain, list_of, text_of, value_of
from fairbrief.readers.fields import ABSENT, Fields, Several, find, list_of_path, parse_cell
from fairbrief.readers.messages import did_you_mean, fault, fields_of, show
from fairbrief.text.counted import counted
from fairbrief.types import Document

HOW_TO_NAME = {
    "documents": " Rename the field of the documents to 'documents', or give it: --documents-field FIELD, with --group-by FIELD if "
    "each row is one document. If FILE has only summaries: fairbrief audit RECORDS --summaries FILE. 'fairbrief init FILE' proposes the options.",
    "summary": " Give the field of the summaries: --summary-field FIELD (for several systems: repeat it, or 'summary_*'), or "
    "their file: --summaries FILE.",
}
"""Default field → the advice if it is missing."""


@dataclass(slots=True)
class Draft:
    """The unfinished documents of a row, and the objects that contain them (None for plain texts)."""

    row: Mapping[str, Any]
    fields: Fields
    is_one_text: bool = False
    """Whether the field is a text, not a list; its values may then be one text too."""
    parts: list[tuple[str, ...]] | None = None
    """The matches of the stars in the documents' path, to align other paths with stars."""
    documents: list[Document] = field(default_factory=list)
    objects: list[Mapping[str, Any] | None] = field(default_factory=list)
    written: dict[int, str] = field(default_factory=dict)
    """By its place, the text of a document in the input, where it was not in its usual form."""

    def fill(self, pairs: Iterable[tuple[Any, Any]]) -> Draft:
        """Add texts, or objects with a text, each with the object around it (or None), which may have its attributes."""
        for i, (value, around) in enumerate(pairs, 1):
            text, inner, holder = value, None, around
            if isinstance(value, dict):
                text, inner, holder = value.get("text", ABSENT), value.get("attributes"), around or value
                if text is ABSENT:
                    found = f"document {i} with {fields_of(value)}"
                    longest = max(value, key=lambda name: len(str(value[name])), default="FIELD")
                    path = f"'{self.fields.documents[0].removesuffix('[*]')}[*].{longest}'"
                    remedy = f"give the field with the text, as in --documents-field {path}"
                    raise fault(found, "its text in a field 'text'", remedy)
            if not is_plain(text):
                written, text = text, text_of(text, f"the text of document {i}")
                if text != written:
                    self.written[i - 1] = written
            attributes, ident = NOTHING, None
            if holder is not None:
                if inner := holder.get("attributes") or inner:
                    attributes = attributes_of(inner, f"the attributes of document {i}")
                if (ident := holder.get("id")) is not None:
                    ident = None if ident == "" else id_of(ident, "a document's id")
            self.documents.append(Document(text, attributes, ident))
            self.objects.append(holder)
        known = [document.id for document in self.documents if document.id is not None]
        if len(set(known)) < len(known):
            twice = next(ident for ident in known if known.count(ident) > 1)
            raise fault(f"two documents with the id {twice!r}", "unique ids in a record", "correct the ids")
        return self

    def give(self, name: str, values: Iterable[Any]) -> None:
        """Set an attribute of the documents, in their order; absent values leave it as it is."""
        for i, value in enumerate(values):
            document = self.documents[i]
            if value is ABSENT or value is document.attributes.get(name, ABSENT):
                continue
            if (text := value_of(value, f"the attribute {name!r} of document {i + 1}")) is not None:
                self.documents[i] = Document(document.text, {**document.attributes, name: text}, document.id)

    @property
    def with_text(self) -> tuple[Document, ...]:
        """The documents that are not blank; all, if all are."""
        return tuple([d for d in self.documents if d.text and not d.text.isspace()]) or tuple(self.documents)


def draft_of(row: Mapping[str, Any], fields: Fields, *, is_table: bool) -> Draft:
    """The documents of a row; in a table, a cell may contain them as JSON."""
    if fields.has_several_documents:
        return _draft_several(row, fields)
    (source,) = fields.documents
    value = need(row, source)
    if is_table and not fields.separator:
        value = _parse_cell(value)
    is_one_text = isinstance(value, str)
    if is_one_text:
        value = text_of(value, "the documents").split(fields.separator) if fields.separator else [value]
    elif value.__class__ is not list and isinstance(value, Mapping) and isinstance(value.get("text"), str):
        value = [value]
    texts = list_of(value, "the documents")
    if not texts:
        raise fault("no documents", "at least one", "add some, or remove the record")
    return Draft(row, fields, is_one_text).fill((text, None) for text in texts)


def _draft_several(row: Mapping[str, Any], fields: Fields) -> Draft:
    """Documents from several fields, or from the parts of one; null ones are blank.

    The object around a text may have its attributes.
    """
    parts: list[tuple[str, ...]] = []
    texts: list[tuple[Any, Any]] = []
    for source in fields.documents:
        value = find(row, source) if len(fields.documents) > 1 else need(row, source)
        found = value if isinstance(value, Several) else {} if value is ABSENT else {(source,): value}
        head, star, inner = source.rpartition("[*].")
        parents = find(row, f"{head}[*]") if star and inner else None
        for part, text in found.items():
            parent = parents.get(part) if isinstance(parents, Several) else None
            parts.append(part)
            texts.append(("" if text is None else text, parent if isinstance(parent, Mapping) else None))
    draft = Draft(row, fields, parts=parts).fill(texts)
    if not any(document.text.strip() for document in draft.documents):
        raise fault("no documents: all fields empty", "at least one", "add some, or remove the record")
    return draft


def map_attribute(name: str, source: str, draft: Draft) -> Any:
    """Set the attribute ``name`` of the documents from the field ``source``.

    Returns the value if the field belongs to the whole record, None if it belongs to documents, and ABSENT if there is
    no such field.
    """
    own = [_own(holder, source) for holder in draft.objects]
    if any(value is not ABSENT for value in own):
        draft.give(name, own)
        return None
    value = look_up(draft.row, source)
    if value is ABSENT:
        return ABSENT
    what = f"the field {source!r} (attribute {name!r})"
    if (values := _parallel(value, what, source, draft)) is not None:
        draft.give(name, (one.strip() if isinstance(one, str) else one for one in values))
        return None
    if draft.is_one_text and len(draft.documents) == 1:
        draft.give(name, [value])  # a record of one text: its attribute is also the text's
    return value


def _own(holder: Mapping[str, Any] | None, source: str) -> Any:
    """The value that a document has itself, in a field or among its attributes; ABSENT if it has none."""
    if holder is None:
        return ABSENT
    if source in holder and source != "text":
        return holder[source]
    inner = holder.get("attributes")
    return inner.get(source, ABSENT) if isinstance(inner, Mapping) else ABSENT


def look_up(row: Mapping[str, Any], source: str) -> Any:
    """The value at a path in the row, or in its attributes; ABSENT if there is none."""
    value = find(row, source)
    if value is ABSENT and isinstance(attributes := row.get("attributes"), Mapping):
        return find(attributes, source)
    return value


def _parse_cell(value: Any) -> Any:
    """Documents from a table's cell: a JSON list of texts or objects; otherwise the text.

    Raises DataError for a list in Python's notation, whose brackets and quotation marks would become text.
    """
    parsed = parse_cell(value)
    is_list_of_python = isinstance(parsed, str) and parsed.startswith(("['", '["', "[{'"))
    if is_list_of_python and parsed.endswith(("']", '"]', "}]")):
        found = f"{show(parsed)} as the documents, a list in Python's notation"
        remedy = 'write it with json.dumps, as ["a", "b"], or save the table as Parquet or JSON Lines'
        raise fault(found, "a JSON list", remedy)
    is_list = isinstance(parsed, list) and bool(parsed) and all(isinstance(p, (str, dict)) for p in parsed)
    return parsed if is_list else value


def need(row: Mapping[str, Any], source: str) -> Any:
    """The value of a required field; DataError if it is missing or null."""
    value = find(row, source)
    if value is ABSENT:
        error = f"found {fields_of(row)}; expected a field {source!r}.{did_you_mean(source, row)}"
        raise DataError(error + HOW_TO_NAME.get(source, " Add it, or give another field."))
    if value is None:
        raise fault(f"null in the field {source!r}", "a value", "add it, or remove the record")
    return value


def _parallel(value: Any, what: str, source: str, draft: Draft) -> Sequence[Any] | None:
    """One value per document, if the field ``source`` has them; None if it belongs to the record."""
    if isinstance(value, Several):
        return _of_path(value, what, source, draft)
    remedy = ""
    if isinstance(value, str) and value.startswith("["):
        if isinstance(parsed := parse_cell(value.rstrip()), str):
            raise fault(f"{show(value)} in {what}", "a JSON list", 'write it as ["a", "b"]')
        value = parsed
    elif isinstance(value, str) and draft.is_one_text and len(draft.documents) > 1:
        separator = draft.fields.separator or ""
        cuts = (cut for cut in (separator, separator.strip(), "|") if cut and cut in value)
        if cut := next(cuts, None):
            value, remedy = value.split(cut), "check the separator; leave the place of a missing value empty"
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        return _in_order(list_of(value, what), what, draft, remedy)
    return None


def _of_path(values: Several, what: str, source: str, draft: Draft) -> Sequence[Any]:
    """One value per document, from a path with stars.

    Numbered fields, and paths into one list, are aligned by the matches of their stars; two lists by their order.
    """
    list_path, lists = list_of_path(source), [list_of_path(field) for field in draft.fields.documents]
    is_numbered = draft.parts is not None and not list_path and not any(lists)
    is_one_list = list_path and all(path == list_path or path.startswith(f"{list_path}.") for path in lists)
    if draft.parts is not None and (is_numbered or is_one_list):
        # Fields without a number, such as a total, belong to no document.
        extra = [part for part, v in values.items() if part not in draft.parts and v not in (None, "")]
        if is_numbered and any(all(map(str.isdecimal, part)) for part in extra):
            raise _unequal(len(values), what, draft)
        stars = source.count("*")  # a value next to an inner list belongs to all its documents
        return [values.get(part[:stars]) for part in draft.parts]
    items = look_up(draft.row, list_path) if list_path else values
    remedy = f"use the texts next to these values as the documents (--documents-field '{list_path}.FIELD'), or drop the attribute"
    listed = items if isinstance(items, Several) else values
    if draft.parts is not None and list_path and any(lists) and list(listed) != draft.parts:
        raise _unequal(len(listed), what, draft, remedy)  # two lists that are nested in different ways
    return _in_order([values.get(part) for part in listed], what, draft, remedy if list_path else "")


def _in_order(values: Sequence[Any], what: str, draft: Draft, remedy: str = "") -> Sequence[Any]:
    """One value per document, from a list in their order; of several fields, the last blank ones may lack a value."""
    rest = draft.documents[len(values) :]
    may_lack = draft.parts is not None and not any(document.text.strip() for document in rest)
    if len(values) > len(draft.documents) or (rest and not may_lack):
        raise _unequal(len(values), what, draft, remedy)
    return values


def _unequal(many: int, what: str, draft: Draft, remedy: str = "") -> DataError:
    """The error for a list that does not align with the documents."""
    blank = sum(not document.text.strip() for document in draft.documents)
    documents = f"{counted(len(draft.documents), 'document')}{f' ({blank:,} of them blank)' if blank else ''}"
    arranged = "for" if many != len(draft.documents) else "in another arrangement than"
    sources = " and ".join(map(repr, draft.fields.documents))
    found = f"{counted(many, 'value')} in {what} {arranged} {documents} in {sources}"
    remedy = remedy or "correct the lists, drop the attribute, or exclude such records with --on-error skip"
    return fault(found, "one value per document, in the same order", remedy)
