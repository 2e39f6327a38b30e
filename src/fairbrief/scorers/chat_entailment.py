"""How probable a chat model holds it that a text entails another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fairbrief.chat.endpoint import KEY, endpoint_of
from fairbrief.chat.replies import Tally
from fairbrief.errors import BackendError, RequestError
from fairbrief.nouns import Ask, Floats, Scores
from fairbrief.scorers import pairs, verdicts
from fairbrief.spelling import spell
from fairbrief.text.verdicts import probability

VERSION = 1

QUESTION = "Does the text say, or plainly imply, what the statement says?"
FORMS: Mapping[str, str] = {
    "number": "Answer with one number from 0 (certainly not) to 1 (certainly), and nothing else.",
    "yes_no": "Answer yes or no, and nothing else.",
}


@dataclass(frozen=True, slots=True, repr=False)
class ChatEntailment:
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
    model: str
    form: str = "number"
    unparsed: str = "stop"
    temperature: float = 0.0
    base_url: str = ""
    key: str = KEY
    api_version: str = ""
    concurrency: int = 16
    timeout: float = 120.0
    retries: int = 6
    pause: float = 0.5
    per_minute: int | None = None
    max_requests: int | None = None
    _tally: Tally = field(default_factory=Tally, compare=False, init=False)

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
        endpoint_of(self)

    def __repr__(self) -> str:
        return spell(self)

    @property
    def computed_by(self) -> str:
        """What decides a stated number: model, address, form, temperature and the words of the question."""
        return verdicts.computed_by(self, VERSION, self.form, QUESTION + FORMS[self.form])

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} unparsed={self.unparsed}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        return pairs.answer(self, asks)

    def keys(self, asks: Sequence[Ask]) -> Iterable[pairs.Key]:
        return pairs.pairs(asks)

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[Mapping[pairs.Key, Floats]]:
        """The number stated for each pair, nan where there is none, as replies come."""
        return verdicts.ask(self, keys, self._worded, probability, self._tally)

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

    def _worded(self, pair: pairs.Key) -> str:
        return f"Text: {pair[0]}\n\nStatement: {pair[1]}\n\n{QUESTION} {FORMS[self.form]}"
