"""How every command that reads records is told where what it needs stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial, update_wrapper
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from pathlib import Path

    from fairbrief.nouns import Scorer
    from fairbrief.readers import Reading


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What a command was told of how its input is read. Each field is an option: see `reading_options`."""

    summary_field: Annotated[str, typer.Option(help="Field or column with the summary.", metavar="FIELD")] = (
        "summary"
    )
    documents_field: Annotated[
        str, typer.Option(help="Field or column with the documents.", metavar="FIELD")
    ] = "documents"
    id_field: Annotated[str, typer.Option(help="Field or column with the record's id.", metavar="FIELD")] = (
        "id"
    )
    system_field: Annotated[
        str, typer.Option(help="Field or column with the system's name.", metavar="FIELD")
    ] = "system"
    references_field: Annotated[
        str, typer.Option(help="Field or column with human summaries.", metavar="FIELD")
    ] = "references"
    separator: Annotated[
        str | None,
        typer.Option(help="What stands between documents in one text field, e.g. ' || '.", metavar="TEXT"),
    ] = None
    summaries: Annotated[
        list[str] | None,
        typer.Option(help="Summaries of one system in a file of their own.", metavar="NAME=FILE"),
    ] = None
    system: Annotated[
        str | None, typer.Option(help="Name of the system, if the file gives none.", metavar="NAME")
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="jsonl, csv, tsv, ssv, parquet, arrow: instead of the file's ending.", metavar="NAME"
        ),
    ] = None
    require: Annotated[
        list[str] | None,
        typer.Option(help="Leave out records whose documents lack this attribute.", metavar="ATTRIBUTE"),
    ] = None
    on_error: Annotated[
        str, typer.Option(help="stop at bad input, or skip it, counted and listed.", metavar="stop|skip")
    ] = "stop"

    @property
    def skips(self) -> bool:
        """Whether bad input is left out."""
        return self.on_error == "skip"

    def told(self) -> dict[str, object]:
        """The options that say something else than what is usual."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def read(self, files: Sequence[str], attributes: Sequence[str] | None) -> Reading:
        """The files as a stream of cases; attributes as NAME, or NAME=FIELD."""
        from fairbrief import readers

        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"--on-error is stop or skip, not '{self.on_error}'.")
        return readers.read(
            files if len(files) > 1 else files[0],
            summary_field=self.summary_field,
            documents_field=self.documents_field,
            id_field=self.id_field,
            system_field=self.system_field,
            references_field=self.references_field,
            attributes=_pairs(attributes, "--attribute"),
            separator=self.separator,
            summaries=_pairs(self.summaries, "--summaries", needed=True) or None,
            on_error="skip" if self.skips else "stop",
            require=tuple(self.require or ()),
            system=self.system,
            format=self.format,
        )


OF_SUMMARIES = ("summary_field", "system_field", "summaries", "system")
"""Options that speak of summaries: a command that has them written does without."""


def reading_options(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `ReadingOptions`, but for some, in place of its parameter ``options``.

    Typer reads a command's options from its signature, so that is what is made anew.
    """
    hints = get_type_hints(ReadingOptions, include_extras=True)
    own = [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(ReadingOptions)
        if f.name not in without
    ]

    def extended(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            told = {parameter.name: given.pop(parameter.name) for parameter in own}
            command(**given, options=ReadingOptions(**told))

        found = signature(command, eval_str=True)
        others = [parameter for name, parameter in found.parameters.items() if name != "options"]
        made: Any = update_wrapper(run, command)
        made.__signature__ = found.replace(parameters=[*others, *own])
        made.__annotations__ = {parameter.name: parameter.annotation for parameter in (*others, *own)}
        return run

    return extended


def _pairs(texts: Sequence[str] | None, option: str, *, needed: bool = False) -> Mapping[str, str]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if needed and not (equals and name and value):
            raise RequestError(f"{option} {text}: write {option} NAME=FILE.")
        if equals:
            pairs[name] = value
    return pairs


def tell_left_out(reading: Reading) -> None:
    """Print how much of the input was left out on request (``--on-error skip``, ``--require``), if any was."""
    from fairbrief.reports.plain import printable

    if reading.skipped_count:
        typer.echo(
            f"Left out of the input: {reading.skipped_count:,}. The first: {printable(reading.skipped[0])}"
        )


def cached(path: Path | None) -> Callable[[Scorer], Scorer] | None:
    """What puts a cache in this file before a scorer with a model; None without a file."""
    return None if path is None else partial(_with_cache, path)


def _with_cache(path: Path, scorer: Scorer) -> Scorer:
    from fairbrief.engines.cache import Cached, is_cacheable

    return Cached(scorer, path) if is_cacheable(scorer) else scorer


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
        TextColumn("auditing"), BarColumn(), TextColumn("{task.fields[cases]}"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), TextColumn("{task.fields[scoring]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("audit", total=reading.bytes_total or None, cases="", scoring="")

        def advance(cases: int) -> None:
            bar.update(
                task, completed=reading.bytes_read, cases=counted(cases, "summary", "summaries"), scoring=""
            )

        def scoring(scored: Scored) -> None:
            done = f"{scored.scorer} {scored.done:,}/{scored.total:,}, {scored.per_second:,.0f}/s"
            bar.update(task, scoring=done)

        with watched(scoring):
            yield advance
