"""``fairbrief run``: a whole experiment from one file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli import spending_options as spend
from fairbrief.cli.exit_codes import INCOMPLETE
from fairbrief.cli.option_types import DryRun, Quiet
from fairbrief.cli.output_folder import refuse_no_folder

if TYPE_CHECKING:
    from fairbrief.workbench.experiment_run import Finished

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[Path, typer.Argument(help="The experiment's file.", metavar="EXPERIMENT.toml")]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder of the experiment; without it, one named after the file.", metavar="DIR"),
]


@app.command()
def run(file: File, out: Out = None, dry_run: DryRun = False, quiet: Quiet = False) -> None:
    """Run an experiment: data, summaries of every setting, units, audit, comparisons, gate, one page.

    Everything is checked before anything is asked. Kill it at any moment: the same command again goes on. Paths
    in the file are relative to its folder. Ends with 1 if a limit of the gate is broken, 3 if one is inconclusive or
    summaries are missing.
    """
    from fairbrief.cli.input_options import cached
    from fairbrief.kept_files import locked
    from fairbrief.workbench.experiment_file import read_experiment
    from fairbrief.workbench.experiment_run import PAGE, Run

    folder = (Path(file.stem) if out is None else out).absolute()
    refuse_no_folder(folder, "--out")
    experiment = read_experiment(file)
    folder.mkdir(parents=True, exist_ok=True)
    say: Callable[[str], None] = (lambda _: None) if quiet else lambda text: typer.echo(text, err=True)
    with locked(folder / PAGE), chdir(file.absolute().parent), spend.keeping(folder, folder / "answers"):
        watching = partial(spend.progress, quiet=quiet)
        whole = Run(experiment, folder, _build, watching, say, cached(folder / "scores.sqlite"))
        forecast = whole.foresee()
        if dry_run:
            spend.print_forecast(forecast, whole.spending.budget)
            return
        found = whole.go(forecast)
    _print(found, folder)
    spend.tell_failures(whole.spending.tally)
    _end(found, whole.spending.tally.failures)


def _build(arguments: list[str]) -> None:
    from fairbrief.cli.build_command import app as build

    build(arguments, standalone_mode=False)


def _print(found: Finished, folder: Path) -> None:
    from rich.console import Console

    from fairbrief.reports import terminal

    for table in found.result.tables:
        terminal.print_table(table, Console())
    for check in found.checks:
        typer.echo(f"{check.outcome:13}{check.name}: {check.message}")
    typer.echo(
        f"\nPage: {folder / 'experiment.html'}   Numbers: {folder / 'results.csv'}   Audit: {folder / 'audit'}"
    )


def _end(found: Finished, failures: dict[str, int]) -> None:
    from fairbrief.saved import gate

    outcome = gate.overall(found.checks)
    if gate.EXIT[outcome] not in (0, INCOMPLETE):
        raise typer.Exit(gate.EXIT[outcome])
    spend.end_unfinished(found.missing, failures)
    if outcome != "pass":
        raise typer.Exit(gate.EXIT[outcome])
