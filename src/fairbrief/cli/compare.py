"""``fairbrief compare``: two saved audits, paired by record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.options import Details, SavedAudit

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Second = Annotated[Path, typer.Argument(help="Folder of the audit that is subtracted.", metavar="BASELINE")]


@app.command()
def compare(first: SavedAudit, second: Second, details: Details = False) -> None:
    """Compare two saved audits on the records that both answered: paired differences with interval and p."""
    from dataclasses import replace

    from rich.console import Console

    from fairbrief.auditing.comparing import compare as differences
    from fairbrief.reports import load, terminal

    ours, theirs = load(first), load(second)
    result = replace(
        ours,
        estimates=(),
        exhibits=(),
        tables=(),
        left_out=(),
        skipped=(),
        differences=tuple(differences(ours, theirs)),
    )
    terminal.print_result(result, Console(), details=details, rest=terminal.Rest())
