"""``fairbrief agree``: how far judges agree, two scorers or a scorer and people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from fairbrief.cli.option_types import Cache, Confidence, Resamples, ResamplesSeed
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.reports.result import Result
    from fairbrief.types import Table

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Sources = Annotated[
    list[str],
    typer.Argument(
        help="Folders of saved audits (two scorers are compared), or files whose units people labelled.",
        metavar="DIR…|FILE…",
    ),
]
Attribute = Annotated[
    str | None, typer.Option(help="Attribute whose values the units' labels name.", metavar="NAME[=FIELD]")
]
Scorer = Annotated[str, typer.Option(help="Scorer to compare with the labels.", metavar="SPEC")]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(help="In saved audits: measure to compare with another; give two or more.", metavar="SPEC"),
]
RelativeChange = Annotated[
    tuple[str, str] | None,
    typer.Option(
        help="In saved audits: compare how much each measure changes from the first system to the second.",
        metavar="PLAIN FAIR",
    ),
]
Temperature = Annotated[
    str, typer.Option(help="Temperatures of the softmax, separated by commas.", metavar="T,…")
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="Support above this counts as a yes; without it, 0.5 where support is in [0, 1].", metavar="X"
    ),
]


@app.command()
@in_language
@reading_options("references_field", "document_id_field")
def agree(
    sources: Sources,
    attribute: Attribute = None,
    scorer: Scorer = "ngram",
    temperature: Temperature = ".05,.1,.2,.5,1,2",
    threshold: Threshold = None,
    measure: MeasureOption = None,
    relative_change: RelativeChange = None,
    n_resamples: Resamples = 2000,
    seed: ResamplesSeed = 0,
    confidence_level: Confidence = 0.95,
    cache: Cache = None,
    *,
    options: ReadingOptions,
) -> None:
    """Agreement of two scorers or measures in saved audits, or of a scorer and people's labels of units.

    For agreement with people who filled in sheets, see 'fairbrief annotate agree'.
    """
    from rich.console import Console

    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports import load, terminal
    from fairbrief.saved import label_agreement

    saved = [(Path(source) / "results.json").is_file() for source in sources]
    if any(saved):
        if not all(saved):
            raise RequestError("Give folders of saved audits, or files of records; not both at once.")
        given = {"attribute": attribute, "threshold": threshold, **options.told()}
        if told := [name for name, value in given.items() if value is not None]:
            option = told[0].replace("_", "-")
            raise RequestError(f"--{option} is for files of records; saved audits are compared as they are.")
        audits = [load(source) for source in sources]
        for table in _of_audits(audits, measure or (), relative_change, n_resamples, seed, confidence_level):
            terminal.print_table(table, Console())
        return
    if measure or relative_change:
        raise RequestError("--measure and --relative-change are for saved audits; give their folders.")
    if attribute is None:
        raise RequestError("Say whose labels the units carry: --attribute NAME.")
    reading = options.read(sources, [attribute])
    suppose_language(reading)
    with progress_bar(reading) as progress:
        with_people = label_agreement.agreement(
            reading,
            attribute.partition("=")[0],
            scorer,
            temperatures=_temperatures(temperature),
            threshold=threshold,
            n_resamples=n_resamples,
            seed=seed,
            confidence_level=confidence_level,
            scorers=Scorers(wrap=cached(cache)),
            progress=progress,
        )
    for table in label_agreement.tables(with_people, confidence_level):
        terminal.print_table(table, Console())
    tell_left_out(reading)


def _of_audits(
    audits: Sequence[Result],
    measures: Sequence[str],
    between: tuple[str, str] | None,
    n_resamples: int,
    seed: int,
    confidence_level: float,
) -> Sequence[Table]:
    from fairbrief.saved import relative_changes, scorer_agreement

    if between is None:
        found = scorer_agreement.correlations(
            audits, measures, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
        )
        return scorer_agreement.tables(found, confidence_level)
    changes = relative_changes.change_comparisons(
        audits, *between, measures, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
    )
    return (relative_changes.change_table(changes, *between, confidence_level),)


def _temperatures(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < t < float("inf") for t in found):
        raise RequestError(f"--temperature {text}: wanted numbers above 0 with commas between, as .1,.5,1.")
    return found
