"""Records that are longer than a model takes: cut so that every document keeps its share, or cut into parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fairbrief.errors import DataError
from fairbrief.text.counted import counted
from fairbrief.text.sentences import split
from fairbrief.types import Record

Fits = Callable[[Record], bool]


def truncated(record: Record, fits: Fits) -> tuple[Record, int]:
    """The record with its longest documents cut to one common length, and the words that were cut off.

    The largest number of words a document at which the record fits. So short documents stay whole and no
    voice is lost because it stands last. Raises DataError where not even one word of each fits.
    """
    words = [document.text.split() for document in record.documents]
    low, high = 0, max(map(len, words), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_capped(record, words, middle)):
            low = middle
        else:
            high = middle - 1
    if low == 0 and not fits(_capped(record, words, 1)):
        raise DataError(
            f"{record.where or 'input'} (id '{record.id}'): the prompt and one word of each of "
            f"{counted(len(words), 'document')} are more than the model takes. Use fewer documents, or another model."
        )
    low = max(low, 1)
    return _capped(record, words, low), sum(max(0, len(w) - low) for w in words)


def parts(record: Record, fits: Fits) -> list[Record]:
    """The record's sentences, in order, in as few records as can be filled one after the other.

    Each part keeps the documents (with their attributes) that its sentences come from. A sentence that does
    not fit alone is halved until it does, so that no word is lost; DataError where one word does not fit.
    """
    found: list[Record] = []
    current: list[tuple[int, str]] = []
    for number, document in enumerate(record.documents):
        for sentence in split(document.text) or [document.text]:
            for piece in _halved(record, number, sentence, fits):
                if current and not fits(_of(record, [*current, (number, piece)])):
                    found.append(_of(record, current))
                    current = []
                current.append((number, piece))
    return [*found, _of(record, current)]


def _halved(record: Record, number: int, text: str, fits: Fits) -> list[str]:
    """A sentence in pieces that fit."""
    if fits(alone := _of(record, [(number, text)])):
        return [text]
    words = text.split()
    if len(words) < 2:
        truncated(alone, fits)  # says what is wrong
        return [text]
    half = len(words) // 2
    return [
        *_halved(record, number, " ".join(words[:half]), fits),
        *_halved(record, number, " ".join(words[half:]), fits),
    ]


def _capped(record: Record, words: list[list[str]], most: int) -> Record:
    documents = [
        document if len(w) <= most else replace(document, text=" ".join(w[:most]))
        for document, w in zip(record.documents, words, strict=True)
    ]
    return replace(record, documents=tuple(documents), entities=())


def _of(record: Record, sentences: list[tuple[int, str]]) -> Record:
    texts: dict[int, list[str]] = {}
    for number, sentence in sentences:
        texts.setdefault(number, []).append(sentence)
    documents = tuple(
        replace(record.documents[number], text=" ".join(found)) for number, found in texts.items()
    )
    return replace(record, documents=documents, entities=())
