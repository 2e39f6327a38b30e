"""The options by which commands read records, and what they print about their input."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairbrief.errors import RequestError
from fairbrief.readers import ReadingSettings
from fairbrief.readers.reading_settings import named
from fairbrief.reports.plain import printable
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.types import Scorer


LOOKED_AT = 200
"""Records that are used to detect the language of an input."""
OF_SUMMARIES = ("summary_field", "system_field", "summaries", "summaries_id_field", "system")
"""Options about summaries, for commands that do not read summaries to leave out."""


def plan_settings(options: ReadingSettings) -> dict[str, Any]:
    """The settings of a plan: the attributes, and whether bad input is skipped."""
    return {"attributes": list(options.attribute_fields), "skips": options.on_error == "skip"}


def read_in_language(options: ReadingSettings, files: Sequence[str]) -> Reading:
    """The input; until the command ends, short texts have the language of its first records, as in an audit."""
    from fairbrief.text import languages

    reading = options.read(files)
    head = islice(reading.records(), LOOKED_AT)
    languages.suppose(languages.language_of_input(" ".join(d.text for d in r.documents) for r in head))
    return reading


def comma_separated(text: str) -> list[str]:
    """The parts of ``A, B``."""
    return [part.strip() for part in text.split(",")]


def attribute_and_field(text: str) -> tuple[str, str]:
    """The attribute and its field, from NAME or NAME=FIELD."""
    name, field = named(text)
    return name or field, field


def pair(option: str, text: str) -> tuple[str, str]:
    """Name and value in NAME=VALUE."""
    name, _, value = text.partition("=")
    if not (name.strip() and value):
        raise RequestError(f"{option} {text}: write {option} NAME=VALUE.")
    return name.strip(), value


def print_notes(notes: Sequence[str], *, quiet: bool = False) -> None:
    """Print to standard error how the input was understood, and its unused fields; on a terminal without broken words."""
    for note in () if quiet else notes:
        text = f"note: {printable(note)}"
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns
            text = textwrap.fill(
                text, width, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False
            )
        typer.echo(text, err=True)


def print_excluded(reading: Reading) -> None:
    """Print the notes of reading, and how many rows were excluded by ``--on-error skip``, if any was."""
    print_notes(reading.notes)
    if many := reading.skipped_count:
        typer.echo(f"Excluded from the input: {many:,}. The first: {printable(reading.skipped[0])}")


def cached(path: Path | None) -> Callable[[Scorer], Scorer] | None:
    """A function that adds the cache in this file to scorers with a model; None without a file."""
    return None if path is None else partial(_with_cache, path)


def _with_cache(path: Path, scorer: Scorer) -> Scorer:
    from fairbrief.engines.score_cache import Cached
    from fairbrief.types import Cacheable

    return Cached(scorer, path) if isinstance(scorer, Cacheable) else scorer


@contextmanager
def bar(title: str, total: int, *, quiet: bool) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error if it is a terminal; yields a function that sets ``completed`` and ``description``."""
    if quiet or not sys.stderr.isatty():
        yield lambda **_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    columns = (TextColumn(title), BarColumn(), *times, TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield partial(shown.update, shown.add_task("", total=total or None))


@contextmanager
def progress_bar(reading: Reading, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A progress bar over the bytes of the input; yields a function of the number of finished cases."""
    from fairbrief.scorers.pairs import watched

    with bar("auditing", reading.bytes_total, quiet=quiet) as update:

        def advance(cases: int) -> None:
            update(completed=reading.bytes_read, description=counted(cases, "summary", "summaries"))

        def scoring(scorer: str, done: int, total: int, per_second: float) -> None:
            update(description=f"{scorer} {done:,}/{total:,}, {per_second:,.0f}/s")

        with watched(scoring):
            yield advance
