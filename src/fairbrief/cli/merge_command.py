"""``fairbrief merge``: the parts of an audit that several machines did, as one audit."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.option_types import AuditFolder
from fairbrief.cli.part_options import audit_again, there

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Folder = Annotated[
    Path,
    typer.Argument(help="Folder that the parts were kept in (--into).", metavar="DIR", show_default=False),
]


@app.command()
def merge(folder: Folder, out: AuditFolder = None) -> None:
    """Put the parts of an audit together, and print it; parts that are missing are done here."""
    started_in, arguments = there(folder)
    more = [] if out is None else ["--out", str(out.absolute())]
    with contextlib.chdir(started_in):
        audit_again([*arguments, *more])
