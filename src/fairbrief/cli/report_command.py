"""``fairbrief report``: a saved audit, printed or written anew."""

from __future__ import annotations

from typing import Annotated

import typer

from fairbrief.cli.option_types import Details, SavedAudit

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Format = Annotated[
    str,
    typer.Option(
        "--format",
        help="terminal, markdown, latex, csv, model-card, or html (rewrites report.html).",
        metavar="FORMAT",
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        help="Send it to an experiment tracker, mlflow or wandb, with the settings of its own client.",
        metavar="TRACKER",
    ),
]


@app.command()
def report(folder: SavedAudit, format_: Format = "terminal", to: To = None, details: Details = False) -> None:
    """Print the report of a saved audit, write it anew, or send it to an experiment tracker."""
    from rich.console import Console

    from fairbrief.errors import RequestError
    from fairbrief.reports import csv, exports, html, latex, load, markdown, terminal
    from fairbrief.reports.audit_folder import place

    result = load(folder)
    if to is not None:
        typer.echo(f"Sent to {exports.send(result, folder, to)}")
        return
    match format_:
        case "terminal":
            terminal.print_result(result, Console(), details=details)
        case "markdown":
            typer.echo(markdown.render(result))
        case "latex":
            typer.echo(latex.render(result))
        case "csv":
            typer.echo(csv.render(result), nl=False)
        case "model-card":
            typer.echo(exports.model_card(result), nl=False)
        case "html":
            place(folder / "report.html", lambda page: html.write(result, page))
            typer.echo(f"Written: {folder / 'report.html'}")
        case other:
            raise RequestError(
                f"No format '{other}'. Formats: terminal, markdown, latex, csv, model-card, html."
            )
