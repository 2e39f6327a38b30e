"""Inputs (files, folders, data sets of `datasets`, tables, iterables) as streams of numbered rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, MissingExtra, RequestError
from fairbrief.readers import files, json_lines, object_stores, tables
from fairbrief.readers.files import UTF8, File, InputFile, Meter, known_encoding
from fairbrief.readers.json_lines import Row
from fairbrief.readers.layouts import LAYOUTS, recognize
from fairbrief.readers.messages import did_you_mean, fault, names, show
from fairbrief.text.addresses import is_stored

PREFIX = "hf:"
"""The beginning of names of data sets."""
MARKS = ("dataset_dict.json", "state.json")
"""Files in a folder that `datasets` saved: of several splits, or of one."""
FRAMES = {"pandas": ("DataFrame",), "polars": ("DataFrame",), "pyarrow": ("Table", "RecordBatch")}
LAZY = {"polars": ("LazyFrame",), "pyarrow": ("RecordBatchReader",)}
TEXT: dict[str, Callable[..., Iterator[Row]]] = {
    "jsonl": json_lines.read_lines,
    "json": json_lines.read_json,
    "csv": tables.read_csv,
    "tsv": partial(tables.read_csv, delimiter="\t"),
    "ssv": partial(tables.read_csv, delimiter=";"),
}
"""Format → reader, for text files, which have an encoding."""
TRANSCRIPTS = ("vtt", "srt", "txt")
"""Endings of transcripts, which have an encoding, too."""
BINARY: dict[str, Callable[..., Iterator[Row]]] = {
    "parquet": tables.read_parquet,
    "arrow": tables.read_arrow,
    "excel": tables.read_sheet,
}


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What the caller specifies about files."""

    format: str | None = None
    encoding: str | None = None
    sheet: str | None = None


NO_OPTIONS = FileOptions()


@dataclass(frozen=True, slots=True)
class Source:
    """One source of rows.

    ``name`` is for messages, ``system`` is the system's name if the rows name none. ``is_table``: every row has every
    column. ``file`` is None for data sets and rows in memory, ``folder`` is that of a saved data set. ``rows`` takes a Meter and starts from the beginning at each call.
    """

    name: str
    system: str
    rows: Callable[..., Iterator[Row]]
    file: File | None = None
    folder: Path | None = None
    is_table: bool = False
    kind: str = ""
    """The format of a file."""
    notes: tuple[str, ...] = ()
    """How the file was understood, if the caller did not specify it."""


def find_sources(source: Any, options: FileOptions = NO_OPTIONS) -> list[Source]:
    """The sources for a path, an address, a name, a table or an iterable."""
    if isinstance(source, (str, os.PathLike)):
        return _named([source], options)
    if (known := in_memory(source)) is not None:
        return [known]
    if isinstance(source, Sequence) and source and all(isinstance(p, (str, os.PathLike)) for p in source):
        return _named(source, options)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        return [Source("records", "records", _iterable(source))]
    raise RequestError(
        f"Records cannot be read from {show(source)}. Give a path, several paths, hf:NAME, a table or an iterable of dicts."
    )


def one_source(source: Any) -> Source:
    """The source; RequestError if a name with stars matches several files."""
    result = find_sources(source)
    if len(result) > 1:
        raise RequestError(
            f"{source} matches {len(result)} files, but only one can be read here: give its name."
        )
    return result[0]


def _named(given: Sequence[str | os.PathLike[str]], options: FileOptions) -> list[Source]:
    """The sources for names: data sets, local files, and files in object stores (several for a name with stars)."""
    result: list[str | InputFile] = []
    for name in given:
        if isinstance(name, str) and name.startswith(PREFIX):
            result.append(name)
        else:
            result += object_stores.find(str(name)) if is_stored(name) else [Path(name)]
    last = [path.name for path in result if not isinstance(path, str)]
    return [
        _of_data_set(open_named(one), one, one.split("/")[-1])
        if isinstance(one, str)
        else _file(one, options, whole=last.count(one.name) > 1)
        for one in result
    ]


def _of_data_set(dataset: Any, name: str, system: str, folder: Path | None = None) -> Source:
    return Source(name, system, lambda _: enumerate(dataset, 1), folder=folder, is_table=True)


def _file(path: InputFile, options: FileOptions, *, whole: bool) -> Source:
    """A file as a source; ``whole``: messages show its whole path, since another file has the same name."""
    try:
        if isinstance(path, Path):
            path, sheet = files.parted(path)
            options = options if sheet is None else replace(options, sheet=sheet)
        name = files.printable(path if whole else path.name)
        if isinstance(path, Path):
            if any((path / mark).is_file() for mark in MARKS):
                return _of_data_set(open_saved(path), name, path.name, path)
            files.check(path)
        return _read_as(path, name, options)
    except ValueError as error:  # a NUL in a path
        raise RequestError(f"{str(path)!r} is not a valid path: {error}.") from error


def _read_as(path: InputFile, name: str, options: FileOptions) -> Source:
    """An existing file, in the format that the caller names or that is detected."""
    ending, packed = files.endings(path)
    named = files.FORMATS.get((options.format or ending).lower().lstrip("."), files.FORMATS.get(ending))
    is_text = ending in TRANSCRIPTS or named in TEXT
    encoding = UTF8
    if options.encoding is not None:
        encoding = known_encoding(options.encoding)
    elif is_text:
        encoding = files.encoding_of(path)
    file = File(path, name, encoding)
    layout = recognize(file) if options.format is None else LAYOUTS.get(options.format)
    kind = files.format_of(path, options.format, LAYOUTS) if layout is None else layout.name
    if layout is None and packed and not is_text:
        raise RequestError(
            f"{name}: found a compressed {kind} file; expected a plain one, since the format compresses itself; unpack it first."
        )
    if options.sheet is not None and kind != "excel":
        raise RequestError(f"--sheet needs a spreadsheet, and {name} is not one: drop --sheet.")
    if options.encoding is not None and layout is None and not is_text:
        raise RequestError(f"--encoding needs a text file, and {name} is a {kind} file: drop --encoding.")
    notes: list[str] = []
    if layout is not None:
        rows = partial(layout.read, file)
        plain = files.FORMATS.get(ending) if layout.in_tables else "json" if layout.line is None else "jsonl"
        is_sure = options.format or ending in TRANSCRIPTS
        unchanged = "" if is_sure else f" (--format {plain} reads it unchanged)"
        notes.append(f"{name}: read as {layout.title}{unchanged}.")
    else:
        more = {"sheet": options.sheet} if kind == "excel" else {}
        rows = partial((TEXT | BINARY)[kind], file, **more)
        if encoding != UTF8 and options.encoding is None:
            notes.append(f"{name}: read as {encoding}, as its bytes suggest; --encoding sets another.")
    is_table = layout is None and kind not in ("jsonl", "json")
    return Source(name, files.stem(path), rows, file, None, is_table, kind, tuple(notes))


def in_memory(source: Any) -> Source | None:
    """A table or data set in memory as a source; None for anything else."""
    for kind in type(source).__mro__:  # a table of a subclass is a table, too
        library = kind.__module__.partition(".")[0]
        if kind.__name__ in LAZY.get(library, ()):
            raise RequestError(
                f"A {library} {kind.__name__} can be read only once: collect it into a table first."
            )
        if kind.__name__ in FRAMES.get(library, ()):
            return Source("table", "table", partial(tables.read_frame, source, library), is_table=True)
    library = type(source).__module__.partition(".")[0]
    if library == "datasets":
        dataset = _one_split(source, None, "The data set", how="pass one of them")
        return _of_data_set(dataset, "dataset", "dataset")
    return None


def _iterable(source: Iterable[Any]) -> Callable[[Meter], Iterator[Row]]:
    used = False

    def rows(_: Meter) -> Iterator[Row]:
        nonlocal used
        if isinstance(source, Iterator):
            if used:
                raise RequestError("These records are an iterator, which can be read only once. Pass a list.")
            used = True
        yield from enumerate(source, 1)

    return rows


def not_a_row(row: Any) -> DataError:
    """The error for a row that is not an object."""
    return fault(show(row), "an object with named fields, a Record or a Case", "pass dicts")


def no_record(name: str) -> DataError:
    """The error for a source without rows."""
    return DataError(
        f"{name} has no record: found an empty input; expected at least one record; check the file."
    )


def open_saved(path: Path) -> Any:
    """The data set in a folder; RequestError if it has several splits."""
    datasets = _library()
    try:
        result = datasets.load_from_disk(str(path))
    except (OSError, ValueError, KeyError) as error:
        raise RequestError(f"{path} is not a complete data set: {error}. Save it again.") from error
    return _one_split(result, None, str(path), how=f"give its folder, {path}/SPLIT")


def open_named(source: str) -> Any:
    """The data set that ``hf:NAME`` or ``hf:NAME:SPLIT`` names, as a stream."""
    datasets = _library()
    name, _, split = source.removeprefix(PREFIX).partition(":")
    if not name:
        raise RequestError(f"'{source}' has no name of a data set: write hf:NAME or hf:NAME:SPLIT.")
    try:
        result = datasets.load_dataset(name, streaming=True)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        reason = " ".join(str(error).split())
        raise RequestError(
            f"The data set '{name}' could not be opened: {reason} Check the name and the network, or give a file."
        ) from error
    return _one_split(result, split or None, source, how=f"write hf:{name}:SPLIT")


def _one_split(splits: Any, split: str | None, what: str, *, how: str) -> Any:
    if not isinstance(splits, Mapping):
        return splits
    if split is None and len(splits) == 1:
        return next(iter(splits.values()))
    if split in splits:
        return splits[split]
    if split is None:
        raise RequestError(f"{what} has the splits {names(splits)}: {how}.")
    raise RequestError(
        f"{what} has no split {split!r}. Its splits: {names(splits)}.{did_you_mean(split, splits)}"
    )


def _library() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtra("datasets", "datasets", "Reading a Hugging Face data set") from error
    return datasets
