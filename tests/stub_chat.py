"""A chat server of our own on loopback that speaks OpenAI's protocol and misbehaves as it is told.

Faults are drawn per request from a seed. ``served`` counts, per prompt, the answers that were sent whole:
what a real server would have been paid for.
"""

import asyncio
import base64
import gzip
import hashlib
import json
import random
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

Answer = Callable[[str], "str | None"]


def echo(prompt: str) -> str:
    """An answer that depends on the prompt alone, and can be told from every other."""
    return f"Answer {hashlib.sha256(prompt.encode()).hexdigest()[:16]}."


def asking(command: str, source: Path, model: str, out: Path) -> list[str | Path]:
    """The command line of each command that asks a chat model, with its settings as ``(model=…)``."""
    if command == "judge":
        measure = f"judged(scorer=judge{model})"
        return ["audit", source, "--measure", measure, "--resamples", "20", "--out", out]
    more = ["--resamples", "20"] if command == "sweep" else []
    return [command, source, "--with", f"chat{model}", "--out", out, *more]


@dataclass
class StubChat:
    """The server; use as a context. ``faults`` maps a kind to its share of the requests.

    Kinds: ``429`` (with Retry-After), ``429-date``, ``500``, ``503``, ``slow``, ``cut`` (the connection
    ends inside the body), ``drop`` (it ends before it), ``malformed`` (no JSON), ``shape`` (JSON without
    choices), ``refuse``, ``filter`` (400, content_filter), ``empty``, ``429-zero`` (Retry-After: 0),
    ``429-nan`` (retry-after-ms: nan), ``trickle`` (a byte each ``drip`` seconds), ``bomb`` (64 MiB in a gzip
    of 64 KiB), ``packed`` (an answer in gzip), ``flood`` (a body without end), ``redirect`` (307 to
    ``elsewhere``), ``dirty`` (NUL and half characters in text, model and
    finish), ``echo-filter``, ``echo-400``, ``echo-500`` (errors that say ``echoed``).
    """

    answer: Answer = echo
    faults: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    delay: float = 0.0
    slow: float = 0.2
    retry_after: str = "0.05"
    drip: float = 0.05
    elsewhere: str = ""
    echoed: str = ""
    users: set[str] = field(default_factory=set)
    script: Sequence[str] = ()
    served: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keeps_bodies: bool = True
    open_now: int = 0
    open_most: int = 0
    requests: int = 0

    def __enter__(self) -> Self:
        self.rng = random.Random(self.seed)
        self.loop = asyncio.new_event_loop()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.stopping.set)
        self.thread.join()
        self.loop.close()

    @property
    def url(self) -> str:
        """The base address that a client is given."""
        return f"http://127.0.0.1:{self.port}/v1"

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._serve(ready))

    async def _serve(self, ready: threading.Event) -> None:
        self.stopping = asyncio.Event()
        self.handlers: set[asyncio.Task[Any]] = set()
        server = await asyncio.start_server(self._connection, sock=self.socket)
        ready.set()
        await self.stopping.wait()
        server.close()
        for task in list(self.handlers):
            task.cancel()
        await asyncio.gather(*self.handlers, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.handlers.add(task)
        try:
            while (body := await _request(reader)) is not None:
                if not await self._respond(body, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.handlers.discard(task)
            writer.close()

    async def _respond(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        self.users.update({body.pop("user")} if "user" in body else ())
        self.requests += 1
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        if self.keeps_bodies:
            self.bodies.append(body)
        kind = self._kind()
        self.kinds[kind] += 1
        try:
            await asyncio.sleep(self.slow if kind == "slow" else self.delay)
            return await self._send(kind, body["messages"][-1]["content"], writer)
        finally:
            self.open_now -= 1

    def _headers(self, kind: str) -> dict[str, str]:
        return {
            "429": {"retry-after": self.retry_after},
            "429-date": {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "429-zero": {"retry-after": "0"},
            "429-nan": {"retry-after-ms": "nan"}, "bomb": {"content-encoding": "gzip"},
            "packed": {"content-encoding": "gzip"},
            "redirect": {"location": f"{self.elsewhere}/chat/completions"},
        }.get(kind, {})  # fmt: skip

    def _kind(self) -> str:
        if self.requests <= len(self.script):
            return self.script[self.requests - 1]
        drawn = self.rng.random()
        for kind, share in self.faults.items():
            drawn -= share
            if drawn < 0:
                return kind
        return "ok"

    async def _send(self, kind: str, prompt: str, writer: asyncio.StreamWriter) -> bool:
        if kind == "drop":
            return False
        if kind.startswith("echo-"):
            code = "content_filter" if kind == "echo-filter" else None
            return await _write(writer, 500 if kind == "echo-500" else 400, _error(self.echoed, code))
        if kind in FAILURES:
            status, content = FAILURES[kind]
            return await _write(writer, status, content, self._headers(kind))
        if kind in ("trickle", "flood"):
            return await self._pour(kind, writer)
        instead = {"refuse": "I'm sorry, but I can't help with that.", "empty": ""}.get(kind)
        text = self.answer(prompt) if instead is None else instead
        content = _dirty(prompt, text) if kind == "dirty" else _completion(prompt, text)
        if kind == "cut":
            writer.write(_head(200, len(content), {}) + content[: len(content) // 2])
            await writer.drain()
            return False
        self.served[prompt] += 1
        if kind == "packed":
            content = gzip.compress(content)
        return await _write(writer, 200, content, self._headers(kind))

    async def _pour(self, kind: str, writer: asyncio.StreamWriter) -> bool:
        """A body that comes byte by byte, or faster than anybody wants; until the client goes."""
        writer.write(_head(200, 1 << 40, {}))
        while True:
            writer.write(b" " * (1 if kind == "trickle" else 1 << 16))
            await writer.drain()
            await asyncio.sleep(self.drip if kind == "trickle" else 0)


async def _request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The body of the next request, with the ``user`` of its Basic authorization; None where the client has gone."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            found: dict[str, Any] = json.loads(await reader.readexactly(int(line.split(b":")[1])))
            if (basic := re.search(rb"(?i)\r\nauthorization: basic (\S+)", head)) is not None:
                found["user"] = base64.b64decode(basic[1]).decode()
            return found
    return None


def _dirty(prompt: str, text: str) -> bytes:
    found = json.loads(_completion(prompt, f"{text} \0\ud83d"))
    found["model"] += "\0\ud83d"
    found["choices"][0]["finish_reason"] += "\0\ud83d"
    return json.dumps(found).encode()


def _completion(prompt: str, text: str | None) -> bytes:
    message = {"role": "assistant", "content": text}
    used = {"prompt_tokens": len(prompt.split()), "completion_tokens": len((text or "").split())}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return json.dumps({"id": "x", "model": "stub-1", "choices": choices, "usage": used}).encode()


def _error(message: str, code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "code": code}}).encode()


FAILURES = {
    **dict.fromkeys(("429", "429-date", "429-zero", "429-nan"), (429, _error("slow down"))),
    "redirect": (307, b""),
    "bomb": (200, gzip.compress(b" " * (64 << 20))),
    "500": (500, _error("broken")),
    "503": (503, _error("broken")),
    "400": (400, _error("no")),
    "401": (401, _error("no")),
    "404": (404, _error("no")),
    "quota": (429, _error("no money", "insufficient_quota")),
    "filter": (400, _error("policy", "content_filter")),
    "malformed": (200, b'{"choices": [{"mess'),
    "shape": (200, b'{"id": "x"}'),
}


def _head(status: int, length: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


async def _write(
    writer: asyncio.StreamWriter, status: int, content: bytes, headers: Mapping[str, str] | None = None
) -> bool:
    writer.write(_head(status, len(content), headers or {}) + content)
    await writer.drain()
    return True
