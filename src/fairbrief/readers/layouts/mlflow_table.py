"""A table that MLflow's evaluation wrote (``eval_results_table.json``); its columns are called as its user wished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import listed, load, source_among
from fairbrief.readers.messages import fault, show

USUAL = {
    "summary": ("outputs", "predictions", "prediction", "output", "response"),
    "references": ("ground_truth", "targets", "target", "reference", "expectations"),
}


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each row of the table."""
    whole = load(path, name, encoding)
    columns = [str(column) for column in listed(whole, "columns", name)]
    for number, cells in enumerate(listed(whole, "data", name), 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            yield number, fault(show(cells), f"a list of {len(columns)} values", "write the table again")
            continue
        row = dict(zip(columns, cells, strict=True))
        yield number, {**_usual(row), **row}


def _usual(row: dict[str, Any]) -> dict[str, Any]:
    found = source_among(row) if len(row) > 1 else {}
    for field, names in USUAL.items():
        known = [name for name in names if name in row]
        if known:
            found[field] = row[known[0]]
    return found
