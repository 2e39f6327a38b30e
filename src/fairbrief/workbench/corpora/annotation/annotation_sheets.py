"""CSV sheets for a spreadsheet: one question a line, to be answered in the column ``answer``."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from fairbrief.types import Case
from fairbrief.workbench.corpora.annotation.items import TASKS, Item

COLUMNS = ("task", "record", "system", "part", "check", "annotator", "question", "about", "choices", "answer", "note", "summary", "documents")  # fmt: skip
ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which a spreadsheet takes a text for a formula."""
CELL = 30_000
"""Characters of a cell: a spreadsheet holds 32,767."""


def sheet(cases: Iterable[tuple[Case, Sequence[Item]]], annotator: str = "", attribute: str = "") -> str:
    """A sheet as text. The summary and the documents stand in the first line of each case.

    A text that a spreadsheet would take for a formula gets an apostrophe before it; the columns that are
    read back (task, record, system, part, check) are protected the same way and freed on reading.
    """
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    for case, items in cases:
        for i, item in enumerate(items):
            context = (case.summary.text, documents_text(case, attribute)) if i == 0 else ("", "")
            row = (
                *item.key,
                item.check,
                annotator,
                item.question,
                item.about,
                " | ".join(item.choices),
                "",
                "",
            )
            writer.writerow([protect(cell) for cell in (*row, *context)])
    return lines.getvalue()


def documents_text(case: Case, attribute: str) -> str:
    """The documents, one a line, each with its value before it."""
    lines = (
        f"[{document.attributes.get(attribute, '')}] {document.text}" if attribute else document.text
        for document in case.record.documents
    )
    whole = "\n".join(lines)
    return whole if len(whole) <= CELL else f"{whole[:CELL]} … (cut: see the record)"


def protect(cell: str) -> str:
    """The cell as a text that no spreadsheet computes."""
    return f"'{cell}" if cell.startswith((*ACTIVE, "'")) else cell


def free(cell: str) -> str:
    """The cell as it was before `protect`."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in (*ACTIVE, "'") else cell


# ----------------------------------------------------------------------------------------- the page


def page(
    cases: Iterable[tuple[Case, Sequence[Item]]], task: str, annotator: str = "", attribute: str = ""
) -> str:
    """The page as text. It keeps answers in the browser where it may, and saves them as CSV or JSON."""
    here = files("fairbrief.workbench.corpora.annotation")
    style, script, frame = (
        (here / name).read_text(encoding="utf-8") for name in ("page.css", "page.js", "page.html")
    )
    data = {
        "task": task,
        "title": TASKS[task],
        "annotator": annotator,
        "cases": [_case(case, items, attribute) for case, items in cases],
    }
    parts = {
        "STYLE_HASH": _hash(style),
        "SCRIPT_HASH": _hash(script),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _data(data),
    }
    before, *rest = frame.split("%%")
    return before + "".join(parts.get(piece, piece) for piece in rest)


def _case(case: Case, items: Sequence[Item], attribute: str) -> dict[str, Any]:
    documents = [
        {"text": d.text, "value": d.attributes.get(attribute, "") if attribute else ""}
        for d in case.record.documents
    ]
    return {
        "record": case.record.id,
        "system": items[0].system,
        "summary": case.summary.text,
        "documents": documents,
        "items": [
            {
                "task": item.task,
                "part": item.part,
                "check": item.check,
                "question": item.question,
                "about": item.about,
                "choices": list(item.choices),
                "several": item.several,
            }
            for item in items
        ],
    }


def _data(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
