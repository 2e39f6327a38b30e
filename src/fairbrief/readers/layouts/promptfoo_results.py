"""Results of promptfoo (``promptfoo eval -o results.json``): a test is a record, a provider (with a prompt) a system."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import listed, load, source_among
from fairbrief.readers.paths import ABSENT, find

FAILED = "the request failed"
REFUSED = "refused"


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each test, provider and prompt."""
    whole = load(path, name, encoding)
    inner = whole.get("results")
    rows = listed(inner if isinstance(inner, Mapping) else whole, "results", name)
    prompts = dict.fromkeys(_at(row, "prompt.label") or _at(row, "promptId") for row in rows)
    for number, row in enumerate(rows, 1):
        yield number, _row(row, list(prompts)) if isinstance(row, Mapping) else row


def _row(row: Mapping[str, Any], prompts: list[Any]) -> dict[str, Any]:
    system = _at(row, "provider.label") or _at(row, "provider.id") or row.get("provider")
    if len(prompts) > 1:
        system = f"{system}, prompt {prompts.index(_at(row, 'prompt.label') or _at(row, 'promptId')) + 1}"
    output, variables = _at(row, "response.output"), row.get("vars")
    reason = FAILED if output is None else REFUSED if _at(row, "response.isRefusal") else None
    return {
        **row,
        "id": row.get("testIdx"),
        **(source_among(variables) if isinstance(variables, Mapping) else {}),
        "summary": output
        if output is None or isinstance(output, str)
        else json.dumps(output, ensure_ascii=False),
        "system": system,
        "reason": reason,
    }


def _at(row: Any, path: str) -> Any:
    found = find(row, path)
    return None if found is ABSENT else found
