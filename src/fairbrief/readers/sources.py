"""What can be read: files, folders, names, tables and iterables, each as a stream of numbered rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files, huggingface, lines, tables
from fairbrief.readers.files import Meter
from fairbrief.readers.lines import Row
from fairbrief.readers.places import fault, show

FRAMES = {"pandas": ("DataFrame",), "polars": ("DataFrame",), "pyarrow": ("Table", "RecordBatch")}
LAZY = {"polars": ("LazyFrame",), "pyarrow": ("RecordBatchReader",)}
READERS: Mapping[str, Callable[[Path, str, Meter], Iterator[Row]]] = {
    "jsonl": lines.read_lines,
    "json": lines.read_json,
    "csv": tables.read_csv,
    "tsv": lambda path, name, meter: tables.read_csv(path, name, meter, "\t"),
    "ssv": lambda path, name, meter: tables.read_csv(path, name, meter, ";"),
    "parquet": tables.read_parquet,
    "arrow": tables.read_arrow,
}


@dataclass(frozen=True, slots=True)
class Source:
    """One place that rows come from.

    ``name`` stands in messages, ``system`` is the system's name if the rows name none. ``is_table`` says
    that every row has every column. ``rows`` begins anew at each call.
    """

    name: str
    system: str
    rows: Callable[[Meter], Iterator[Row]]
    path: Path | None = None
    size: int = 0
    is_table: bool = False


def find_sources(source: Any, said: str | None) -> list[Source]:
    """The sources that the caller's word for them means; ``said`` is the format of files, if said."""
    if isinstance(source, (str, os.PathLike)):
        return [_named(source, said, {})]
    if (known := _in_memory(source)) is not None:
        return [known]
    if isinstance(source, Sequence) and source and all(isinstance(p, (str, os.PathLike)) for p in source):
        clash = _clashes([Path(p) for p in source])
        return [_named(path, said, clash) for path in source]
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        return [Source("records", "records", _iterable(source))]
    raise RequestError(
        f"Records cannot be read from {show(source)}. Give a path, paths, hf:NAME, a table or an iterable of dicts."
    )


def _named(source: str | os.PathLike[str], said: str | None, clash: Mapping[Path, bool]) -> Source:
    if isinstance(source, str) and source.startswith(huggingface.PREFIX):
        dataset = huggingface.open_named(source)
        return Source(
            source, source.split("/")[-1], lambda _: huggingface.read_dataset(dataset), is_table=True
        )
    try:
        return _file(Path(source), said, whole=clash.get(Path(source), False))
    except ValueError as error:  # a NUL in a path
        raise RequestError(f"{source!r} is not a path: {error}.") from error


def _file(path: Path, said: str | None, *, whole: bool) -> Source:
    name = files.printable(path if whole else path.name)
    if path.is_dir() and huggingface.is_saved(path):
        dataset = huggingface.open_saved(path)
        return Source(name, path.name, lambda _: huggingface.read_dataset(dataset), path, is_table=True)
    files.check(path)
    kind = files.format_of(path, said)
    if kind in ("parquet", "arrow") and files.endings(path)[1]:
        raise RequestError(f"{name}: {kind} files are compressed inside. Unpack the file first.")
    read = READERS[kind]
    size = path.stat().st_size
    is_table = kind not in ("jsonl", "json")
    return Source(name, files.stem(path), lambda meter: read(path, name, meter), path, size, is_table)


def _in_memory(source: Any) -> Source | None:
    kind = type(source)
    library = kind.__module__.partition(".")[0]
    if kind.__name__ in LAZY.get(library, ()):
        raise RequestError(
            f"A {library} {kind.__name__} can be read once only: collect it into a table first."
        )
    if kind.__name__ in FRAMES.get(library, ()):
        frame = source
        if kind.__name__ == "RecordBatch":
            import pyarrow as pa

            frame = pa.Table.from_batches([source])
        return Source("table", "table", lambda _: tables.read_frame(frame), is_table=True)
    if library == "datasets":
        dataset = huggingface.choose_split(source)
        return Source("dataset", "dataset", lambda _: huggingface.read_dataset(dataset), is_table=True)
    return None


def _iterable(source: Iterable[Any]) -> Callable[[Meter], Iterator[Row]]:
    used = False

    def rows(_: Meter) -> Iterator[Row]:
        nonlocal used
        if isinstance(source, Iterator):
            if used:
                raise RequestError(
                    "These records were an iterator, which can be read once. Pass a list of them."
                )
            used = True
        yield from enumerate(source, 1)

    return rows


def _clashes(paths: Sequence[Path]) -> Mapping[Path, bool]:
    """Which of the paths share their last part with another, so that messages must show the whole."""
    last = [path.name for path in paths]
    return {path: last.count(path.name) > 1 for path in paths}


def not_a_row(row: Any) -> DataError:
    """What is wrong with a row that is no object."""
    return fault(show(row), "an object with named fields, a Record or a Case", "pass dicts")
