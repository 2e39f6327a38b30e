"""Where a chat model answers, and how it may be asked."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field, fields
from typing import Any

from fairbrief.errors import BackendError, MissingExtra, RequestError
from fairbrief.text.addresses import hide, opened, redacted

REFUSED = "refused"
EMPTY = "empty summary"
UNANSWERED = "no answer"
"""Reasons why there is no text. What was not answered is asked again by the next run."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is sent: pairs of role and text, and the fields of the decoding."""

    messages: tuple[tuple[str, str], ...]
    decoding: tuple[tuple[str, float | int], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What one question brought. ``reason`` is empty for a usable text, else `REFUSED`, `EMPTY`, `UNANSWERED`.

    ``finish`` is the server's own word for why the text ends; ``detail`` says why there was no answer.
    Halves of characters, which no file can hold, and NULs, which our readers refuse, are replaced by U+FFFD.
    """

    text: str
    reason: str = ""
    finish: str = ""
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    detail: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "finish", "model", "detail"):
            object.__setattr__(self, name, _whole(getattr(self, name)))


@dataclass(slots=True)
class Tally:
    """What a run has sent and been charged: requests (tries included), tries that failed, tokens.

    ``failures`` counts failed tries by kind; ``first_reasons`` holds what was said at the first of each kind.
    """

    requests: int = 0
    failed_tries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    first_reasons: dict[str, str] = field(default_factory=dict)

    def fail(self, kind: str, reason: str = "") -> None:
        """Count a try that failed, by kind."""
        self.failed_tries += 1
        self.failures[kind] = self.failures.get(kind, 0) + 1
        self.first_reasons.setdefault(kind, reason)


class Malformed(Exception):
    """A body that is no chat completion."""


THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
"""Reasoning that some servers leave at the head of the text: it is no part of the summary."""


def read_reply(body: str) -> Reply:
    """The reply in a response's body; raises Malformed for anything that is no chat completion."""
    try:
        content = json.loads(body)
        choice = content["choices"][0]
        message = choice["message"]
        text = message.get("content")
        refusal = message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed(f"{type(error).__name__}: {body[:120]!r}") from None
    if not isinstance(text, str | None):
        raise Malformed(f"a content of type {type(text).__name__}")
    text = THINKING.sub("", text or "").strip()
    finish = str(choice.get("finish_reason") or "")
    used = content.get("usage")
    is_refused = bool(refusal) or finish == "content_filter" or is_refusal(text)
    return Reply(
        text or str(refusal or ""),
        REFUSED if is_refused else "" if text else EMPTY,
        finish,
        str(content.get("model") or ""),
        _count(used, "prompt_tokens"),
        _count(used, "completion_tokens"),
    )


_APOLOGY = (
    r"(?:(?:i['’]m|i am) (?:very |so |truly )?sorry|sorry|i (?:must )?apologi[sz]e|apologies|unfortunately)"
)
_UNABLE = (
    r"i(?: am|['’]m)? (?:(?:just |simply )?(?:cannot|can['’]?t|can not|won['’]?t|will not)"
    r"|(?:not able|unable|not comfortable|not in a position)\b)"
)
_MODEL = r"as an? (?:ai|artificial intelligence|(?:large )?language model)\b"
_REFUSAL = re.compile(
    rf"\W*(?:{_MODEL}[^.!?]*?\b{_UNABLE}|{_APOLOGY}\b[^.!?]*?\b{_UNABLE}|{_UNABLE}"
    rf"\s+(?:fulfil|fulfill|comply|help|assist|provide|create|generate|write|summari[sz]e|do that|complete|engage|"
    rf"to (?:fulfil|fulfill|comply|help|assist|provide|create|generate|write|summari[sz]e)))",
    re.IGNORECASE,
)
MOST_TOKENS = 1 << 40
"""A count of tokens from here on is none."""
LONGEST_REFUSAL = 600
"""Characters: a model that goes on for longer has, whatever its first words, written something."""


def is_refusal(text: str) -> bool:
    """Whether a text says, in its first sentence, that the model will not do what it was asked.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("Sorry reviews: the product broke.")
    (True, False)
    """
    return len(text) <= LONGEST_REFUSAL and _REFUSAL.match(text) is not None


def _whole(text: str) -> str:
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def _count(used: Any, name: str) -> int:
    value = used.get(name) if isinstance(used, dict) else None
    return value if isinstance(value, int) and 0 < value < MOST_TOKENS else 0


KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind OpenAI's chat protocol, and how politely it is asked.

    ``base_url`` empty: the environment's OPENAI_BASE_URL, else OpenAI itself. The key is read from the
    environment variable that ``key`` names and is never part of a name, a journal or a report; servers that
    want none (vLLM, Ollama) are asked without. ``api_version`` says that the server is Azure's.

    ``concurrency`` questions are open at once. ``timeout`` seconds are given to one request, from the first
    byte sent to the last received; ``retries`` more tries to a question that failed for a reason that may
    pass, about ``pause`` seconds (doubled each time), and what the server asks for, apart. ``per_minute`` requests at most are begun in a minute;
    ``max_requests`` at most are sent at all, tries included.

    Whoever asks a chat model (`Chat`, the judges) is an endpoint with settings of its own.
    """

    model: str
    _: KW_ONLY
    base_url: str = ""
    key: str = KEY
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
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", self.key):
            hide(self.key)
            raise ValueError(
                f"key names the environment variable that holds the key, such as {KEY}; what was given names none"
            )
        if self.address and not self.address.startswith(("http://", "https://")):
            raise ValueError(f"the server's address '{self.shown}' does not begin with http:// or https://")
        if self.concurrency < 1 or self.retries < 0 or self.timeout <= 0 or self.pause < 0:
            raise ValueError("concurrency and timeout are positive, retries and pause are not negative")
        if (self.per_minute or 1) < 1 or (self.max_requests or 1) < 1:
            raise ValueError("per_minute and max_requests are positive, or left out")

    @property
    def address(self) -> str:
        """Where questions are sent; empty means OpenAI's own address. It may hold a password: show `shown`."""
        return opened(self.base_url) or os.environ.get(ADDRESS, "")

    @property
    def shown(self) -> str:
        """The address without user, password and keys: what is printed, and what names of answers are made of."""
        return redacted(self.address)

    def endpoint(self) -> Endpoint:
        """Where is asked, without what is asked there: what two askers of one endpoint have alike."""
        return Endpoint(**{f.name: getattr(self, f.name) for f in fields(Endpoint)})

    def connect(self) -> Any:
        """The asynchronous client. Its own retries are off: ours count every request against the budget."""
        openai = library()
        key = os.environ.get(self.key, "")
        hide(key)
        if not key and not self.address:
            raise RequestError(
                f"chat:{self.model} has no address and no key. Set {ADDRESS} (vLLM, Ollama, a proxy), "
                f"or {self.key} for OpenAI."
            )
        settings: dict[str, Any] = {
            "api_key": key or "none",
            "max_retries": 0,
            "timeout": self.timeout,
            "default_headers": {"Accept-Encoding": "identity"},
            "http_client": openai.DefaultAsyncHttpxClient(event_hooks={"response": [take]}),
        }
        if self.api_version:
            return openai.AsyncAzureOpenAI(
                azure_endpoint=self.address, api_version=self.api_version, **settings
            )
        return openai.AsyncOpenAI(base_url=self.address or None, **settings)


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
        return {name: value for name, value in asdict(self).items() if value is not None}


def library() -> Any:
    """The client library, imported when a model is first asked."""
    try:
        return importlib.import_module("openai")
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise MissingExtra("openai", "chat", "A chat model") from None


# ------------------------------------------------------------------------- what is taken of a reply


LARGEST = 4 << 20
"""Bytes of a reply: several times what the longest answer of any model takes."""


async def take(response: Any) -> None:
    """Read the body of a response; a hook of the HTTP client, called before anything else reads it.

    Raises Malformed for a body of more than `LARGEST` bytes, or a packed one, which was not asked for;
    BackendError for a redirect to another host, which would be sent the texts too.
    """
    if response.has_redirect_location:
        _stay(response.url, response.url.join(response.headers["location"]))
    received = bytearray()
    try:
        if (packed := response.headers.get("content-encoding", "identity").strip().lower()) != "identity":
            raise Malformed(f"a reply packed as {packed[:40]!r}, which was not asked for")
        async for chunk in response.stream:
            received += chunk
            if len(received) > LARGEST:
                raise Malformed(f"a reply of more than {LARGEST >> 20} MiB")
    finally:
        await response.stream.aclose()
    response.stream = sys.modules[type(response).__module__].ByteStream(bytes(received))


def _stay(asked: Any, target: Any) -> None:
    is_same_server = (asked.scheme, asked.netloc) == (target.scheme, target.netloc)
    is_made_secure = (asked.host, asked.scheme, target.scheme) == (target.host, "http", "https")
    if not is_same_server and not is_made_secure:
        raise BackendError(
            f"The server at {asked.host} redirects to {target.scheme}://{target.host}, which was not asked for and "
            "is sent nothing. If that is where the model answers, give its address with --base-url."
        )
