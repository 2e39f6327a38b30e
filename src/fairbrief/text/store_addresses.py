"""Addresses of files in object stores: ``s3://``, ``gs://``, ``abfs://``, ``hdfs://``."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from fairbrief.errors import RequestError
from fairbrief.text.redaction import redacted

COPYING = {
    "s3": "aws s3 cp", "gs": "gcloud storage cp", "gcs": "gcloud storage cp", "abfs": "azcopy copy",
    "abfss": "azcopy copy", "hdfs": "hdfs dfs -get",
}  # fmt: skip
"""The stores, and what copies a file from each."""
SETTINGS = (
    "region", "scheme", "endpoint_override", "anonymous", "enable_tls", "blob_storage_authority", "dfs_storage_authority",
)  # fmt: skip
"""What may stand behind the ? of an address."""
_ADDRESS = re.compile(rf"({'|'.join(COPYING)}):/+")


def is_stored(source: object) -> bool:
    """Whether a source is the address of files in an object store."""
    return isinstance(source, str) and source.partition("://")[0] in COPYING and "://" in source


def refuse_stored(path: object, option: str = "") -> None:
    """RequestError for the address of an object store where only a path of this machine can stand."""
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
