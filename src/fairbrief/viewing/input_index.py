"""Where the texts of an audit stand: which inputs were read and how, and at which place of them each record is."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from fairbrief.errors import FairbriefError
from fairbrief.readers import Reading
from fairbrief.readers.files import InputFile
from fairbrief.readers.input_parts import RecordPlaces
from fairbrief.readers.input_sources import PREFIX
from fairbrief.readers.object_stores import StoredFile, find
from fairbrief.reports.audit_folder import place
from fairbrief.reports.evidence_file import write_hashes
from fairbrief.reports.frames import numbers
from fairbrief.text.addresses import is_stored

INPUTS, PLACES = "inputs.json", "inputs.parquet"
CHANGED = "{} has changed since the audit: its texts may not be those that were audited. Audit it again."
PLACE_COLUMNS = ("id_hash", "source", "start")
ENDS = 1 << 20
"""Bytes at both ends of a file whose digest tells whether it has changed."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an audit read: files, relative to its folder, with sizes and digests; how its command line said to read them."""

    files: tuple[str, ...]
    attributes: tuple[str, ...]
    options: Mapping[str, Any]
    sizes: tuple[int, ...]
    digests: tuple[str, ...]
    audit: str
    """The audit's identity, as its other files have it."""


def write(
    folder: Path,
    files: Sequence[str],
    attributes: Sequence[str],
    options: Mapping[str, Any],
    reading: Reading,
    audit: str,
) -> None:
    """Write ``inputs.json``, and ``inputs.parquet`` where the inputs can be read from any place."""
    found = [_described(file, folder) for file in each(files, reading)]
    inputs = Inputs(
        tuple(name for name, _, _ in found),
        tuple(attributes),
        options,
        tuple(size for _, size, _ in found),
        tuple(told for _, _, told in found),
        audit,
    )
    place(folder / INPUTS, lambda path: path.write_bytes(msgspec.json.encode(inputs)))
    if reading.ranges is not None:
        place(folder / PLACES, lambda path: _write_places(reading.places, path))
    else:
        (folder / PLACES).unlink(missing_ok=True)


def each(files: Sequence[str], reading: Reading) -> Sequence[str | InputFile]:
    """The inputs one by one: of an address in an object store, which may have stars, what it was found to mean."""
    if not any(map(is_stored, files)):
        return files
    return [*(f for f in files if f.startswith(PREFIX)), *reading.files]


def _described(file: str | InputFile, folder: Path) -> tuple[str, int, str]:
    """A file's name as it is from the folder, its size and digest; of what is no file the name alone."""
    if isinstance(file, StoredFile):
        return str(file), file.size, file.version
    path = Path(file)
    name = os.path.relpath(path, folder) if path.exists() else str(file)
    return (name, path.stat().st_size, digest(path)) if path.is_file() else (name, 0, "")


def paths(folder: Path, inputs: Inputs) -> list[str]:
    """The inputs as they can be read from here."""
    return [
        str(folder / name) if known and not is_stored(name) else name
        for name, known in zip(inputs.files, inputs.digests, strict=True)
    ]


def copy(folder: Path, audit: str, to: Path, named: str) -> None:
    """Write what a folder says of the inputs of its audit beside an audit of another identity that was made from it."""
    inputs = read(folder, audit)
    if inputs is None:
        return
    files = tuple(
        os.path.relpath(folder / f, to) if known and not is_stored(f) else f
        for f, known in zip(inputs.files, inputs.digests, strict=True)
    )
    moved = replace(inputs, files=files, audit=named)
    place(to / INPUTS, lambda path: path.write_bytes(msgspec.json.encode(moved)))
    if (folder / PLACES).exists():
        place(to / PLACES, lambda path: path.write_bytes((folder / PLACES).read_bytes()))
    else:
        (to / PLACES).unlink(missing_ok=True)


def read(folder: Path, audit: str) -> Inputs | None:
    """What `write` wrote of this audit; None where there is nothing, or nothing that can be read."""
    try:
        found = msgspec.json.decode((folder / INPUTS).read_bytes(), type=Inputs)
    except (FileNotFoundError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return found if found.audit == audit else None


def places(folder: Path) -> RecordPlaces | None:
    """Where the records stand; None where the inputs are to be read from their beginning."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(folder / PLACES, memory_map=True)
        found = RecordPlaces(*(table[name].to_numpy() for name in PLACE_COLUMNS))
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        return None
    pa.default_memory_pool().release_unused()
    return found


def fault_of(folder: Path, inputs: Inputs) -> str:
    """What is wrong with the inputs, in a sentence; empty where they are as the audit found them."""
    for name, size, known in zip(inputs.files, inputs.sizes, inputs.digests, strict=True):
        path = folder / name
        if not known:
            continue
        if is_stored(name):
            if said := _fault_in_store(name, size, known):
                return said
            continue
        if not path.is_file():
            return f"{name} is not there any more: put it back, or audit it where it is now."
        if path.stat().st_size != size or digest(path) != known:
            return CHANGED.format(name)
    return ""


def _fault_in_store(name: str, size: int, known: str) -> str:
    try:
        [found] = find(name)
    except FairbriefError as error:
        return str(error)
    return "" if (found.size, found.version) == (size, known) else CHANGED.format(name)


def digest(path: Path) -> str:
    """A digest of a file's size and both its ends."""
    size = path.stat().st_size
    made = hashlib.blake2b(str(size).encode(), digest_size=16)
    with path.open("rb") as file:
        made.update(file.read(ENDS))
        file.seek(max(size - ENDS, 0))
        made.update(file.read(ENDS))
    return made.hexdigest()


def _write_places(places: RecordPlaces, path: Path) -> None:
    columns = (numbers(places.ids), numbers(places.sources), numbers(places.starts))
    write_hashes(pa.table(dict(zip(PLACE_COLUMNS, columns, strict=True))), path)
