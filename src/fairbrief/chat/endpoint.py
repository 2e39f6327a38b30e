"""Endpoints of chat models, questions and replies."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Annotated, Any

from fairbrief.errors import RequestError, optional_library
from fairbrief.text.addresses import USER, hide, redacted
from fairbrief.text.counted import counted

REFUSED = "refused"
EMPTY = "empty summary"
UNANSWERED = "no answer"
"""Reasons of a missing text. The next run asks unanswered questions again."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: pairs of role and text, and the fields of the decoding."""

    messages: tuple[tuple[str, str], ...]
    decoding: Mapping[str, float | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a question. ``reason`` is empty for a usable text, otherwise `REFUSED`, `EMPTY` or `UNANSWERED`.

    ``finish`` is the server's reason for the end of the text; ``detail`` explains a missing answer. The texts are `whole`.
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
            object.__setattr__(self, name, whole(getattr(self, name)))


class LimitReached(RequestError):
    """The most requests are sent, and questions remain."""


@dataclass(slots=True)
class Tally:
    """Counts of a run: requests (including retries), failed tries, tokens.

    ``max_requests`` is the most requests of the run, for all endpoints; None if unlimited. ``failures`` counts failed
    tries by kind; ``first_reasons`` has the first message of each kind.
    """

    max_requests: int | None = None
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    first_reasons: dict[str, str] = field(default_factory=dict)

    def count_request(self, most: int | None = None) -> None:
        """Count a request that is about to be sent; LimitReached if ``max_requests``, or ``most``, are sent already."""
        for limit in (self.max_requests, most):
            if limit is not None and self.requests >= limit:
                raise LimitReached(f"The limit max_requests ({counted(limit, 'request')}) is reached.")
        self.requests += 1

    def fail(self, kind: str, reason: str = "") -> None:
        """Count a try that failed, by kind."""
        self.failures[kind] += 1
        self.first_reasons.setdefault(kind, reason)


class FailedTryError(Exception):
    """A try failed for a reason that may pass; ``wait`` is the delay in seconds that the server requested."""

    def __init__(self, kind: str, detail: str, wait: float = 0.0) -> None:
        super().__init__(detail)
        self.kind, self.wait = kind, wait


THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
"""Reasoning that some servers leave at the start of the text; it is not part of the summary."""


def read_reply(body: str) -> Reply:
    """The reply in a response's body; raises FailedTryError if it is not a chat completion."""
    try:
        content = json.loads(body)
        choice = content["choices"][0]
        message = choice["message"]
        text = message.get("content")
        refusal = message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise FailedTryError("malformed", f"{type(error).__name__}: {body[:120]!r}") from None
    if not isinstance(text, str | None):
        raise FailedTryError("malformed", f"a content of type {type(text).__name__}")
    text = THINKING.sub("", text or "").strip()
    finish, model = str(choice.get("finish_reason") or ""), str(content.get("model") or "")
    is_refused = bool(refusal) or finish == "content_filter" or is_refusal(text)
    reason = REFUSED if is_refused else "" if text else EMPTY
    used = content.get("usage")
    counts = _count(used, "prompt_tokens"), _count(used, "completion_tokens")
    return Reply(text or str(refusal or ""), reason, finish, model, *counts)


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
"""Counts of tokens from this number on are ignored."""
LONGEST_REFUSAL = 600
"""Longest refusal in characters; a longer text is an answer, whatever its first words."""


def is_refusal(text: str) -> bool:
    """Whether the first sentence of a text is a refusal.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("Sorry reviews: the product broke.")
    (True, False)
    """
    return len(text) <= LONGEST_REFUSAL and _REFUSAL.match(text) is not None


def whole(text: str) -> str:
    """The text with NULs and lone surrogates replaced by U+FFFD."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def _count(used: Any, name: str) -> int:
    value = used.get(name) if isinstance(used, dict) else None
    return value if isinstance(value, int) and 0 < value < MOST_TOKENS else 0


KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model with OpenAI's chat protocol, and the limits of requests.

    ``base_url`` empty: the environment's OPENAI_BASE_URL, or OpenAI itself. An address with a password is only read from
    the environment. The key is read from the environment
    variable ``key`` and is never part of a name, a journal or a report; servers without keys (vLLM, Ollama) get none.

    At most ``concurrency`` questions are open at once. A request times out after ``timeout`` seconds. A question that
    failed for a temporary reason is asked up to ``retries`` more times, after about ``pause`` seconds (doubled each time)
    plus the server's delay. At most ``per_minute`` requests begin per minute, and at most ``max_requests`` are sent in
    total, including retries.

    `Chat` and the judges are endpoints with further settings; these check the ranges.
    """

    model: str
    _: KW_ONLY
    base_url: str = ""
    key: str = KEY
    concurrency: Annotated[int, "[1, inf)"] = 16
    timeout: Annotated[float, "(0, inf)"] = 120.0
    retries: Annotated[int, "[0, inf)"] = 6
    pause: Annotated[float, "[0, inf)"] = 0.5
    per_minute: Annotated[int | None, "[1, inf)"] = None
    max_requests: Annotated[int | None, "[0, inf)"] = None

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ValueError("the model's name is empty: write chat:MODEL")
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", self.key):
            hide(self.key)
            raise ValueError(f"key must be the name of an environment variable ({KEY}), not the key itself")
        if USER.search(self.base_url):
            secret = f"the server's address '{self.shown}' has a user or a password, and settings are written to files"
            raise ValueError(f"{secret}: set the environment variable {ADDRESS} to it instead of base_url")
        if self.address and not self.address.startswith(("http://", "https://")):
            raise ValueError(f"the server's address '{self.shown}' must begin with http:// or https://")

    @property
    def address(self) -> str:
        """The address for questions; empty: OpenAI's. It may contain a password: print `shown` instead."""
        return self.base_url or os.environ.get(ADDRESS, "")

    @property
    def shown(self) -> str:
        """The address without user, password and keys, for messages and for the keys of answers."""
        return redacted(self.address)

    def endpoint(self) -> Endpoint:
        """Only the fields of `Endpoint`, which are equal for all users of one endpoint."""
        return Endpoint(**{f.name: getattr(self, f.name) for f in fields(Endpoint)})

    def connect(self) -> Any:
        """The asynchronous client, without its retries; ours count every request."""
        openai = library()
        key = os.environ.get(self.key, "")
        hide(key)
        if not key and not self.address:
            remedy = f"Set {ADDRESS} (vLLM, Ollama, a proxy), or {self.key} for OpenAI."
            raise RequestError(f"chat:{self.model} has neither an address nor a key. {remedy}")
        http = openai.DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [take]})
        # Each try has our timeout, which covers the whole reply.
        ours = {"max_retries": 0, "timeout": None, "default_headers": {"Accept-Encoding": "identity"}}
        address = self.address or None
        return openai.AsyncOpenAI(base_url=address, api_key=key or "none", http_client=http, **ours)


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """The decoding of a model. None is not sent, so that the server's default applies."""

    temperature: Annotated[float | None, "[0, inf)"] = None
    top_p: Annotated[float | None, "[0, 1]"] = None
    presence_penalty: Annotated[float | None, "[-2, 2]"] = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None

    def sent(self) -> Mapping[str, Any]:
        """The fields of the request's body."""
        values = {f.name: getattr(self, f.name) for f in fields(Decoding)}
        return {name: value for name, value in values.items() if value is not None}


def library() -> Any:
    """The client library, imported at the first question."""
    return optional_library("openai", "chat", "A chat model")


# ------------------------------------------------------------------------- limits of replies


LARGEST = 4 << 20
"""Most bytes of a reply: several times the longest answer of any model."""


async def take(response: Any) -> None:
    """Read the body of a response; a hook of the HTTP client, called first.

    Raises FailedTryError for a body of more than `LARGEST` bytes, or a compressed one.
    """
    received = bytearray()
    try:
        if (packed := response.headers.get("content-encoding", "identity").strip().lower()) != "identity":
            raise FailedTryError("malformed", f"an unexpected compressed reply ({packed[:40]!r})")
        async for chunk in response.stream:
            received += chunk
            if len(received) > LARGEST:
                raise FailedTryError("malformed", f"a reply of more than {LARGEST >> 20} MiB")
    finally:
        await response.stream.aclose()
    response.stream = sys.modules[type(response).__module__].ByteStream(bytes(received))
