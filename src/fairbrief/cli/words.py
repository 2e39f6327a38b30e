"""``fairbrief words``: which words of the inputs tell groups apart, before anything is summarized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairbrief.nouns import Case, Record, Table

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[str, typer.Argument(help="Records: JSON Lines, CSV, Parquet …")]
By = Annotated[str, typer.Option(help="Attribute whose groups are compared.", metavar="ATTRIBUTE")]
Most = Annotated[int, typer.Option(help="Words shown per group.", min=1)]
Attributes = Annotated[
    list[str] | None,
    typer.Option("--attribute", help="Where an attribute stands in the file.", metavar="NAME[=FIELD]"),
]


@app.command()
def words(file: File, by: By = "gender", most: Most = 20, attribute: Attributes = None) -> None:
    """Show the words that lean to each group of documents, and who is spoken of in which topic."""
    from rich.console import Console

    from fairbrief.cli.inputs import read
    from fairbrief.corpora.words import distinctive_words, word_tables

    reading = read([file], attributes=attribute, summaries=None, require=None, on_error="stop")
    records = list(_records(iter(reading)))
    console = Console()
    for table in [*word_tables(distinctive_words(records, by), most), _topics(records)]:
        console.print(_drawn(table))
        for note in table.notes:
            console.print(note, style="dim")
        console.print()


def _records(cases: Iterator[Case]) -> Iterator[Record]:
    """Each record once, though several systems summarize it."""
    seen: set[str] = set()
    for case in cases:
        if case.record.id not in seen:
            seen.add(case.record.id)
            yield case.record


def _topics(records: list[Record]) -> Table:
    from fairbrief.corpora.words import identifier_shares
    from fairbrief.nouns import Table
    from fairbrief.summarizers.planted import FAMILY, SPORT

    shares = identifier_shares(records, {"family": FAMILY, "sport": SPORT})
    groups = sorted({group for share in shares.values() for group in share})
    rows = tuple((topic, *(f"{share[g]:.0%}" for g in groups)) for topic, share in shares.items())
    return Table("Share of each group among identifying words, by topic", ("topic", *groups), rows)


def _drawn(table: Table) -> object:
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(title=table.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for i, name in enumerate(table.header):
        drawn.add_column(name, justify="left" if i == 0 else "right")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
