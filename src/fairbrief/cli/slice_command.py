"""``fairbrief slice``: estimates by slice from a saved audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.option_types import Details, SavedAudit
from fairbrief.cli.output_folder import held, refuse_no_folder

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

By = Annotated[
    list[str],
    typer.Option(help="Attribute of the records to estimate by; A,B crosses two.", metavar="NAME[,NAME]"),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for the audit with its slices, as 'audit --out' writes it.", metavar="DIR"),
]


@app.command("slice")
def slice_(folder: SavedAudit, by: By, out: Out = None, details: Details = False) -> None:
    """Estimate a saved audit by attributes of its records, from its evidence: nothing is scored again.

    Values, differences of systems, excesses and their intervals are those of 'audit --slice'. The
    permutation test, its chance level, and the intervals of magnitudes, which depend on it, need the texts and
    are left out.
    """
    from rich.console import Console

    from fairbrief.reports import load, terminal
    from fairbrief.reports.audit_folder import replace_all
    from fairbrief.reports.json_file import identity
    from fairbrief.saved import saved_inputs
    from fairbrief.saved.slicing import slice_audit

    refuse_no_folder(out)
    saved = load(folder)
    result = slice_audit(saved, [[name.strip() for name in text.split(",")] for text in by])
    with held(out) as place:
        if place is not None:
            _, now = replace_all(result, place)
            saved_inputs.copy(folder, identity(saved), place, now)
    rest = terminal.WITH_A_REPORT if out else terminal.Rest(place="in the report that --out writes")
    terminal.print_result(result, Console(), details=details, rest=rest)
    if out is not None:
        typer.echo(f"\nReport: {out / 'report.html'}   Numbers: {out / 'results.json'}")
