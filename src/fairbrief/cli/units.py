"""``fairbrief units``: summaries in, the same summaries with their atomic statements out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.inputs import ReadingOptions, reading_options, tell_left_out
from fairbrief.cli.summarize import (
    BaseUrl,
    Concurrency,
    MaxRequests,
    PerMinute,
    Price,
    Quiet,
    keeping,
    progress,
)
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[list[str], typer.Argument(help="Files with records and summaries.", metavar="FILE…")]
With = Annotated[str, typer.Option("--with", help="The model that splits.", metavar="chat:MODEL")]
Out = Annotated[Path, typer.Option(help="File to write, JSON Lines.", metavar="FILE")]
PromptOption = Annotated[
    Path | None, typer.Option(help="Your instruction: text with {summary}, or TOML.", metavar="FILE")
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        help="Attribute that stands in a field of the row, to keep with the documents.", metavar="NAME=FIELD"
    ),
]


@app.command()
@reading_options()
def units(
    files: Files,
    with_: With,
    out: Out,
    prompt: PromptOption = None,
    attribute: Attribute = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    max_requests: MaxRequests = None,
    base_url: BaseUrl = None,
    price: Price = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Split summaries into atomic statements, the units of coverage. Resumes where it was stopped."""
    from fairbrief import registry
    from fairbrief.chat.splitting import Splitter, from_file, shipped
    from fairbrief.cli.outputs import refuse_overwriting
    from fairbrief.cli.summarize import prices_of, told
    from fairbrief.engines.splitting import split_file

    if not with_.startswith(("chat:", "chat(")):
        raise RequestError(f"--with {with_}: units are split by a chat model: chat:MODEL.")
    given = {
        "concurrency": concurrency,
        "per_minute": per_minute,
        "max_requests": max_requests,
        "base_url": base_url,
    }
    settings = {name: str(value) for name, value in given.items() if value is not None}
    chat = registry.make("summarizer", with_, settings)
    splitting = shipped() if prompt is None else from_file(prompt)
    splitter = Splitter(chat.endpoint(), splitting, chat.decoding(default=0.0))
    reading = options.read(files, attribute)
    refuse_overwriting(out, reading.files)
    prices = prices_of(price)
    with keeping(out), progress(quiet=quiet) as watch:
        outcome = split_file(splitter, lambda: reading, out, watch)
    typer.echo(f"{out}: {told(outcome.count, splitter.tally, prices)}")
    recall = "none" if outcome.recall is None else f"{outcome.recall:.3f}"
    typer.echo(
        f"{counted(outcome.units, 'unit')} of {counted(outcome.split, 'summary', 'summaries')}, unit recall {recall}, "
        f"{counted(outcome.unparsed_count, 'reply', 'replies')} unparsed"
    )
    for line in outcome.unparsed:
        typer.echo(f"  {line}")
    tell_left_out(reading)
    if outcome.count.unanswered:
        typer.echo("Some were not answered: run the same command again to ask for those alone.", err=True)
        raise typer.Exit(1)
