"""Files in object stores (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), read through the file systems of Arrow.

Credentials come from the environment, the user's files or the machine's role, as for the stores' own tools. An address
that contains a credential is refused, since addresses are written to results.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from fairbrief.errors import BackendError, DataError, FairbriefError, RequestError, first_line
from fairbrief.text.addresses import STORES, name_of, redacted, refuse_secrets

ATTEMPTS = 6
"""Attempts per request."""
PATIENCE = timedelta(seconds=60)
"""Time limit of retries, for stores that limit time instead of attempts."""
DENIED = re.compile(
    r"(?i)ACCESS_DENIED|INVALID_ACCESS_KEY|INVALID_SIGNATURE|SIGNATURE_DOES_NOT_MATCH|UNRECOGNIZED_CLIENT|EXPIRED|\b40[13]\b"
    r"|unauthenticated|permission|credential|forbidden"
)
"""What stores answer without permission."""
AT_ONCE = 1 << 20
"""Bytes per request, at least, when a file is read sequentially."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in an object store, with its size and version. Readers open it like a path.

    Raises, also during reading: RequestError without permission, DataError if the file has changed, BackendError if
    the store does not answer.
    """

    address: str
    size: int
    version: str
    """Changes with the content of the file."""

    def __str__(self) -> str:
        return self.address

    @property
    def name(self) -> str:
        """The last part of its address."""
        return name_of(self.address)

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """Its bytes, as a seekable stream."""
        assert mode == "rb"
        return io.BufferedReader(self.native(), AT_ONCE)

    def native(self) -> Any:
        """The same as a file of Arrow, in which each read is a request."""
        store, path = _placed(self.address)
        with _naming_the_file(self.address):
            handle = store.open_input_file(path)
            if (handle.size(), _version(store, path, handle)) != (self.size, self.version):
                raise DataError(f"{self.address}: found that the file changed; run the command again.")
        return handle


def find(address: str) -> list[StoredFile]:
    """The file at an address, or, for a name with stars, the matching files, sorted.

    Raises RequestError if there is none or it may not be read; BackendError if the store does not answer.
    """
    refuse_secrets(address)
    store, path = _placed(address)
    with _naming_the_file(address):
        kind = store.get_file_info(path).type.name
        if kind == "File":
            return [_file(store, path, address)]
        if fitting := _fitting(store, path):
            plain, mark, query = address.partition("?")
            inside = plain.split("/", 3)[3]
            before, under = plain.removesuffix(inside), path.removesuffix(inside)
            return [_file(store, one, before + one.removeprefix(under) + mark + query) for one in fitting]
    if kind == "Directory":
        example = f"{address.rstrip('/')}/*.jsonl"
        raise RequestError(f"{address} is a folder: give its files, as in {example}.")
    raise RequestError(f"There is no file {address}, or you have no access to it. Check the address.")


def _placed(address: str) -> tuple[Any, str]:
    """The store of an address, and the path in it."""
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    host, _, path = place.partition("/")
    if not host or not path:
        wanted = f"{scheme}://{host or 'BUCKET'}/FOLDER/FILE, or FOLDER/*.jsonl"
        raise RequestError(f"{address} is not the address of a file: write {wanted}.")
    with _naming_the_file(address):
        store, base = _store(scheme, host, query, os.getpid())
    return store, f"{base}/{path}"


@cache
def _store(scheme: str, host: str, query: str, process: int) -> tuple[Any, str]:  # noqa: ARG001 # each process its own
    """A store, and the path of its address there."""
    from pyarrow import fs

    settings = dict(setting.partition("=")[::2] for setting in query.split("&")) if query else {}
    is_public = settings.pop("anonymous", "").lower() in ("1", "true", "yes")
    if scheme == "s3":
        return _s3(fs, host, settings, is_public=is_public), host
    if scheme in ("gs", "gcs"):
        return fs.GcsFileSystem(anonymous=is_public, retry_time_limit=PATIENCE, **settings), host
    more = "&".join(f"{name}={value}" for name, value in settings.items())
    store, base = fs.FileSystem.from_uri(f"{scheme}://{host}/{f'?{more}' if more else ''}")
    return store, base.rstrip("/")


def _s3(fs: Any, bucket: str, settings: Mapping[str, str], *, is_public: bool) -> Any:
    env = os.environ.get  # pyarrow uses these variables only in addresses
    endpoint = settings.get("endpoint_override") or env("AWS_ENDPOINT_URL_S3") or env("AWS_ENDPOINT_URL")
    region = settings.get("region") or env("AWS_REGION") or env("AWS_DEFAULT_REGION")
    region = region or ("us-east-1" if endpoint else fs.resolve_s3_region(bucket))
    retries = fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS)
    return fs.S3FileSystem(
        anonymous=is_public,
        region=region,
        endpoint_override=endpoint,
        retry_strategy=retries,
        scheme=settings.get("scheme"),
    )


def _file(store: Any, path: str, address: str) -> StoredFile:
    with store.open_input_file(path) as handle:
        return StoredFile(address, handle.size(), _version(store, path, handle))


def _fitting(store: Any, pattern: str) -> list[str]:
    """The files whose paths match a pattern with stars, part by part; none without stars."""
    from pyarrow import fs

    before_star, *stars = re.split(r"[*\[]", pattern)
    folder = before_star.rpartition("/")[0]
    if not stars:
        return []
    is_deep = "/" in pattern.removeprefix(f"{folder}/")
    selector = fs.FileSelector(folder, recursive=is_deep, allow_not_found=True)
    paths = (one.path for one in store.get_file_info(selector) if one.type == fs.FileType.File)
    fitting = (path for path in paths if PurePosixPath(path).match(pattern))
    return sorted(path for path in fitting if path.count("/") == pattern.count("/"))


def _version(store: Any, path: str, handle: Any) -> str:
    """The store's version of a file: its tag, or its time of writing."""
    metadata: dict[str, Any] = {}
    with suppress(NotImplementedError):
        metadata = {str(name).lower(): value for name, value in (handle.metadata() or {}).items()}
    tag = metadata.get("etag")
    if tag is None:
        return str(store.get_file_info(path).mtime_ns)
    return tag.decode("utf-8", "replace") if isinstance(tag, bytes) else str(tag)


@contextmanager
def _naming_the_file(address: str) -> Iterator[None]:
    """Turn errors of a store into ours, with the address and the advice."""
    import pyarrow as pa

    try:
        yield
    except FairbriefError:
        raise
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        raise fault(address, error) from None  # the cause may contain secrets


def fault(address: str, error: Exception) -> FairbriefError:
    """Our error for an error of a store."""
    reason = redacted(_without_keys(first_line(error, 300)))
    if isinstance(error, FileNotFoundError):
        return RequestError(f"{address} does not exist, or no longer ({reason}). Check the address.")
    if isinstance(error, PermissionError) or DENIED.search(reason):
        credentials = STORES[address.partition("://")[0]]
        return RequestError(f"{address} cannot be read with your credentials ({reason}): set {credentials}.")
    if isinstance(error, (ValueError, TypeError)) or "libhdfs" in reason or "libjvm" in reason:
        return RequestError(f"{address} cannot be opened ({reason}): correct it, or copy the file here.")
    return BackendError(f"{address} could not be read ({reason}). Try again when the store answers.")


def _without_keys(text: str) -> str:
    """A store's message without the keys and tokens of the environment."""
    for name, value in os.environ.items():
        if len(value) >= 4 and re.search(r"KEY|SECRET|TOKEN|PASSWORD", name):
            text = text.replace(value, "***")
    return text
