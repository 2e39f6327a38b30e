"""``fairbrief summarize``: records in, summaries out, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.inputs import OF_SUMMARIES, ReadingOptions, reading_options, tell_left_out
from fairbrief.cli.outputs import refuse_overwriting
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.chat.replies import Tally
    from fairbrief.engines.answering import Count

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
    Path, typer.Option(help="File of summaries, JSON Lines; FILE.journal keeps answers.", metavar="FILE")
]
PromptOption = Annotated[
    str | None, typer.Option(help="A shipped prompt, or a file with {documents} in it.", metavar="NAME|FILE")
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        help="Attribute that stands in a field of the row, to keep with the documents.", metavar="NAME=FIELD"
    ),
]
Over = Annotated[
    str | None, typer.Option(help="Attribute whose groups the prompt speaks of.", metavar="ATTRIBUTE")
]
Instruction = Annotated[
    str | None,
    typer.Option(help="Wish for fairness: none, fair, definition, ratio, coverage.", metavar="NAME"),
]
Role = Annotated[
    str | None, typer.Option(help="Role the model is given: a name, or words of yours.", metavar="NAME|TEXT")
]
Samples = Annotated[int | None, typer.Option(help="Summaries per record.", min=1, metavar="N")]
Temperature = Annotated[float | None, typer.Option(help="Randomness of the words.", min=0, metavar="X")]
Sentences = Annotated[
    int | None, typer.Option(help="Sentences to ask for; longer answers are cut there.", min=1, metavar="N")
]
Words = Annotated[int | None, typer.Option(help="Words to ask for.", min=1, metavar="N")]
Seed = Annotated[int | None, typer.Option(help="Seed that is sent to the model.", metavar="N")]
Concurrency = Annotated[int | None, typer.Option(help="Questions that are open at once.", min=1, metavar="N")]
PerMinute = Annotated[int | None, typer.Option(help="Requests a minute at most.", min=1, metavar="N")]
MaxRequests = Annotated[
    int | None, typer.Option(help="Requests to send at most, repeated tries included.", min=1, metavar="N")
]
BaseUrl = Annotated[
    str | None, typer.Option(help="Address of the server; else OPENAI_BASE_URL.", metavar="URL")
]
Price = Annotated[
    str | None,
    typer.Option(help="Price per million tokens, prompt and answer, to print the cost.", metavar="IN,OUT"),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress line.")]


@app.command()
@reading_options(*OF_SUMMARIES)
def summarize(
    files: Files,
    with_: With,
    out: Out,
    prompt: PromptOption = None,
    attribute: Attribute = None,
    over: Over = None,
    instruction: Instruction = None,
    role: Role = None,
    samples: Samples = None,
    temperature: Temperature = None,
    sentences: Sentences = None,
    words: Words = None,
    seed: Seed = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    max_requests: MaxRequests = None,
    base_url: BaseUrl = None,
    price: Price = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Summarize records. Kill it at any moment: the same command again asks only for what is missing."""
    from fairbrief import registry
    from fairbrief.engines.summarizing import summarize as run

    prices = prices_of(price)
    given = {
        "prompt": prompt, "over": over, "instruction": instruction, "role": role, "samples": samples,
        "temperature": temperature, "sentences": sentences, "words": words, "seed": seed,
        "concurrency": concurrency, "per_minute": per_minute, "max_requests": max_requests, "base_url": base_url,
    }  # fmt: skip
    settings = {name: str(value) for name, value in given.items() if value is not None}
    summarizer = registry.make("summarizer", with_, settings)
    reading = options.read(files, attribute)
    refuse_overwriting(out, reading.files)
    with keeping(out), progress(quiet=quiet) as watch:
        count = run(summarizer, reading.records, out, watch)
    typer.echo(f"{out}: {told(count, getattr(summarizer, 'tally', None), prices)}")
    tell_left_out(reading)
    if count.unanswered:
        typer.echo("Some were not answered: run the same command again to ask for those alone.", err=True)
        raise typer.Exit(1)


def told(count: Count, tally: Tally | None, prices: tuple[float, float] | None = None) -> str:
    """The counts of a run in one line."""
    parts = [
        f"{count.wanted:,} wanted",
        f"{count.asked:,} asked",
        f"{count.from_journal:,} from the journal",
        f"{count.refused:,} refused",
        f"{count.empty:,} empty",
        f"{count.unanswered:,} unanswered",
    ]
    if tally is not None and tally.requests:
        failed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(tally.failures.items()))
        parts += [
            f"{counted(tally.requests, 'request')}" + (f" (of which failed: {failed})" if failed else "")
        ]
        parts += [f"{tally.prompt_tokens:,} + {counted(tally.completion_tokens, 'token')}"]
    if tally is not None and prices is not None:
        parts += [f"cost {tally.cost(*prices):,.4f}"]
    return ", ".join(parts)


def prices_of(text: str | None) -> tuple[float, float] | None:
    """The prices per million tokens of the prompt and of the answer."""
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise RequestError(
            f"--price {text}: write the price per million tokens of the prompt and of the answer, e.g. 0.15,0.6."
        ) from None
    return first, second


@contextmanager
def keeping(out: Path, kept: Path | None = None) -> Iterator[None]:
    """Say where the answers are, if the work on ``out`` is stopped or fails after some came."""
    from fairbrief.engines.journal import journal_of

    kept = journal_of(out) if kept is None else kept
    try:
        yield
    except (KeyboardInterrupt, FairbriefError):
        if kept.exists():
            again = "run the same command again to go on"
            typer.echo(f"fairbrief: what was answered is kept in {kept}: {again}.", err=True)
        raise


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Count], None]]:
    """A line on standard error that tells how far a run is, where a person looks."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("asking", total=None)

        def watch(count: Count) -> None:
            bar.update(
                task,
                description=f"{count.asked:,} answered, {count.from_journal:,} from the journal, "
                f"{count.refused:,} refused, {count.unanswered:,} without an answer",
            )

        yield watch
