"""Sentences by NLTK's English Punkt model, as published protocols cut them. Reads NLTK's data files."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fairbrief.errors import MissingExtra, RequestError

RESOURCE = "tokenizers/punkt_tab/english/"


def split(text: str) -> list[str]:
    """The sentences of a text, as ``nltk.sent_tokenize`` cuts it; raise where NLTK or its data is absent."""
    return [text[a:b] for a, b in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences; raise MissingExtra or RequestError where Punkt is absent."""
    return [(int(a), int(b)) for a, b in _tokenizer(_folder()).span_tokenize(text)]


def edition() -> str:
    """The version of NLTK, which decides the sentences."""
    try:
        return f"nltk {version('nltk')}"
    except PackageNotFoundError:
        return "nltk absent"


def _folder() -> str:
    try:
        import nltk
    except ImportError:
        raise MissingExtra("nltk", "nltk", "Cutting sentences with Punkt") from None
    try:
        return str(nltk.data.find(RESOURCE))
    except LookupError:
        raise RequestError(
            f"Punkt's model '{RESOURCE}' is in none of the folders that NLTK looks in. Set NLTK_DATA to a folder "
            "that holds it (python -m nltk.downloader punkt_tab), or cut sentences with sentences=builtin."
        ) from None


@cache
def _tokenizer(folder: str) -> Any:  # noqa: ARG001 - the folder is the key of the cache: another one, another model
    from nltk.tokenize.punkt import PunktTokenizer

    return PunktTokenizer("english")
