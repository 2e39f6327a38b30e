"""Files that other tools write, told by their names or by how they begin: each row as our own rows are.

A row keeps the tool's fields beside ours, so that any of them can be named with a path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers import files
from fairbrief.readers.files import InputFile, Meter

SAMPLE = 1 << 18
"""Bytes at a file's beginning that are looked at."""

Rows = Iterator[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tool writes.

    ``line`` tells one by the object in a file's first line, ``head`` by the beginning of a file that is one JSON
    document, ``ending`` by its name. ``reader`` (``module:function``) is called with path, name, meter and encoding, and gives
    its rows.
    """

    name: str
    title: str
    reader: str
    line: Callable[[Mapping[str, Any]], bool] | None = None
    head: re.Pattern[str] | None = None
    ending: str = ""

    def read(self, path: InputFile, name: str, meter: Meter, encoding: str) -> Rows:
        """The rows of a file of this layout."""
        module, _, function = self.reader.partition(":")
        rows: Rows = getattr(import_module(f"{__name__}.{module}"), function)(path, name, meter, encoding)
        return rows


def _has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda row: row.keys() >= set(keys)


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout(
            "openai-batch", "the output of an OpenAI batch", "evaluation_lines:openai_batch", line=_has("custom_id", "response")
        ),
        Layout("inspect", "an Inspect log", "inspect_log:read", head=re.compile(r'"eval"\s*:\s*\{\s*"'), ending="eval"),
        Layout(
            "lm-eval", "samples of the lm-evaluation-harness, the first filter of each", "evaluation_lines:lm_eval",
            line=_has("doc_id", "doc", "filtered_resps"),
        ),
        Layout("promptfoo", "promptfoo results", "evaluation_documents:promptfoo", head=re.compile(r'^\s*\{\s*"evalId"\s*:')),
        Layout("helm", "a HELM scenario state", "evaluation_documents:helm", head=re.compile(r'^\s*\{\s*"adapter_spec"\s*:')),
        Layout("deepeval", "a DeepEval test run", "evaluation_documents:deepeval", head=re.compile(r'"testCases"\s*:\s*\[')),
        Layout(
            "mlflow", "an MLflow evaluation table", "evaluation_documents:mlflow",
            head=re.compile(r'^\s*\{\s*"columns"\s*:\s*\[.*?\]\s*,\s*"data"\s*:\s*\[', re.DOTALL),
        ),
        Layout("summeval", "SummEval", "evaluation_lines:summary_sets", line=_has("id", "decoded", "model_id")),
        Layout(
            "summvis", "SummVis", "evaluation_lines:summary_sets",
            line=lambda row: "document" in row and any(key.startswith("summary:") for key in row),
        ),
        Layout(
            "json-list", "the objects in a JSON document", "evaluation_documents:json_list",
            head=re.compile(r'^\s*\{\s*"[^"]*"\s*:\s*\[\s*\{'),
        ),
    )
}  # fmt: skip
"""Layouts by the name that --format takes."""


def recognize(path: InputFile, encoding: str) -> Layout | None:
    """The layout of a file, by its ending or by how it begins; None where it is like no tool's."""
    ending = files.endings(path)[0]
    for layout in LAYOUTS.values():
        if layout.ending and layout.ending == ending:
            return layout
    if ending not in ("json", "jsonl", "ndjson"):
        return None
    try:
        with files.open_text(path, path.name, encoding) as (_, content):
            head = content.read(SAMPLE).decode(errors="replace")
    except DataError:
        return None  # whoever reads it says what is wrong
    return _of_head(head, is_document=ending == "json" and head.lstrip()[:1] == "{")


def _of_head(head: str, *, is_document: bool) -> Layout | None:
    try:
        first = json.loads(head.strip().partition("\n")[0])
    except (ValueError, RecursionError):
        first = None
    for layout in LAYOUTS.values():
        if layout.line is not None and isinstance(first, dict) and layout.line(first):
            return layout
        is_plain = layout.name == "json-list" and first is not None  # JSON Lines, whose rows begin alike
        if layout.head is not None and is_document and not is_plain and layout.head.search(head):
            return layout
    return None
