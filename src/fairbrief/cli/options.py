"""Options that several commands share, and mean alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Cache = Annotated[
    Path | None, typer.Option(help="File that keeps the scores of models between runs.", metavar="FILE")
]
Details = Annotated[bool, typer.Option("--details", help="Print every quantity, not the headlines alone.")]
Draws = Annotated[
    int, typer.Option(help="Resamples and chance labellings; 0 for values alone.", min=0, metavar="N")
]
Level = Annotated[float, typer.Option(help="Level of the intervals.", min=0.5, max=0.9999, metavar="X")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]
Resamples = Annotated[int, typer.Option(help="Resamples; 0 for values alone.", min=0, metavar="N")]
ResamplesSeed = Annotated[int, typer.Option(help="Seed of the resamples.", min=0, metavar="N")]
SavedAudit = Annotated[Path, typer.Argument(help="Folder that an audit wrote with --out.", metavar="DIR")]
