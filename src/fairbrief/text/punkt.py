"""Sentences by NLTK's English Punkt model, as published protocols cut them. Reads NLTK's data files."""

from __future__ import annotations

from fairbrief.text.published_nltk import edition, punkt

__all__ = ["edition", "sentence_spans", "split"]


def split(text: str) -> list[str]:
    """The sentences of a text, as ``nltk.sent_tokenize`` cut it (`published_nltk`); raise where NLTK or its data is absent."""
    return [text[a:b] for a, b in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences; raise MissingExtra or RequestError where Punkt is absent."""
    return [(int(a), int(b)) for a, b in punkt().span_tokenize(text)]
