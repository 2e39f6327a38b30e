"""Summaries by a chat model with OpenAI's protocol: OpenAI, Azure, vLLM, Ollama, a LiteLLM proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from fairbrief.chat.client import Asker, Wanted
from fairbrief.chat.endpoint import Decoding, Endpoint, Question, Reply
from fairbrief.chat.journal import key_of
from fairbrief.types import Record
from fairbrief.workbench.summarizers.prompts import Asked, Prompted, fill, find

VERSION = 1


class Chat(Prompted, Endpoint, Decoding, Asker):
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

    def wanted(self, record: Record) -> Iterator[Wanted]:
        """One answer per sample. Its key is a hash of everything that determines the text: record, prompt as sent, model,
        settings, sample.
        """
        prompt = find(self.prompt)
        asked, sentences = fill(prompt, record, self), self.sentences_of(prompt)
        for i, system in enumerate(self.systems):
            sent = {**self.sent(), **({} if self.seed is None else {"seed": self.seed + i})}
            inputs = (record.id, self.model, self.shown, system, i, asked.messages, sent, sentences)
            read = partial(self._read, record, i, asked, sent)
            yield Wanted(key_of(VERSION, *inputs), Question(asked.messages, sent), read)

    def _read(
        self, record: Record, sample: int, asked: Asked, sent: Mapping[str, Any], reply: Reply
    ) -> Mapping[str, Any]:
        """The fields of the summary in a reply; ``made`` records the request."""
        more = {
            "finish": reply.finish,
            "answer": reply.text if reply.reason else "",
            "error": reply.detail,
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
        }
        model = reply.model or self.model
        return self.summary(record, sample, asked, model, reply.text, reply.reason, **sent, **more)
