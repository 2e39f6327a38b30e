"""The output of commands: checks of its place before any work; files and tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.reports.result import Result
    from fairbrief.reports.terminal import First
    from fairbrief.types import Table


def check_output(out: Path, option: str, inputs: Iterable[object]) -> None:
    """RequestError if the output is one of the inputs, or cannot be written."""
    given = [str(file) for one in inputs for file in (one if isinstance(one, (list, tuple)) else [one])]
    # An input may be NAME=FILE.
    files = {Path(path).resolve() for text in given for path in (text, text.partition("=")[2])}
    if not out.is_dir() and out.resolve() in files:
        raise RequestError(f"{option} {out} is also an input: give another name.")
    there = next((place for place in (out, *out.absolute().parents) if place.exists()), Path.cwd())
    if not out.exists() and not there.is_dir():
        raise RequestError(f"{option} {out}: {there} is a file, not a folder: give another path.")
    if not os.access(there, os.W_OK):
        raise RequestError(f"{option} {out}: you cannot write to {there}: give another path.")


def check_sheet(sheet: Path, option: str) -> None:
    """RequestError if a new sheet has another ending than .csv, or exists: people's answers could not be recovered."""
    if sheet.suffix != ".csv":
        raise RequestError(f"{option} {sheet}: give a name that ends in .csv.")
    if sheet.exists():
        raise RequestError(f"{sheet} exists and may contain answers: give another name, or remove it.")


def write_text(path: Path, text: str, newline: str = "\n") -> None:
    """Write a file atomically."""
    from fairbrief.reports.audit_folder import place

    place(path, lambda part: part.write_text(text, encoding="utf-8", newline=newline))


def print_text(text: str, style: str = "") -> None:
    """Print a sentence, wrapped at the width of the terminal."""
    from rich.console import Console

    from fairbrief.reports import terminal

    terminal.say(Console(), text, style)


def print_labelled(label: str, texts: Iterable[str], style: str = "") -> None:
    """Print texts, wrapped beside a label."""
    from rich.console import Console

    from fairbrief.reports import terminal

    terminal.print_labelled(label, texts, Console(highlight=False), style)


def print_tables(tables: Sequence[Table], *, is_below_text: bool = False) -> None:
    """Print tables with an empty line between them, and before the first if text is above it.

    A note of neighbouring tables is printed below the last of them.
    """
    from rich.console import Console

    from fairbrief.reports import terminal

    console = Console()
    for i, table in enumerate(tables):
        if i or is_below_text:
            console.print()
        again = tables[i + 1].notes if i + 1 < len(tables) else ()
        notes = tuple(note for note in table.notes if note not in again)
        terminal.print_table(replace(table, notes=notes), console)


def print_audit(
    result: Result, *, details: bool, folder: Path | None = None, can_save: bool = True, first: First = ""
) -> None:
    """Print an audit on the terminal; ``folder`` is where it is saved, ``can_save`` whether the command has --out, and ``first`` which tables come first."""
    from rich.console import Console

    from fairbrief.reports import terminal

    place = terminal.Place(folder, can_save=can_save or folder is not None)
    terminal.print_result(result, Console(), details=details, place=place, tables_first=first)
