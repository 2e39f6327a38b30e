"""How every command that reads records is told where what it needs stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from pathlib import Path

    from fairbrief.nouns import Scorer
    from fairbrief.readers import Reading


class ReadingOptions:
    """Types of the options that say how a file is read."""

    summary_field = Annotated[str, typer.Option(help="Field or column with the summary.", metavar="FIELD")]
    documents_field = Annotated[
        str, typer.Option(help="Field or column with the documents.", metavar="FIELD")
    ]
    id_field = Annotated[str, typer.Option(help="Field or column with the record's id.", metavar="FIELD")]
    system_field = Annotated[
        str, typer.Option(help="Field or column with the system's name.", metavar="FIELD")
    ]
    references_field = Annotated[
        str, typer.Option(help="Field or column with human summaries.", metavar="FIELD")
    ]
    separator = Annotated[
        str | None,
        typer.Option(help="What stands between documents in one text field, e.g. ' || '.", metavar="TEXT"),
    ]
    summaries = Annotated[
        list[str] | None,
        typer.Option(help="Summaries of one system in a file of their own.", metavar="NAME=FILE"),
    ]
    system = Annotated[
        str | None, typer.Option(help="Name of the system, if the file gives none.", metavar="NAME")
    ]
    format = Annotated[
        str | None,
        typer.Option(
            "--format", help="jsonl, csv, tsv, parquet, arrow: instead of the file's ending.", metavar="NAME"
        ),
    ]
    require = Annotated[
        list[str] | None,
        typer.Option(help="Leave out records whose documents lack this attribute.", metavar="ATTRIBUTE"),
    ]
    on_error = Annotated[
        str, typer.Option(help="stop at bad input, or skip it, counted and listed.", metavar="stop|skip")
    ]


def read(
    files: Sequence[str],
    *,
    attributes: Sequence[str] | None,
    summaries: Sequence[str] | None,
    require: Sequence[str] | None,
    on_error: str,
    format_: str | None = None,
    **fields: Any,
) -> Reading:
    """The files as a stream of cases, told by the options of a command."""
    from fairbrief import readers

    if on_error not in ("stop", "skip"):
        raise RequestError(f"--on-error is stop or skip, not '{on_error}'.")
    return readers.read(
        files if len(files) > 1 else files[0],
        attributes=_pairs(attributes, "--attribute"),
        summaries=_pairs(summaries, "--summaries", needed=True) or None,
        require=tuple(require or ()),
        on_error="skip" if on_error == "skip" else "stop",
        format=format_,
        **fields,
    )


def _pairs(texts: Sequence[str] | None, option: str, *, needed: bool = False) -> Mapping[str, str]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if needed and not (equals and name and value):
            raise RequestError(f"{option} {text}: write {option} NAME=FILE.")
        if equals:
            pairs[name] = value
    return pairs


def cached(path: Path | None) -> Callable[[Scorer], Scorer] | None:
    """What puts a cache in this file before a scorer with a model; None without a file."""
    if path is None:
        return None
    from fairbrief.engines.cache import Cached, is_cacheable

    return lambda scorer: Cached(scorer, path) if is_cacheable(scorer) else scorer


@contextmanager
def progress_bar(reading: Reading, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """A bar over the bytes of the input, on standard error, where a person looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    from fairbrief.scorers.progress import Progress as Scored
    from fairbrief.scorers.progress import watched

    columns = (
        TextColumn("auditing"), BarColumn(), TextColumn("{task.fields[cases]:,} summaries"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), TextColumn("{task.fields[scoring]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("audit", total=reading.bytes_total or None, cases=0, scoring="")

        def advance(cases: int) -> None:
            bar.update(task, completed=reading.bytes_read, cases=cases, scoring="")

        def scoring(scored: Scored) -> None:
            done = f"{scored.scorer} {scored.done:,}/{scored.total:,}, {scored.per_second:,.0f}/s"
            bar.update(task, scoring=done)

        with watched(scoring):
            yield advance
