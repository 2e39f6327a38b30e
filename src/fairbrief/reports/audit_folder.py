"""The folder of an audit: writing, content, and loading."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from fairbrief.atomic_files import clear_unfinished, exclusive, write_text
from fairbrief.errors import DataError, RequestError
from fairbrief.reports import json_file, per_record
from fairbrief.reports.result import Result
from fairbrief.text.addresses import refuse_stored

PER_RECORD = "per_record"
PAGE, MARKDOWN = "report.html", "report.md"
ESTIMATES, EXAMPLES, SOURCES, INPUTS = "estimates.csv", "examples.json", "sources.parquet", "inputs.json"
DIGESTS = "digests.sha256"
"""The SHA-256 of each file that is loaded again, in the format of ``sha256sum --check``."""
LISTED = ".written"
"""The list of files that the audit wrote: the next audit removes only these, and every file in `PER_RECORD`."""
UNFINISHED = "unfinished"
"""The file that marks an audit in progress, or one that was interrupted."""
RESULTS = "results.json"
OURS = b'"schema": "fairbrief.'
"""The beginning of Fairbrief's results.json."""
WRITTEN = (
    PAGE, MARKDOWN, ESTIMATES, PER_RECORD, EXAMPLES, SOURCES, DIGESTS, RESULTS,
)  # fmt: skip
"""The files that an audit replaces in its folder."""
STAGE = ".new"
"""The subfolder for new files before they replace the old ones."""


# ------------------------------------------------------------------------------------------- claiming


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[Path]:
    """Lock the folder for this process until its files are written; create it if missing.

    The kernel's lock ends with the process. If the work fails or the process is killed, the file `UNFINISHED` stays next to an
    older audit, so that it is not mistaken for the new one; a folder without an audit is left unchanged. Raises RequestError
    if another process has the lock, or if the folder has files with the names of an audit's that no audit wrote. Follows links.
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
                    with contextlib.suppress(OSError):  # it may contain a journal or a cache
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
        f"{folder} contains {', '.join(there)}, which no audit wrote, and an audit would replace {them}. Name another folder, or move "
        f"{them} away."
    )


def clear(folder: Path) -> None:
    """Remove incomplete files of a killed run."""
    shutil.rmtree(folder / STAGE, ignore_errors=True)
    clear_unfinished(folder)


def refuse_unfinished(folder: Path) -> None:
    """Raise DataError if an audit for the folder is in progress, or was interrupted."""
    mark = folder / UNFINISHED
    try:
        file = mark.open("rb")
    except FileNotFoundError:
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            going_on = f"{folder}: an audit for this folder is in progress. Wait until it has ended."
            raise DataError(going_on) from None
    raise DataError(
        f"{folder}: the last audit for this folder was interrupted, so its files are from an older one. Run it again; to use the older "
        f"one, delete {mark}."
    )


# -------------------------------------------------------------------------------------------- writing


def write_all(result: Result, folder: Path | str) -> None:
    """Write every format into the folder, all of them or none.

    ``results.json``, ``sources.parquet``, ``examples.json``, ``report.html``, ``report.md``, ``estimates.csv``, and per observation
    ``per_record/NAME.parquet``. Files of an older audit are removed.

    Raises RequestError if another process writes there, OSError for a full or failing disk.
    """
    with claimed(Path(folder)) as claim:
        replace_all(result, claim)


def replace_all(result: Result, folder: Path) -> str:
    """`write_all` into a folder that the caller has claimed (`claimed`); return the result's identity.

    Everything is first written to a subfolder, so that a full disk damages nothing; then the files are moved, ``results.json``
    last. All files that are loaded again have the same identity (`fairbrief.reports.json_file.identity`).
    """
    stage = folder / STAGE
    try:
        (stage / PER_RECORD).mkdir(parents=True, exist_ok=True)
        audit = json_file.write(result, stage / RESULTS)
        per_record.write_rows(result.rows, stage / PER_RECORD, audit)
        if result.sources is not None:
            per_record.write_sources(result.sources, stage / SOURCES, audit)
        pages = _write_pages(result, stage, audit)
        loaded = [name for name in _loaded(result) if (stage / name).exists()]
        names = [LISTED, *pages, *loaded, DIGESTS, RESULTS]
        (stage / DIGESTS).write_text(_digest_lines(stage, [RESULTS, *loaded]), encoding="utf-8")
        (stage / LISTED).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        for name in names:
            with (stage / name).open("rb") as written:
                os.fsync(written.fileno())
        stale = (f"{PER_RECORD}/{path.name}" for path in (folder / PER_RECORD).glob("*.parquet"))
        for old in {*_listed(folder), *stale, INPUTS} - {*names}:
            (folder / old).unlink(missing_ok=True)
        for name in names:
            (folder / name).parent.mkdir(exist_ok=True)
            (stage / name).replace(folder / name)
    finally:
        clear(folder)
    return audit


def _loaded(result: Result) -> list[str]:
    """The files beside `RESULTS` that are loaded again; a folder may lack `SOURCES` and `INPUTS`."""
    rows = [f"{PER_RECORD}/{one.file}" for one in per_record.files_of(result.rows)]
    return [EXAMPLES, SOURCES, INPUTS, *rows]


def _write_pages(result: Result, stage: Path, audit: str) -> list[str]:
    """What people read, and the examples: the files' names below the folder."""
    from fairbrief.reports import exports, html

    texts = {MARKDOWN: exports.markdown(result), PAGE: html.render(result)}
    for name, text in texts.items():
        (stage / name).write_text(text, encoding="utf-8", newline="\n")
    # Row by row: there may be a million.
    with (stage / ESTIMATES).open("w", encoding="utf-8", newline="\n") as file:
        exports.write_csv(result, file)
    json_file.write_examples(result.examples, stage / EXAMPLES, audit)
    return [*texts, ESTIMATES]


def _listed(folder: Path) -> list[str]:
    """The files that an older audit wrote, below its folder."""
    try:
        listed = (folder / LISTED).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return []
    return [name for name in listed if name and ".." not in name and not Path(name).is_absolute()]


def load(folder: Path | str) -> Result:
    """Load the result that `write_all` wrote; per-record statistics are read when needed.

    Raises DataError if a file is missing or damaged, if the files are from different audits, or if the last audit for the folder
    was interrupted; for damaged per-record statistics, when they are read.
    """
    folder = Path(folder)
    saved, rows = opened(folder)
    examples = json_file.read_examples(folder / EXAMPLES, saved.audit)
    return saved.result(rows, examples, per_record.read_sources(folder / SOURCES, saved.audit))


def load_unchanged(folder: Path | str) -> Result:
    """`load`, if no file was changed, removed or exchanged since the audit. Raises DataError for the first such file."""
    folder = Path(folder)
    result = load(folder)
    try:
        lines = (folder / DIGESTS).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        raise DataError(f"{folder / DIGESTS} is missing or damaged. Run the audit again.") from None
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name in (RESULTS, *_loaded(result)):
        path = folder / name
        if known.get(name) != (_digest(path) if path.exists() else None):
            how = "was changed after the audit" if path.exists() else "was removed"
            raise DataError(f"{path} {how}. Restore the file, or run the audit again.")
    return result


def add_digest(folder: Path, name: str) -> None:
    """Add a file that was written after the others to the list of digests."""
    if not (folder / DIGESTS).exists():  # a folder without a list has nothing to add to
        return
    lines = (folder / DIGESTS).read_text(encoding="utf-8") + _digest_lines(folder, [name])
    write_text(folder / DIGESTS, lines)


def _digest_lines(folder: Path, names: Sequence[str]) -> str:
    return "".join(f"{_digest(folder / name)}  {name}\n" for name in names)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def opened(folder: Path) -> tuple[json_file.ResultsFile, per_record.PerRecordRows]:
    """The content of a folder's ``results.json``, and its per-record statistics. Raises DataError as `load`."""
    if folder.is_file():
        raise DataError(f"{folder} is a file: give the folder that 'fairbrief audit … --out DIR' wrote.")
    refuse_unfinished(folder)
    saved = json_file.read(folder / RESULTS)
    return saved, per_record.saved_rows(folder / PER_RECORD, saved.per_record, saved.audit)
