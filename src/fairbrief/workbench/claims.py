"""Split summaries into atomic statements with a chat model: the built-in instruction with demonstrations, or the user's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from fairbrief.chat.client import Asker, Wanted
from fairbrief.chat.endpoint import UNANSWERED, Endpoint, Question, Reply
from fairbrief.chat.journal import key_of
from fairbrief.errors import DataError, text_of
from fairbrief.serialization import line_of, summary_fields
from fairbrief.text.replies import items, json_items
from fairbrief.text.segmentation import words_held
from fairbrief.types import Case, Claim
from fairbrief.workbench.summarizers.chat import Chat
from fairbrief.workbench.summarizing import Answer, Job

UNPARSED = "unparsed reply"
VERSION = 1
RESTATES = 0.5
"""Share of a text's words from which a reply without a list counts as a restatement and not as a comment."""
LISTED = 20
"""Maximum number of replies without a list that are printed; all are counted."""


def instruction_in(path: Path | None = None) -> str:
    """An instruction with {summary} as placeholder: a user's file, or the built-in one with its demonstrations.

    Raises RequestError if the file cannot be read, DataError if it lacks {summary}.
    """
    if path is None:
        return (resources.files("fairbrief.workbench") / "claims.txt").read_text(encoding="utf-8")
    text = text_of(path)
    if "{summary}" not in text:
        raise DataError(f"{path}: the instruction has no {{summary}}, so no text would be sent.")
    return text


@dataclass(frozen=True, slots=True)
class Splitter(Asker):
    """Asks a model for the statements of summaries, with an instruction; by default at temperature 0."""

    model: Chat
    instruction: str

    @property
    def sent(self) -> Mapping[str, Any]:
        """The decoding settings."""
        return {"temperature": 0.0, **self.model.sent()}

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of the instruction."""
        return hashlib.sha256(self.prompt("").encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def prompt(self, summary: str) -> str:
        """The instruction with one summary filled in."""
        before, _, after = self.instruction.partition("{summary}")
        return before.lstrip() + summary + after.rstrip()

    def endpoint(self) -> Endpoint:
        """The model's address and limits."""
        return self.model.endpoint()

    def wanted(self, case: Case) -> Iterator[Wanted]:
        """The statements of a summary, none of a case without one. Their key is a hash of everything that determines them."""
        text = case.summary.text
        if not case.summary.reason:
            prompt = self.prompt(text)
            key = key_of(VERSION, self.model.model, self.model.shown, prompt, self.sent)
            question = Question((("user", prompt),), self.sent)
            yield Wanted(key, question, partial(read_claims, text))


def read_claims(text: str, reply: Reply) -> Answer:
    """The statements in a reply to the splitting of ``text``, under ``claims``.

    Without statements, ``reason`` explains why ("unparsed reply" for one without a list), and ``reply`` is the model's reply.
    """
    said, reason = reply.text, reply.reason
    claims = () if reason else tuple(dict.fromkeys(json_items(said) or items(said)))
    is_sentence = said.rstrip().endswith(".") and len(said.split()) <= 2 * len(text.split()) + 10
    held, words = words_held(text, (said,))
    if not claims and not reason and is_sentence and held and held >= RESTATES * words:
        claims = (said.strip(),)  # one sentence, one statement: some models omit the number
    if claims:
        return {"claims": list(claims)}
    why = reason if reason in ("refused", UNANSWERED) else UNPARSED
    return {"claims": [], "reason": why, "reply": said or reply.detail}


# ---- A file of summaries with the atomic statements of each


@dataclass(frozen=True, slots=True)
class Splitting(Job):
    """One file of summaries, in which each usable one has its claims; counts what was split.

    Summaries without a text are copied unchanged. ``made`` records the model and the instruction's hash. ``unparsed``
    are the replies without a list.
    """

    summarizer: Splitter
    claims: list[int] = field(default_factory=list)
    """The number of claims of each summary that has any."""
    unparsed: list[str] = field(default_factory=list)

    def lines(self, item: Case, answers: Sequence[Answer]) -> Iterator[bytes]:
        """The line of a case, with the claims in its answer, if there is one."""
        summary = item.summary
        for answer in answers:
            made = {"claims_by": self.summarizer.model.model, "claims_prompt_sha": self.summarizer.sha}
            claims, reason = answer.get("claims"), answer.get("reason")
            if claims:
                self.claims.append(len(claims))
            if reason == UNPARSED:
                reply = answer.get("reply", "")[:200]
                self.unparsed.append(f"{item.record.place}, {summary.system}: {reply!r}")
            if reason:
                made["claims_reason"] = reason
            claims = tuple(map(Claim, claims or ())) or None
            summary = replace(summary, claims=claims, made={**summary.made, **made})
        yield line_of(item.record, summary_fields(summary))
