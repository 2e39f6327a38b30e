"""Many questions to one endpoint, several at once: replies as they come, in batches."""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from fairbrief.chat.endpoint import (
    REFUSED,
    UNANSWERED,
    Endpoint,
    FailedTryError,
    LimitReached,
    Question,
    Reply,
    Tally,
    library,
    read_reply,
    whole,
)
from fairbrief.errors import BackendError, FairbriefError, first_line
from fairbrief.text.addresses import redacted

K = TypeVar("K")

GIVES_UP_AFTER = 20
"""Consecutive questions without an answer after which the server counts as down."""


def replies(
    endpoint: Endpoint, questions: Iterable[tuple[K, Question]], tally: Tally | None = None
) -> Iterator[list[tuple[K, Reply]]]:
    """Ask every question; yields batches of replies with their keys, in any order.

    At most ``endpoint.concurrency`` questions are asked but not yet yielded. A caller that stores each batch before it
    requests the next loses at most that many answers when it is killed.

    Raises BackendError if the server refuses the key or the model, or leaves twenty consecutive questions unanswered;
    LimitReached, after the last reply, if ``max_requests`` of ``tally`` or of the endpoint is not enough.
    """
    talk = _Talk(endpoint, endpoint.connect(), tally or Tally())
    loop, waiting = asyncio.new_event_loop(), iter(questions)
    # A separate thread, since the caller may already run an event loop, as notebooks do.
    thread = threading.Thread(target=loop.run_forever, name="chat", daemon=True)
    thread.start()
    open_: dict[Future[Reply], K] = {}
    errors: list[Exception] = []
    try:
        while all(isinstance(error, LimitReached) for error in errors):
            while not errors and len(open_) < endpoint.concurrency and (pair := next(waiting, None)):
                open_[asyncio.run_coroutine_threadsafe(talk.reply(pair[1]), loop)] = pair[0]
            if not open_:
                break
            batch = []
            for future in wait(open_, return_when=FIRST_COMPLETED).done:
                key = open_.pop(future)
                try:
                    batch.append((key, future.result()))
                    talk.check_server(batch[-1][1])
                except FairbriefError as error:
                    errors.append(error)
            if batch:
                yield batch
    finally:
        for future in open_:  # Not the tasks that the HTTP library begins: it cancels these itself.
            future.cancel()
        asyncio.run_coroutine_threadsafe(talk.end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    if errors:
        raise next((error for error in errors if not isinstance(error, LimitReached)), errors[0])


class Wanted(NamedTuple):
    """An answer that is wanted: its key, the question, and the function that makes it from the reply."""

    key: str
    question: Question
    read: Callable[[Reply], Mapping[str, Any]]


class Asker(ABC):
    """Asks a chat model one question per answer, concurrently with others."""

    @abstractmethod
    def endpoint(self) -> Endpoint:
        """The model's address and limits."""

    @abstractmethod
    def wanted(self, item: Any) -> Iterable[Wanted]:
        """The answers about a record (or case)."""

    def answers(
        self, wanted: Iterable[Wanted], tally: Tally
    ) -> Iterator[list[tuple[str, Mapping[str, Any]]]]:
        """The answers of any askers of this endpoint under their keys, in batches, in any order: see `replies`."""
        for batch in replies(self.endpoint(), ((one, one.question) for one in wanted), tally):
            yield [(one.key, one.read(reply)) for one, reply in batch]


@dataclass(slots=True)
class _Talk:
    """One run of questions to one endpoint; all its coroutines are in one event loop."""

    endpoint: Endpoint
    client: Any
    tally: Tally
    quiet_until: float = 0.0
    """No request begins before this time, which a server has requested."""
    next_start: float = 0.0
    unanswered_in_a_row: int = 0
    has_answered: bool = False

    async def end(self) -> None:
        """Wait for the end of all requests, then close the connection."""
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
        await self.client.close()

    def check_server(self, reply: Reply) -> None:
        """Raise BackendError after `GIVES_UP_AFTER` consecutive questions without an answer."""
        if reply.reason != UNANSWERED:
            self.unanswered_in_a_row, self.has_answered = 0, True
        elif reply.finish != "rejected" or not self.has_answered:
            self.unanswered_in_a_row += 1
            if self.unanswered_in_a_row >= GIVES_UP_AFTER:
                raise BackendError(
                    f"{self.endpoint.model} at {self.endpoint.shown or 'OpenAI'} left {GIVES_UP_AFTER} consecutive "
                    f"questions without an answer; the last error: {reply.detail}. Check the server, then run "
                    "the same command again."
                )

    async def reply(self, question: Question) -> Reply:
        """The reply to one question, after up to ``retries`` tries; each counts as a request."""
        failed = 0
        while True:
            await self._turn()
            self.tally.count_request(self.endpoint.max_requests)
            try:
                async with asyncio.timeout(self.endpoint.timeout):
                    reply = await self._try(question)
            except TimeoutError:
                again = FailedTryError("timeout", f"no complete answer in {self.endpoint.timeout:g} s")
            except FailedTryError as error:
                again = error
            else:
                self.tally.prompt_tokens += reply.prompt_tokens
                self.tally.completion_tokens += reply.completion_tokens
                return reply
            self.tally.fail(again.kind, str(again))
            failed += 1
            if failed > self.endpoint.retries:
                return Reply("", UNANSWERED, detail=f"{again.kind}: {again}")
            self.quiet_until = max(self.quiet_until, time.monotonic() + again.wait)
            await asyncio.sleep(again.wait + pause_before(failed, self.endpoint.pause))

    async def _turn(self) -> None:
        """Wait until a request may begin: at the allowed rate, and after the delay that the server requested."""
        if self.endpoint.per_minute is not None:
            start = max(self.next_start, time.monotonic())
            self.next_start = start + 60 / self.endpoint.per_minute
            await asyncio.sleep(max(0.0, start - time.monotonic()))
        while (left := self.quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def _try(self, question: Question) -> Reply:
        """One request. Raises FailedTryError if a retry may succeed, BackendError if none can."""
        openai = library()
        messages = [{"role": role, "content": whole(text)} for role, text in question.messages]
        try:
            response = await self.client.chat.completions.with_raw_response.create(
                model=self.endpoint.model, messages=messages, **question.decoding
            )
            return read_reply(response.text)
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, FailedTryError):
                raise error.__cause__ from None
            raise FailedTryError("connection", _message(error.__cause__ or error)) from None
        except openai.APIStatusError as error:
            return self._status(error)
        except UnicodeDecodeError as error:
            raise FailedTryError("malformed", _message(error)) from None

    def _status(self, error: Any) -> Reply:
        """The reply or the error for a status other than success."""
        status, code = error.status_code, str(getattr(error, "code", "") or "")
        if status in (408, 409, 425) or status >= 500 or (status == 429 and code != "insufficient_quota"):
            raise FailedTryError(str(status), _message(error), retry_after(error.response.headers))
        if status in (400, 422) and code in ("content_filter", "content_policy_violation"):
            return Reply(_message(error), REFUSED, finish="content_filter")
        if status < 400:  # following would send the texts to another address
            target = redacted(error.response.headers.get("location", "another address"))
            redirects = f"The server of {self.endpoint.model} redirects to {target}. Nothing was sent there"
            raise BackendError(f"{redirects}. If you trust that server, give its address with --base-url.")
        if status in (401, 403, 404, 405) or code == "insufficient_quota":
            answered = f"{self.endpoint.model} at {self.endpoint.shown or 'OpenAI'} answered {status}"
            remedy = f"Check the address, the model's name, and the key in {self.endpoint.key}."
            raise BackendError(f"{answered}: {_message(error)}. {remedy}")
        self.tally.fail(str(status), _message(error))  # 400, 413, 422: only this question is rejected
        return Reply("", UNANSWERED, finish="rejected", detail=f"{status}: {_message(error)}")


def _message(error: BaseException) -> str:
    """The message of a library's error, without keys that the server may have echoed."""
    return first_line(Exception(redacted(str(error) or type(error).__name__)))


# --------------------------------------------------------------------------------- how long to wait


LONGEST_PAUSE = 60.0
"""Longest pause of ours in seconds; a server's Retry-After counts up to `LONGEST_WAIT`."""
LONGEST_WAIT = 600.0
SHORTEST_WAIT = 0.05
"""Shortest time between two tries of one question, in seconds."""


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds until the next request that the server allows, from milliseconds or seconds; 0 if neither is given.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "150"}), retry_after({})
    (2.0, 0.15, 0.0)
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "nan")) / unit
        except ValueError:
            continue  # a date: our own pause is enough
        if math.isfinite(seconds):
            return min(max(seconds, 0.0), LONGEST_WAIT)
    return 0.0


def pause_before(attempt: int, pause: float) -> float:
    """Random seconds before a try, up to ``pause`` · 2^attempt and a minute, so that clients do not retry in step."""
    longest = min(pause * 2.0 ** min(attempt, 30), LONGEST_PAUSE)
    return max(SHORTEST_WAIT, random.uniform(0, longest))  # noqa: S311 - not a secret
