"""Where a chat model answers, and how it may be asked."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fairbrief.errors import MissingExtra, RequestError

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind OpenAI's chat protocol, and how politely it is asked.

    ``base_url`` empty: the environment's OPENAI_BASE_URL, else OpenAI itself. The key is read from the
    environment variable ``key_variable`` and is never part of a name, a journal or a report; servers that
    want none (vLLM, Ollama) are asked without. ``api_version`` says that the server is Azure's.

    ``concurrency`` questions are open at once. ``timeout`` seconds are given to one request; ``retries``
    more tries to a question that failed for a reason that may pass, ``pause`` seconds (doubled each time,
    drawn at random below that) apart. ``per_minute`` requests at most are begun in a minute;
    ``max_requests`` at most are sent at all, tries included.
    """

    model: str
    base_url: str = ""
    key_variable: str = KEY
    api_version: str = ""
    concurrency: int = 16
    timeout: float = 120.0
    retries: int = 6
    pause: float = 0.5
    per_minute: int | None = None
    max_requests: int | None = None

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ValueError("the model's name is empty: write chat:MODEL")
        if self.address and not self.address.startswith(("http://", "https://")):
            raise ValueError(f"the server's address '{self.address}' does not begin with http:// or https://")
        if self.concurrency < 1 or self.retries < 0 or self.timeout <= 0 or self.pause < 0:
            raise ValueError("concurrency and timeout are positive, retries and pause are not negative")
        if (self.per_minute or 1) < 1 or (self.max_requests or 1) < 1:
            raise ValueError("per_minute and max_requests are positive, or left out")

    @property
    def address(self) -> str:
        """Where questions are sent; empty means OpenAI's own address."""
        return self.base_url or os.environ.get(ADDRESS, "")

    def connect(self) -> Any:
        """The asynchronous client. Its own retries are off: ours count every request against the budget."""
        openai = library()
        key = os.environ.get(self.key_variable, "")
        if not key and not self.address:
            raise RequestError(
                f"chat:{self.model} has no address and no key. Set {ADDRESS} (vLLM, Ollama, a proxy), "
                f"or {self.key_variable} for OpenAI."
            )
        settings: dict[str, Any] = {"api_key": key or "none", "max_retries": 0, "timeout": self.timeout}
        if self.api_version:
            return openai.AsyncAzureOpenAI(
                azure_endpoint=self.address, api_version=self.api_version, **settings
            )
        return openai.AsyncOpenAI(base_url=self.address or None, **settings)


class Settings(Protocol):
    """The settings that all who ask a chat model share; ``key`` is the variable that holds the key."""

    @property
    def model(self) -> str: ...
    @property
    def base_url(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def api_version(self) -> str: ...
    @property
    def concurrency(self) -> int: ...
    @property
    def timeout(self) -> float: ...
    @property
    def retries(self) -> int: ...
    @property
    def pause(self) -> float: ...
    @property
    def per_minute(self) -> int | None: ...
    @property
    def max_requests(self) -> int | None: ...


def endpoint_of(settings: Settings) -> Endpoint:
    """The endpoint that settings describe; ValueError for one that cannot be."""
    return Endpoint(
        settings.model, settings.base_url, settings.key, settings.api_version, settings.concurrency,
        settings.timeout, settings.retries, settings.pause, settings.per_minute, settings.max_requests,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the model draws its words. What is None is not sent, so that the server's own default holds."""

    temperature: float | None = None
    top_p: float | None = None
    presence_penalty: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None

    def sent(self) -> Mapping[str, Any]:
        """The fields of the request's body."""
        fields = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "presence_penalty": self.presence_penalty,
            "max_tokens": self.max_tokens,
            "max_completion_tokens": self.max_completion_tokens,
            "seed": self.seed,
        }
        return {name: value for name, value in fields.items() if value is not None}


def library() -> Any:
    """The client library, imported when a model is first asked."""
    try:
        return importlib.import_module("openai")
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise MissingExtra("openai", "chat", "A chat model") from None
