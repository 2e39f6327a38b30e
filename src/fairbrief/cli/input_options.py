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

from fairbrief.readers import ReadingSettings
from fairbrief.reports.plain import printable
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from rich.progress import Progress

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
    """Print how much of the input was excluded by ``--on-error skip`` or ``--require``, if any was."""
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
def bar(*columns: str, quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error, with texts before and after it; None if it is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    texts: list[Any] = [TextColumn(text) for text in columns]
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(
        *texts[:1], BarColumn(), *texts[1:2], *times, *texts[2:], console=Console(stderr=True), transient=True
    ) as shown:
        yield shown


@contextmanager
def progress_bar(reading: Reading, *, quiet: bool = False) -> Iterator[Callable[[int], None] | None]:
    """A progress bar over the bytes of the input; yields a function of the number of finished cases."""
    with bar("auditing", "{task.fields[cases]}", "{task.fields[scoring]}", quiet=quiet) as shown:
        if shown is None:
            yield None
            return
        from fairbrief.scorers.pairs import Progress as Scored
        from fairbrief.scorers.pairs import watched

        task = shown.add_task("audit", total=reading.bytes_total or None, cases="", scoring="")

        def advance(cases: int) -> None:
            done = counted(cases, "summary", "summaries")
            shown.update(task, completed=reading.bytes_read, cases=done, scoring="")

        def scoring(scored: Scored) -> None:
            done = f"{scored.scorer} {scored.done:,}/{scored.total:,}, {scored.per_second:,.0f}/s"
            shown.update(task, scoring=done)

        with watched(scoring):
            yield advance
