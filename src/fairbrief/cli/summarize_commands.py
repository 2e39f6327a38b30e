"""``fairbrief summarize``: summaries of records; ``fairbrief claims``: claims of summaries."""

from __future__ import annotations

from pathlib import Path

from fairbrief.cli import options as o
from fairbrief.cli import spending_options as spend
from fairbrief.cli.input_options import OF_SUMMARIES, ReadingOptions, reading_options
from fairbrief.cli.output import refuse_overwriting
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

app = o.new_app()


@app.command()
@spend.spending_options
@reading_options(*OF_SUMMARIES, "cluster_by")
def summarize(
    files: list[str] = o.argument("Files with records, saved data sets, or hf:NAME.", "RECORDS…"),
    with_: str = o.option(
        ...,
        "Summarizer: chat:MODEL, transformers:MODEL, lead … ('fairbrief measures' lists all).",
        "SUMMARIZER",
        "--with",
    ),
    out: Path = o.option(
        ...,
        "File of summaries (JSON Lines). FILE.journal stores answers, FILE.spent requests.",
        "FILE",
    ),
    prompt: str | None = o.option(
        None, "Name of a built-in prompt, or a file that contains {documents}.", "NAME|FILE"
    ),
    over: str | None = o.OVER,
    instruction: str | None = o.option(
        None, "Fairness instruction: none, fair, definition, ratio or coverage.", "NAME"
    ),
    role: str | None = o.option(None, "Role of the model: a built-in name or your text.", "NAME|TEXT"),
    samples: int | None = o.option(None, "Summaries per record.", "N", least=1),
    temperature: float | None = o.option(None, "Sampling temperature.", "X", least=0),
    sentences: int | None = o.option(
        None, "Sentences to ask for; of a longer answer, this many are drawn at random.", "N", least=1
    ),
    words: int | None = o.option(None, "Words to ask for.", "N", least=1),
    seed: int | None = o.option(None, "Seed for the model.", "N"),
    system: str | None = o.option(None, "Name of the system; by default the model's.", "NAME"),
    quiet: bool = o.QUIET,
    *,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Summarize records with a model or a built-in summarizer.

    All prompts are checked before the first request. You may interrupt: the same command continues and asks
    only for missing summaries.
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
    reading = options.read(files)
    refuse_overwriting(out, reading.files)
    jobs, journal = [Job(summarizer, out, system or "")], journal_of(out)
    forecast = foresee(jobs, reading.records, keys_in(journal), spending.budget)
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    with spend.keeping(out), spend.progress(spending, forecast.calls or None, quiet=quiet) as watch:
        (count,) = summarize_all(jobs, reading.records, journal, watch, spending)
    spend.end_with(out, count, spending, reading)


@app.command()
@spend.spending_options
@reading_options("cluster_by")
def claims(
    files: list[str] = o.argument("Files with records and summaries.", "FILE…"),
    with_: str = o.option(..., "Chat model that splits summaries.", "chat:MODEL", "--with"),
    out: Path = o.option(..., "File to write (JSON Lines).", "FILE"),
    prompt: Path | None = o.option(None, "Your own instruction: a file that contains {summary}.", "FILE"),
    quiet: bool = o.QUIET,
    *,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Split summaries into claims (atomic statements) with a chat model.

    You may interrupt: the same command continues.
    """
    from fairbrief import registry
    from fairbrief.chat.journal import journal_of, keys_in
    from fairbrief.workbench.claims import Splitter, foresee_claims, instruction_in, split_file

    if not with_.startswith(("chat:", "chat(")):
        raise RequestError(f"--with {with_}: only chat models split summaries. Write --with chat:MODEL.")
    spending = asking.spending(journal_of(out))
    chat = registry.make("summarizer", with_, asking.of_model())
    splitter = Splitter(
        chat.endpoint(), instruction_in(prompt), chat.decoding(default=0.0), spending.tally, spending.budget
    )
    reading = options.read(files)
    refuse_overwriting(out, reading.files)
    forecast = foresee_claims(splitter, reading, keys_in(journal_of(out)))
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    with spend.keeping(out), spend.progress(spending, forecast.calls or None, quiet=quiet) as watch:
        outcome = split_file(splitter, lambda: reading, out, watch)
    recall = "none" if outcome.recall is None else f"{outcome.recall:.3f}"
    split = (
        f"{counted(outcome.claims, 'claim')} of {counted(outcome.split, 'summary', 'summaries')}, claim recall {recall}, "
        f"{counted(outcome.unparsed_count, 'reply', 'replies')} unparsed"
    )
    spend.end_with(
        out, outcome.count, spending, reading, [split, *(f"  {line}" for line in outcome.unparsed)]
    )
