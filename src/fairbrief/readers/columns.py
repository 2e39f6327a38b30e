"""Guesses what fields contain (texts, ids, groups, numbers) from their names and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairbrief.readers.fields import ABSENT, Several, find, parse_cell

WORDS = 4
"""A field whose values have at least this many words on average is a text."""
MOST_GROUPS = 20
LAST_NUMBER = re.compile(r"(?<!\d)\d+(\D*)\Z")
NAMES = {
    "id": r"(.*[_\- .])?(id|ids|key|asin|sku|isbn|uuid|guid|nr|no|number|code)",
    "system": r"(system|model|engine|provider|llm|bot|generator|summarizer)([_\- ]?(id|name))?",
    "summary": r".*(summar|abstract|tl;?dr|headline|completion|generated|prediction|decoded|output|response|zusammenfassung).*",
    "reference": r"(human[_\- ])?(references?|gold|targets?|ground[_\- ]?truth|highlights)([_\- ]?(summary|text))?",
    "documents": r".*(document|review|article|source|text|body|comment|tweet|post|transcript|utterance|message|passage|"
    r"content|dialogue|feedback|opinion|speech|statement|story|report|bewertung).*",
}  # fmt: skip
"""Content → the usual names of fields with it."""


@dataclass(slots=True)
class Column:
    """A field, or a path to one, with its values in the first rows, without absent and blank ones."""

    name: str
    values: list[Any] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """The rows that have these values."""

    def is_called(self, what: str) -> bool:
        """Whether its name is usual for this content: the last part of its path, or for texts any part."""
        parts = [part for part in re.split(r"[.\[\]]", self.name.lower()) if part.strip()] or [""]
        looked_at = parts if what in ("summary", "documents") else parts[-1:]
        return any(re.fullmatch(NAMES[what], part.strip()) for part in looked_at)

    @property
    def texts(self) -> list[str]:
        return [text for value in self.values for text in _texts(value)]

    @property
    def has_sentences(self) -> bool:
        """Whether its values are sentences rather than names."""
        texts = self.texts
        if not texts or self.is_number:
            return False
        words = sum(len(text.split()) for text in texts) / len(texts)
        return words >= WORDS or sum(map(len, texts)) / len(texts) >= 8 * WORDS

    @property
    def is_text(self) -> bool:
        """Whether its values are sentences that seldom repeat."""
        return self.has_sentences and len(set(self.texts)) > len(self.texts) / 4

    @property
    def is_list(self) -> bool:
        return any(isinstance(value, list) for value in self.values)

    @property
    def is_number(self) -> bool:
        return bool(self.values) and all(_is_number(value) for value in self.values)

    @property
    def groups(self) -> list[str]:
        """Its distinct values."""
        return sorted({str(value) for value in self.values if not isinstance(value, (list, dict))})

    @property
    def is_group(self) -> bool:
        """Whether its values could be groups: few, each in several rows."""
        many = len(self.groups)
        return (
            not self.is_list and not self.is_text and 2 <= many <= min(MOST_GROUPS, len(self.values) / 2 + 1)
        )


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """The fields of some rows; nested ones by their paths."""
    result: dict[str, Column] = {}
    for number, row in enumerate(rows):
        for name, value in _flat(row, ""):
            if value is None or (isinstance(value, str) and not value.strip()):
                result.setdefault(name, Column(name))
                continue
            column = result.setdefault(name, Column(name))
            column.values.append(value)
            column.rows.append(number)
    return result


def numbered(columns: Mapping[str, Column]) -> dict[str, list[Column]]:
    """Fields whose names differ only in a number, by their pattern: ``review_*``."""
    result: dict[str, list[Column]] = {}
    for name, column in columns.items():
        if (match := LAST_NUMBER.search(name)) is not None and match.start():
            result.setdefault(f"{name[: match.start()]}*{match[1]}", []).append(column)
    return {pattern: fitting for pattern, fitting in result.items() if len(fitting) > 1}


def within(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], name: str) -> bool:
    """Whether a field has the same value in all rows with the same keys."""
    known: dict[tuple[str, ...], str] = {}
    for row in rows:
        ident, value = tuple(str(find(row, key)) for key in keys), find(row, name)
        if value in (ABSENT, None, ""):
            continue
        if known.setdefault(ident, str(value)) != str(value):
            return False
    return True


def _flat(holder: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for key, given in holder.items():
        name, value = f"{before}{key}", parse_cell(given)
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
            for inner in dict.fromkeys(path for part in value for path, _ in _flat(part, "")):
                result = find(value, f"[*].{inner}")
                yield f"{name}[*].{inner}", list(result.values()) if isinstance(result, Several) else None
        else:
            yield name, value


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [part for part in value if isinstance(part, str)]
    return [value] if isinstance(value, str) else []


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, list)):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
