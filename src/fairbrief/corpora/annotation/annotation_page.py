"""One offline HTML page to answer the questions in: no network, no library, works from a folder.

The page's policy forbids everything but its own style and its own script, which it names by hash; texts
come as data and are set as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from fairbrief.corpora.annotation.items import TASKS, Item
from fairbrief.types import Case


def page(
    cases: Iterable[tuple[Case, Sequence[Item]]], task: str, annotator: str = "", attribute: str = ""
) -> str:
    """The page as text. It keeps answers in the browser where it may, and saves them as CSV or JSON."""
    here = files("fairbrief.corpora.annotation")
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
