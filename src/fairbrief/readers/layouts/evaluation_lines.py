"""Tools that write a line for each answer: OpenAI batches, the lm-evaluation-harness, SummEval, SummVis."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.json_lines import read_lines
from fairbrief.readers.layouts.evaluation_documents import FAILED, REFUSED, at, source_among, text_in
from fairbrief.readers.paths import ABSENT, find

CUT = "cut off by the filter"


# --------------------------------------------- the OpenAI Batch API: one answer a line, in no order


def openai_batch(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each request; those that failed name no model, and a batch has one."""
    answers = (row for _, row in read_lines(path, name, Meter(), encoding=encoding))
    models = (at(row, "response.body.model") for row in answers)
    model = next((m for m in models if isinstance(m, str) and m), None)
    for number, row in read_lines(path, name, meter, encoding=encoding):
        yield number, _openai_batch_row(row, model) if isinstance(row, Mapping) else row


def _openai_batch_row(row: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    body = at(row, "response.body") or {}
    text, reason = _answer(body)
    status = at(row, "response.status_code")
    if row.get("error") or not body or (isinstance(status, int) and status >= 400):
        text, reason = None, FAILED
    return {
        **row,
        "id": row.get("custom_id"),
        "summary": text,
        "system": at(body, "model") or model,
        "reason": reason or None,
    }


def _answer(body: Mapping[str, Any]) -> tuple[str | None, str]:
    """The text of an answer, and why there is none."""
    message = at(body, "choices[0].message")
    if message is None:
        texts = find(body, "output[*].content[*].text")
        refusals = find(body, "output[*].content[*].refusal")
        text = "\n".join(t for t in texts.values() if isinstance(t, str)) if texts is not ABSENT else None
        return text, REFUSED if text is None and refusals is not ABSENT else ""
    text = text_in(message.get("content")) if isinstance(message, Mapping) else None
    if text is None and at(message, "refusal"):
        return None, REFUSED
    return text, CUT if at(body, "choices[0].finish_reason") == "content_filter" else ""


# ------------------------------------------------------------------------ the lm-evaluation-harness


RESULTS = "results_"


def lm_eval(path: Path, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each document of the task."""
    system, first = _model(path), None
    for number, row in read_lines(path, name, meter, encoding=encoding):
        if not isinstance(row, Mapping):
            yield number, row
            continue
        first = row.get("filter") if first is None else first
        if row.get("filter") == first:
            yield number, _lm_eval_row(row, system)


def _lm_eval_row(row: Mapping[str, Any], system: str | None) -> dict[str, Any]:
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


# -------------------------- SummEval (a line for each system) and SummVis (a field for each system)


BEGIN = "summary:"
REFERENCE = "summary:reference"


def summary_sets(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
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
