"""What a summary and its documents are cut into."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

import numpy as np

from fairbrief.measures.known_records import Chunks, KnownRecord
from fairbrief.text.languages import setting
from fairbrief.text.sentences import Cut, chunks, sentences_of
from fairbrief.types import Integers, Summary


def units_of(summary: Summary, units: str) -> tuple[str, ...]:
    """The statements to look for: ``given`` units, ``sentences``, or ``auto`` (given if there are any)."""
    if summary.units is not None and units != "sentences":
        return tuple(unit.text for unit in summary.units if unit.text.strip())
    if units == "given":
        return ()
    return sentences_of(summary.text)


def chunks_of(text: str, cut: Cut, words: int) -> tuple[str, ...]:
    """The pieces of a document."""
    sentences = sentences_of(text)
    # A single sentence is one piece, however documents are cut.
    return sentences if len(sentences) == 1 else tuple(chunks(sentences, cut, words))


def chunks_by_document(about: KnownRecord, cut: Cut, words: int) -> Chunks:
    """The pieces of a record's documents, in their order, and how many each document has."""
    kind = cut, words, setting()
    found = about.chunks.get(kind)
    if found is None:
        pieces = [chunks_of(text, cut, words) for text in about.texts]
        found = about.chunks[kind] = tuple(chain.from_iterable(pieces)), tuple(map(len, pieces))
    return found


@lru_cache(maxsize=4096)
def owner_of(pieces: tuple[int, ...]) -> Integers:
    """The document of each piece, of documents with so many. Shape (pieces,), read-only."""
    owner = np.repeat(np.arange(len(pieces)), pieces)
    owner.flags.writeable = False
    return owner
