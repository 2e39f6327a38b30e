"""What came back from a chat model: a text, a refusal, nothing, or something that is no reply at all."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

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
