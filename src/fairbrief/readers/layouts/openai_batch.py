"""Output of the OpenAI Batch API, chat completions or responses: one answer a line, in no order.

The sources stand in the file of requests (join it by ``custom_id``), or in records of that id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.json_lines import read_lines
from fairbrief.readers.layouts.documents_of_json import text_in
from fairbrief.readers.paths import ABSENT, find

FAILED = "the request failed"
REFUSED = "refused"
CUT = "cut off by the filter"


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each request; those that failed name no model, and a batch has one."""
    answers = (row for _, row in read_lines(path, name, Meter(), encoding=encoding))
    models = (_at(row, "response.body.model") for row in answers)
    model = next((m for m in models if isinstance(m, str) and m), None)
    for number, row in read_lines(path, name, meter, encoding=encoding):
        yield number, _row(row, model) if isinstance(row, Mapping) else row


def _row(row: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    body = _at(row, "response.body") or {}
    text, reason = _answer(body)
    status = _at(row, "response.status_code")
    if row.get("error") or not body or (isinstance(status, int) and status >= 400):
        text, reason = None, FAILED
    return {
        **row,
        "id": row.get("custom_id"),
        "summary": text,
        "system": _at(body, "model") or model,
        "reason": reason or None,
    }


def _answer(body: Mapping[str, Any]) -> tuple[str | None, str]:
    """The text of an answer, and why there is none."""
    message = _at(body, "choices[0].message")
    if message is None:
        texts = find(body, "output[*].content[*].text")
        refusals = find(body, "output[*].content[*].refusal")
        text = "\n".join(t for t in texts.values() if isinstance(t, str)) if texts is not ABSENT else None
        return text, REFUSED if text is None and refusals is not ABSENT else ""
    text = text_in(message.get("content")) if isinstance(message, Mapping) else None
    if text is None and _at(message, "refusal"):
        return None, REFUSED
    return text, CUT if _at(body, "choices[0].finish_reason") == "content_filter" else ""


def _at(row: Any, path: str) -> Any:
    found = find(row, path)
    return None if found is ABSENT else found
