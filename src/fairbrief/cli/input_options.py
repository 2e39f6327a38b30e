"""How every command that reads records is told where what it needs stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from inspect import Parameter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.cli.option_types import Language
from fairbrief.cli.shared_options import Command, with_options_of, with_signature
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted
from fairbrief.text.store_addresses import is_stored

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.readers.labelling import Missing
    from fairbrief.types import Scorer


LOOKED_AT = 200
"""Records by which the language of an input is told."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What a command was told of how its input is read. Each field is an option: see `reading_options`."""

    summary_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Field with the summary. Where several are named, or a pattern such as 'summary_*', each is another system's.",
            metavar="[NAME=]FIELD",
        ),
    ] = None
    documents_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Field with the documents, or with one document. Where several are named, or a pattern such as 'review_*' or 'reviews[*].text', each holds one.",
            metavar="FIELD",
        ),
    ] = None
    group_by: Annotated[
        str | None,
        typer.Option(
            help="Where each row is one document: field that names the record it belongs to.",
            metavar="FIELD",
        ),
    ] = None
    id_field: Annotated[
        str, typer.Option(help="Field with the record's id; '' numbers the rows.", metavar="FIELD")
    ] = "id"
    system_field: Annotated[
        str, typer.Option(help="Field or column with the system's name.", metavar="FIELD")
    ] = "system"
    references_field: Annotated[
        str, typer.Option(help="Field or column with human summaries.", metavar="FIELD")
    ] = "references"
    document_id_field: Annotated[
        str | None,
        typer.Option(
            help="Field with the documents' ids; without it, their own field 'id', if they have one.",
            metavar="FIELD",
        ),
    ] = None
    cluster_by: Annotated[
        str | None,
        typer.Option(
            help="Field of the record; records with the same value are one cluster, and left out or resampled together.",
            metavar="FIELD",
        ),
    ] = None
    separator: Annotated[
        str | None,
        typer.Option(help="What stands between documents in one text field, e.g. ' || '.", metavar="TEXT"),
    ] = None
    summaries: Annotated[
        list[str] | None,
        typer.Option(
            help="File with summaries alone: of the system NAME, or of the systems that its rows name.",
            metavar="[NAME=]FILE",
        ),
    ] = None
    summaries_id_field: Annotated[
        str | None,
        typer.Option(help="Field with the record's id in the files of summaries.", metavar="FIELD"),
    ] = None
    record_attribute: Annotated[
        list[str] | None,
        typer.Option(
            help="Attribute of the record, for slices; NAME=FIELD reads it from another field.",
            metavar="NAME[=FIELD]",
        ),
    ] = None
    join: Annotated[
        str | None,
        typer.Option(
            help="File with more fields for the rows; --on says how they are matched.", metavar="FILE"
        ),
    ] = None
    on: Annotated[
        str | None,
        typer.Option(
            help="Field by which --join matches rows; OWN=OTHER where the joined file calls it OTHER.",
            metavar="FIELD",
        ),
    ] = None
    system: Annotated[
        str | None, typer.Option(help="Name of the system, if the file gives none.", metavar="NAME")
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="jsonl, csv, tsv, ssv, excel, parquet, arrow, or a tool's: openai-batch, inspect, lm-eval, promptfoo, "
            "helm, deepeval, mlflow, summeval, summvis, json-list. Without it, the file's own form decides.",
            metavar="NAME",
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(help="Encoding of the text, e.g. cp1252; without it, the bytes decide.", metavar="NAME"),
    ] = None
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of a spreadsheet that has several.", metavar="NAME")
    ] = None
    require: Annotated[
        list[str] | None,
        typer.Option(help="Leave out records whose documents lack this attribute.", metavar="ATTRIBUTE"),
    ] = None
    missing: Annotated[
        str,
        typer.Option(
            help="Where documents lack an attribute that others of their record have: refuse the record, drop these documents, or make them a group.",
            metavar="refuse|drop|group",
        ),
    ] = "refuse"
    bin: Annotated[
        list[str] | None,
        typer.Option(
            help="Put the numbers of an attribute in groups: NAME=3,7 cuts at 3 and 7, NAME=q3 makes three of equal size.",
            metavar="NAME=CUTS",
        ),
    ] = None
    on_error: Annotated[
        str,
        typer.Option(
            help="Stop at bad input, or skip it; what is skipped is counted and listed.", metavar="stop|skip"
        ),
    ] = "stop"

    @property
    def skips(self) -> bool:
        """Whether bad input is left out."""
        return self.on_error == "skip"

    def told(self) -> dict[str, object]:
        """The options that say something else than what is usual."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def read(
        self, files: Sequence[str], attributes: Sequence[str] | None, labels: Sequence[str] = ()
    ) -> Reading:
        """The files as a stream of cases; attributes as NAME, or NAME=FIELD; ``labels`` are others that are asked for."""
        from fairbrief import readers

        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"--on-error is stop or skip, not '{self.on_error}'.")
        return readers.read(
            files if len(files) > 1 else files[0],
            summary_field=[_named(text) for text in _once_each("--summary-field", self.summary_field)]
            or "summary",
            documents_field=_once_each("--documents-field", self.documents_field) or "documents",
            group_by=self.group_by,
            id_field=self.id_field,
            system_field=self.system_field,
            references_field=self.references_field,
            document_id_field=self.document_id_field,
            cluster_by=self.cluster_by,
            attributes=_mapped("--attribute", attributes),
            record_attributes={
                name: field or name
                for name, field in _mapped("--record-attribute", self.record_attribute).items()
            },
            separator=self.separator,
            join=self.join,
            on=self.on,
            summaries=self._summaries(),
            summaries_id_field=self.summaries_id_field,
            on_error="skip" if self.skips else "stop",
            require=tuple(self.require or ()),
            missing=self._missing(),
            bins=self._bins(),
            labels=labels,
            system=self.system,
            format=self.format,
            encoding=self.encoding,
            sheet=self.sheet,
        )

    def _missing(self) -> Missing:
        if self.missing == "drop":
            return "drop"
        if self.missing in ("refuse", "group"):
            return "group" if self.missing == "group" else "refuse"
        raise RequestError(f"--missing is refuse, drop or group, not '{self.missing}'.")

    def _bins(self) -> dict[str, str]:
        found = _mapped("--bin", self.bin)
        if without := [name for name, cuts in found.items() if cuts is None]:
            raise RequestError(
                f"--bin {without[0]}: say how, as in --bin {without[0]}=3,7 or --bin {without[0]}=q3."
            )
        return {name: cuts or "" for name, cuts in found.items()}

    def _summaries(self) -> list[tuple[str | None, str]]:
        given = [_named(text) for text in _once_each("--summaries", self.summaries)]
        return [
            (None, text) if Path(text).exists() or is_stored(text) else (name, path)
            for text, (name, path) in zip(self.summaries or (), given, strict=True)
        ]


OF_SUMMARIES = ("summary_field", "system_field", "summaries", "summaries_id_field", "system")
"""Options that speak of summaries: a command that has them written does without."""


def reading_options(*without: str) -> Callable[[Command], Command]:
    """Give a command the options of `ReadingOptions`, but for some, in place of its parameter ``options``."""
    return with_options_of(ReadingOptions, "options", *without)


def in_language(command: Command) -> Command:
    """Give a command the option ``--language``: inside it, texts are in that language."""

    def run(*, language: str = "", **given: Any) -> None:
        from fairbrief.text import languages

        with languages.using(language):
            command(**given)

    own = Parameter("language", Parameter.KEYWORD_ONLY, default="", annotation=Language)
    return with_signature(run, command, [own])


def suppose_language(reading: Reading) -> None:
    """Take short texts to be in the language of the first records, as an audit does; for commands `in_language`."""
    from fairbrief.text import languages

    head = islice(reading.records(), LOOKED_AT)
    languages.suppose(languages.language_of_input(" ".join(d.text for d in r.documents) for r in head))


def _named(text: str) -> tuple[str | None, str]:
    """NAME=WHAT, or WHAT without a name."""
    name, equals, value = text.partition("=")
    if not equals:
        return None, text
    if not (name and value):
        raise RequestError(f"'{text}' has nothing on one side of '='. Write NAME=WHAT, or the name alone.")
    return name, value


def _once_each(option: str, texts: Sequence[str] | None) -> list[str]:
    """What was named; RequestError for what was named twice."""
    given = list(texts or ())
    for text in given:
        if given.count(text) > 1:
            raise RequestError(f"{option} {text} stands there twice: name it once.")
    return given


def _mapped(option: str, texts: Sequence[str] | None) -> dict[str, str | None]:
    """Names to fields, of NAME=FIELD or of NAME alone."""
    found: dict[str, str | None] = {}
    for text in _once_each(option, texts):
        first, second = _named(text)
        name, field = (second, None) if first is None else (first, second)
        if name in found:
            raise RequestError(f"{option} gives '{name}' twice: name it once.")
        found[name] = field
    return found


def tell_notes(notes: Sequence[str], *, quiet: bool = False) -> None:
    """Print, beside the output, how the input was understood and which of its fields nothing used."""
    from fairbrief.reports.plain import printable

    for note in () if quiet else notes:
        typer.echo(f"note: {printable(note)}", err=True)


def tell_left_out(reading: Reading) -> None:
    """Print how much of the input was left out on request (``--on-error skip``, ``--require``), if any was."""
    from fairbrief.reports.plain import printable

    tell_notes(reading.notes)
    if reading.skipped_count:
        typer.echo(
            f"Left out of the input: {reading.skipped_count:,}. The first: {printable(reading.skipped[0])}"
        )


def cached(path: Path | None) -> Callable[[Scorer], Scorer] | None:
    """What puts a cache in this file before a scorer with a model; None without a file."""
    return None if path is None else partial(_with_cache, path)


def _with_cache(path: Path, scorer: Scorer) -> Scorer:
    from fairbrief.engines.score_cache import Cached, is_cacheable

    return Cached(scorer, path) if is_cacheable(scorer) else scorer


@contextmanager
def progress_bar(reading: Reading, *, quiet: bool = False) -> Iterator[Callable[[int], None] | None]:
    """A bar over the bytes of the input, on standard error, where a person looks."""
    if quiet:
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from fairbrief.scorers.pairs import Progress as Scored
    from fairbrief.scorers.pairs import watched

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
