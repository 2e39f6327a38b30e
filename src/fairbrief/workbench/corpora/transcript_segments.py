"""Conversations divided into segments of at most k tokens, turn by turn.

Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §4.1 ("segments of k tokens"). Departs
from the authors' code, which does not count the first turn of a segment, so that segments exceed k, and writes an
empty segment if the first turn is longer than k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from fairbrief.errors import RequestError
from fairbrief.text.sentences import split
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.text_sources import Count, counter

SPLIT = "turn split"
"""The count of turns that are longer than a segment."""


def segments(
    conversations: Iterable[Record],
    most: int,
    counts: Counter[str],
    *,
    rule: str = "words",
    names: bool = True,
) -> Iterator[Record]:
    """The segments of each conversation, in order: as many whole turns as fit.

    A segment has at most ``most`` tokens by ``rule`` (see `counter`), summed over its turns; ``names`` adds
    ``SPEAKER: `` before each turn's text and counts it.

    A turn longer than a segment is split between sentences, and a sentence that is too long between words; each piece
    is a turn of the same speaker. The conversation is the seed document of its segments, so that they are resampled
    together. ``counts`` counts split turns (`SPLIT`), and excluded ones by reason.

    Raises: RequestError if a speaker's name leaves no room for a word.
    """
    count = counter(rule)
    for conversation in conversations:
        found: list[list[Document]] = []
        size = 0
        for turn, tokens in _pieces(conversation, most, count, counts, names=names):
            if not found or size + tokens > most:
                found.append([])
                size = 0
            found[-1].append(turn)
            size += tokens
        for number, turns in enumerate(found):
            place = {"conversation": conversation.id, "segment": str(number)}
            yield Record(
                f"{conversation.id}-{number}",
                tuple(turns),
                attributes={**conversation.attributes, **place},
                seed_document=conversation.id,
            )


def _pieces(
    conversation: Record, most: int, count: Count, counts: Counter[str], *, names: bool
) -> Iterator[tuple[Document, int]]:
    """The turns with their tokens; turns that are too long are split."""
    for turn in conversation.documents:
        if not turn.text.strip():
            counts["turn without words"] += 1
            continue
        name = turn.attributes.get("speaker", "")
        lead = f"{name}: " if names and name else ""
        texts: Iterable[str] = [turn.text]
        if count(lead + turn.text) > most:
            counts[SPLIT] += 1
            texts = _split(turn.text, lead, most, count)
        for text in texts:
            yield Document(lead + text, turn.attributes), count(lead + text)


PARTS: Sequence[tuple[Callable[[str], Sequence[str]], str]] = ((split, " "), (str.split, " "), (list, ""))
"""The parts of a text, and what joins them: sentences; words if a sentence is too long; characters if a word is."""


def _split(text: str, lead: str, most: int, count: Count, level: int = 0) -> Iterator[str]:
    """The text in pieces of at most ``most`` tokens each, counting their lead, with as many parts as fit."""
    if level == len(PARTS):
        raise RequestError(
            f"A segment of {most} tokens has no room for the speaker '{lead.strip()}' and a word: "
            "allow more tokens, or omit the names."
        )
    parts_of, joint = PARTS[level]
    current = ""
    for part in parts_of(text):
        fits = count(lead + part) <= most
        for piece in [part] if fits else _split(part, lead, most, count, level + 1):
            longer = f"{current}{joint}{piece}" if current else piece
            if current and count(lead + longer) > most:
                yield current
                current = piece
            else:
                current = longer
    if current:
        yield current
