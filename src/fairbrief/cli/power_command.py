"""``fairbrief power``: how many records show a disparity, and which disparity so many show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.errors import RequestError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Folder = Annotated[
    Path | None,
    typer.Argument(help="Folder that an audit wrote with --out, e.g. of a pilot.", metavar="DIR"),
]
Disparity = Annotated[
    float | None,
    typer.Option(help="Size of the disparity that is to be shown, in the contrast's own units.", metavar="X"),
]
Records = Annotated[
    int | None,
    typer.Option(
        help="Say what N records would show; without it, what those of the audit show.", metavar="N"
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option("--measure", help="Measure of the audit; without it, each.", metavar="SPEC"),
]
Quantity = Annotated[
    list[str] | None,
    typer.Option(
        "--quantity",
        help="Quantity of a measure, e.g. excess; without it, the signed contrasts.",
        metavar="NAME",
    ),
]
Se = Annotated[
    float | None, typer.Option("--se", help="Without an audit: a standard error that is known.", metavar="X")
]
Clusters = Annotated[
    int | None, typer.Option("--clusters", help="Number of clusters behind --se.", metavar="N")
]
Alpha = Annotated[float, typer.Option(help="Level of significance, two-sided.", metavar="X")]
WithPower = Annotated[
    float,
    typer.Option("--power", help="Probability that the disparity is shown, if it is there.", metavar="X"),
]


@app.command()
def power(
    folder: Folder = None,
    disparity: Disparity = None,
    records: Records = None,
    measure: MeasureOption = None,
    quantity: Quantity = None,
    se: Se = None,
    clusters: Clusters = None,
    alpha: Alpha = 0.05,
    with_power: WithPower = 0.8,
) -> None:
    """Say how many records would show a disparity, and how large a disparity a number of records would show.

    The standard errors are those of a saved audit's signed contrasts, or one given by --se.
    """
    from rich.console import Console

    from fairbrief.reports import load, terminal
    from fairbrief.saved import power as prospects

    question = prospects.Question(disparity, records, alpha, with_power)
    if (folder is None) == (se is None) or (se is None) != (clusters is None):
        raise RequestError(
            "Give the folder of an audit, or, without one, a standard error with its clusters: --se X --clusters N."
        )
    if folder is not None:
        found = prospects.power(load(folder), question, measure or (), quantity or ())
    else:
        if measure or quantity:
            raise RequestError("--measure and --quantity choose from an audit: with --se there is none.")
        assert se is not None
        assert clusters is not None
        found = [prospects.planned(se, clusters, question)]
    for table in prospects.tables(found, question):
        terminal.print_table(table, Console())
