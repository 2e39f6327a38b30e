"""Inputs (files, folders, data sets of `datasets`, tables, iterables) as streams of numbered rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError, first_line, optional_library
from fairbrief.readers import files, object_stores, tables
from fairbrief.readers.files import ADDRESS, UTF8, File, InputFile, Meter, endings, printable
from fairbrief.readers.formats import BY_ENDING, BY_NAME, Format, format_named, recognize, unknown_format
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import did_you_mean, fault, names, show, unknown
from fairbrief.text.addresses import STORES, is_stored

PREFIX = "hf:"
"""The beginning of names of data sets."""
READER = "Reading a Hugging Face data set"
MARKS = ("dataset_dict.json", "state.json")
"""Files in a folder that `datasets` saved: of several splits, or of one."""
FRAMES = ("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch")
"""Libraries, and their types of tables."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source of rows.

    ``name`` is for messages, ``system`` is the system's name if the rows name none. ``is_table``: every row has every
    column. ``file`` is None for data sets and rows in memory; ``folder`` is that of a saved data set. ``rows`` gives the
    rows, of a file if there is one, and starts from the beginning at each call.
    """

    name: str
    system: str
    rows: Callable[..., Iterator[Row]]
    file: File | None = None
    folder: Path | None = None
    is_table: bool = False
    format: Format | None = None
    """The format of a file; None for plain text."""
    notes: tuple[str, ...] = ()
    """How the file was understood, if the caller did not specify it."""

    @property
    def tool(self) -> str:
        """The title of its format, if that is a tool's."""
        return "" if self.format is None else self.format.title

    def read(self, meter: Meter | None = None) -> Iterator[Row]:
        """The rows, from the beginning; a meter follows the progress in a file."""
        return self.rows() if self.file is None else self.rows(replace(self.file, meter=meter or Meter()))


def find_sources(source: Any, form: str | None = None, encoding: str | None = None) -> list[Source]:
    """The sources for a path, an address, a name, a table or an iterable. Without ``form`` and ``encoding``, they are detected."""
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if (known := in_memory(source)) is not None:
        return [known]
    if isinstance(source, Sequence) and source and all(isinstance(p, (str, os.PathLike)) for p in source):
        return _named(source, form, encoding)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        rows = _once(source) if isinstance(source, Iterator) else partial(enumerate, source, 1)
        return [Source("records", "records", rows)]
    raise RequestError(f"Records cannot be read from {show(source)}. Give paths, hf:NAME, a table or dicts.")


def one_source(source: Any) -> Source:
    """The source; RequestError if a name with stars matches several files."""
    result = find_sources(source)
    if len(result) > 1:
        raise RequestError(f"{source} matches {len(result)} files, but only one can be read: give its name.")
    return result[0]


def _named(given: Sequence[str | os.PathLike[str]], form: str | None, encoding: str | None) -> list[Source]:
    """The sources for names: data sets, local files, and files in object stores (several for a name with stars)."""
    places: list[tuple[str | InputFile, str | None]] = []
    for name in [os.fspath(one) for one in given]:
        if name.startswith(PREFIX):
            places.append((name, None))
        else:
            file, sheet = split_sheet(name)
            places += [
                (path, sheet) for path in (object_stores.find(file) if is_stored(file) else [Path(file)])
            ]
    known = Counter(path.name for path, _ in places if not isinstance(path, str))
    sources = []
    for path, sheet in places:
        if isinstance(path, str):
            sources.append(_of_data_set(open_named(path), path, path.split("/")[-1]))
            continue
        # Messages show the whole path if another file has the same name.
        shown = printable(path if known[path.name] > 1 else path.name)
        if isinstance(path, Path) and any((path / mark).is_file() for mark in MARKS):
            sources.append(_of_data_set(open_saved(path), shown, path.name, path))
        else:
            sources.append(_of_file(path, shown, form, encoding, sheet))
    return sources


def split_sheet(name: str) -> tuple[str, str | None]:
    """A spreadsheet and the sheet named after a #; other paths and addresses unchanged."""
    file, mark, sheet = name.rpartition("#")
    if mark and BY_ENDING.get(endings(Path(file))[0]) is BY_NAME["excel"] and not Path(name).exists():
        return file, sheet
    return name, None


def check_file(path: Path) -> None:
    """RequestError unless the file can be read; the error names similar files."""
    shown = printable(path)
    if (path / "results.json").is_file():
        raise RequestError(f"{shown} is the folder of a saved audit. Give the files that were audited.")
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file() and endings(p)[0] in BY_ENDING)
        advice = f"Give its files: {names(inside)}." if inside else "It contains no file that can be read."
        raise RequestError(f"{shown} is a folder, but not a data set saved by 'datasets'. {advice}")
    if not path.exists():
        if scheme := ADDRESS.match(shown):
            stores = ", ".join(f"{store}://" for store in STORES)
            raise RequestError(f"{shown}: addresses of {scheme[1]} are not supported, only {stores}.")
        parent = path.parent
        siblings = [p.name for p in parent.iterdir()] if parent.is_dir() else []
        raise RequestError(f"There is no file {shown}.{did_you_mean(path.name, siblings)}")
    if not os.access(path, os.R_OK):
        raise RequestError(f"{shown} cannot be read: you lack the permission. Change its permissions.")


def _of_data_set(dataset: Any, name: str, system: str, folder: Path | None = None) -> Source:
    return Source(name, system, lambda: enumerate(dataset, 1), folder=folder, is_table=True)


def _of_file(path: InputFile, name: str, wanted: str | None, coded: str | None, sheet: str | None) -> Source:
    """A file, in the format that the caller names or that is detected; RequestError if it cannot be read."""
    if isinstance(path, Path):
        check_file(path)
    ending, packed = endings(path)
    by_ending = BY_ENDING.get(ending)
    given = None if wanted is None else format_named(wanted)
    basis = by_ending if given is None or (given.title and by_ending is not None) else given
    if ending == "toml":
        raise RequestError(f"{name} is a file of settings: here, give the files that it names.")
    if basis is None:
        raise unknown_format(f"The name {printable(path)} does not end in a known format")
    if packed and not basis.is_text:
        raise RequestError(f"{name}: a file of the format {basis.name} must not be compressed: unpack it.")
    if coded is not None and not basis.is_text:
        raise RequestError(f"--encoding needs a text file, but {name} is {basis.name}: drop --encoding.")
    encoding = files.encoding_of(path, coded) if basis.is_text else UTF8
    file = File(path, name, encoding, sheet if basis is by_ending else None)
    form = given or recognize(file, basis)
    notes = []
    if form.title:
        unchanged = "" if form in (given, by_ending) else f" (--format {basis.name} reads it unchanged)"
        notes.append(f"{name}: read as {form.title}{unchanged}.")
    elif encoding != UTF8 and coded is None:
        notes.append(f"{name}: read as {encoding}, as its bytes suggest; --encoding sets another.")
    return Source(name, files.stem(path), form.read, file, None, form.is_table, form, tuple(notes))


def in_memory(source: Any) -> Source | None:
    """A table in memory as a source; None for anything else."""
    for kind in type(source).__mro__:  # a table of a subclass is a table, too
        library = kind.__module__.partition(".")[0]
        if (library, kind.__name__) in FRAMES:
            return Source("table", "table", partial(tables.read_frame, source, library), is_table=True)
    return None


def _once(source: Iterator[Any]) -> Callable[[], Iterator[Row]]:
    """The rows of an iterator; RequestError if they are read again."""
    unread = [source]

    def rows() -> Iterator[Row]:
        if not unread:
            raise RequestError("These records are an iterator, which can be read only once. Pass a list.")
        yield from enumerate(unread.pop(), 1)

    return rows


def not_a_row(row: Any) -> DataError:
    """The error for a row that is not an object: its own, if it could not be read."""
    if isinstance(row, DataError):
        return row
    return fault(show(row), "an object with named fields, a Record or a Case", "pass dicts")


def no_record(name: str) -> DataError:
    """The error for a source without rows."""
    return DataError(f"{name} has no record: found an empty input; expected at least one; check the file.")


def open_saved(path: Path) -> Any:
    """The data set in a folder; RequestError if it has several splits."""
    datasets = optional_library("datasets", "datasets", READER)
    try:
        result = datasets.load_from_disk(str(path))
    except (OSError, ValueError, KeyError) as error:
        raise RequestError(f"{path} is not a complete data set: {error}. Save it again.") from error
    return _one_split(result, None, str(path), how=f"give its folder, {path}/SPLIT")


def open_named(source: str) -> Any:
    """The data set that ``hf:NAME`` or ``hf:NAME:SPLIT`` names, as a stream."""
    datasets = optional_library("datasets", "datasets", READER)
    name, _, split = source.removeprefix(PREFIX).partition(":")
    if not name:
        raise RequestError(f"'{source}' has no name of a data set: write hf:NAME or hf:NAME:SPLIT.")
    try:
        result = datasets.load_dataset(name, streaming=True)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        reason = first_line(error).removesuffix(".")
        raise RequestError(f"{source} cannot be opened: {reason}. Check the name and the network.") from error
    return _one_split(result, split or None, source, how=f"write hf:{name}:SPLIT")


def _one_split(splits: Any, split: str | None, what: str, *, how: str) -> Any:
    if not isinstance(splits, Mapping):
        return splits
    if split in splits or (len(splits) == 1 and split is None):
        return splits[split or next(iter(splits))]
    if split is None:
        raise RequestError(f"{what} has the splits {names(splits)}: {how}.")
    raise unknown(f"{what} has no split {split!r}.", split, splits)
