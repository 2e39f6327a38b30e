"""Addresses of files in object stores (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), and redaction of secrets in
all output.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from fairbrief.errors import RequestError

HIDDEN = "***"
SHORTEST = 6
"""Minimum characters of a secret for replacement; a shorter one is part of too many words."""
USER = re.compile(r"(?<=://)[^/?#\s'\"]{1,500}@")
"""The user, or user and password, of an address."""
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


def hide(secret: str) -> None:
    """Register a secret, which `redacted` then replaces."""
    if len(secret) >= SHORTEST:
        _secrets.add(secret)


def redacted(text: str) -> str:
    """The text with every registered secret, and everything that looks like one, replaced by ``***``.

    >>> redacted("http://me:pass@host/v1 answered 401: Incorrect API key sk-abcdefghijk.")
    'http://***@host/v1 answered 401: Incorrect API key ***.'
    """
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = USER.sub(f"{HIDDEN}@", text)
    return _NAMED.sub(rf"\1\2{HIDDEN}", _KEY.sub(HIDDEN, text))


_GOOGLE = "gcloud auth application-default login; ?anonymous=true for a public bucket"
_AZURE = "az login, or AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET"
STORES = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role; ?anonymous=true for a public bucket",
    "gs": _GOOGLE, "gcs": _GOOGLE, "abfs": _AZURE, "abfss": _AZURE, "hdfs": "kinit",
}  # fmt: skip
"""Object stores by the scheme of their addresses → how their command-line tools get credentials."""
SETTINGS = (
    "region", "scheme", "endpoint_override", "anonymous", "enable_tls", "blob_storage_authority", "dfs_storage_authority",
)  # fmt: skip
"""Settings that may follow the ? of an address."""
_ADDRESS = re.compile(rf"({'|'.join(STORES)}):/+")


def is_stored(source: object) -> bool:
    """Whether a source is the address of files in an object store."""
    return isinstance(source, str) and source.partition("://")[0] in STORES and "://" in source


def refuse_stored(path: object, option: str = "") -> None:
    """RequestError for an address in an object store, for arguments that must be a local path."""
    if _ADDRESS.match(str(path)):
        raise RequestError(
            f"{option}{' ' if option else ''}{redacted(str(path))} is in an object store. From object stores only records "
            "and summaries are read, and nothing is written there: give a local path."
        )


def name_of(address: str) -> str:
    """The last part of an address."""
    return PurePosixPath(address.partition("?")[0]).name


def refuse_secrets(address: str) -> None:
    """RequestError for an address with a password, a key, or an unknown setting (which might be one)."""
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    user, at, _ = place.partition("/")[0].rpartition("@")
    if at and (":" in user or not scheme.startswith(("abfs", "hdfs"))):
        raise RequestError(
            f"An address of {scheme}:// has a user or a key before its @, and addresses are written to files: remove it, and "
            f"give credentials as the store's tools expect them ({STORES[scheme]})."
        )
    for setting in query.split("&") if query else ():
        if (name := setting.partition("=")[0]) not in SETTINGS:
            raise RequestError(
                f"'{redacted(name)}' is not allowed after the ? of {scheme}://{place}; allowed: {', '.join(SETTINGS)}. "
                f"Give credentials as the store's tools expect them ({STORES[scheme]})."
            )
