"""``fairbrief sweep``: one summarizer over a grid of settings, summarized, audited and compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.inputs import OF_SUMMARIES, ReadingOptions, cached, reading_options, tell_left_out
from fairbrief.cli.options import Cache, Details, Draws, Level
from fairbrief.cli.outputs import refuse_no_folder
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.auditing.sweeping import Cell
    from fairbrief.engines.answering import Count

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[list[str], typer.Argument(help="Files with records to summarize.", metavar="FILE…")]
With = Annotated[
    str, typer.Option("--with", help="Summarizer, e.g. lead or chat:MODEL.", metavar="SUMMARIZER")
]
Out = Annotated[Path, typer.Option(help="Folder for the answers and the report.", metavar="DIR")]
Temperature = Annotated[str | None, typer.Option(help="Temperatures, e.g. 0,.3,.7,1.", metavar="T,…")]
Sentences = Annotated[str | None, typer.Option(help="Lengths in sentences, e.g. 1,3,5.", metavar="N,…")]
Instruction = Annotated[
    str | None, typer.Option(help="Named instructions, e.g. none,definition.", metavar="NAME,…")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any other setting of the summarizer, e.g. words=20,40.", metavar="NAME=V,…"),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", help="Measure to take. Without it: all that the file allows.", metavar="SPELLING"
    ),
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(help="Attribute to audit over; NAME=FIELD reads it from there.", metavar="NAME[=FIELD]"),
]
Baseline = Annotated[
    str | None,
    typer.Option(help="Setting that others are compared with; without it, the first.", metavar="NAME"),
]
Seed = Annotated[int, typer.Option(help="Seed of the audit's draws.", min=0, metavar="N")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Do not tell how far it is.")]


@app.command()
@reading_options(*OF_SUMMARIES)
def sweep(
    files: Files,
    with_: With,
    out: Out,
    temperature: Temperature = None,
    sentences: Sentences = None,
    instruction: Instruction = None,
    set_: Set = None,
    measure: MeasureOption = None,
    attribute: Attribute = None,
    baseline: Baseline = None,
    seed: Seed = 0,
    draws: Draws = 2000,
    level: Level = 0.95,
    cache: Cache = None,
    details: Details = False,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Summarize and audit over a grid of settings; differences are paired against the first (or --baseline).

    Answers that are in the folder already are not asked for again.
    """
    from rich.console import Console

    from fairbrief.auditing import Plan, sweeping
    from fairbrief.cli.summarize import keeping
    from fairbrief.reports import terminal, write_all

    axes = axes_of(
        (("temperature", temperature), ("sentences", sentences), ("instruction", instruction)), set_ or ()
    )
    cells = sweeping.grid(with_, axes)
    refuse_no_folder(out)
    reading = options.read(files, attribute)
    plan = Plan(
        measures=measure or (),
        attributes=[text.partition("=")[0] for text in attribute or ()],
        baseline=baseline,
        seed=seed,
        draws=draws,
        level=level,
        skips=options.skips,
        wrap=cached(cache),
    )

    def tell(cell: Cell, count: Count) -> None:
        if not quiet:
            typer.echo(
                f"{cell.name}: {counted(count.wanted, 'summary', 'summaries')}, {count.from_journal:,} on disk already, "
                f"{count.refused:,} refused, {count.empty:,} empty, {count.unanswered:,} unanswered",
                err=True,
            )

    with keeping(out, out / sweeping.ANSWERS):
        result = sweeping.sweep(reading.records, cells, out, plan, tell)
    try:  # written first: who reads the print may stop reading, as `| head` does
        write_all(result, out)
    finally:
        terminal.print_result(result, Console(), details=details)
    tell_left_out(reading)
    typer.echo(f"\nReport: {out / 'report.html'}   Answers: {out / sweeping.ANSWERS}")


def axes_of(named: Sequence[tuple[str, str | None]], others: Sequence[str]) -> dict[str, list[str]]:
    """Setting → values, from the options and from ``--set NAME=V,…``; RequestError if one is told twice."""
    axes: dict[str, list[str]] = {}
    told = [(name, values) for name, values in named if values is not None]
    for text in others:
        name, equals, values = text.partition("=")
        if not (name.strip() and equals):
            raise RequestError(f"--set {text}: write --set NAME=VALUE,VALUE.")
        told.append((name.strip(), values))
    for name, values in told:
        if name in axes:
            raise RequestError(f"The setting '{name}' is swept twice: give all its values at once.")
        axes[name] = [value.strip() for value in values.split(",")]
        if "" in axes[name]:
            raise RequestError(f"An empty value of '{name}': write values with commas between them.")
    return axes
