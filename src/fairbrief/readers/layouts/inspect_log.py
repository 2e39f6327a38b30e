"""Logs of Inspect (``.eval``, or the same as ``.json``): a sample is a record, its epochs are runs of one system.

A ``.eval`` file is a zip whose entries are compressed by Zstandard, which Python's own zipfile cannot read.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from fairbrief.errors import DataError, first_line
from fairbrief.readers.files import LONGEST_PACKED, Meter, unreadable
from fairbrief.readers.layouts.evaluation_documents import listed, load, text_in
from fairbrief.readers.messages import fault

ZSTD = 93
HEADER = struct.Struct("<26xHH")
"""The end of a zip entry's own header: the lengths of its name and of its extra field."""
FAILED = "the sample failed"


def read(path: Path, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:
    """A row for each sample and epoch."""
    is_zip = zipfile.is_zipfile(path)
    whole = {} if is_zip else load(path, name, encoding)
    samples = _entries(path, name, meter) if is_zip else iter(listed(whole, "samples", name))
    described = _described(path, name) if is_zip else whole
    model = _given(described, "eval", "model")
    runs = _given(described, "eval", "config", "epochs") or 1
    for number, sample in enumerate(samples, 1):
        yield number, _row(sample, model, runs) if isinstance(sample, Mapping) else sample


def _row(sample: Mapping[str, Any], model: Any, runs: int) -> dict[str, Any]:
    ident, epoch = str(sample.get("id")), sample.get("epoch", 1)
    metadata = sample.get("metadata") or {}
    own = {"id": ident} if runs == 1 else {"id": f"{ident}, epoch {epoch}", "original": ident}
    failed = sample.get("error") is not None
    completion = _given(sample, "output", "completion")
    target = sample.get("target")
    return {
        **sample,
        **own,
        "documents": metadata.get("documents") or _source(sample.get("input")),
        "summary": None if failed else completion or "",
        "system": model or None,
        "references": [t for t in (target if isinstance(target, list) else [target]) if t],
        "attributes": {k: v for k, v in metadata.items() if isinstance(v, (str, int, float, bool))},
        "reason": FAILED if failed else None,
    }


def _source(given: Any) -> str | None:
    """What a sample was asked: its text, or the last message of the user."""
    if isinstance(given, list):
        asked = [m for m in given if isinstance(m, Mapping) and m.get("role") == "user"]
        return text_in(asked[-1].get("content")) if asked else None
    return given if isinstance(given, str) else None


def _described(path: Path, name: str) -> Mapping[str, Any]:
    """What the log says of the run: at its end, or at its start where it did not come to its end."""
    with _whole(name), zipfile.ZipFile(path) as log, path.open("rb") as raw:
        for entry in ("header.json", "_journal/start.json"):
            if entry in log.namelist():
                found = json.loads(_unpacked(log.getinfo(entry), log, raw))
                return found if isinstance(found, Mapping) else {}
    raise DataError(f"{name}: found neither header.json nor _journal/start.json; wanted an Inspect log.")


def _entries(path: Path, name: str, meter: Meter) -> Iterator[Any]:
    """The samples of a log, or what is wrong with one."""
    with _whole(name), zipfile.ZipFile(path) as log, path.open("rb") as raw:
        for info in log.infolist():
            if info.filename.startswith("samples/"):
                try:
                    yield json.loads(_unpacked(info, log, raw))
                except (ValueError, RecursionError) as error:
                    yield fault(
                        f"{info.filename} that is not JSON ({error})", "a sample", "copy the log again"
                    )
                meter.at(raw.tell())


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """Say which file it is that is no whole zip of JSON."""
    try:
        with unreadable(name):
            yield
    except (
        zipfile.BadZipFile,
        struct.error,
        RuntimeError,
        ValueError,
    ) as error:  # RuntimeError: with a password
        raise DataError(
            f"{name}: found damage ({first_line(error)}); wanted a whole Inspect log; copy the log again."
        ) from error


def _unpacked(info: zipfile.ZipInfo, log: zipfile.ZipFile, raw: IO[bytes]) -> bytes:
    content = _opened(info, log, raw)
    if len(content) > LONGEST_PACKED:
        raise DataError(
            f"{log.filename}: found {info.filename} of more than {LONGEST_PACKED >> 20} MiB; wanted samples that cannot fill "
            "the memory; write the log as .json if it is to be read nevertheless."
        )
    return content


def _opened(info: zipfile.ZipInfo, log: zipfile.ZipFile, raw: IO[bytes]) -> bytes:
    if info.compress_type != ZSTD:
        with log.open(info) as entry:
            return entry.read(LONGEST_PACKED + 1)
    import pyarrow as pa

    raw.seek(info.header_offset)
    named, extra = HEADER.unpack(raw.read(HEADER.size))
    raw.seek(named + extra, 1)
    return bytes(
        pa.CompressedInputStream(pa.BufferReader(raw.read(info.compress_size)), "zstd").read(
            LONGEST_PACKED + 1
        )
    )


def _given(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found
