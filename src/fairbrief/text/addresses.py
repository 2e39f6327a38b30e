"""Addresses: of files in object stores (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``); and secrets kept out of all that is printed and written."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from fairbrief.errors import RequestError

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


COPYING = {
    "s3": "aws s3 cp", "gs": "gcloud storage cp", "gcs": "gcloud storage cp", "abfs": "azcopy copy",
    "abfss": "azcopy copy", "hdfs": "hdfs dfs -get",
}  # fmt: skip
"""The stores, and what copies a file from each."""
SETTINGS = (
    "region", "scheme", "endpoint_override", "anonymous", "enable_tls", "blob_storage_authority", "dfs_storage_authority",
)  # fmt: skip
"""What may follow the ? of an address."""
_ADDRESS = re.compile(rf"({'|'.join(COPYING)}):/+")


def is_stored(source: object) -> bool:
    """Whether a source is the address of files in an object store."""
    return isinstance(source, str) and source.partition("://")[0] in COPYING and "://" in source


def refuse_stored(path: object, option: str = "") -> None:
    """RequestError for the address of an object store where only a path of this machine is valid."""
    found = _ADDRESS.match(str(path))
    if found is None:
        return
    raise RequestError(
        f"{option}{' ' if option else ''}{redacted(str(path))} is in an object store, of which only files of records and "
        f"summaries are read, and where nothing is written: name a place on this machine, and copy it with: {COPYING[found[1]]}"
    )


def name_of(address: str) -> str:
    """The last part of an address."""
    return PurePosixPath(address.partition("?")[0]).name


def refuse_secrets(address: str) -> None:
    """RequestError for an address that holds a password or a key, or settings that are not known to hold none."""
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    user, at, _ = place.partition("/")[0].rpartition("@")
    if at and (":" in user or not scheme.startswith(("abfs", "hdfs"))):
        raise RequestError(
            f"An address of {scheme}:// holds a user or a key before its @, and addresses are written down: take it out, and "
            f"give credentials as the store's own tools take them ({where_credentials(scheme)})."
        )
    for setting in query.split("&") if query else ():
        if (name := setting.partition("=")[0]) not in SETTINGS:
            raise RequestError(
                f"'{redacted(name)}' cannot stand behind the ? of {scheme}://{place}: there can be {', '.join(SETTINGS)}; "
                f"credentials are given as the store's own tools take them ({where_credentials(scheme)})."
            )


def where_credentials(scheme: str) -> str:
    """How a store's credentials are given to its own tools."""
    return {
        "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role; ?anonymous=true for a public bucket",
        "hdfs": "kinit",
        "abfs": "az login, or AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET",
        "gs": "gcloud auth application-default login; ?anonymous=true for a public bucket",
    }[{"gcs": "gs", "abfss": "abfs"}.get(scheme, scheme)]
