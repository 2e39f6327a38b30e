"""``fairbrief audit``: one command from a file to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.inputs import ReadingOptions, cached, progress_bar, reading_options
from fairbrief.cli.options import Cache, Details, Draws, Level, Quiet
from fairbrief.cli.outputs import refuse_no_folder
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.reports.result import Result

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[
    list[str],
    typer.Argument(help="Files or saved data sets with records and summaries, or hf:NAME.", metavar="FILE…"),
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        help="Attribute to audit over; NAME=FIELD reads it from another field or column.",
        metavar="NAME[=FIELD]",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Measure to take, e.g. 'bur(tau=0.9)@sentiment'. Without it: all that the file allows.",
        metavar="SPELLING",
    ),
]
Protocol = Annotated[
    str | None, typer.Option(help="Run a paper's whole protocol and print its tables.", metavar="NAME")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for results.json, evidence.parquet and report.html.", metavar="DIR"),
]
SliceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slice", help="Also estimate by a record attribute; A,B crosses two.", metavar="NAME[,NAME]"
    ),
]
Control = Annotated[
    list[str] | None,
    typer.Option(help="Audit a control beside the systems, e.g. exchanged or whole_source.", metavar="NAME"),
]
Controls = Annotated[bool, typer.Option("--controls", help="Audit all controls beside the systems.")]
Baseline = Annotated[
    str | None, typer.Option(help="System that the others are compared with.", metavar="SYSTEM")
]
Seed = Annotated[int, typer.Option(help="Seed of all draws; recorded.", min=0, metavar="N")]
CheckInstruments = Annotated[
    bool | None,
    typer.Option(
        "--check-instruments/--no-check-instruments",
        help="Let the judges read sources that differ in the group alone. Without it: those that hold no model.",
        show_default=False,
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        help="Processes that score and observe; 0: one a core. They change no digit; models stay in this one.",
        min=0,
        metavar="N",
    ),
]


@app.command()
@reading_options()
def audit(
    files: Files,
    attribute: Attribute = None,
    measure: MeasureOption = None,
    protocol: Protocol = None,
    out: Out = None,
    slice_by: SliceOption = None,
    control: Control = None,
    controls: Controls = False,
    baseline: Baseline = None,
    seed: Seed = 0,
    draws: Draws = 2000,
    level: Level = 0.95,
    cache: Cache = None,
    workers: Workers = 1,
    check_instruments: CheckInstruments = None,
    details: Details = False,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Audit summaries: value, interval, chance level and p of every measure that the file allows."""
    from rich.console import Console

    from fairbrief.auditing import Plan
    from fairbrief.auditing import audit as run
    from fairbrief.auditing.controls import CONTROLS
    from fairbrief.reports import terminal, write_all

    if protocol and measure:
        raise RequestError("--protocol brings its own measures: drop --measure, or run the two apart.")
    refuse_no_folder(out)
    names = [text.partition("=")[0] for text in attribute or ()]
    reading = options.read(files, attribute)
    with progress_bar(reading, quiet=quiet) as progress:
        result = run(
            reading,
            Plan(
                measures=measure or (),
                attributes=names,
                protocol=protocol,
                slices=[[name.strip() for name in text.split(",")] for text in slice_by or ()],
                controls=list(dict.fromkeys([*(control or ()), *(CONTROLS if controls else ())])),
                baseline=baseline,
                seed=seed,
                draws=draws,
                level=level,
                skips=options.skips,
                check_instruments=check_instruments,
                wrap=cached(cache),
                progress=progress,
                workers=workers,
            ),
        )
    result = _with_reading(result, files, reading)
    try:  # written first: who reads the print may stop reading, as `| head` does
        if out is not None:
            write_all(result, out)
    finally:
        rest = (
            terminal.Rest(place="in the report that --out writes") if out is None else terminal.WITH_A_REPORT
        )
        terminal.print_result(result, Console(), details=details, rest=rest)
    if out is not None:
        typer.echo(
            f"\nReport: {out / 'report.html'}   Numbers: {out / 'results.json'}   Evidence: {out / 'evidence.parquet'}"
        )


def _with_reading(result: Result, files: list[str], reading: object) -> Result:
    """The result with what the reader knows: the files, and what it left out."""
    from dataclasses import replace

    made = {
        **result.made,
        "files": [Path(f).name for f in files],
        "skipped": getattr(reading, "skipped_count", 0),
    }
    return replace(result, made=made, skipped=tuple(getattr(reading, "skipped", ())))
