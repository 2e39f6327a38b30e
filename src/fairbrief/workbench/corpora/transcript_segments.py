"""Conversations divided into segments of at most k tokens, turn by turn.

Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §4.1 ("segments of k tokens"). Departs
from the authors' code, which does not count the first turn of a segment, so that segments exceed k, and writes an
empty segment if the first turn is longer than k.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fairbrief.errors import RequestError
from fairbrief.text.sentences import split
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.text_sources import Count, counter


@dataclass(slots=True)
class TurnCounts:
    """The number of split turns, and the reasons of excluded ones."""

    split: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Cut:
    """The settings of segments.

    A segment has at most ``most`` tokens by ``rule`` (see `counter`), summed over its turns; ``names`` adds
    ``SPEAKER: `` before each turn's text and counts it; ``least_turns`` is the minimum number of turns.
    """

    most: int
    rule: str = "words"
    names: bool = True
    least_turns: int = 1

    def __post_init__(self) -> None:
        if self.most < 1 or self.least_turns < 1:
            raise RequestError("A segment needs at least one token and one turn.")


def segments(conversations: Iterable[Record], cut: Cut, counts: TurnCounts) -> Iterator[Record]:
    """The segments of each conversation, in order: as many whole turns as fit.

    A turn longer than a segment is split between sentences, and a sentence that is too long between words; each piece
    is a turn of the same speaker. The conversation is the seed document of its segments, so that they are resampled
    together.

    Raises: RequestError if a speaker's name leaves no room for a word.
    """
    count = counter(cut.rule)
    for conversation in conversations:
        turns, size, number = list[Document](), 0, 0
        for turn, tokens in _pieces(conversation, cut, count, counts):
            if turns and size + tokens > cut.most:
                if (made := _segment(conversation, number, turns, cut, counts)) is not None:
                    yield made
                    number += 1
                turns, size = [], 0
            turns.append(turn)
            size += tokens
        if turns and (made := _segment(conversation, number, turns, cut, counts)) is not None:
            yield made


def _segment(
    conversation: Record, number: int, turns: list[Document], cut: Cut, counts: TurnCounts
) -> Record | None:
    if len(turns) < cut.least_turns:
        counts.left_out["segment of too few turns"] += 1
        return None
    return Record(
        f"{conversation.id}-{number}",
        tuple(turns),
        attributes={**conversation.attributes, "conversation": conversation.id, "segment": str(number)},
        seed_document=conversation.id,
    )


def _pieces(
    conversation: Record, cut: Cut, count: Count, counts: TurnCounts
) -> Iterator[tuple[Document, int]]:  # fmt: skip
    """The turns with their tokens; turns that are too long are split."""
    for turn in conversation.documents:
        if not turn.text.strip():
            counts.left_out["turn without words"] += 1
            continue
        name = turn.attributes.get("speaker", "")
        lead = f"{name}: " if cut.names and name else ""
        whole = lead + turn.text
        tokens = count(whole)
        if tokens <= cut.most:
            yield replace(turn, text=whole), tokens
            continue
        counts.split += 1
        for text in _split_turn(turn.text, lead, cut.most, count):
            yield Document(text, turn.attributes), count(text)


def _split_turn(text: str, lead: str, most: int, count: Count) -> Iterator[str]:
    """The text in pieces of at most ``most`` tokens each, including their lead."""
    current = ""
    for part in split(text):
        for piece in [part] if count(lead + part) <= most else _split_words(part, lead, most, count):
            longer = f"{current} {piece}" if current else piece
            if current and count(lead + longer) > most:
                yield lead + current
                current = piece
            else:
                current = longer
    if current:
        yield lead + current


def _split_words(sentence: str, lead: str, most: int, count: Count) -> Iterator[str]:
    """As many words as fit, by bisection; a single word that is too long is split between characters."""
    words = sentence.split()
    while words:
        fits = _largest(words, lambda part: count(lead + " ".join(part)) <= most)
        if fits:
            yield " ".join(words[:fits])
            words = words[fits:]
            continue
        letters = _largest(words[0], lambda part: count(lead + "".join(part)) <= most)
        if not letters:
            raise RequestError(
                f"A segment of {most} tokens has no room for the speaker '{lead.strip()}' and a word: "
                "allow more tokens, or omit the names."
            )
        yield words[0][:letters]
        words[0] = words[0][letters:]


def _largest(parts: Sequence[str], fits: Callable[[Sequence[str]], bool]) -> int:
    """The number of leading parts that fit, given that fewer always fit too."""
    return bisect_left(range(1, len(parts) + 1), 1, key=lambda many: not fits(parts[:many]))
