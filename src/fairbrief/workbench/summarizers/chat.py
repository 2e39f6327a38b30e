"""Summaries by a chat model with OpenAI's protocol: OpenAI, Azure, vLLM, Ollama, a LiteLLM proxy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from fairbrief.chat.endpoint import Decoding, Endpoint, Question, Reply
from fairbrief.chat.journal import key_of
from fairbrief.serialization import summary_fields
from fairbrief.types import Record, Summary
from fairbrief.workbench.summarizers.prompts import Prompted, fill, find

VERSION = 1


class Chat(Prompted, Endpoint, Decoding):
    """A chat model, asked over HTTP with a named prompt or one from a file.

    ``temperature``, ``top_p``, ``presence_penalty``, ``max_tokens``, ``max_completion_tokens`` and ``seed`` are sent
    if they are given; the seed increases by one with each further sample. ``samples`` summaries are written per
    record. From two on, the systems are MODEL#1, MODEL#2 … The prompt contains ``words``, ``sentences``,
    ``instruction``, ``role`` and ``focus``, and names the groups of ``over``. ``draw`` is the seed of the choice
    among its wordings. Of an answer with more than ``sentences`` sentences that many are sampled at random, and
    ``made`` reports it; a number in the prompt itself counts too.

    The reason of a missing summary is "refused", "empty summary" (no word) or "no answer". `Endpoint` explains the
    other settings.

    Errors:     RequestError for a prompt that cannot be filled, or a limit of requests;
                BackendError where the server
                refuses the key or the model, or is down; MissingExtra without `openai`.
    """

    name: ClassVar[str] = "chat"
    prompt: str = "plain"

    def __post_init__(self) -> None:
        Prompted.__post_init__(self)
        Endpoint.__post_init__(self)

    def keys(self, record: Record) -> Sequence[str]:
        """One hash per sample of everything that determines its text: record, prompt as sent, model, settings, sample."""
        prompt = find(self.prompt)
        messages, sentences = fill(prompt, record, self).messages, self.sentences_of(prompt)
        return [
            key_of(VERSION, record.id, self.model, self.shown, system, i, messages, self._sent(i), sentences)
            for i, system in enumerate(self.systems)
        ]

    def question(self, record: Record, sample: int) -> Question:
        """The question for one summary of a record."""
        return Question(fill(find(self.prompt), record, self).messages, tuple(self._sent(sample).items()))

    def _sent(self, sample: int) -> Mapping[str, Any]:
        """The decoding settings of a sample."""
        return {**self.sent(), **({} if self.seed is None else {"seed": self.seed + sample})}

    def answer(self, record: Record, sample: int, reply: Reply) -> Mapping[str, Any]:
        """The fields of the summary in a reply, or the reason why it has none; ``made`` records the request."""
        prompt = find(self.prompt)
        wording = fill(prompt, record, self).wording
        text, cut = self.cut(reply.text, prompt)
        made = self.made(
            reply.model or self.model,
            prompt,
            wording,
            sample,
            **self._sent(sample),
            finish=reply.finish,
            cut="" if reply.reason else cut,
            answer=reply.text if reply.reason else "",
            error=reply.detail,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )
        final = "" if reply.reason else text
        return summary_fields(Summary(record.id, self.systems[sample], final, reason=reply.reason, made=made))
