"""What a summary and its documents are cut into."""

from __future__ import annotations

from functools import lru_cache

from fairbrief.nouns import Summary
from fairbrief.text.chunks import Cut, chunks
from fairbrief.text.sentences import split


def units_of(summary: Summary, units: str) -> tuple[str, ...]:
    """The statements to look for: ``given`` units, ``sentences``, or ``auto`` (given if there are any)."""
    if summary.units is not None and units != "sentences":
        return tuple(unit.text for unit in summary.units if unit.text.strip())
    if units == "given":
        return ()
    return tuple(_sentences(summary.text))


def chunks_of(text: str, cut: Cut, words: int) -> tuple[str, ...]:
    """The pieces of a document; the same text is cut once."""
    return _chunks(text, cut, words)


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text; the same text is cut once."""
    return _sentences(text)


@lru_cache(maxsize=4096)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(s for s in split(text) if s.strip())


@lru_cache(maxsize=4096)
def _chunks(text: str, cut: Cut, words: int) -> tuple[str, ...]:
    return tuple(chunks(_sentences(text), cut, words))
