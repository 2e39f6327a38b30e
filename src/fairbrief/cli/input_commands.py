"""Commands for inputs: ``fairbrief init`` (how files are understood), ``stats`` and ``words``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fairbrief.atomic_files import write_text
from fairbrief.cli import options as o
from fairbrief.cli import settings_file
from fairbrief.cli.input_options import print_excluded, print_notes
from fairbrief.errors import RequestError
from fairbrief.readers import ReadingSettings
from fairbrief.readers.fields import PATIENCE
from fairbrief.readers.understanding import SUMMARY, inspect_file, is_plain, understand
from fairbrief.reports import terminal, wording
from fairbrief.reports.plain import printable
from fairbrief.serialization import MISSING
from fairbrief.settings import as_list
from fairbrief.text import published_nltk
from fairbrief.text.addresses import is_stored
from fairbrief.text.counted import counted
from fairbrief.text.sentences import split
from fairbrief.workbench.corpora import corpus_statistics as statistics
from fairbrief.workbench.corpora.text_sources import Tokens, counter

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.readers.understanding import InspectedFile, Understanding

app = o.new_app()

MOST = 10_000
"""Summaries that are counted; the output says if there are more."""
SHOWN = 8
"""Groups shown per attribute."""


@app.command()
def init(
    inputs: list[str] = o.argument("Files with documents and summaries, in any order.", "FILE…"),
    out: Path = o.output_file(Path("fairbrief.toml"), "File of settings to write.", "FILE.toml"),
) -> None:
    """Inspect files, show how they are understood, and write the settings for 'fairbrief audit'.

    If a field was misunderstood, correct the settings (TOML). Their names are the options of audit.

    Examples:
        fairbrief init examples/reviews.jsonl --out demo.toml
        fairbrief init reviews.csv
        fairbrief init sources.jsonl model_a.jsonl model_b.jsonl --out study.toml
    """
    if out.exists():
        raise RequestError(f"{out} exists: give another name with --out, or remove it.")
    plain = [file for file in inputs if is_plain(file)]
    inspected = [inspect_file(file) for file in inputs if file not in plain]
    result = understand(inspected, plain)
    given = {key: value for key, value in result.settings.items() if key != "files"}
    reading = ReadingSettings.from_options(given).read(result.settings["files"])
    for name, role in result.roles.items():
        typer.echo(f"{printable(name)}: {role}")
    if result.roles and "summaries" not in result.settings and SUMMARY not in result.roles.values():
        raise _no_summary(result, inspected)
    _print_counts(reading)
    print_notes(reading.notes)
    text = settings_file.written(_beside(result.settings, out))
    write_text(out, f"# Written by fairbrief init\n{text}")
    typer.echo(f"\nWritten: {out}. Next: fairbrief audit {shlex.quote(str(out))} --out audit")


def _no_summary(found: Understanding, inspected: Sequence[InspectedFile]) -> RequestError:
    """The error if no field is named like a summary, with the command that names the fields with other texts."""
    columns = [c for one in inspected for c in one.columns.values()]
    others = [c.name for c in columns if c.is_text and not c.is_list and c.name not in found.roles]
    given = {key: as_list(value) for key, value in found.settings.items() if key != "files"}
    given["summary-field"] = others or ["FIELD"]
    options = [part for key, values in given.items() for value in values for part in (f"--{key}", value)]
    files = [one.path for one in inspected]
    return RequestError(
        f"No field seems to have summaries. If they are in another file, add it: {shlex.join(['fairbrief', 'init', *files])} "
        f"SUMMARIES. Otherwise name their fields: {shlex.join(['fairbrief', 'audit', *files, *options])}"
    )


def _print_counts(reading: Reading) -> None:
    """Print the numbers of records, documents and systems, and the groups by attribute, of the first records."""
    from fairbrief.auditing.measure_selection import attributes_of

    head = list(islice(reading, MOST))
    cases = list({case.record.id: case for case in head}.values())
    n_documents = sum(len(case.record.documents) for case in cases)
    systems = dict.fromkeys(case.summary.system for case in head)
    known = attributes_of(cases)
    # An attribute of a record with one text is also an attribute of the text.
    groups = known["document"] | {n: v for n, v in known["record"].items() if n not in known["document"]}
    more = f" (of the first {MOST:,} summaries)" if len(head) == MOST else ""
    typer.echo(
        f"\n{counted(len(cases), 'record')}{more}, {counted(n_documents, 'document')}, "
        f"{counted(len(systems), 'system')}: {', '.join(map(printable, systems))}"
    )
    for name, values in groups.items():
        shown = ", ".join(f"{printable(v)} ({values[v]:,})" for v in wording.ordered_groups(values)[:SHOWN])
        rest = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        typer.echo(f"{printable(name)}: {shown}{rest}")
    if not groups:
        typer.echo(
            'No field looks like a group. Add an attribute to the settings: attribute = ["NAME=FIELD"].'
        )


def _beside(settings: dict[str, Any], out: Path) -> dict[str, Any]:
    """The settings, with paths relative to the folder of the settings."""

    def moved(file: str) -> str:
        return file if file.startswith("hf:") or is_stored(file) else os.path.relpath(file, out.parent)

    return {
        key: [moved(file) for file in value] if key in ("files", "summaries") else value
        for key, value in settings.items()
    }


@app.command()
def stats(
    files: list[str] = o.argument("Files or saved data sets with records.", "FILE…"),
    tokens: Tokens = o.option("words", "Unit of lengths: words, nltk (tokens) or characters.", "RULE"),
    sentences: Literal["builtin", "punkt"] | None = o.option(None, "Also count sentences.", "builtin|punkt"),
    options: ReadingSettings = o.all_but(),
) -> None:
    """Count records, documents, lengths and groups, and the summaries of each system.

    Examples:
        fairbrief stats examples/reviews.jsonl --attribute sentiment
    """
    cuts = {None: None, "builtin": split, "punkt": published_nltk.split}
    unit = {"nltk": "tokens"}.get(tokens, tokens)
    reading = options.read(files)
    cases = reading if _has_summaries(reading) else ()
    attributes = list(options.attribute_fields)
    terminal.print_tables(
        statistics.statistics_of(
            reading.records(), cases, counter(tokens), unit, attributes=attributes, sentences=cuts[sentences]
        )
    )
    print_excluded(reading)


def _has_summaries(reading: Reading) -> bool:
    """Whether the input has summaries; records without any are counted, too."""
    try:
        return any(case.summary.reason != MISSING for case in islice(reading, PATIENCE))
    except RequestError:  # the records were readable, so only the summaries are missing
        return False


@app.command()
def words(
    file: str = o.argument("File with records.", "FILE"),
    by: str = o.option("gender", "Attribute whose groups are compared.", "ATTRIBUTE"),
    most: int = o.option(20, "Number of words per group.", "N", min=1),
    attribute: list[str] = o.several("Attribute; NAME=FIELD reads another field.", "NAME[=FIELD]"),
    punctuation: bool = o.switch("--punctuation", "Count punctuation marks as words, as in the paper."),
) -> None:
    """Show the words that are typical of each group of documents, and the shares of female and male words by topic.

    Examples:
        fairbrief words examples/reviews.jsonl --by sentiment --most 5
    """
    records = list(ReadingSettings(attributes=attribute).read([file]).records())
    tables = statistics.word_tables(statistics.distinctive_words(records, by, punctuation=punctuation), most)
    terminal.print_tables([*tables, statistics.topic_table(records)])
