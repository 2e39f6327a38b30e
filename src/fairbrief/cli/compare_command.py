"""``fairbrief compare``: two saved audits, paired by record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.option_types import Details, SavedAudit

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Second = Annotated[Path, typer.Argument(help="Folder of the audit that is subtracted.", metavar="BASELINE")]
System = Annotated[
    str | None, typer.Option(help="System of the first audit, if it holds several.", metavar="NAME")
]
Against = Annotated[
    str | None,
    typer.Option(help="System of the baseline, if it holds several and none has that name.", metavar="NAME"),
]
SHOWN = 5


@app.command()
def compare(
    first: SavedAudit,
    second: Second,
    system: System = None,
    against: Against = None,
    details: Details = False,
) -> None:
    """Compare two saved audits on the records that both answered: paired differences with interval and p."""
    from dataclasses import replace

    from rich.console import Console

    from fairbrief.reports import load, terminal
    from fairbrief.reports.plain import printable
    from fairbrief.saved.compare import changed_sources
    from fairbrief.saved.compare import compare as differences
    from fairbrief.text.counted import counted

    ours, theirs = load(first), load(second)
    result = replace(
        ours,
        estimates=(),
        exhibits=(),
        tables=(),
        left_out=(),
        skipped=(),
        differences=tuple(differences(ours, theirs, system=system, against=against)),
    )
    terminal.print_result(result, Console(), details=details, rest=terminal.Rest())
    if changed := changed_sources(ours, theirs):
        named = ", ".join(printable(ident) for ident in changed[:SHOWN]) + (
            "…" if len(changed) > SHOWN else ""
        )
        typer.echo(
            f"The documents of {counted(len(changed), 'record')} are not the same in the two audits: {named}. There the "
            "difference is that of the documents as well.",
            err=True,
        )
