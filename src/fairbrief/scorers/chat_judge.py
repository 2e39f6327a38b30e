"""Scores that a chat model states for a pair of texts: asked, read, counted where they cannot be read."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import UNANSWERED, Decoding, Endpoint, LimitReached, Question, Tally
from fairbrief.errors import BackendError, RequestError
from fairbrief.scorers import pairs
from fairbrief.scorers.pairs import with_progress
from fairbrief.text.replies import probability, score
from fairbrief.text.sentences import By
from fairbrief.text.vocabulary import packaged
from fairbrief.types import Ask, Floats, Scorer, Scores

PROMPTS: Mapping[str, Mapping[str, str]] = packaged("fairbrief.scorers", "judge_prompts.toml")
QUESTIONS, DIMENSIONS = PROMPTS["questions"], PROMPTS["dimensions"]
SHOWN = 3


class ChatJudge(pairs.KeyedScorer, Endpoint):
    """A scorer that asks a chat model for a number, one question per pair of texts.

    A kind of it defines its question (`worded`) and what a reply states (`read`).
    """

    version: ClassVar[int] = 2
    _: KW_ONLY
    temperature: Annotated[float, "[0, inf)"] = 0.0
    max_tokens: int | None = None
    _tally: Tally = field(default_factory=Tally, compare=False, init=False)

    def __post_init__(self) -> None:
        pairs.KeyedScorer.__post_init__(self)
        Endpoint.__post_init__(self)

    @abstractmethod
    def worded(self, pair: pairs.Key) -> str:
        """The question about a pair of texts."""

    @abstractmethod
    def read(self, reply: str) -> float | None:
        """The number that a reply states; None where it states none."""

    @property
    def computed_by(self) -> str:
        """What decides a stated number: the reading's version, model, address, and a digest of the words of the question."""
        digest = hashlib.sha256(self.worded(("", "")).encode()).hexdigest()[:12]
        tokens = f" max_tokens={self.max_tokens}" if self.max_tokens else ""
        made_by = f"{self.name}/{self.version} {self.model}@{self.shown} {digest}"
        return f"{made_by} temperature={self.temperature}{tokens}"

    def question(self, pair: pairs.Key) -> Question:
        """What the model is asked about a pair."""
        decoding = Decoding(temperature=self.temperature, max_tokens=self.max_tokens)
        return Question((("user", self.worded(pair)),), decoding.sent())

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[Mapping[pairs.Key, Floats]]:
        """The number that the model states for each pair, nan where its reply states none; batches as they come.

        Replies without a number are counted on standard error. BackendError, after all others have been yielded,
        where some pairs have no answer at all; LimitReached, also at the end, where the limit of requests was not enough.
        """
        questions = ((key, self.question(key)) for key in keys)
        unparsed: list[str] = []
        unanswered: list[str] = []
        again = "Run the same command again: it asks only for what --cache FILE, or sweep, has not stored."
        try:
            for batch in with_progress(self.name, len(keys), replies(self, questions, self._tally)):
                unanswered += [reply.detail for _, reply in batch if reply.reason == UNANSWERED]
                answers = {key: reply for key, reply in batch if reply.reason != UNANSWERED}
                values = {key: None if r.reason else self.read(r.text) for key, r in answers.items()}
                unparsed += [answers[key].text for key, value in values.items() if value is None]
                yield {key: np.array([np.nan if value is None else value]) for key, value in values.items()}
        except LimitReached as error:
            raise LimitReached(f"{error} {again}") from None
        if unparsed:
            shown = "; ".join(repr(text[:80]) for text in unparsed[:SHOWN])
            many = f"{len(unparsed):,} of {len(keys):,} replies"
            sys.stderr.write(f"fairbrief: {self.name}: {many} state no number, e.g. {shown}\n")
        if unanswered:
            of_all, last = f"{len(unanswered):,} of {len(keys):,} pairs", unanswered[-1]
            raise BackendError(f"{self.name}: {of_all} found no answer; the last said: {last}. {again}")


def within(tally: Tally, scorer: Scorer, then: Callable[[Scorer], Scorer] | None) -> Scorer:
    """A scorer whose requests, if it asks a chat model, count in a tally; ``then`` is put before it."""
    if isinstance(scorer, ChatJudge):
        scorer = copy.copy(scorer)
        object.__setattr__(scorer, "_tally", tally)
    return scorer if then is None else then(scorer)


class ChatEntailment(ChatJudge):
    """P(the row entails the column), as a chat model states it.

    Matrix (rows, columns) in [0, 1]. The model is asked for a number from 0 to 1; yes (1), no (0) and percentages are also
    accepted. By default one question covers the whole row.

    Replies without a number are counted on standard error, and stored by a cache. They are an error after all others are
    stored; with ``unparsed`` they count as this number from 0 to 1.

    Errors:  BackendError where pairs have no reply, or no number without ``unparsed``.
    """

    name: ClassVar[str] = "chat_entailment"
    unparsed: Annotated[float | None, "[0, 1]"] = None
    _: KW_ONLY
    by: By = "document"

    def read(self, reply: str) -> float | None:
        return probability(reply)

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} unparsed={self.unparsed} by={self.by}"

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterable[Scores]:
        count = sum(bool(np.isnan(arrays[key][0])) for key in self.keys_of(asks))
        if count and self.unparsed is None:
            remedy = "Ask another model, or set what they count: unparsed=0.5."
            raise BackendError(f"{self!r}: {count:,} replies state no number. {remedy}")
        return super().scores(asks, arrays)

    def number(self, array: Floats) -> float:
        return float(array[0]) if self.unparsed is None or not np.isnan(array[0]) else self.unparsed

    def worded(self, pair: pairs.Key) -> str:
        return QUESTIONS["entailment"].format(text=pair[0], statement=pair[1])


class Judge(ChatJudge):
    """A score from 1 to 5 by a chat model, which first gives its reason in one sentence.

    Rows are sources, columns their summaries. Matrix (rows, columns) in [1, 5], higher is better; nan where the reply has no
    score on the scale, counted on standard error. ``dimension`` is relevance (as in the paper), consistency, coherence or
    fluency. Sources are never cut. A cache stores the replies.

    Errors:  BackendError where pairs have no reply; a cache keeps the others.
    Source:  Steen & Markert, Bias in News Summarization, App. I, which does not describe parsing and temperature: here the
             last stated score counts, at temperature 0.
    """

    name: ClassVar[str] = "judge"
    dimension: Literal["relevance", "consistency", "coherence", "fluency"] = "relevance"

    def read(self, reply: str) -> float | None:
        return score(reply)

    def worded(self, pair: pairs.Key) -> str:
        source, summary = pair
        return QUESTIONS["judge"].format(
            dimension=self.dimension, explained=DIMENSIONS[self.dimension], source=source, summary=summary
        )


class ChatLabel(ChatJudge):
    """The label of a text that a chat model chooses from a list: 1 in the column of this label, otherwise 0.

    Rows are texts, columns are some of ``labels``. Each text is one question, which lists all labels and allows none of them, whatever
    the columns. So `fairbrief calibrate` measures the agreement with people on the same questions. ``dimension`` names what is labelled,
    such as the topic or the emotion. The reply's last line must be a number of the list, alone or with its label (*2. food*, *Label: 2*);
    otherwise the score is nan, and the record is excluded. A cache stores the replies.

    Errors:  RequestError for a column that is not among ``labels``; BackendError if texts have no reply.
    """

    name: ClassVar[str] = "chat_label"
    version: ClassVar[int] = 3
    _: KW_ONLY
    labels: tuple[str, ...]
    dimension: str = ""

    def __post_init__(self) -> None:
        if len(set(self.labels)) < max(2, len(self.labels)) or not all(map(str.strip, self.labels)):
            given = "+".join(self.labels)
            raise RequestError(f"chat_label(labels={given}): give two or more different labels: labels=A+B.")
        super().__post_init__()

    def read(self, reply: str) -> float | None:
        line = (reply.replace("*", "").strip().splitlines() or [""])[-1]
        for i, label in enumerate(("none of these", *self.labels)):
            named = rf"{i}\b\W*(?:{re.escape(label)}\W*)?"
            if re.fullmatch(rf"(?i)\W*(?:(?:the )?(?:label|answer)\b(?: is)?\W*)?{named}", line):
                return float(i)
        return score(reply, 0, len(self.labels))

    def keys_of(self, asks: Sequence[Ask]) -> list[pairs.Key]:
        return list(dict.fromkeys((row,) for ask in asks for row in ask.rows))

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        for ask in asks:
            if unknown := [column for column in ask.columns if column not in self.labels]:
                raise RequestError(f"{self!r} has no label '{unknown[0]}': add it to labels, or drop it.")
            chosen = np.array([arrays[row,][0] for row in ask.rows]).reshape(-1, 1)
            places = np.array([self.labels.index(column) + 1 for column in ask.columns])
            yield Scores.of_whole_texts(ask, np.where(np.isnan(chosen), np.nan, chosen == places))

    def worded(self, pair: pairs.Key) -> str:
        listed = "\n".join(f"{i}. {label}" for i, label in enumerate(self.labels, 1))
        dimension = self.dimension or "content"
        return QUESTIONS["label"].format(dimension=dimension, labels=listed, text=pair[0])
