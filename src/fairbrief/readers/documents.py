"""The documents of a row, and the attributes that other fields of the row give to them.

Documents come as a list of texts or of objects ``{"text", "attributes"}``, as one text, or as one text
that a separator cuts into several. An attribute comes with each document, or as a parallel list
(a list, a JSON list in one text, or one text cut by the documents' separator or by ``|``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairbrief.errors import DataError
from fairbrief.nouns import Document
from fairbrief.readers.places import did_you_mean, fault, names, show
from fairbrief.readers.values import NOTHING, attributes_of, id_of, is_plain, list_of, text_of, value_of
from fairbrief.text.counted import counted

ABSENT = object()
"""What a field that is not there holds; null is there."""


@dataclass(slots=True)
class Draft:
    """Documents on their way: texts, the objects they came in, and the attributes gathered so far."""

    texts: list[str] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    attributes: list[Mapping[str, str]] = field(default_factory=list)
    is_one_text: bool = False
    """Whether the field held a text, not a list: its values may then be one text too."""

    def documents(self) -> tuple[Document, ...]:
        """The finished documents."""
        return tuple(map(Document, self.texts, self.attributes))


def draft_documents(value: Any, separator: str | None) -> Draft:
    """Documents from the value of their field."""
    if isinstance(value, str):
        text = text_of(value, "the documents")
        texts = text.split(separator) if separator else [text]
        return Draft(texts, list(texts), [NOTHING] * len(texts), is_one_text=True)
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        value = [value]
    draft = Draft()
    for given in list_of(value, "the documents"):
        _append(draft, given)
    if not draft.texts:
        raise fault("no documents", "at least one", "give the record its texts, or remove it")
    return draft


def _append(draft: Draft, given: Any) -> None:
    i = len(draft.texts) + 1
    if isinstance(given, dict):
        text = given.get("text", ABSENT)
        if text is ABSENT:
            raise fault(
                f"document {i} with the fields {names(given)}", "a field 'text'", "give the document its text"
            )
        attributes = given.get("attributes")
    else:
        text, attributes = given, None
    draft.texts.append(text if is_plain(text) else text_of(text, f"the text of document {i}"))
    draft.attributes.append(
        attributes_of(attributes, f"the attributes of document {i}") if attributes else NOTHING
    )
    draft.objects.append(given)


def map_attribute(name: str, source: str, row: Mapping[str, Any], draft: Draft, separator: str | None) -> Any:
    """Give the documents the attribute ``name`` from the field ``source``.

    Returns the value where the field speaks of the whole record, None where it spoke of documents,
    and ABSENT where there is no such field.
    """
    if _map_own(name, source, draft):
        return None
    value = look_up(row, source)
    if value is ABSENT:
        return ABSENT
    what = f"the field {source!r} (attribute {name!r})"
    if (values := _parallel(value, what, draft, separator)) is not None:
        if len(values) != len(draft.texts):
            raise fault(
                f"{counted(len(values), 'value')} in {what} for {counted(len(draft.texts), 'document')}",
                "one value per document",
                "check the separator, and fill in what is absent with an empty value",
            )
        for i, given in enumerate(values):
            _give(draft, i, name, given.strip() if isinstance(given, str) else given)
        return None
    if draft.is_one_text and len(draft.texts) == 1:
        _give(draft, 0, name, value)  # a record of one text: what is said of it is said of its text
    return value


def look_up(row: Mapping[str, Any], source: str) -> Any:
    """The value of a field of the row or of its attributes; ``meta.ratio`` looks inside the field ``meta``."""
    if source in row:
        return row[source]
    attributes = row.get("attributes")
    if isinstance(attributes, Mapping) and source in attributes:
        return attributes[source]
    head, dot, rest = source.partition(".")
    inner = row.get(head) if dot else None
    return look_up(inner, rest) if isinstance(inner, Mapping) else ABSENT


def parse_cell(value: Any) -> Any:
    """A list or object out of the text of a table's cell, where it holds one as JSON; else the text."""
    if not (isinstance(value, str) and value[:1] in ("[", "{") and value[-1:] in ("]", "}")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def parse_documents_cell(value: Any) -> Any:
    """Documents out of a table's cell: a JSON list of texts or objects; else the text as it is."""
    parsed = parse_cell(value)
    is_list = isinstance(parsed, list) and bool(parsed) and all(isinstance(p, (str, dict)) for p in parsed)
    return parsed if is_list else value


def need(row: Mapping[str, Any], source: str) -> Any:
    """The value of a field that must be there and not be null."""
    value = row.get(source, ABSENT)
    if value is ABSENT:
        guess = did_you_mean(source, row)
        raise DataError(
            f"found the fields {names(row)}; wanted a field {source!r}; add it, or name the right one.{guess}"
        )
    if value is None:
        raise fault(f"null in the field {source!r}", "a value", "fill it in, or remove the record")
    return value


def _map_own(name: str, source: str, draft: Draft) -> bool:
    """Take the attribute from the documents' own fields; whether any document has it."""
    found = False
    for i, given in enumerate(draft.objects):
        if not isinstance(given, dict):
            continue
        if source in given and source != "text":
            found = True
            _give(draft, i, name, given[source])
        elif isinstance(own := given.get("attributes"), Mapping) and source in own:
            found = True
            if source != name:
                _give(draft, i, name, own[source])
    return found


def _parallel(value: Any, what: str, draft: Draft, separator: str | None) -> Sequence[Any] | None:
    """The values of the documents, if the field holds one for each; None if it speaks of the record."""
    if not isinstance(value, str):
        is_list = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0
        return list_of(value, what) if is_list else None
    if value.startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            raise fault(f"{show(value)} in {what}", "a JSON list", 'write it as ["a", "b"]') from None
        return list_of(parsed, what)
    if not draft.is_one_text or len(draft.texts) == 1:
        return None
    for cut in (separator, separator.strip() if separator else None, "|"):
        if cut and cut in value:
            return value.split(cut)
    return None


def _give(draft: Draft, i: int, name: str, value: Any) -> None:
    text = value_of(value, f"the attribute {name!r} of document {i + 1}")
    if text is not None:
        draft.attributes[i] = {**draft.attributes[i], name: text}


def record_value(value: Any, name: str) -> str | None:
    """The value of a record's own attribute."""
    return value_of(value, f"the attribute {name!r}")


def record_id(row: Mapping[str, Any], source: str) -> str:
    """The id in a field that must be there."""
    return id_of(need(row, source), "the id")
