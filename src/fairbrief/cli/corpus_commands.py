"""Commands for inputs before they are summarized: ``fairbrief stats``, ``words`` and ``recogniser``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import ReadingOptions, print_excluded, reading_options
from fairbrief.cli.output import print_tables
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairbrief.readers import Reading
    from fairbrief.types import Table
    from fairbrief.workbench.corpora.corpus_statistics import TopicShares

app = o.new_app()


@app.command()
@reading_options()
def stats(
    files: list[str] = o.argument("Files or saved data sets with records.", "FILE…"),
    tokens: str = o.option("words", "Unit of lengths: words, nltk (tokens) or characters.", "RULE"),
    sentences: str | None = o.option(None, "Also count sentences: builtin or punkt.", "builtin|punkt"),
    *,
    options: ReadingOptions,
) -> None:
    """Count records, documents, lengths and groups, and the summaries of each system."""
    from fairbrief.text import published_nltk
    from fairbrief.text.sentences import split
    from fairbrief.workbench.corpora.corpus_statistics import CorpusStatistics
    from fairbrief.workbench.corpora.text_sources import counter

    cuts = {None: None, "builtin": split, "punkt": published_nltk.split}
    if sentences not in cuts:
        raise RequestError(f"--sentences {sentences}: write builtin or punkt.")
    unit = {"nltk": "tokens"}.get(tokens, tokens)
    counts = CorpusStatistics(counter(tokens), unit, attributes=options.attributes, sentences=cuts[sentences])
    reading = options.read(files)
    for record in reading.records():
        counts.add_record(record)
    if _has_summaries(reading):
        for case in reading:
            counts.add_summary(case)
    print_tables(counts.tables())
    print_excluded(reading)


def _has_summaries(reading: Reading) -> bool:
    """Whether the input has summaries; records without any are counted, too."""
    from fairbrief.readers.fields import PATIENCE
    from fairbrief.serialization import MISSING

    try:
        return any(case.summary.reason != MISSING for case in islice(reading, PATIENCE))
    except RequestError:  # the records were readable, so only the summaries are missing
        return False


@app.command()
def words(
    file: str = o.argument("File with records.", "FILE"),
    by: str = o.option("gender", "Attribute whose groups are compared.", "ATTRIBUTE"),
    most: int = o.option(20, "Number of words per group.", "N", least=1),
    attribute: list[str] | None = o.option(
        None, "Attribute of the documents; NAME=FIELD reads another field.", "NAME[=FIELD]"
    ),
    punctuation: bool = o.switch("--punctuation", "Count punctuation marks as words, as in the paper."),
) -> None:
    """Show the words that are typical of each group of documents, and how often each topic names each group."""
    from fairbrief.workbench.corpora.corpus_statistics import (
        distinctive_words,
        identifier_shares,
        word_tables,
    )
    from fairbrief.workbench.summarizers.extractive import FAMILY, SPORT

    records = list(ReadingOptions(attribute).read([file]).records())
    contrasts = distinctive_words(records, by, punctuation=punctuation)
    tables = word_tables(contrasts, most)
    shares = identifier_shares(records, {"family": FAMILY, "sport": SPORT})
    print_tables([*tables, *([_topics(shares)] if shares else [])])


def _topics(shares: Mapping[str, TopicShares]) -> Table:
    from fairbrief.types import Table

    groups = sorted({group for topic in shares.values() for group in topic.shares})
    rows = tuple(
        (topic, f"{one.documents:,}", *(f"{one.shares[g]:.0%}" if one.shares else "–" for g in groups))
        for topic, one in shares.items()
    )
    title = "Documents, and share of each group among their identifying words, by topic"
    return Table(title, ("topic", "documents", *groups), rows)


@app.command()
def recogniser(
    source: Path = o.argument(o.ANNOTATED, "ANNOTATED"),
    people: str = o.option("builtin", "builtin, or a spaCy pipeline.", "builtin|spacy:NAME"),
) -> None:
    """Measure how many women and men a recogniser detects, and how often it gets their gender wrong.

    Prints the setting 'errors' of the measure detected_inclusion.
    """
    from fairbrief.classifiers.people import People
    from fairbrief.people.build_people import try_recogniser
    from fairbrief.text.people import GROUPS, spell_errors
    from fairbrief.workbench.corpora.text_sources import read_people

    errors = try_recogniser(read_people(source), People(people).accepted)
    for group in GROUPS:
        hit, many = errors.found[group]
        typer.echo(f"{group}: {hit} of {many} people found ({errors.recall(group):.0%})")
    typer.echo(f"errors='{spell_errors(errors)}'")
