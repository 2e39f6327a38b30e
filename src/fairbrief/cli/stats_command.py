"""``fairbrief stats``: what a file of records holds, before anything is measured."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.input_options import ReadingOptions, reading_options, tell_left_out
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.readers import Reading

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[list[str], typer.Argument(help="Files or saved data sets with records.", metavar="FILE…")]
Attribute = Annotated[
    list[str] | None,
    typer.Option(help="Attribute whose groups are counted; without it, all.", metavar="NAME[=FIELD]"),
]
Tokens = Annotated[str, typer.Option(help="What lengths count: words, nltk or characters.", metavar="RULE")]
Sentences = Annotated[
    str | None, typer.Option(help="Also count sentences: builtin or punkt.", metavar="builtin|punkt")
]


@app.command()
@reading_options()
def stats(
    files: Files,
    attribute: Attribute = None,
    tokens: Tokens = "words",
    sentences: Sentences = None,
    *,
    options: ReadingOptions,
) -> None:
    """Count records, documents, lengths, groups and mixes, and each system's summaries, if there are any."""
    from rich.console import Console

    from fairbrief.reports import terminal
    from fairbrief.text import punkt
    from fairbrief.text.sentences import split
    from fairbrief.workbench.corpora.corpus_statistics import CorpusStatistics
    from fairbrief.workbench.corpora.pools import counter

    cuts = {None: None, "builtin": split, "punkt": punkt.split}
    if sentences not in cuts:
        raise RequestError(f"--sentences is builtin or punkt, not '{sentences}'.")
    unit = {"nltk": "tokens"}.get(tokens, tokens)
    names = [text.partition("=")[0] for text in attribute or ()]
    found = CorpusStatistics(counter(tokens), unit, attributes=names, sentences=cuts[sentences])
    reading = options.read(files, attribute)
    for record in reading.records():
        found.add_record(record)
    if _has_summaries(reading):
        for case in reading:
            found.add_summary(case)
    for table in found.tables():
        terminal.print_table(table, Console())
    tell_left_out(reading)


def _has_summaries(reading: Reading) -> bool:
    """Whether summaries stand in the input: records alone may be counted, too."""
    from fairbrief.readers.fields import PATIENCE
    from fairbrief.serialization import MISSING

    try:
        return any(case.summary.reason != MISSING for case in islice(reading, PATIENCE))
    except RequestError:  # the records were read before: what is asked for and absent is the summaries
        return False
