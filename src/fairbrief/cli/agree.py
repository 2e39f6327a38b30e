"""``fairbrief agree``: how far judges agree, two scorers or a scorer and people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.inputs import ReadingOptions, cached, progress_bar, reading_options, tell_left_out
from fairbrief.cli.options import Cache, Level, Quiet, Resamples, ResamplesSeed
from fairbrief.errors import RequestError

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
Scorer = Annotated[str, typer.Option(help="Scorer to compare with the labels.", metavar="SPELLING")]
Temperature = Annotated[str, typer.Option(help="Temperatures of the softmax, commas between.", metavar="T,…")]
Threshold = Annotated[
    float | None,
    typer.Option(help="Support above this counts as a yes; 0.5 where support is in [0, 1].", metavar="X"),
]


@app.command()
@reading_options("references_field")
def agree(
    sources: Sources,
    attribute: Attribute = None,
    scorer: Scorer = "ngram",
    temperature: Temperature = ".05,.1,.2,.5,1,2",
    threshold: Threshold = None,
    draws: Resamples = 2000,
    seed: ResamplesSeed = 0,
    level: Level = 0.95,
    cache: Cache = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Agreement of judges: two scorers in saved audits, or a scorer and people's labels of units.

    Whether a measure orders summaries as people do who filled in sheets is told by 'fairbrief annotate agree'.
    """
    from rich.console import Console

    from fairbrief.auditing import label_agreement, scorer_agreement
    from fairbrief.auditing.scorers import Scorers
    from fairbrief.reports import load, terminal

    saved = [(Path(source) / "results.json").is_file() for source in sources]
    if any(saved):
        if not all(saved):
            raise RequestError("Give folders of saved audits, or files of records; not both at once.")
        given = {"attribute": attribute, "threshold": threshold, **options.told()}
        if told := [name for name, value in given.items() if value is not None]:
            option = told[0].replace("_", "-")
            raise RequestError(f"--{option} is for files of records; saved audits are compared as they are.")
        found = scorer_agreement.correlations(
            [load(source) for source in sources], draws=draws, seed=seed, level=level
        )
        terminal.print_table(scorer_agreement.table(found, level), Console())
        return
    if attribute is None:
        raise RequestError("Say whose labels the units carry: --attribute NAME.")
    reading = options.read(sources, [attribute])
    with progress_bar(reading, quiet=quiet) as progress:
        with_people = label_agreement.agreement(
            reading,
            attribute.partition("=")[0],
            scorer,
            temperatures=_temperatures(temperature),
            threshold=threshold,
            draws=draws,
            seed=seed,
            level=level,
            scorers=Scorers(wrap=cached(cache)),
            progress=progress,
        )
    for table in label_agreement.tables(with_people, level):
        terminal.print_table(table, Console())
    tell_left_out(reading)


def _temperatures(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < t < float("inf") for t in found):
        raise RequestError(f"--temperature {text}: wanted numbers above 0 with commas between, as .1,.5,1.")
    return found
