"""A store that speaks enough of S3 on this machine: HEAD, GET of ranges, lists of objects."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from tests.browser.browsing import served

from fairbrief.readers import object_stores

KEY, SECRET = "AKIDSTUB0123456789", "stub-secret-0123456789"


@dataclass
class StubS3:
    """Buckets with their objects, the requests that came, and what goes wrong."""

    buckets: dict[str, dict[str, bytes]] = field(default_factory=dict)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and range of each request."""
    url: str = ""
    breaks_from: int | None = None
    """From how many requests of ranges on the connection breaks in the middle of the answer; None: never."""
    breaks: int = 0
    """How many do so; 0: all."""
    changes_after: tuple[int, str, str, bytes] | None = None
    """After how many requests of ranges an object gets another content."""

    def is_broken(self, number: int) -> bool:
        """Whether the connection breaks at this request of a range."""
        if self.breaks_from is None or number <= self.breaks_from:
            return False
        return not self.breaks or number <= self.breaks_from + self.breaks

    def ranges(self) -> list[tuple[int, int]]:
        """First and last byte of every range that was asked for."""
        found = [said.removeprefix("bytes=").split("-") for _, _, said in self.requests if said]
        return [(int(first), int(last)) for first, last in found]


class _Handler(BaseHTTPRequestHandler):
    stub: StubS3
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and content in one packet; otherwise each answer takes 40 ms

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        url, said = urlsplit(self.path), self.headers.get("Range", "")
        self.stub.requests.append((self.command, self.path, said))
        bucket, _, key = unquote(url.path).removeprefix("/").partition("/")
        objects = self.stub.buckets.get(bucket)
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            self._send(403, _error("AccessDenied", f"Access Denied for {SECRET}"))
        elif objects is None:
            self._send(404, _error("NoSuchBucket", "The bucket does not exist"))
        elif not key:
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            self._send(200, _listed(objects, query) if query else b"")
        elif key not in objects:
            self._send(404, _error("NoSuchKey", "The key does not exist"))
        else:
            self._object(objects[key], said)

    do_HEAD = do_GET  # noqa: N815 # as http.server calls it

    def _object(self, content: bytes, said: str) -> None:
        digest = hashlib.md5(content).hexdigest()
        tag = {"ETag": f'"{digest}"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        if not said:
            self._send(200, content, tag)
            return
        first, _, last = said.removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1]
        many = len(self.stub.ranges())
        tag["Content-Range"] = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
        self.close_connection = self.stub.is_broken(many)
        self._send(206, part, tag, sent=len(part) // 2 if self.close_connection else None)
        if self.stub.changes_after is not None and many == self.stub.changes_after[0]:
            _, where, name, other = self.stub.changes_after
            self.stub.buckets[where][name] = other

    def _send(
        self, status: int, content: bytes, headers: Mapping[str, str] = {}, sent: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[:sent])


@contextmanager
def in_environment(stub: StubS3, monkeypatch: pytest.MonkeyPatch) -> Iterator[StubS3]:
    """The store, answering, and its credentials and address in the environment of this process and its workers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    server.daemon_threads = True
    with served(server) as stub.url:
        for name in ("AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_ENDPOINT_URL", stub.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        object_stores._store.cache_clear()
        yield stub
    object_stores._store.cache_clear()


def _error(code: str, message: str) -> bytes:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>".encode()


def _listed(objects: dict[str, bytes], query: dict[str, str]) -> bytes:
    prefix, mark = query.get("prefix", ""), query.get("delimiter", "")
    files, folders = [], set()
    for key, content in sorted(objects.items()):
        if not key.startswith(prefix):
            continue
        rest = key.removeprefix(prefix)
        if mark and mark in rest:
            name = prefix + rest.partition(mark)[0] + mark
            folders.add(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>")
        else:
            about = f"<Size>{len(content)}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            files.append(f"<Contents><Key>{escape(key)}</Key>{about}</Contents>")
    listed = [f"<KeyCount>{len(files) + len(folders)}</KeyCount>", *files, *sorted(folders)]
    return f"<?xml version='1.0'?><ListBucketResult>{''.join(listed)}</ListBucketResult>".encode()
