"""How probable a chat model holds it that a text entails another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.chat.endpoint import Endpoint
from fairbrief.errors import BackendError, RequestError
from fairbrief.scorers import pairs
from fairbrief.scorers.chat_judge import ChatJudge
from fairbrief.text.replies import probability
from fairbrief.types import Ask, Scores

QUESTION = "Does the text say, or plainly imply, what the statement says?"
FORMS: Mapping[str, str] = {
    "number": "Answer with one number from 0 (certainly not) to 1 (certainly), and nothing else.",
    "yes_no": "Answer yes or no, and nothing else.",
}


@dataclass(frozen=True, slots=True, repr=False)
class ChatEntailment(ChatJudge):
    """P(the row entails the column), as a chat model states it.

    ``form=number`` asks for a number from 0 to 1, ``form=yes_no`` for yes (1) or no (0); a reply of the
    other form, or a percentage, is read as well. Matrix (rows, columns) in [0, 1]. A scorer of whole texts;
    a cache keeps its answers, those that state no number included.

    ``unparsed`` says what a reply counts that states no number: ``stop`` (a BackendError that says how
    many there are, when all are kept), or a number from 0 to 1 that stands in their place. Either way they
    are counted on standard error when they come.

    Errors:  BackendError where pairs find no answer, or no number with ``unparsed=stop``.
    """

    name: ClassVar[str] = "chat_entailment"
    form: str = "number"
    unparsed: str = "stop"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise RequestError(f"chat_entailment(form={self.form}): none of {', '.join(FORMS)}.")
        try:
            is_share = self.unparsed == "stop" or 0 <= float(self.unparsed) <= 1
        except ValueError:
            is_share = False
        if not is_share:
            raise RequestError(
                f"chat_entailment(unparsed={self.unparsed}): wanted stop, or a number from 0 to 1."
            )
        Endpoint.__post_init__(self)

    @property
    def kind(self) -> str:
        return self.form

    @property
    def wording(self) -> str:
        return QUESTION + FORMS[self.form]

    def read(self, reply: str) -> float | None:
        return probability(reply)

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} unparsed={self.unparsed}"

    def assemble(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        if self.unparsed == "stop":
            count = sum(bool(np.isnan(arrays[key][0])) for key in self.keys(asks))
            if count:
                raise BackendError(
                    f"{self!r}: {count:,} replies state no number. Ask another model, try the other form, or say "
                    "what they count: unparsed=0.5."
                )
        instead = float("nan") if self.unparsed == "stop" else float(self.unparsed)
        return pairs.matrices(asks, arrays, lambda array: instead if np.isnan(array[0]) else float(array[0]))

    def worded(self, pair: pairs.Key) -> str:
        return f"Text: {pair[0]}\n\nStatement: {pair[1]}\n\n{QUESTION} {FORMS[self.form]}"
