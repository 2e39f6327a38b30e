"""The folder that an audit leaves behind, and reading it again."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairbrief.reports.result import Result

RESULTS, EVIDENCE, PAGE, MARKDOWN = "results.json", "evidence.parquet", "report.html", "report.md"


def write_all(result: Result, folder: Path | str) -> tuple[Path, ...]:
    """Write every format into the folder, each file whole or not at all; return their paths.

    ``results.json``, ``evidence.parquet``, ``report.html``, ``report.md``, ``estimates.csv``, and per
    printed table ``tables/NAME.csv`` and ``tables/NAME.tex``.
    """
    from fairbrief.reports import csv, evidence, html, json_file, latex, markdown, tabular

    folder = Path(folder)
    written = [
        place(folder / RESULTS, lambda path: json_file.write(result, path)),
        place(folder / EVIDENCE, lambda path: evidence.write(result, path)),
        place(folder / MARKDOWN, lambda path: markdown.write(result, path)),
        place(folder / "estimates.csv", _text(csv.render(result))),
    ]
    names: set[str] = set()
    for table in tabular.tables(result):
        name = _file_name(table.title, names)
        written.append(place(folder / "tables" / f"{name}.csv", _text(csv.render(table))))
        written.append(place(folder / "tables" / f"{name}.tex", _text(latex.render(table))))
    written.append(place(folder / PAGE, lambda path: html.write(result, path)))
    return tuple(written)


def load(folder: Path | str) -> Result:
    """Read the result that `write_all` wrote."""
    from dataclasses import replace

    from fairbrief.reports import evidence, json_file

    folder = Path(folder)
    return replace(json_file.read(folder / RESULTS), evidence=evidence.read(folder / EVIDENCE))


def place(path: Path, write: Callable[[Path], object]) -> Path:
    """Let ``write`` fill a file beside ``path``, then put it in place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
    return path


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8", newline="\n")


def _file_name(title: str, taken: set[str]) -> str:
    """A short, plain and unused file name from a title."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-") or "table"
    name, i = stem, 1
    while name in taken:
        i += 1
        name = f"{stem}-{i}"
    taken.add(name)
    return name


def _umask() -> int:
    """The process's umask, which a temporary file does not follow."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
