"""From what a model wrote to the summary: list marks taken off, cut at the wanted number of sentences."""

from __future__ import annotations

from fairbrief.text.listed import items
from fairbrief.text.sentences import split


def finished(text: str, sentences: int | None, *, is_list: bool = False) -> tuple[str, str]:
    """The summary, and what was cut off in words ("7 sentences to 3"); empty where nothing was.

    ``is_list`` reads the answer as a list of one sentence a line; each item counts as one sentence.
    """
    listed = items(text) if is_list else ()
    parts = list(listed) or split(text)
    if sentences is None or len(parts) <= sentences:
        return ("\n".join(listed) if listed else text), ""
    joined = ("\n" if listed else " ").join(part.strip() for part in parts[:sentences])
    return joined, f"{len(parts)} sentences to {sentences}"
