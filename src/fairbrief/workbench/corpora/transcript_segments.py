"""Conversations cut into segments of at most k tokens, turn by turn.

Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §4.1 ("segments of k tokens").
Departs from the authors' code, which forgets to count the turn that begins a segment, so that segments
exceed k, and writes an empty segment where the first turn is longer than k.
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
    """What happened to the turns: how many were split, and why others were left out."""

    split: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Cut:
    """How conversations are cut.

    ``most`` tokens by ``rule`` (see `lengths.counter`) at most in a segment, counted as the sum over its turns;
    ``names`` puts ``SPEAKER: `` before each turn's text, as a dialogue is read (and counts it);
    ``least_turns`` is how many turns a segment needs.
    """

    most: int
    rule: str = "words"
    names: bool = True
    least_turns: int = 1

    def __post_init__(self) -> None:
        if self.most < 1 or self.least_turns < 1:
            raise RequestError("A segment has at least one token and one turn.")


def segments(conversations: Iterable[Record], cut: Cut, told: TurnCounts) -> Iterator[Record]:
    """The segments of each conversation, in order: as many whole turns as fit.

    A turn longer than a segment is split: at sentences, and a sentence that is too long at words; each
    piece is a turn of the same speaker. The segments of one conversation have it as their original, so that
    they are resampled together.

    Raises: RequestError where a speaker's name alone leaves no room.
    """
    count = counter(cut.rule)
    for conversation in conversations:
        held, size, number = list[Document](), 0, 0
        for turn, tokens in _pieces(conversation, cut, count, told):
            if held and size + tokens > cut.most:
                if (made := _segment(conversation, number, held, cut, told)) is not None:
                    yield made
                    number += 1
                held, size = [], 0
            held.append(turn)
            size += tokens
        if held and (made := _segment(conversation, number, held, cut, told)) is not None:
            yield made


def _segment(
    conversation: Record, number: int, turns: list[Document], cut: Cut, told: TurnCounts
) -> Record | None:
    if len(turns) < cut.least_turns:
        told.left_out["segment of too few turns"] += 1
        return None
    return Record(
        f"{conversation.id}-{number}",
        tuple(turns),
        attributes={**conversation.attributes, "conversation": conversation.id, "segment": str(number)},
        seed_document=conversation.id,
    )


def _pieces(
    conversation: Record, cut: Cut, count: Count, told: TurnCounts
) -> Iterator[tuple[Document, int]]:  # fmt: skip
    """The turns with their tokens, those that are too long in pieces that are not."""
    for turn in conversation.documents:
        if not turn.text.strip():
            told.left_out["turn without words"] += 1
            continue
        name = turn.attributes.get("speaker", "")
        lead = f"{name}: " if cut.names and name else ""
        whole = lead + turn.text
        tokens = count(whole)
        if tokens <= cut.most:
            yield replace(turn, text=whole), tokens
            continue
        told.split += 1
        for text in _split_turn(turn.text, lead, cut.most, count):
            yield Document(text, turn.attributes), count(text)


def _split_turn(text: str, lead: str, most: int, count: Count) -> Iterator[str]:
    """The text in pieces that, with their lead, have at most ``most`` tokens each."""
    held = ""
    for part in split(text):
        for piece in [part] if count(lead + part) <= most else _split_words(part, lead, most, count):
            longer = f"{held} {piece}" if held else piece
            if held and count(lead + longer) > most:
                yield lead + held
                held = piece
            else:
                held = longer
    if held:
        yield lead + held


def _split_words(sentence: str, lead: str, most: int, count: Count) -> Iterator[str]:
    """As many words as fit, found by halving; a word that is too long alone is cut between characters."""
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
                "allow more tokens, or leave the names out."
            )
        yield words[0][:letters]
        words[0] = words[0][letters:]


def _largest(parts: Sequence[str], fits: Callable[[Sequence[str]], bool]) -> int:
    """How many of the first parts fit, if fewer always fit too."""
    return bisect_left(range(1, len(parts) + 1), 1, key=lambda many: not fits(parts[:many]))
