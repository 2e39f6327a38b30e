"""What is taken from a server: so many bytes, before and after they are unpacked, from the host that was asked."""

from __future__ import annotations

import sys
import zlib
from typing import Any

from fairbrief.chat.replies import Malformed
from fairbrief.errors import BackendError

LARGEST = 4 << 20
"""Bytes of a reply: several times what the longest answer of any model takes."""
GZIP_OR_ZLIB = 47
"""zlib's ``wbits`` for data whose head says which of the two it is."""


async def take(response: Any) -> None:
    """Read the body of a response, unpacked; a hook of the HTTP client, called before anything else reads it.

    Raises Malformed for a body of more than `LARGEST` bytes, or one packed in a way that was not asked for;
    BackendError for a redirect to another host, which would be sent the texts too.
    """
    if response.has_redirect_location:
        _stay(response.url, response.url.join(response.headers["location"]))
    body = unpacked(await _received(response), response.headers.pop("content-encoding", "identity"))
    response.stream = sys.modules[type(response).__module__].ByteStream(body)


async def _received(response: Any) -> bytes:
    received = bytearray()
    try:
        async for chunk in response.stream:
            received += chunk
            if len(received) > LARGEST:
                raise _too_large()
    finally:
        await response.stream.aclose()
    return bytes(received)


def unpacked(body: bytes, encoding: str) -> bytes:
    """The body as it was before the server packed it; raises Malformed, before it grows beyond `LARGEST`."""
    if encoding.strip().lower() == "identity":
        return body
    if encoding.strip().lower() not in ("gzip", "deflate"):
        raise Malformed(f"a reply packed as {encoding[:40]!r}, which was not asked for")
    unpacking = zlib.decompressobj(GZIP_OR_ZLIB)
    try:
        unpacked = unpacking.decompress(body, LARGEST)
    except zlib.error as error:
        raise Malformed(f"a reply that cannot be unpacked: {error}") from None
    if unpacking.unconsumed_tail:
        raise _too_large()
    if not unpacking.eof:
        raise Malformed("a packed reply that was cut short")
    return unpacked


def _stay(asked: Any, target: Any) -> None:
    is_same_server = (asked.scheme, asked.netloc) == (target.scheme, target.netloc)
    is_made_secure = (asked.host, asked.scheme, target.scheme) == (target.host, "http", "https")
    if not is_same_server and not is_made_secure:
        raise BackendError(
            f"The server at {asked.host} redirects to {target.scheme}://{target.host}, which was not asked for and "
            "is sent nothing. If that is where the model answers, give its address with --base-url."
        )


def _too_large() -> Malformed:
    return Malformed(f"a reply of more than {LARGEST >> 20} MiB")
