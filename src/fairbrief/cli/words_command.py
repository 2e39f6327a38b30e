"""``fairbrief words``: which words of the inputs tell groups apart, before anything is summarized."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairbrief.types import Table
    from fairbrief.workbench.corpora.word_differences import TopicShares

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[str, typer.Argument(help="Records: JSON Lines, CSV, Parquet …", metavar="FILE")]
By = Annotated[str, typer.Option(help="Attribute whose groups are compared.", metavar="ATTRIBUTE")]
Most = Annotated[int, typer.Option(help="Words shown per group.", min=1, metavar="N")]
Punctuation = Annotated[
    bool, typer.Option("--punctuation", help="Count punctuation as words, as the paper does.")
]
Out = Annotated[Path | None, typer.Option(help="Also write a page with pictures.", metavar="FILE.html")]
Attributes = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute",
        help="Attribute of the documents; NAME=FIELD reads it from another field.",
        metavar="NAME[=FIELD]",
    ),
]


@app.command()
def words(
    file: File,
    by: By = "gender",
    most: Most = 20,
    attribute: Attributes = None,
    out: Out = None,
    punctuation: Punctuation = False,
) -> None:
    """Show the words that are more frequent in each group of documents, and how often documents of a topic name each group."""
    from rich.console import Console

    from fairbrief.cli.input_options import ReadingOptions
    from fairbrief.cli.output_folder import refuse_overwriting
    from fairbrief.errors import RequestError
    from fairbrief.reports import terminal
    from fairbrief.workbench.corpora.word_differences import distinctive_words, identifier_shares, word_tables
    from fairbrief.workbench.summarizers.extractive import FAMILY, SPORT

    if out is not None and out.suffix.lower() not in (".html", ".htm"):
        raise RequestError(f"--out {out}: the page is HTML, so its name ends in .html.")
    refuse_overwriting(out, [file])
    reading = ReadingOptions().read([file], attribute)
    records = list(reading.records())
    contrasts = distinctive_words(records, by, punctuation=punctuation)
    tables = word_tables(contrasts, most)
    shares = identifier_shares(records, {"family": FAMILY, "sport": SPORT})
    console = Console()
    for table in [*tables, *([_topics(shares)] if shares else [])]:
        terminal.print_table(table, console)
    if out is not None:
        from fairbrief.reports.audit_folder import place
        from fairbrief.workbench.corpora.word_differences import render

        told = {topic: found.shares for topic, found in shares.items()}
        text = render(contrasts, tables, told, by, len(records))
        place(out, lambda part: part.write_text(text, encoding="utf-8", newline="\n"))
        typer.echo(f"Page: {out}")


def _topics(found: Mapping[str, TopicShares]) -> Table:
    from fairbrief.types import Table

    groups = sorted({group for topic in found.values() for group in topic.shares})
    rows = tuple(
        (topic, f"{told.documents:,}", *(f"{told.shares[g]:.0%}" if told.shares else "–" for g in groups))
        for topic, told in found.items()
    )
    title = "Documents, and share of each group among their identifying words, by topic"
    return Table(title, ("topic", "documents", *groups), rows)
