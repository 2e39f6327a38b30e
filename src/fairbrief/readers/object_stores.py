"""Files in object stores (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), read where they are, through the file systems of Arrow.

Credentials are found as the stores' own tools find them (environment, files of the user, the machine's role); an
address that holds one is refused, since addresses are written down.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from fairbrief.errors import BackendError, DataError, FairbriefError, RequestError, first_line
from fairbrief.text.addresses import COPYING, name_of, redacted, refuse_secrets, where_credentials

ATTEMPTS = 6
"""How often a request is sent that gets no answer."""
PATIENCE = timedelta(seconds=60)
"""How long a request is sent again, of stores that count time."""
AT_ONCE = 1 << 20
"""Bytes that are asked for at once, at least, where a file is read from one place on."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in an object store as it was when it was found: readers open it as they open a path.

    Raises, also while it is read: RequestError where it may not be read, DataError where it has changed since it was
    found, BackendError where the store does not answer.
    """

    address: str
    size: int
    version: str
    """What tells it from another content under the same address."""

    def __str__(self) -> str:
        return self.address

    @property
    def name(self) -> str:
        """The last part of its address."""
        return name_of(self.address)

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return PurePosixPath(self.name).suffix

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """Its bytes, from the first on or from any other."""
        assert mode == "rb"
        return io.BufferedReader(self.native(), AT_ONCE)

    def native(self) -> Any:
        """The same as Arrow's own file, each read of which is a request."""
        store, path = _placed(self.address)
        with _telling(self.address):
            handle = store.open_input_file(path)
            if (handle.size(), _version(store, path, handle)) != (self.size, self.version):
                raise self._changed()
        return handle

    def check(self) -> None:
        """DataError if it has changed."""
        self.native().close()

    def _changed(self) -> DataError:
        return DataError(
            f"{self.address} was changed while it was read; wanted one content from beginning to end: run the command again "
            "once nothing writes there any more."
        )


def find(address: str) -> list[StoredFile]:
    """The file at an address, or, where its name has stars, the files whose names fit, in their order.

    Raises RequestError where there is none, or it may not be read; BackendError where the store does not answer.
    """
    refuse_secrets(address)
    store, path = _placed(address)
    with _telling(address):
        has_stars = re.search(r"[*\[]", path) and store.get_file_info(path).type.name != "File"
        if not has_stars:
            return [_found(store, path, address)]
        fitting = _fitting(store, path)
    if not fitting:
        raise RequestError(f"There is no file {address}.")
    plain, mark, query = address.partition("?")
    inside = plain.split("/", 3)[3]
    before, under = plain.removesuffix(inside), path.removesuffix(inside)
    return [_found(store, one, before + one.removeprefix(under) + mark + query) for one in fitting]


def _placed(address: str) -> tuple[Any, str]:
    """The store of an address, and the path in it."""
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    host, _, path = place.partition("/")
    if not host or not path:
        raise RequestError(
            f"{address} names no file: write {scheme}://{host or 'BUCKET'}/FOLDER/FILE, or FOLDER/*.jsonl for several."
        )
    with _telling(address):
        store, base = _store(scheme, host, query, os.getpid())
    return store, f"{base}/{path}"


@cache
def _store(scheme: str, host: str, query: str, process: int) -> tuple[Any, str]:  # noqa: ARG001 # each process its own
    """A store, and the path of its address there."""
    from pyarrow import fs

    told = dict(setting.partition("=")[::2] for setting in query.split("&")) if query else {}
    is_public = told.pop("anonymous", "").lower() in ("1", "true", "yes")
    if scheme == "s3":
        return _s3(fs, host, told, is_public=is_public), host
    if scheme in ("gs", "gcs"):
        return fs.GcsFileSystem(anonymous=is_public, retry_time_limit=PATIENCE, **told), host
    more = "&".join(f"{name}={value}" for name, value in told.items())
    store, base = fs.FileSystem.from_uri(f"{scheme}://{host}/{f'?{more}' if more else ''}")
    return store, base.rstrip("/")


def _s3(fs: Any, bucket: str, told: Mapping[str, str], *, is_public: bool) -> Any:
    # pyarrow heeds these variables in addresses alone.
    endpoints = (os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
    endpoint = told.get("endpoint_override") or next((url for url in endpoints if url), None)
    region = told.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None:
        region = "us-east-1" if endpoint else fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(
        anonymous=is_public,
        region=region,
        endpoint_override=endpoint,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        **({"scheme": told["scheme"]} if "scheme" in told else {}),
    )


def _found(store: Any, path: str, address: str) -> StoredFile:
    with _telling(address):
        try:
            handle = store.open_input_file(path)
        except OSError:
            kind = store.get_file_info(path).type.name
            if kind == "Directory":
                raise RequestError(
                    f"{address} is a folder: name its files, or write {address.rstrip('/')}/*.jsonl."
                ) from None
            if kind == "NotFound":
                raise RequestError(
                    f"There is no file {address}, or none that these credentials see."
                ) from None
            raise
        with handle:
            return StoredFile(address, handle.size(), _version(store, path, handle))


def _fitting(store: Any, pattern: str) -> list[str]:
    """The files whose paths fit, part for part."""
    from pyarrow import fs

    wanted = pattern.split("/")
    first = next(i for i, part in enumerate(wanted) if re.search(r"[*\[]", part))
    selector = fs.FileSelector(
        "/".join(wanted[:first]), recursive=first + 1 < len(wanted), allow_not_found=True
    )
    found = [one.path for one in store.get_file_info(selector) if one.type == fs.FileType.File]
    return sorted(path for path in found if _fits(path.split("/"), wanted))


def _fits(path: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(path) == len(wanted) and all(map(fnmatchcase, path, wanted))


def _version(store: Any, path: str, handle: Any) -> str:
    """What the store says of a file's content: its tag, or when it was written."""
    told: dict[str, Any] = {}
    with suppress(NotImplementedError):
        told = {str(name).lower(): value for name, value in (handle.metadata() or {}).items()}
    tag = told.get("etag")
    if tag is None:
        return str(store.get_file_info(path).mtime_ns)
    return tag.decode("utf-8", "replace") if isinstance(tag, bytes) else str(tag)


@contextmanager
def _telling(address: str) -> Iterator[None]:
    """Say which file it is that the store does not give, and what to do."""
    import pyarrow as pa

    try:
        yield
    except FairbriefError:
        raise
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        raise fault(address, error) from None  # what it was raised from may say more than may be shown


def fault(address: str, error: Exception) -> FairbriefError:
    """What is told of an error of a store: which file it is, and what to do."""
    said = redacted(_without_keys(first_line(error, 300)))
    scheme = address.partition("://")[0]
    if isinstance(error, FileNotFoundError):
        return RequestError(
            f"{address} is not there, or not any more ({said}): put it back, or name another."
        )
    if isinstance(error, PermissionError) or re.search(
        r"ACCESS_DENIED|INVALID_ACCESS_KEY|INVALID_SIGNATURE|SIGNATURE_DOES_NOT_MATCH|UNRECOGNIZED_CLIENT|EXPIRED|\b40[13]\b"
        r"|unauthenticated|permission|credential|forbidden",
        said,
        re.IGNORECASE,
    ):
        return RequestError(
            f"{address} may not be read with the credentials that were found, or none were ({said}): give them as the store's "
            f"own tools take them ({where_credentials(scheme)})."
        )
    if isinstance(error, (ValueError, TypeError)) or "libhdfs" in said or "libjvm" in said:
        return RequestError(
            f"{address} cannot be opened here ({said}): mend the address, or copy the file to this machine with: "
            f"{COPYING[scheme]} {address.partition('?')[0]} ."
        )
    return BackendError(
        f"{address} could not be read, though it was asked for several times ({said}). Run the command again when the store "
        "answers."
    )


def _without_keys(text: str) -> str:
    """A store's message without what stands in the environment as a key or token."""
    for name, value in os.environ.items():
        if len(value) >= 4 and re.search(r"KEY|SECRET|TOKEN|PASSWORD", name):
            text = text.replace(value, "***")
    return text
