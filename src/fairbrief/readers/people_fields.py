"""The parts of a row that a person or a tool annotated: entities with their mentions, and units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairbrief.readers.field_values import (
    NOTHING,
    attributes_of,
    id_of,
    list_of,
    object_of,
    text_of,
    value_of,
    whole_of,
)
from fairbrief.readers.messages import fault
from fairbrief.types import Document, Entity, Mention, Unit


def read_entities(value: Any, documents: Sequence[Document | None]) -> tuple[Entity, ...]:
    """Entities as ``{"id", "first_name", "last_name", "attributes", "mentions"}``; each id once in a record.

    ``documents`` has None in each place without a text, which mentions count and the record does not.
    """
    if value is None:
        return ()
    entities = tuple(
        _entity(object_of(given, f"entity {i}"), i, documents)
        for i, given in enumerate(list_of(value, "the entities"), 1)
    )
    known: set[str] = set()
    for entity in entities:
        if entity.id in known:
            raise fault(f"two entities with the id {entity.id!r}", "each entity once", "join their mentions")
        known.add(entity.id)
    return entities


def read_units(value: Any) -> tuple[Unit, ...] | None:
    """The units of a summary: texts, or ``{"text", "values": {attribute: [value, …]}}``."""
    if value is None:
        return None
    return tuple(_unit(given, f"unit {i}") for i, given in enumerate(list_of(value, "the units"), 1))


def _entity(given: Any, i: int, documents: Sequence[Document | None]) -> Entity:
    what = f"entity {i}"
    if given.get("id") is None:
        raise fault(f"no id of {what}", "text or a number", "give each person of a record an id")
    mentions = given.get("mentions")
    return Entity(
        id_of(given["id"], f"the id of {what}"),
        _name(given.get("first_name"), f"the first_name of {what}"),
        _name(given.get("last_name"), f"the last_name of {what}"),
        attributes_of(given.get("attributes"), f"the attributes of {what}"),
        ()
        if mentions is None
        else tuple(
            _mention(object_of(m, f"mention {j} of {what}"), f"mention {j} of {what}", documents)
            for j, m in enumerate(list_of(mentions, f"the mentions of {what}"), 1)
        ),
    )


def _name(value: Any, what: str) -> str | None:
    return None if value is None or value == "" else text_of(value, what)


def _mention(given: Any, what: str, documents: Sequence[Document | None]) -> Mention:
    place = whole_of(given.get("document", 0), f"the document of {what}")
    document = documents[place] if place < len(documents) else None
    if document is None:
        raise fault(
            f"document {place}{' (blank)' if place < len(documents) else ''} in {what}",
            f"0 to {len(documents) - 1}, where there is a text",
            "count the record's documents from 0",
        )
    start = whole_of(given.get("start"), f"the start of {what}")
    end = whole_of(given.get("end"), f"the end of {what}")
    length = len(document.text)
    if not start < end <= length:
        raise fault(
            f"characters {start} to {end} in {what}",
            f"a span inside the {length} characters of document {place}, start before end",
            "count characters, not bytes or words, and let the end stand behind the last one",
        )
    before = sum(other is not None for other in documents[:place])
    return Mention(before, start, end, id_of(given.get("kind"), f"the kind of {what}"))


def _unit(given: Any, what: str) -> Unit:
    if isinstance(given, str):
        return Unit(text_of(given, what))
    fields = object_of(given, what)
    text = text_of(fields.get("text"), f"the text of {what}")
    if (values := fields.get("values")) is None:
        return Unit(text)
    labelled = {
        id_of(name, f"an attribute of {what}"): _values(entailed, f"the values of {name!r} in {what}")
        for name, entailed in object_of(values, f"the values of {what}").items()
    }
    return Unit(text, labelled or NOTHING)


def _values(given: Any, what: str) -> tuple[str, ...]:
    parts = given if isinstance(given, (list, tuple)) else [given]
    return tuple(text for part in parts if (text := value_of(part, what)) is not None)
