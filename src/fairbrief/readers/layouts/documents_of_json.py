"""A file that is one JSON document, whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers.files import InputFile, open_text
from fairbrief.readers.messages import show

LIKELY = (
    "documents", "reviews", "articles", "document", "article", "source", "text", "passage", "transcript", "dialogue",
    "input", "inputs", "context", "content",
)  # fmt: skip
"""Names under which tools' users keep what is summarized, the likeliest first."""


def load(path: InputFile, name: str, encoding: str) -> Mapping[str, Any]:
    """The document; DataError where it is none."""
    with open_text(path, name, encoding) as (_, content):
        try:
            found = json.load(content)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{name}: found what is not JSON ({error}); wanted one document; make or copy the file again."
            ) from error
    if not isinstance(found, Mapping):
        raise DataError(f"{name}: found {show(found)}; wanted an object; name another --format.")
    return found


def listed(found: Mapping[str, Any], key: str, name: str) -> list[Any]:
    """A list that the document must have."""
    rows = found.get(key)
    if not isinstance(rows, list):
        raise DataError(f"{name}: found {show(rows)} under {key!r}; wanted a list; name another --format.")
    return rows


def source_among(fields: Mapping[str, Any]) -> dict[str, Any]:
    """``documents`` from the likeliest of some fields, or the only one; nothing where none is likely."""
    for name in LIKELY:
        if fields.get(name):
            return {"documents": fields[name]}
    if len(fields) == 1:
        return {"documents": next(iter(fields.values()))}
    return {}


def text_in(content: Any) -> str | None:
    """The text of a message: a text, or the texts of its parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return content if isinstance(content, str) else None
