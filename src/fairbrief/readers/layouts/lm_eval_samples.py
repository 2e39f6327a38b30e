"""Logged samples of the lm-evaluation-harness (``samples_TASK_DATE.jsonl``): a document of the task is a record.

Each is written once for every filter of the task: the rows of the first filter count. The model's name stands in
the file of results beside it, or is the folder's (``maker__model``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairbrief.readers.files import Meter
from fairbrief.readers.json_lines import read_lines
from fairbrief.readers.layouts.documents_of_json import source_among

BEGIN, RESULTS = "samples_", "results_"


def read(path: Path, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each document of the task."""
    system, first = _model(path), None
    for number, row in read_lines(path, name, meter, encoding=encoding):
        if not isinstance(row, Mapping):
            yield number, row
            continue
        first = row.get("filter") if first is None else first
        if row.get("filter") == first:
            yield number, _row(row, system)


def _row(row: Mapping[str, Any], system: str | None) -> dict[str, Any]:
    doc, target = row.get("doc"), row.get("target")
    is_text = isinstance(target, str) and bool(target.strip())
    return {
        **row,
        "id": row.get("doc_id"),
        **(source_among(doc) if isinstance(doc, Mapping) else {}),
        "summary": _first_text(row.get("filtered_resps")),
        "system": system,
        "references": target if is_text or isinstance(target, list) else None,
    }


def _first_text(given: Any) -> str | None:
    """The first response, however deep it stands in lists."""
    while isinstance(given, list):
        if not given:
            return None
        given = given[0]
    return given if isinstance(given, str) else None


def _model(path: Path) -> str | None:
    """The model that the results beside the samples name, or the folder; None if neither does."""
    date = path.name.removesuffix(".jsonl").rpartition("_")[2]
    for results in sorted(path.parent.glob(f"{RESULTS}*{date}.json")):
        try:
            name = json.loads(results.read_text(encoding="utf-8")).get("model_name")
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
        if isinstance(name, str) and name.strip():
            return name
    folder = path.parent.resolve().name
    return folder.replace("__", "/") if "__" in folder else None
