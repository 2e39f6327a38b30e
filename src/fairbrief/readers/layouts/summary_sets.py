"""Published sets of model summaries: SummEval (a line for each system) and SummVis (a field for each system)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.json_lines import read_lines

BEGIN = "summary:"
REFERENCE = "summary:reference"


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each line."""
    for number, row in read_lines(path, name, meter, encoding=encoding):
        if not isinstance(row, Mapping):
            yield number, row
        else:
            yield number, _summeval(row) if "decoded" in row else _summvis(row)


def _summeval(row: Mapping[str, Any]) -> dict[str, Any]:
    """The sources stand under ``text`` in the paired file alone."""
    source = {"documents": row["text"]} if row.get("text") else {}
    return {**row, **source, "summary": row["decoded"], "system": row.get("model_id")}


def _summvis(row: Mapping[str, Any]) -> dict[str, Any]:
    written = {
        key.removeprefix(BEGIN): text
        for key, text in row.items()
        if key.startswith(BEGIN) and key != REFERENCE
    }
    return {**row, "documents": row.get("document"), "summary": written, "references": row.get(REFERENCE)}
