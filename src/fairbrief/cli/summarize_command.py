"""``fairbrief summarize``: records in, summaries out, whatever happens on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli import spending_options as spend
from fairbrief.cli.input_options import OF_SUMMARIES, ReadingOptions, reading_options, tell_left_out
from fairbrief.cli.option_types import KeptAttribute, Over, Quiet
from fairbrief.cli.output_folder import refuse_overwriting

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[
    list[str], typer.Argument(help="Files with records, saved data sets, or hf:NAME.", metavar="RECORDS…")
]
With = Annotated[
    str,
    typer.Option(
        "--with", help="Who summarizes: chat:MODEL, transformers:MODEL, lead, …", metavar="SUMMARIZER"
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        help="File of summaries, JSON Lines; FILE.journal keeps answers, FILE.spent counts requests.",
        metavar="FILE",
    ),
]
PromptOption = Annotated[
    str | None, typer.Option(help="A shipped prompt, or a file with {documents} in it.", metavar="NAME|FILE")
]
Instruction = Annotated[
    str | None,
    typer.Option(help="Wish for fairness: none, fair, definition, ratio, coverage.", metavar="NAME"),
]
Role = Annotated[
    str | None,
    typer.Option(
        help="Role that the model is given: a built-in name, or your own words.", metavar="NAME|TEXT"
    ),
]
Samples = Annotated[int | None, typer.Option(help="Summaries per record.", min=1, metavar="N")]
Temperature = Annotated[float | None, typer.Option(help="Sampling temperature.", min=0, metavar="X")]
Sentences = Annotated[
    int | None,
    typer.Option(help="Sentences to ask for; longer answers are cut after them.", min=1, metavar="N"),
]
Words = Annotated[int | None, typer.Option(help="Words to ask for.", min=1, metavar="N")]
Seed = Annotated[int | None, typer.Option(help="Seed that is sent to the model.", metavar="N")]
SystemName = Annotated[
    str | None, typer.Option("--system", help="Name of the system in the file; else the model's.", metavar="NAME")
]  # fmt: skip


@app.command()
@spend.spending_options
@reading_options(*OF_SUMMARIES, "cluster_by")
def summarize(
    files: Files,
    with_: With,
    out: Out,
    prompt: PromptOption = None,
    attribute: KeptAttribute = None,
    over: Over = None,
    instruction: Instruction = None,
    role: Role = None,
    samples: Samples = None,
    temperature: Temperature = None,
    sentences: Sentences = None,
    words: Words = None,
    seed: Seed = None,
    system: SystemName = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Summarize records. Kill it at any moment: the same command again asks only for what is missing.

    All prompts are filled before anything is asked.
    """
    from fairbrief import registry
    from fairbrief.chat.journal import journal_of, keys_in
    from fairbrief.workbench.summarizing import Job, foresee, summarize_all

    spending = asking.spending(journal_of(out))
    given = {
        "prompt": prompt, "over": over, "instruction": instruction, "role": role, "samples": samples,
        "temperature": temperature, "sentences": sentences, "words": words, "seed": seed,
    }  # fmt: skip
    settings = {name: str(value) for name, value in given.items() if value is not None} | asking.of_model()
    summarizer = registry.make("summarizer", with_, settings)
    reading = options.read(files, attribute)
    refuse_overwriting(out, reading.files)
    jobs, journal = [Job(summarizer, out, system or "")], journal_of(out)
    forecast = foresee(jobs, reading.records, keys_in(journal), spending.budget, [with_])
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    with spend.keeping(out), spend.progress(spending, forecast.calls or None, quiet=quiet) as watch:
        (count,) = summarize_all(jobs, reading.records, journal, watch, spending)
    typer.echo(f"{out}: {spend.told(count, spending.tally, spending.budget.price)}")
    tell_left_out(reading)
    spend.tell_failures(spending.tally)
    spend.end_unfinished(count, spending.tally.failures)
