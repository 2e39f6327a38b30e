"""The page and its answers over HTTP, only on this machine and only with the token."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fairbrief.errors import FairbriefError
from fairbrief.reports.pages import digest, page, script_text, style_text
from fairbrief.saved.view_answers import Answers, Asked

SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "view_page.js")
HOST = "127.0.0.1"


class Server(ThreadingHTTPServer):
    """Serves one page under a secret address on the loopback interface."""

    daemon_threads = True

    def __init__(self, answers: Answers, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.answers = answers
        self.token = secrets.token_urlsafe(24)
        self.lock = Lock()
        """One answer at a time, because the open files have one read position each."""
        script, style = "".join(script_text(name) for name in SCRIPTS), style_text()
        self.page = page("view.html.j2", {}, scripts=SCRIPTS).encode()
        self.policy = (
            f"default-src 'none'; style-src 'sha256-{digest(style)}'; script-src 'sha256-{digest(script)}'; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        )

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def answer(self, name: str, given: Mapping[str, str]) -> dict[str, Any]:
        """The answer to one request of the page."""
        with self.lock:
            if name == "about":
                return self.answers.about()
            if name == "record":
                return self.answers.record(*(given.get(key, "") for key in ("measure", "system", "record")))
            start = given.get("start", "0")
            texts = {key: given.get(key, "") for key in ("measure", "system", "other", "order", "search")}
            return self.answers.rows(Asked(**texts, start=int(start) if start.isdecimal() else 0))


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "fairbrief", ""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        token, _, name = asked.path.removeprefix("/").partition("/")
        if not self._is_here() or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._send(404, "text/plain", b"There is nothing here.")
        elif not name:
            self._send(200, "text/html", self.server.page)
        elif name in ("about", "rows", "record"):
            self._answer(name, {key: found[-1] for key, found in parse_qs(asked.query).items()})
        else:
            self._send(404, "text/plain", b"There is nothing here.")

    def log_message(self, *_: object) -> None:
        """Requests are not logged."""

    def _is_here(self) -> bool:
        """Whether the address names this machine; another name is a foreign page rebound to this address."""
        host = self.headers.get("Host", "").rpartition(":")[0]
        return host in (HOST, "localhost")

    def _answer(self, name: str, given: Mapping[str, str]) -> None:
        try:
            code, found = 200, self.server.answer(name, given)
        except FairbriefError as error:
            code, found = 400, {"error": str(error)}
        self._send(code, "application/json", json.dumps(found, allow_nan=False).encode())

    def _send(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)
