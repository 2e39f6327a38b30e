"""``fairbrief rank``: one order of systems over several data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.option_types import Confidence, Resamples, ResamplesSeed

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Folders = Annotated[
    list[Path], typer.Argument(help="Folders that audits wrote with --out, one per data set.", metavar="DIR…")
]
System = Annotated[
    list[str] | None, typer.Option(help="System to rank; without it, all that every audit has.", metavar="NAME")
]  # fmt: skip

Published = Annotated[
    bool,
    typer.Option(
        "--published", help="The published order: by unsigned scores, without the random-sentence baseline."
    ),
]


@app.command()
def rank(
    folders: Folders,
    system: System = None,
    n_resamples: Resamples = 2000,
    seed: ResamplesSeed = 0,
    confidence_level: Confidence = 0.95,
    published: Published = False,
) -> None:
    """Overall order of systems: mean over data sets of min–max-normalised disparities, with intervals.

    Ordered by each measure's largest group difference, less the system's own random-sentence baseline.
    """
    from dataclasses import replace

    from rich.console import Console

    from fairbrief.errors import RequestError
    from fairbrief.reports import load, terminal
    from fairbrief.saved.ranking import overall, table

    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        raise RequestError(f"Two of the folders have one name: {', '.join(names)}. It names the data set.")
    results = {name: load(folder) for name, folder in zip(names, folders, strict=True)}
    tables = [
        table(one, confidence_level)
        for one in overall(
            results,
            system or (),
            n_resamples=n_resamples,
            seed=seed,
            confidence_level=confidence_level,
            published=published,
        )
    ]
    for this, after in zip(tables, [*tables[1:], None], strict=True):
        again = () if after is None else after.notes  # said below the last table that it holds for
        terminal.print_table(replace(this, notes=tuple(n for n in this.notes if n not in again)), Console())
