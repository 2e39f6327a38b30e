"""The folder that an audit leaves behind: who writes it, what is in it, and reading it again."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Self

from fairbrief.atomic_files import atomic_path, clear_unfinished, exclusive
from fairbrief.errors import DataError, RequestError
from fairbrief.text.addresses import refuse_stored

if TYPE_CHECKING:
    import pyarrow as pa

    from fairbrief.reports.json_file import Saved
    from fairbrief.reports.per_record import PerRecordRows, PerRecordWriter, SavedRows
    from fairbrief.reports.result import Result

PER_RECORD, TABLES = "per_record", "tables"
PAGE, MARKDOWN = "report.html", "report.md"
ESTIMATES, EXAMPLES, SOURCES = "estimates.csv", "examples.json", "sources.parquet"
LISTED = ".written"
"""In the folders of per-record statistics and of tables the names of the files that the audit wrote: the next one takes these away and nothing else."""
UNFINISHED = "unfinished"
"""The file that stands in the folder while an audit is made for it, and after one that did not come to its end."""
RESULTS = "results.json"
OURS = b'"schema": "fairbrief.'
"""What our results begin with."""
WRITTEN = (
    PAGE, MARKDOWN, ESTIMATES, PER_RECORD, EXAMPLES, SOURCES, RESULTS,
)  # fmt: skip
"""What an audit writes over in its folder."""
STAGE = ".new"
"""Where the files of an audit are written before they take the place of the old ones."""


# ------------------------------------------------------------------------------------------- claiming


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[Path]:
    """Hold the folder for this process, from before the work begins until its files stand; made if absent.

    The lock is the kernel's and goes with the process. Where the work fails or the process is killed the file
    `UNFINISHED` stays beside an older audit, so that nobody takes that for the new one; a folder that holds none
    is left as it was. RequestError where another process holds the folder, and where it holds files that have the names
    of an audit's and are not. A link is followed.
    """
    refuse_stored(folder)
    folder = folder.resolve()
    _refuse_strangers(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / UNFINISHED
    busy = f"Another process is making an audit for {folder}. Wait for it, or name another folder."
    with exclusive(mark, busy):
        clear(folder)
        try:
            yield folder
        except BaseException:
            clear(folder)
            if not any((folder / name).exists() for name in WRITTEN):
                mark.unlink(missing_ok=True)
                if is_new:
                    with contextlib.suppress(OSError):  # an answer or a cache may stand in it
                        folder.rmdir()
            raise
        mark.unlink(missing_ok=True)


def _refuse_strangers(folder: Path) -> None:
    there = [name for name in WRITTEN if (folder / name).exists()]
    if not there or (folder / UNFINISHED).exists():
        return
    if RESULTS in there:
        with (folder / RESULTS).open("rb") as results:
            if OURS in results.read(100):
                return
    them = "it" if len(there) == 1 else "them"
    raise RequestError(
        f"{folder} holds {', '.join(there)}, which no audit wrote there, and an audit would write over {them}. Name another "
        f"folder, or move {them} away."
    )


def clear(folder: Path) -> None:
    """Take away what a killed run left half written."""
    shutil.rmtree(folder / STAGE, ignore_errors=True)
    clear_unfinished(folder)


def refuse_unfinished(folder: Path) -> None:
    """DataError where an audit is being made for the folder, or the last one did not come to its end."""
    mark = folder / UNFINISHED
    try:
        descriptor = os.open(mark, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError(
            f"{folder}: an audit is being made for this folder. Wait until it has ended."
        ) from None
    finally:
        os.close(descriptor)
    raise DataError(
        f"{folder}: the last audit for this folder did not come to its end, so that what is in it is older. "
        f"Run it again; or, to take the older one for what it is, delete {mark}."
    )


# -------------------------------------------------------------------------------------------- writing


def write_all(result: Result, folder: Path | str) -> tuple[Path, ...]:
    """Write every format into the folder, all of them or none; return their paths.

    ``results.json``, ``sources.parquet``, ``examples.json``, ``report.html``, ``report.md``, ``estimates.csv``, per observation
    ``per_record/NAME.parquet``, and per printed table ``tables/NAME.csv`` and ``tables/NAME.tex``. The files of an older audit are taken away.

    Raises RequestError where another process is writing there, OSError where the disk does.
    """
    with claimed(Path(folder)) as claim:
        return replace_all(result, claim)[0]


class PerRecordAhead:
    """Per-record statistics that another thread writes into a folder as soon as its rows are settled: while they are estimated, and while
    the examples of the page are read. Most of it is done in libraries, which let other threads run meanwhile.

    The folder is one that the caller has claimed (`claimed`), until after this is left.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(1)
        self._begun: Future[PerRecordWriter] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        if self._begun is not None and self._begun.exception() is None:
            self._begun.result().close()  # which was done, if the work came to its end

    def begin(self, rows: PerRecordRows) -> None:
        """Begin to write these rows, which nobody may change any more."""
        from fairbrief.reports.per_record import PerRecordWriter

        stage = _stage(self._folder)
        # It knows what is set for whoever asks for it: the language that texts are in.
        self._begun = self._pool.submit(copy_context().run, PerRecordWriter, rows, stage / PER_RECORD)

    def end(self, audit: str) -> None:
        """Write what is not written yet of what was begun, and the audit that it is of; raises what writing raised."""
        assert self._begun is not None
        self._begun.result().end(audit)


@contextlib.contextmanager
def ahead_in(folder: Path | None, threads: int) -> Iterator[PerRecordAhead | None]:
    """What writes per-record statistics ahead into a folder; None without a folder, and where the process may use one thread alone."""
    if folder is None or threads < 2:
        yield None
        return
    with PerRecordAhead(folder) as ahead:
        yield ahead


def replace_all(
    result: Result,
    folder: Path,
    complete: Callable[[Result], Result] = lambda result: result,
    ahead: PerRecordAhead | None = None,
) -> tuple[tuple[Path, ...], str]:
    """`write_all` into a folder that the caller has claimed (`claimed`).

    ``complete`` adds the examples that the page shows, where the result is without. ``ahead`` has begun to write the evidence.
    The paths, and the result's identity (`fairbrief.reports.json_file.identity`). Everything is written aside first, so that a full disk spoils nothing; then it is put in place,
    ``results.json`` last. All that is read again carries the same identity.
    """
    stage = _stage(folder)
    try:
        names, audit = _write(result, stage, complete, ahead)
        for name in names:
            _sync(stage / name)
        for below in (PER_RECORD, TABLES):
            (folder / below).mkdir(exist_ok=True)
            for old in _listed(folder / below):
                (folder / below / old).unlink(missing_ok=True)
        if SOURCES not in names:
            (folder / SOURCES).unlink(missing_ok=True)
        for name in names:
            (stage / name).replace(folder / name)
    finally:
        clear(folder)
    return tuple(folder / name for name in names), audit


def _stage(folder: Path) -> Path:
    """Where files are written aside; made if absent."""
    for below in (PER_RECORD, TABLES):
        (folder / STAGE / below).mkdir(parents=True, exist_ok=True)
    return folder / STAGE


def _write(
    result: Result, stage: Path, complete: Callable[[Result], Result], ahead: PerRecordAhead | None
) -> tuple[list[str], str]:
    """Every file, by its name below the folder, in the order in which they are to be put in place; the identity."""
    from fairbrief.reports import json_file
    from fairbrief.reports.per_record import PerRecordWriter, files_of

    audit = json_file.write(result, stage / RESULTS)
    if ahead is None:
        PerRecordWriter(result.rows, stage / PER_RECORD).end(audit)
    names = _write_pages(complete(result), stage, audit)
    if ahead is not None:
        ahead.end(audit)
    names += [f"{PER_RECORD}/{one.file}" for one in files_of(result.rows)]
    if result.sources is not None:
        write_sources(result.sources, stage / SOURCES, audit)
        names.append(SOURCES)
    return [*_lists(stage, names), *names, RESULTS], audit


def _lists(stage: Path, names: Sequence[str]) -> Iterator[str]:
    """Write what is in each folder below this one: the lists' names."""
    for below in (PER_RECORD, TABLES):
        own = [Path(name).name for name in names if name.startswith(f"{below}/")]
        (stage / below / LISTED).write_text("".join(f"{name}\n" for name in own), encoding="utf-8")
        yield f"{below}/{LISTED}"


def _write_pages(result: Result, stage: Path, audit: str) -> list[str]:
    """What people read, and the examples: the files' names below the folder."""
    from fairbrief.reports import arrangement, exports, html, json_file
    from fairbrief.reports.per_record import file_name
    from fairbrief.reports.tables import printed_tables

    arranged = arrangement.Arranged.of(result)
    tables = printed_tables(result, arranged)
    texts = {ESTIMATES: exports.csv_text(result), MARKDOWN: exports.markdown(result, tables)}
    taken: set[str] = set()
    for table in tables:
        name = file_name(table.title, taken)
        texts[f"{TABLES}/{name}.csv"] = exports.csv_text(table)
        texts[f"{TABLES}/{name}.tex"] = exports.latex(table)
    for name, text in texts.items():
        (stage / name).write_text(text, encoding="utf-8", newline="\n")
    html.write(result, stage / PAGE, arranged)
    json_file.write_examples(result.examples, stage / EXAMPLES, audit)
    return [*texts, PAGE, EXAMPLES]


def _listed(folder: Path) -> list[str]:
    """The files that an older audit wrote into one of its folders."""
    try:
        listed = (folder / LISTED).read_text(encoding="utf-8").split()
    except (FileNotFoundError, UnicodeDecodeError):
        return []
    return [name for name in listed if name == Path(name).name]


def load(folder: Path | str) -> Result:
    """Read the result that `write_all` wrote; rows of per-record statistics when they are asked for.

    Raises DataError where a file is absent or damaged, where the files are of different audits, and where the
    last audit for the folder did not come to its end; and for damaged rows of per-record statistics, when they are asked for.
    """
    from fairbrief.reports import json_file

    folder = Path(folder)
    saved, rows = opened(folder)
    examples = json_file.read_examples(folder / EXAMPLES, saved.audit)
    return saved.result(rows, examples, read_sources(folder / SOURCES, saved.audit))


def opened(folder: Path) -> tuple[Saved, SavedRows]:
    """The content of a folder's ``results.json``, and the rows of its evidence. DataError as `load`."""
    from fairbrief.reports import json_file
    from fairbrief.reports.per_record import SavedRows

    refuse_unfinished(folder)
    saved = json_file.read(folder / RESULTS)
    return saved, SavedRows(folder / PER_RECORD, saved.per_record, saved.audit)


def place(path: Path, write: Callable[[Path], object]) -> Path:
    """Let ``write`` fill a file beside ``path``, then put it in place in one step; a link is followed."""
    path = path.resolve()
    with atomic_path(path) as part:
        write(part)
    return path


def _sync(path: Path) -> None:
    with path.open("rb") as written:
        os.fsync(written.fileno())


# -------------------------------------------------------------------- hashes of what was summarized


def write_sources(sources: pa.Table, path: Path, audit: str) -> None:
    """Write the hashes; the file's metadata name the audit."""
    from fairbrief.reports.per_record import write_hashes

    write_hashes(sources.replace_schema_metadata({b"audit": audit.encode()}), path)


def read_sources(path: Path, audit: str) -> pa.Table | None:
    """The hashes; None where an audit has none. DataError where the file is damaged or of another audit."""
    import pyarrow.parquet as pq

    from fairbrief.reports.per_record import mixed, reading

    if not path.exists():
        return None
    with reading(path):
        table = pq.read_table(path)
        hashes = table.select(["record", "documents"])
    if (table.schema.metadata or {}).get(b"audit", b"").decode("utf-8", "replace") != audit:
        raise DataError(mixed(path))
    return hashes
