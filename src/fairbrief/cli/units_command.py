"""``fairbrief units``: summaries in, the same summaries with their atomic statements out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli import spending_options as spend
from fairbrief.cli.input_options import ReadingOptions, reading_options, tell_left_out
from fairbrief.cli.option_types import KeptAttribute, Quiet
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[list[str], typer.Argument(help="Files with records and summaries.", metavar="FILE…")]
With = Annotated[str, typer.Option("--with", help="The model that splits.", metavar="chat:MODEL")]
Out = Annotated[Path, typer.Option(help="File to write, JSON Lines.", metavar="FILE")]
PromptOption = Annotated[
    Path | None, typer.Option(help="Your instruction: text with {summary}, or TOML.", metavar="FILE")
]


@app.command()
@spend.spending_options
@reading_options("cluster_by")
def units(
    files: Files,
    with_: With,
    out: Out,
    prompt: PromptOption = None,
    attribute: KeptAttribute = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Split summaries into atomic statements, the units of coverage. Resumes where it was stopped."""
    from fairbrief import registry
    from fairbrief.chat.journal import journal_of, keys_in
    from fairbrief.cli.output_folder import refuse_overwriting
    from fairbrief.workbench.units import Splitter, foresee_units, from_file, shipped, split_file

    if not with_.startswith(("chat:", "chat(")):
        raise RequestError(f"--with {with_}: units are split by a chat model: chat:MODEL.")
    spending = asking.spending(journal_of(out))
    chat = registry.make("summarizer", with_, asking.of_model())
    splitting = shipped() if prompt is None else from_file(prompt)
    splitter = Splitter(
        chat.endpoint(), splitting, chat.decoding(default=0.0), spending.tally, spending.budget
    )
    reading = options.read(files, attribute)
    refuse_overwriting(out, reading.files)
    forecast = foresee_units(splitter, reading, keys_in(journal_of(out)))
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    with spend.keeping(out), spend.progress(spending, forecast.calls or None, quiet=quiet) as watch:
        outcome = split_file(splitter, lambda: reading, out, watch)
    typer.echo(f"{out}: {spend.told(outcome.count, spending.tally, spending.budget.price)}")
    recall = "none" if outcome.recall is None else f"{outcome.recall:.3f}"
    again = f", {counted(outcome.asked_again, 'reply', 'replies')} asked again" if outcome.asked_again else ""
    typer.echo(
        f"{counted(outcome.units, 'unit')} of {counted(outcome.split, 'summary', 'summaries')}, unit recall {recall}"
        f"{again}, {counted(outcome.unparsed_count, 'reply', 'replies')} unparsed"
    )
    for line in outcome.unparsed:
        typer.echo(f"  {line}")
    tell_left_out(reading)
    spend.tell_failures(spending.tally)
    spend.end_unfinished(outcome.count, spending.tally.failures)
