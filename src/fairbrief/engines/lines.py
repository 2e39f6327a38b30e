"""Records and answers as lines of JSON that our readers read without being told how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fairbrief.nouns import Entity, Record, Summary, Unit


def line_of(record: Record, answer: Mapping[str, Any]) -> bytes:
    """One line: the record's fields, then the answer's."""
    # ASCII: a lone surrogate that came in as an escape goes out as one, and is never half a character
    return json.dumps({**record_fields(record), **answer}, ensure_ascii=True).encode("ascii") + b"\n"


def record_fields(record: Record) -> dict[str, Any]:
    """The fields of a record, without those that say nothing."""
    return {
        "id": record.id,
        "documents": [
            {"text": d.text, **({"attributes": dict(d.attributes)} if d.attributes else {})}
            for d in record.documents
        ],
        **({"references": list(record.references)} if record.references else {}),
        **({"entities": [_entity(e) for e in record.entities]} if record.entities else {}),
        **({"attributes": dict(record.attributes)} if record.attributes else {}),
        **({"original": record.original} if record.original is not None else {}),
    }


def summary_fields(summary: Summary) -> dict[str, Any]:
    """The fields of a summary, without those that say nothing; null where there is no text."""
    return {
        "summary": summary.text if summary.text or not summary.reason else None,
        "system": summary.system,
        **({"reason": summary.reason} if summary.reason else {}),
        **({"units": [_unit(u) for u in summary.units]} if summary.units is not None else {}),
        **({"made": dict(summary.made)} if summary.made else {}),
    }


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        **({"first_name": entity.first_name} if entity.first_name is not None else {}),
        **({"last_name": entity.last_name} if entity.last_name is not None else {}),
        **({"attributes": dict(entity.attributes)} if entity.attributes else {}),
        "mentions": [
            {"document": m.document, "start": m.start, "end": m.end, "kind": m.kind} for m in entity.mentions
        ],
    }


def _unit(unit: Unit) -> str | dict[str, Any]:
    if not unit.values:
        return unit.text
    return {"text": unit.text, "values": {name: list(values) for name, values in unit.values.items()}}
