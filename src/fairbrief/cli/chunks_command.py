"""``fairbrief chunks``: how large the pieces of documents may be for a scorer."""

from __future__ import annotations

from math import isfinite
from typing import Annotated

import typer

from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    in_language,
    progress_bar,
    reading_options,
    suppose_language,
    tell_left_out,
)
from fairbrief.cli.option_types import Cache, Resamples, ResamplesSeed

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[
    list[str], typer.Argument(help="Files or saved data sets with records and summaries.", metavar="FILE…")
]
Attribute = Annotated[
    str | None,
    typer.Option(help="Also for each value of this attribute; NAME=FIELD reads it from another field.", metavar="NAME[=FIELD]"),
]  # fmt: skip
Scorer = Annotated[str, typer.Option(help="Scorer of support, e.g. entailment.", metavar="SPEC")]
Sizes = Annotated[
    str,
    typer.Option(
        help="Sizes of pieces: sentence, or numbers of words, separated by commas.", metavar="SIZES"
    ),
]
Threshold = Annotated[float, typer.Option(help="Support above this identifies a unit's source.", metavar="X")]
Units = Annotated[str, typer.Option(help="What units are: auto, given or sentences.", metavar="UNITS")]


@app.command()
@in_language
@reading_options("references_field", "document_id_field", "cluster_by", "record_attribute")
def chunks(
    files: Files,
    attribute: Attribute = None,
    scorer: Scorer = "containment",
    sizes: Sizes = "sentence,50,100,200,400",
    threshold: Threshold = 0.5,
    units: Units = "auto",
    n_resamples: Resamples = 2000,
    seed: ResamplesSeed = 0,
    cache: Cache = None,
    *,
    options: ReadingOptions,
) -> None:
    """Share of units whose source document is identified, for each size of the documents' pieces."""
    from rich.console import Console

    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.errors import RequestError
    from fairbrief.reports import terminal
    from fairbrief.saved.chunk_sizes import chunk_sizes, tables

    if units not in ("auto", "given", "sentences"):
        raise RequestError(f"--units is auto, given or sentences, not '{units}'.")
    if not isfinite(threshold):
        raise RequestError(f"--threshold is a finite number, not {threshold}.")
    reading = options.read(files, [attribute] if attribute else None)
    suppose_language(reading)
    with progress_bar(reading) as progress:
        found = chunk_sizes(
            reading,
            scorer,
            sizes=[size.strip() for size in sizes.split(",")],
            over=attribute.partition("=")[0] if attribute else None,
            threshold=threshold,
            units=units,
            n_resamples=n_resamples,
            seed=seed,
            scorers=Scorers(wrap=cached(cache)),
            progress=progress,
        )
    for table in tables(found, scorer, threshold):
        terminal.print_table(table, Console())
    tell_left_out(reading)
