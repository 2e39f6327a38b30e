"""Options that several commands share, and mean alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AuditFolder = Annotated[
    Path | None,
    typer.Option("--out", help="Folder for results.json, report.html and the evidence.", metavar="DIR"),
]
AuditedAttribute = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute",
        help="Attribute to audit over; NAME=FIELD reads it from another field or column.",
        metavar="NAME[=FIELD]",
    ),
]
Cache = Annotated[
    Path | None, typer.Option(help="File that keeps the scores of models between runs.", metavar="FILE")
]
Details = Annotated[bool, typer.Option("--details", help="Print every quantity, not the headlines alone.")]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Fill all prompts, print calls, tokens, cost and examples; ask nothing."),
]
KeptAttribute = Annotated[
    list[str] | None,
    typer.Option(help="Attribute in a field of the row, to keep with the documents.", metavar="NAME=FIELD"),
]
Language = Annotated[
    str,
    typer.Option(help="Language of the texts, e.g. de; without it, it is detected.", metavar="CODE"),
]
Over = Annotated[
    str | None, typer.Option(help="Attribute whose groups the prompt speaks of.", metavar="ATTRIBUTE")
]
Permutations = Annotated[
    int,
    typer.Option(
        "--resamples", help="Resamples, and permutations of labels; 0: estimates alone.", min=0, metavar="N"
    ),
]
PriceOption = Annotated[
    str | None,
    typer.Option("--price", help="Price of a million tokens of prompts and of answers, to print the cost.", metavar="IN,OUT"),
]  # fmt: skip
Confidence = Annotated[
    float,
    typer.Option("--confidence", help="Confidence level of the intervals.", min=0.5, max=0.9999, metavar="X"),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print errors alone.")]
Resamples = Annotated[
    int, typer.Option("--resamples", help="Resamples; 0: estimates alone.", min=0, metavar="N")
]
ResamplesSeed = Annotated[int, typer.Option(help="Seed of the resamples.", min=0, metavar="N")]
SavedAudit = Annotated[Path, typer.Argument(help="Folder that an audit wrote with --out.", metavar="DIR")]
