"""The command ``fairbrief trend``."""

from __future__ import annotations

from pathlib import Path

import typer

from fairbrief.cli import options as o
from fairbrief.cli.output import print_tables, refuse_overwriting, write_text
from fairbrief.errors import RequestError

app = o.new_app()


@app.command()
def trend(
    folders: list[Path] = o.argument("Saved audits, or a folder of them.", "DIR…"),
    reference: int = o.option(28, "Number of first audits: the reference for later ones.", "N", least=7),
    baseline: list[Path] | None = o.option(
        None, "Audit, or folder of audits, that replaces the first ones as the reference.", "DIR"
    ),
    most: list[str] | None = o.option(None, "Upper limit, as for 'fairbrief gate'.", "RULE", "--max"),
    least: list[str] | None = o.option(None, "Lower limit, as for 'fairbrief gate'.", "RULE", "--min"),
    order: str = o.option("time", "Order of the audits: by 'time', or as 'given'.", "ORDER"),
    out: Path | None = o.option(None, "Also write a page.", "FILE.html"),
    markdown: Path | None = o.option(None, "Also write the answer in Markdown.", "FILE"),
    json: Path | None = o.option(None, "Also write all numbers in JSON.", "FILE"),
    details: bool = o.DETAILS,
) -> None:
    """Show which group differences drift, and since when: exit code 0 if none gets worse, 1 if one does, 3 if inconclusive.

    At most 5 % of years without a change raise an alarm, over all group differences together. The exit code is 1 if a
    group difference moved away from 0, or broke a limit of --max or --min. If inputs changed, too (lengths, shares of
    groups, languages), a move away from 0 is inconclusive.
    """
    from rich.console import Console

    from fairbrief.reports import trend_page
    from fairbrief.reports.terminal import print_labelled
    from fairbrief.saved.gate import EXIT
    from fairbrief.saved.gate_rules import rules
    from fairbrief.saved.trend import trend as trend_of

    files = {"--out": out, "--markdown": markdown, "--json": json}
    for name, file in files.items():
        refuse_overwriting(file, (), name)
    if order not in ("time", "given"):
        raise RequestError(f"--order {order}: give 'time' or 'given'.")
    found = trend_of(
        folders,
        baseline=baseline or (),
        limits=rules(most or (), least or ()),
        reference=reference,
        order="time" if order == "time" else "given",
    )
    console = Console()
    for asked, texts in trend_page.sentences(found):
        print_labelled(asked, texts, console)
    if details:
        print_tables(trend_page.tables(found), is_below_text=True)
    for file, render in zip(
        files.values(), (trend_page.as_page, trend_page.as_markdown, trend_page.as_json), strict=True
    ):
        if file is not None:
            write_text(file, render(found))
    typer.echo(found.outcome)
    raise typer.Exit(EXIT[found.outcome])
