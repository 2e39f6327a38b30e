"""Data sets of the library `datasets`: saved folders, names on the hub, and objects in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairbrief.errors import MissingExtra, RequestError
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import did_you_mean, names

PREFIX = "hf:"
MARKS = ("dataset_dict.json", "state.json")
"""The files by which a folder that the library saved is known: of several splits, or of one."""


def is_saved(path: Path) -> bool:
    """Whether a folder is a data set that the library saved."""
    return any((path / mark).is_file() for mark in MARKS)


def open_saved(path: Path) -> Any:
    """The data set of a saved folder; if it has several splits, the folder of one must be named."""
    datasets = _library()
    try:
        found = datasets.load_from_disk(str(path))
    except (OSError, ValueError, KeyError) as error:
        raise RequestError(f"{path} is no whole data set: {error}. Save it again.") from error
    return _one_split(found, None, str(path), how=f"name its folder, {path}/SPLIT")


def open_named(source: str) -> Any:
    """The data set that ``hf:NAME`` or ``hf:NAME:SPLIT`` names, as a stream."""
    datasets = _library()
    name, _, split = source.removeprefix(PREFIX).partition(":")
    if not name:
        raise RequestError(f"'{source}' names no data set: write hf:NAME or hf:NAME:SPLIT.")
    try:
        found = datasets.load_dataset(name, streaming=True)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        reason = " ".join(str(error).split())
        raise RequestError(f"The data set '{name}' could not be opened: {reason}") from error
    return _one_split(found, split or None, source, how=f"write hf:{name}:SPLIT")


def read_dataset(dataset: Any) -> Iterator[Row]:
    """The rows of a data set as objects, numbered from 1."""
    yield from enumerate(dataset, 1)


def choose_split(dataset: Any) -> Any:
    """The only split of a data set in memory, or the data set itself."""
    return _one_split(dataset, None, "The data set", how="pass one of them")


def _one_split(found: Any, split: str | None, what: str, *, how: str) -> Any:
    if not isinstance(found, Mapping):
        return found
    if split is None and len(found) == 1:
        return next(iter(found.values()))
    if split in found:
        return found[split]
    if split is None:
        raise RequestError(f"{what} has the splits {names(found)}: {how}.")
    raise RequestError(f"{what}: no split {split!r}; there are {names(found)}.{did_you_mean(split, found)}")


def _library() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtra("datasets", "datasets", "Reading a Hugging Face data set") from error
    return datasets
