"""The inputs of a saved audit: its files, how they were read, the position of each record, and its texts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from fairbrief.atomic_files import write_text
from fairbrief.auditing.system_runs import Pooled, numbered
from fairbrief.errors import DataError, FairbriefError
from fairbrief.readers import Reading, ReadingSettings, input_sources, object_stores, summary_files
from fairbrief.readers.files import InputFile
from fairbrief.reports.audit_folder import INPUTS, add_digest
from fairbrief.reports.frames import encodable
from fairbrief.settings import as_list
from fairbrief.text.addresses import is_stored
from fairbrief.types import REFERENCE, Case, Cases, Data

ENDS = 1 << 20
"""Bytes at each end of a file that its digest covers."""


class Inputs(Data, frozen=True):
    """The files of an audit, also those that options name, relative to its folder; with sizes, digests, and the options."""

    files: tuple[str, ...]
    attributes: tuple[str, ...]
    options: Mapping[str, Any]
    sizes: tuple[int, ...]
    digests: tuple[str, ...]
    audit: str
    """The identity of the audit, as in its other files."""


def write(folder: Path, files: Sequence[str], reading: Reading, audit: str) -> None:
    """Write ``inputs.json``: the files and how they were read, without the sample that was taken."""
    described = (_described(file, folder) for file in each(files, reading))
    names, sizes, digests = zip(*described, strict=True)
    whole = replace(reading.settings, sample=None, sample_by=None)
    attributes = tuple(as_list(whole.attributes))
    options = _moved(whole.given(), Path(), folder)
    _place_inputs(folder, Inputs(names, attributes, options, sizes, digests, audit))


def _moved(options: Mapping[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The options with the files of summaries and speakers relative to the folder ``new``; they were relative to ``old``."""

    def moved(text: str) -> str:
        name, equals, file = text.partition("=")
        if not equals or (old / text).exists():
            name, equals, file = "", "", text
        return text if is_stored(file) else f"{name}{equals}{os.path.relpath(old / file, new)}"

    named = {key: value for key, value in options.items() if key in ("summaries", "speakers")}
    files = {
        key: moved(value) if isinstance(value, str) else list(map(moved, value))
        for key, value in named.items()
    }
    return {**options, **files}


def each(files: Sequence[str], reading: Reading) -> Sequence[str | InputFile]:
    """The inputs one by one, with the matches of patterns in object stores."""
    if not any(map(is_stored, files)):
        return files
    return [*(f for f in files if f.startswith(input_sources.PREFIX)), *reading.files]


def _described(file: str | InputFile, folder: Path) -> tuple[str, int, str]:
    """A file's path from the folder, its size and digest; only the name if it is not a file."""
    if isinstance(file, object_stores.StoredFile):
        return str(file), file.size, file.version
    path = Path(file)
    name = os.path.relpath(path, folder) if path.exists() else str(file)
    return (name, path.stat().st_size, digest(path)) if path.is_file() else (name, 0, "")


def reading_of(folder: Path, inputs: Inputs) -> Reading:
    """The inputs, read with the options of the audit."""
    try:
        options = _moved(inputs.options, folder, Path())
        settings = ReadingSettings.from_options({**options, "attribute": inputs.attributes})
    except TypeError as error:
        raise DataError(f"inputs.json is of another version: {error}. Run the audit again.") from error
    known = zip(inputs.files, inputs.digests, strict=True)
    return settings.read([str(folder / name) if d and not is_stored(name) else name for name, d in known])


def copy(folder: Path, audit: str, to: Path, named: str) -> None:
    """Copy the description of a folder's inputs to an audit that was made from it."""
    if (inputs := read(folder, audit)) is not None:
        files = tuple(
            os.path.relpath(folder / name, to) if known and not is_stored(name) else name
            for name, known in zip(inputs.files, inputs.digests, strict=True)
        )
        options = _moved(inputs.options, folder, to)
        _place_inputs(to, replace(inputs, files=files, options=options, audit=named))


def _place_inputs(folder: Path, inputs: Inputs) -> None:
    write_text(folder / INPUTS, msgspec.json.encode(inputs).decode())
    add_digest(folder, INPUTS)


def read(folder: Path, audit: str) -> Inputs | None:
    """The result of `write` for this audit; None if it is missing or damaged."""
    try:
        found = msgspec.json.decode((folder / INPUTS).read_bytes(), type=Inputs)
    except (FileNotFoundError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return found if found.audit == audit else None


def faults_of(folder: Path, inputs: Inputs, *, is_here: bool = False) -> dict[str, str]:
    """By input what is wrong with it, in a sentence; empty if all are unchanged.

    With ``is_here`` only files that are still in their place are read; no object store is asked.
    """
    faults = {}
    for name, size, known in zip(inputs.files, inputs.sizes, inputs.digests, strict=True):
        if known and (not is_here or (folder / name).is_file()):
            faults[name] = _fault(folder, name, size, known)
    return {name: fault for name, fault in faults.items() if fault}


def _fault(folder: Path, name: str, size: int, known: str) -> str:
    path = folder / name
    if is_stored(name):
        try:
            [found] = object_stores.find(name)
        except FairbriefError as error:
            return str(error)
        is_same = (found.size, found.version) == (size, known)
    elif path.is_file():
        is_same = path.stat().st_size == size and digest(path) == known
    else:
        return f"{name} is missing: restore it, or audit it at its new place."
    return "" if is_same else f"{name} has changed since the audit, so its texts may differ. Audit it again."


def digest(path: Path) -> str:
    """A digest of a file's size and both its ends."""
    size = path.stat().st_size
    made = hashlib.blake2b(str(size).encode(), digest_size=16)
    with path.open("rb") as file:
        made.update(file.read(ENDS))
        file.seek(max(size - ENDS, 0))
        made.update(file.read(ENDS))
    return made.hexdigest()


SEARCHES = 20
"""Searches in memory."""
MOST_FOUND = 20_000
"""The most records that a search returns."""


class SavedTexts:
    """Cases by record and system, and a search in all texts. If the audit pooled runs, cases have the names that they had there."""

    def __init__(self, reading: Reading, *, pools_runs: bool = False) -> None:
        self._cases = Pooled(reading) if pools_runs else reading
        self.search = lru_cache(maxsize=SEARCHES)(self._search)

    def unit(self, record: str, system: str) -> Cases:
        """One case, or all counterfactuals of the seed document of this name. Raises DataError if there is none."""
        if found := cases_of(self._cases, {(system, record)}):
            return tuple(found.values())
        cases = tuple(c for c in self._cases if (c.record.seed_id, c.summary.system) == (record, system))
        if not cases:
            raise DataError(f"The record '{record}' of the system '{system}' is no longer in the inputs.")
        return cases

    def _search(self, *words: str) -> Collection[str]:
        """Ids of the records whose texts or summaries contain all words, in lower case; at most `MOST_FOUND`."""
        found: set[str] = set()
        for case in self._cases:
            if case.record.id not in found and _holds(case, words):
                found.add(encodable(case.record.id))
            if len(found) == MOST_FOUND:
                break
        return found


def cases_of(cases: Iterable[Case], wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], Case]:
    """The first case of each wanted system and record; references are systems, too. Reads until all are known."""
    found: dict[tuple[str, str], Case] = {}
    has_references = any(system.startswith(REFERENCE) for system, _ in wanted)
    for case in _near(cases, {record for _, record in wanted}):
        for one in (case, *(summary_files.references_of(case) if has_references else ())):
            key = encodable(one.summary.system), encodable(one.record.id)
            if key in wanted:
                found.setdefault(key, one)
        if len(found) == len(wanted):
            break
    return found


def _near(cases: Iterable[Case], records: Collection[str]) -> Iterator[Case]:
    """The cases of these records, read from their positions; all cases if the input has no positions."""
    is_pooled = isinstance(cases, Pooled)
    reading = cases.cases if isinstance(cases, Pooled) else cases
    if not isinstance(reading, Reading) or not reading.has_places:
        yield from cases
        return
    before = {run[0] for record in records if is_pooled and (run := numbered(record)) is not None}
    for one in reading.near({*records, *before}):
        yield from Pooled(one) if is_pooled else one


def _holds(case: Case, words: Sequence[str]) -> bool:
    texts = [case.record.id, case.summary.text, *(d.text for d in case.record.documents)]
    joined = "\n".join(texts).lower()
    return all(word in joined for word in words)
