"""Records and cases as lines of JSON, which `readers.read` reads back unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from fairbrief.atomic_files import atomic_path
from fairbrief.types import Case, Claim, Entity, Record, Summary

EMPTY, MISSING = "empty summary", "missing summary"
"""Reasons of an unusable summary: its text is blank, or missing."""


def record_line(record: Record) -> dict[str, Any]:
    """A record as one row of a file, without empty fields.

    ``readers.read([record_line(r)]).records()`` gives the same record, except ``where`` and ``cluster_by``, which the
    reader must set again.
    """
    documents = [
        {**_given(id=d.id), "text": d.text, **_given(attributes=dict(d.attributes))} for d in record.documents
    ]
    return {
        "id": record.id,
        **_given(
            seed_document=record.seed_document,
            documents=documents,
            references=list(record.references),
            attributes=dict(record.attributes),
            entities=[_filled(entity) for entity in record.entities],
        ),
    }


def case_line(case: Case) -> dict[str, Any]:
    """A record with one system's summary of it as one row of a file.

    ``readers.read([case_line(c)])`` gives the same case, except the record's ``where``. A missing summary
    is null, with a reason.
    """
    return {**record_line(case.record), **summary_fields(case.summary)}


def summary_fields(summary: Summary) -> dict[str, Any]:
    """The fields of a row about a summary."""
    did_not_come = not summary.text and summary.reason not in ("", EMPTY)
    claims = None if summary.claims is None else [_filled(claim) for claim in summary.claims]
    return {
        "summary": None if did_not_come else summary.text,
        "system": summary.system,
        **({} if claims is None else {"claims": claims}),
        **_given(reason=summary.reason, made=dict(summary.made)),
    }


def line_of(record: Record, answer: Mapping[str, Any]) -> bytes:
    """A complete line: the record's fields, then the answer's. ASCII, which preserves lone surrogates."""
    return json.dumps({**record_line(record), **answer}).encode("ascii") + b"\n"


def write_lines(rows: Iterable[Mapping[str, Any]], path: Path | str) -> int:
    """Write rows as JSON Lines, atomically; returns their number.

    Links are followed. Leftovers of killed runs are removed.
    """
    count = 0
    with atomic_path(Path(path)) as part, part.open("w", encoding="utf-8", newline="\n") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
            count += 1
    return count


def _filled(thing: Entity | Claim) -> dict[str, Any]:
    """The fields as JSON, without empty ones."""
    plain: dict[str, Any] = msgspec.to_builtins(thing)
    return {name: value for name, value in plain.items() if value not in (None, (), [], {})}


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value is not None and value not in ("", [], {})}
