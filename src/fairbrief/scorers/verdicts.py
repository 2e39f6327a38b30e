"""Scores that a chat model states for a pair of texts: asked, read, counted where they cannot be read."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import Decoding, Settings, endpoint_of
from fairbrief.chat.replies import UNANSWERED, Question, Tally
from fairbrief.errors import BackendError
from fairbrief.nouns import Floats
from fairbrief.scorers.pairs import Key
from fairbrief.scorers.progress import Meter

SHOWN = 3


class Judging(Settings, Protocol):
    """A scorer that asks a chat model."""

    @property
    def name(self) -> str: ...
    @property
    def temperature(self) -> float: ...


def computed_by(scorer: Judging, version: int, kind: str, wording: str) -> str:
    """What decides a stated number: the reading's version, model, address, kind and words of the question."""
    told = hashlib.sha256(wording.encode()).hexdigest()[:12]
    return (
        f"{scorer.name}/{version} {scorer.model}@{endpoint_of(scorer).address} {kind} {told} "
        f"temperature={scorer.temperature}"
    )


def ask(
    scorer: Judging,
    keys: Sequence[Key],
    worded: Callable[[Key], str],
    read: Callable[[str], float | None],
    tally: Tally,
) -> Iterator[Mapping[Key, Floats]]:
    """The number that the model states for each pair, nan where its reply states none; batches as they come.

    ``worded`` is what a pair is asked with, ``read`` what a reply states. Replies without a number are
    counted on standard error. BackendError, after all others have been yielded, where some pairs found no
    answer at all.
    """
    name = scorer.name
    decoding = tuple(Decoding(temperature=scorer.temperature).sent().items())
    questions = ((key, Question((("user", worded(key)),), decoding)) for key in keys)
    meter = Meter(name, len(keys))
    unparsed: list[str] = []
    unanswered: list[str] = []
    for batch in replies(endpoint_of(scorer), questions, tally):
        found: dict[Key, Floats] = {}
        for key, reply in batch:
            if reply.reason == UNANSWERED:
                unanswered.append(reply.detail)
                continue
            value = None if reply.reason else read(reply.text)
            if value is None:
                unparsed.append(reply.text)
            found[key] = np.array([np.nan if value is None else value])
        meter.add(len(batch))
        yield found
    if unparsed:
        shown = "; ".join(repr(text[:80]) for text in unparsed[:SHOWN])
        sys.stderr.write(
            f"fairbrief: {name}: {len(unparsed):,} of {len(keys):,} replies state no number, e.g. {shown}\n"
        )
    if unanswered:
        raise BackendError(
            f"{name}: {len(unanswered):,} of {len(keys):,} pairs found no answer; the last said: {unanswered[-1]}. "
            "Run the same command again, with --cache FILE, to ask for those alone."
        )
