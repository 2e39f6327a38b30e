"""What a run would ask, found out by filling every prompt of every record, before anything is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from fairbrief.chat.replies import Question
from fairbrief.chat.spending import Budget, Price
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted
from fairbrief.workbench.requests.summarizing import Asking, Drafting, Job, Records

BYTES_PER_TOKEN = 4
"""About what English text takes per token; the count that is charged is the server's."""


@dataclass(frozen=True, slots=True)
class Example:
    """One filled prompt, and who would be asked with it."""

    asked_by: str
    text: str


@dataclass(slots=True)
class Forecast:
    """What a run would ask. Tokens are estimated; ``answer_tokens`` is the most, None where answers have no bound."""

    wanted: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int | None = 0
    examples: list[Example] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    """What will be asked beside, whose prompts nobody can fill yet."""

    def ask(self, question: Question) -> None:
        """Count a question that would be sent."""
        self.calls += 1
        self.prompt_tokens += _tokens(question)
        decoding = dict(question.decoding)
        longest = decoding.get("max_completion_tokens", decoding.get("max_tokens"))
        bounded = None if longest is None or self.answer_tokens is None else self.answer_tokens + int(longest)
        self.answer_tokens = bounded

    def show(self, asked_by: str, question: Question) -> None:
        """Keep a filled prompt as an example, unless one with the same words is kept."""
        text = "\n\n".join(f"[{role}]\n{text}" for role, text in question.messages)
        if all(text != example.text for example in self.examples):
            self.examples.append(Example(asked_by, text))

    def lines(self, price: Price | None = None) -> list[str]:
        """The forecast for a person, without the examples."""
        most = "any number of" if self.answer_tokens is None else f"at most {self.answer_tokens:,}"
        said = [
            f"{self.wanted:,} wanted, {self.wanted - self.calls:,} answered already, {counted(self.calls, 'call')} to make",
            f"about {counted(self.prompt_tokens, 'token')} of prompts ({BYTES_PER_TOKEN} bytes a token), {most} tokens of answers",
        ]
        if price is not None:
            cost = price.of(self.prompt_tokens, self.answer_tokens or 0)
            more = (
                " for the prompts alone: max_tokens (a setting, or --max-tokens) bounds the answers"
                if self.answer_tokens is None
                else ""
            )
            said.append(f"cost {'at least' if more else 'at most about'} {cost:,.4f}{more}")
        return said + self.later


def foresee(
    jobs: Sequence[Job],
    records: Records,
    known: Collection[str],
    budget: Budget,
    names: Sequence[str] = (),
) -> Forecast:
    """Fill every prompt of every job for every record; what would be asked of chat models.

    ``known`` holds the keys that are answered. ``names`` are what the jobs are called in messages. Raises what
    filling raises (DataError for a record that lacks what a prompt speaks of, RequestError for a prompt without
    a place for a wish), RequestError where two jobs ask the same of every record, and where ``budget`` cannot
    bound the cost of an answer.
    """
    found = Forecast()
    drafting = [
        (name, job.summarizer, hashlib.sha256())
        for name, job in zip(names or [job.system or repr(job.summarizer) for job in jobs], jobs, strict=True)
        if isinstance(job.summarizer, Drafting)
    ]
    is_first = True
    for record in records():
        for name, writer, digest in drafting:
            keys = writer.keys(record)
            questions = _questions(writer, record, len(keys))
            digest.update(_digest(writer, questions, keys))
            found.wanted += len(keys)
            if is_first and questions:
                found.show(name, questions[0])
            for key, question in zip(keys, questions, strict=False):
                if key not in known:
                    found.ask(question)
                    budget.most(question)
        is_first = False
    if not is_first:
        _refuse_twins([(name, digest.digest()) for name, _, digest in drafting])
    return found


def _questions(writer: object, record: object, samples: int) -> list[Question]:
    if not isinstance(writer, Asking):
        return []
    return [writer.question(record, sample) for sample in range(samples)]  # type: ignore[arg-type]  # a record


def _digest(writer: object, questions: Sequence[Question], keys: Iterable[str]) -> bytes:
    """What decides the texts of one record; at temperature 0 no seed does."""
    if not isinstance(writer, Asking):
        return "\0".join(keys).encode()
    endpoint = writer.endpoint()
    asked = [
        (
            q.messages,
            [pair for pair in q.decoding if pair[0] != "seed" or dict(q.decoding).get("temperature") != 0],
        )
        for q in questions
    ]
    return json.dumps([endpoint.model, endpoint.shown, asked]).encode("ascii")


def _refuse_twins(digests: Sequence[tuple[str, bytes]]) -> None:
    first: dict[bytes, str] = {}
    for name, digest in digests:
        if digest in first:
            raise RequestError(
                f"'{first[digest]}' and '{name}' ask the same of every record: their answers would be paid twice and "
                "differ by chance alone. Drop one of them; for several runs of one setting, sweep the seed at a "
                "temperature above 0."
            )
        first[digest] = name


def _tokens(question: Question) -> int:
    size = sum(len(text.encode("utf-8", "replace")) for _, text in question.messages)
    return -(-size // BYTES_PER_TOKEN)
