"""The options by which commands read records, and what they print about their input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fairbrief.cli.options import Command, options_of
from fairbrief.errors import RequestError
from fairbrief.plan import INPUTS, parted, setting
from fairbrief.text.addresses import is_stored
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from fairbrief.readers import Reading
    from fairbrief.types import Scorer


reading = partial(setting, panel=INPUTS)
PARSED = ("attribute", "record_attribute", "bin")
"""Options whose keywords of `readers.read` have other names."""
LOOKED_AT = 200
"""Records that are used to detect the language of an input."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How the input is read. Each field is an option: see `reading_options`."""

    # fmt: off
    attribute: list[str] | None = reading(
        None, "Attribute whose groups are compared. NAME=FIELD reads it from another field.", "NAME[=FIELD]",
    )
    summary_field: list[str] | None = reading(
        None, "Field with the summary. For several systems: repeat it, or write 'summary_*'.", "[NAME=]FIELD",
    )
    documents_field: list[str] | None = reading(
        None, "Field with the documents, or a pattern such as 'review_*' or 'reviews[*].text'.", "FIELD",
    )
    group_by: str | None = reading(
        None, "Where each row is one document: field with the record's id.", "FIELD",
    )
    id_field: str = reading("id", "Field with the record's id; '' numbers the rows.", "FIELD")
    system_field: str = reading("system", "Field with the system's name.", "FIELD")
    references_field: str = reading("references", "Field with summaries by people.", "FIELD")
    cluster_by: str | None = reading(
        None, "Field whose equal values make records one cluster: they are resampled together.", "FIELD",
    )
    speakers: str | None = reading(
        None, "Table with a row per 'speaker'; its other columns become attributes of the speaker's turns.", "FILE",
    )
    separator: str | None = reading(None, "Text between documents in one field, e.g. '||'.", "TEXT")
    summaries: list[str] | None = reading(
        None, "File with summaries only, by the system NAME or by those that its rows name.", "[NAME=]FILE",
    )
    summaries_id_field: str | None = reading(
        None, "Field with the record's id in files of summaries.", "FIELD",
    )
    record_attribute: list[str] | None = reading(
        None, "Attribute of the record, for results by subgroup; or NAME=FIELD.", "NAME",
    )
    system: str | None = reading(None, "Name of the system, if the file names none.", "NAME")
    format: str | None = reading(
        None, "File format; by default detected. jsonl, csv, tsv, ssv, excel, parquet, arrow, or a tool's: "
        "openai-batch, inspect, lm-eval, promptfoo, helm, deepeval, mlflow, summeval, summvis, vtt, srt, transcript, "
        "json-list, otlp, phoenix, langfuse, mlflow-traces.", "NAME",
    )
    encoding: str | None = reading(None, "Encoding, e.g. cp1252; by default detected.", "NAME")
    require: list[str] | None = reading(
        None, "Exclude records in which a document lacks this attribute.", "ATTRIBUTE",
    )
    missing: Literal["refuse", "drop", "group"] = reading(
        "refuse", "If only some documents of a record have the attribute: refuse the record, drop the other "
        "documents, or make them a group.", "RULE",
    )
    bin: list[str] | None = reading(None, "Group numbers: NAME=3,7 cuts at 3 and 7.", "NAME=CUTS")
    sample: float | None = reading(
        None, "Audit only N records, or a share below 1: those with the smallest hashes of seed and id.", "N",
    )
    sample_by: str | None = reading(
        None, "With --sample: N records, or the share, of each group of this attribute.", "NAME",
    )
    seed: int = setting(0, "Seed of the sample.")
    redact: list[str] | None = reading(
        None, "Replace personal data in all texts: 'identifiers' (e-mail and IP addresses, phone, card and account "
        "numbers), 'names' (of people, in English).", "WHAT[,WHAT]",
    )
    on_error: Literal["stop", "skip"] = reading("stop", "At bad input: stop, or skip it and list what was skipped.", "stop|skip")
    # fmt: on

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes."""
        return [text.partition("=")[0] for text in self.attribute or ()]

    @property
    def plan_settings(self) -> dict[str, Any]:
        """The settings of a plan: the attributes, and whether bad input is skipped."""
        return {"attributes": self.attributes, "skips": self.on_error == "skip"}

    def given(self) -> dict[str, object]:
        """The options, except ``--attribute``, whose value is not the default."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "attribute"}
        usual = ReadingOptions()
        return {name: value for name, value in values.items() if value != getattr(usual, name)}

    def read(
        self, files: Sequence[str], attributes: Sequence[str] | None = None, labels: Sequence[str] = ()
    ) -> Reading:
        """The files as a stream of cases. ``attributes`` (NAME or NAME=FIELD) replace those of ``--attribute``; ``labels`` are
        further attributes that measures need.
        """
        from fairbrief import readers

        bins = _mapped("--bin", self.bin)
        if without := [name for name, cuts in bins.items() if cuts is None]:
            raise RequestError(f"--bin {without[0]} has no cuts: write --bin {without[0]}=3,7.")
        record_attributes = _mapped("--record-attribute", self.record_attribute)
        parsed = {
            "attributes": _mapped("--attribute", self.attribute if attributes is None else attributes),
            "record_attributes": {name: field or name for name, field in record_attributes.items()},
            "bins": bins,
            "summary_field": [*map(_named, _once_each("--summary-field", self.summary_field))] or "summary",
            "documents_field": _once_each("--documents-field", self.documents_field) or "documents",
            "summaries": [
                (None, text) if Path(text).exists() or is_stored(text) else _named(text)
                for text in _once_each("--summaries", self.summaries)
            ],
            "require": tuple(self.require or ()),
            "redact": parted(self.redact or ()),
        }
        others = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in PARSED}
        return readers.read(files if len(files) > 1 else files[0], labels=labels, **(others | parsed))


OF_SUMMARIES = ("summary_field", "system_field", "summaries", "summaries_id_field", "system")
"""Options about summaries, for commands that do not read summaries to leave out."""


def reading_options(*without: str) -> Callable[[Command], Command]:
    """Replace a command's parameter ``options`` by the options of `ReadingOptions`, except some."""
    return options_of(ReadingOptions, "options", without=without)


def set_default_language(reading: Reading) -> None:
    """Set the language of short texts to that of the first records, as an audit does, until the command ends."""
    from fairbrief.text import languages

    head = islice(reading.records(), LOOKED_AT)
    languages.suppose(languages.language_of_input(" ".join(d.text for d in r.documents) for r in head))


def _named(text: str) -> tuple[str | None, str]:
    """Name and value of NAME=VALUE, or None and the value."""
    name, equals, value = text.partition("=")
    if not equals:
        return None, text
    if not (name and value):
        raise RequestError(f"'{text}' lacks one side of '='. Write NAME=VALUE, or only the value.")
    return name, value


def _once_each(option: str, texts: Sequence[str] | None) -> list[str]:
    """The texts; RequestError for a repeated one."""
    given = list(texts or ())
    for text in given:
        if given.count(text) > 1:
            raise RequestError(f"{option} {text} was given twice: give it once.")
    return given


def _mapped(option: str, texts: Sequence[str] | None) -> dict[str, str | None]:
    """Name → field, from NAME=FIELD or NAME."""
    result: dict[str, str | None] = {}
    for text in _once_each(option, texts):
        first, second = _named(text)
        name, field = (second, None) if first is None else (first, second)
        if name in result:
            raise RequestError(f"{option} has the name '{name}' twice: give it once.")
        result[name] = field
    return result


def print_notes(notes: Sequence[str], *, quiet: bool = False) -> None:
    """Print to standard error how the input was understood, and its unused fields."""
    from fairbrief.reports.plain import printable

    for note in () if quiet else notes:
        typer.echo(f"note: {printable(note)}", err=True)


def print_excluded(reading: Reading) -> None:
    """Print how much of the input was excluded by ``--on-error skip`` or ``--require``, if any was."""
    from fairbrief.reports.plain import printable

    print_notes(reading.notes)
    if many := reading.skipped_count:
        typer.echo(f"Excluded from the input: {many:,}. The first: {printable(reading.skipped[0])}")


def cached(path: Path | None) -> Callable[[Scorer], Scorer] | None:
    """A function that adds the cache in this file to scorers with a model; None without a file."""
    return None if path is None else partial(_with_cache, path)


def _with_cache(path: Path, scorer: Scorer) -> Scorer:
    from fairbrief.engines.score_cache import Cached, is_cacheable

    return Cached(scorer, path) if is_cacheable(scorer) else scorer


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
