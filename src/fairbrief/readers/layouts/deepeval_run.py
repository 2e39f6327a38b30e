"""A test run of DeepEval: a test case is a record, its context the documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import listed, load


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each test case, also in the file of the latest run, which holds the run inside."""
    whole = load(path, name, encoding)
    inner = whole.get("testRunData")
    for number, case in enumerate(
        listed(inner if isinstance(inner, Mapping) else whole, "testCases", name), 1
    ):
        yield number, _row(case, number) if isinstance(case, Mapping) else case


def _row(case: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        **case,
        "id": case.get("name") or number,
        "documents": case.get("context") or case.get("retrievalContext") or case.get("input"),
        "summary": case.get("actualOutput"),
        "references": case.get("expectedOutput"),
    }
