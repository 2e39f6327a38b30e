"""``fairbrief words``: which words of the inputs tell groups apart, before anything is summarized."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairbrief.nouns import Table

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
    typer.Option("--attribute", help="Where an attribute stands in the file.", metavar="NAME[=FIELD]"),
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
    """Show the words that lean to each group of documents, and who is spoken of in which topic."""
    from rich.console import Console

    from fairbrief.cli.inputs import ReadingOptions
    from fairbrief.cli.outputs import refuse_overwriting
    from fairbrief.corpora.words import distinctive_words, identifier_shares, word_tables
    from fairbrief.errors import RequestError
    from fairbrief.summarizers.planted import FAMILY, SPORT

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
        console.print(_drawn(table))
        for note in table.notes:
            console.print(note, style="dim")
        console.print()
    if out is not None:
        from fairbrief.reports.word_page import render

        out.write_text(render(contrasts, tables, shares, by, len(records)), encoding="utf-8", newline="\n")
        typer.echo(f"Page: {out}")


def _topics(shares: Mapping[str, Mapping[str, float]]) -> Table:
    from fairbrief.nouns import Table

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
