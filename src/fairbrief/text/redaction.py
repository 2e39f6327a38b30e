"""Secrets kept out of all that is printed and written: passwords in addresses, keys that a server echoes."""

from __future__ import annotations

import re

HIDDEN = "***"
SHORTEST = 6
"""Characters of a secret that is looked for by itself; a shorter one is part of too many words."""
_USER = re.compile(r"(?<=://)[^/?#\s'\"]{1,500}@")
_KEY = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk)[-_][\w-]{8,200}|\bhf_\w{10,200}|\bAKIA\w{12,50}|\beyJ[\w-]{8,500}\.[\w-]{1,2000}(?:\.[\w-]{1,500})?"
    r"|(?<=Bearer )[^\s'\"]{6,2000}|(?<=Basic )[\w+/=-]{6,2000}"
)
_NAMED = re.compile(
    r"\b((?:api|access|auth|secret|subscription)[-_]?(?:key|token)|password|passwd|pwd|secret|sig|signature)"
    r"(['\"]?[ ]{0,3}[=:][ ]{0,3}['\"]?)[^\s'\"&,;)}\]]{4,2000}",
    re.IGNORECASE,
)
_secrets: set[str] = set()
_addresses: dict[str, str] = {}


def hide(secret: str) -> None:
    """Keep this text out of all that `redacted` lets through from now on."""
    if len(secret) >= SHORTEST:
        _secrets.add(secret)


def redacted(text: str) -> str:
    """The text with every secret in it that is known, or looks like one, replaced by ``***``.

    >>> redacted("http://me:pass@host/v1 answered 401: Incorrect API key sk-abcdefghijk.")
    'http://***@host/v1 answered 401: Incorrect API key ***.'
    """
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _USER.sub(_hidden_user, text)
    return _NAMED.sub(rf"\1\2{HIDDEN}", _KEY.sub(HIDDEN, text))


def sealed(text: str) -> str:
    """The text with users and passwords of addresses replaced; `opened` knows in this process what stood there.

    >>> sealed("chat(model=m, base_url=http://me:pass@host/v1)")
    'chat(model=m, base_url=http://***@host/v1)'
    >>> opened("http://***@host/v1")
    'http://me:pass@host/v1'
    """

    def seal(user: re.Match[str]) -> str:
        if user[0].startswith(HIDDEN):
            return user[0]
        given = user[0].removesuffix("@")
        hide(given.partition(":")[2] or given)
        host = re.match(r"[^/?#\s'\"),]*", text[user.end() :])
        _addresses[f"{HIDDEN}@{host[0] if host else ''}"] = given
        return f"{HIDDEN}@"

    return _USER.sub(seal, text)


def opened(address: str) -> str:
    """An address as it was before it was `sealed`; as it is where it never was."""
    scheme, _, rest = address.partition("://")
    host = re.match(r"[^/?#]*", rest)
    given = _addresses.get(host[0]) if host else None
    return address if given is None else f"{scheme}://{given}{rest.removeprefix(HIDDEN)}"


def _hidden_user(user: re.Match[str]) -> str:
    return user[0] if user[0].startswith(HIDDEN) else f"{HIDDEN}@"
