"""``fairbrief report``: a saved audit, printed or written anew."""

from __future__ import annotations

from typing import Annotated

import typer

from fairbrief.cli.options import Details, SavedAudit

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Format = Annotated[
    str,
    typer.Option(
        "--format", help="terminal, markdown, latex, csv, or html (rewrites report.html).", metavar="FORMAT"
    ),
]


@app.command()
def report(folder: SavedAudit, format_: Format = "terminal", details: Details = False) -> None:
    """Print the report of a saved audit, or write it anew."""
    from rich.console import Console

    from fairbrief.errors import RequestError
    from fairbrief.reports import csv, html, latex, load, markdown, terminal

    result = load(folder)
    match format_:
        case "terminal":
            terminal.print_result(result, Console(), details=details)
        case "markdown":
            typer.echo(markdown.render(result))
        case "latex":
            typer.echo(latex.render(result))
        case "csv":
            typer.echo(csv.render(result), nl=False)
        case "html":
            html.write(result, folder / "report.html")
            typer.echo(f"Written: {folder / 'report.html'}")
        case other:
            raise RequestError(f"No format '{other}'. Formats: terminal, markdown, latex, csv, html.")
