"""What commands that ask models share: options of pace and money, a forecast, progress, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairbrief.chat.spending import Limits, asking
from fairbrief.cli.command_line import INCOMPLETE
from fairbrief.cli.input_options import bar, tell_left_out
from fairbrief.cli.options import options_of
from fairbrief.errors import FairbriefError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.chat.endpoint import Tally
    from fairbrief.chat.spending import Budget, Price
    from fairbrief.readers import Reading
    from fairbrief.workbench.summarizing import Count, Forecast, Spending


@dataclass(frozen=True, slots=True)
class SpendingOptions(Limits):
    """How a model is asked, and what that may cost. Each field is an option: see `spending_options`."""

    # fmt: off
    max_tokens: int | None = asking(None, "Most tokens per answer; --max-cost needs it.", "N", least=1)
    base_url: str | None = asking(None, "Address of the server; by default $OPENAI_BASE_URL.", "URL")
    key: str | None = asking(None, "Environment variable with the key; by default OPENAI_API_KEY.", "NAME")
    dry_run: bool = asking(False, "Show the prompts, calls, tokens and cost; send nothing.")
    # fmt: on

    def of_model(self) -> dict[str, str]:
        """What was told of how the model is asked, as its settings."""
        named = {"max_tokens": self.max_tokens, "base_url": self.base_url, "key": self.key}
        return {name: str(value) for name, value in named.items() if value is not None} | self.pace

    def spending(self, kept: Path) -> Spending:
        """What may be spent; what all runs have sent is kept beside the journal ``kept``."""
        from fairbrief.workbench.summarizing import Spending

        return Spending(self.budget(kept.with_suffix(".spent")))


spending_options = options_of(SpendingOptions, "asking")
"""Gives a command the options of `SpendingOptions` in place of its parameter ``asking``."""

REJECTED = ("400", "413", "422", "unsendable")
"""Kinds of failure that come again when the same question is asked again."""


def print_forecast(forecast: Forecast, budget: Budget) -> None:
    """What would be asked, what was spent before, and one filled prompt of each kind."""
    from fairbrief.reports.plain import printable

    for line in forecast.lines(budget.price):
        typer.echo(line)
    if budget.requests_before:
        cost = "" if budget.price is None else f", cost {budget.cost:,.4f}"
        typer.echo(f"sent before: {counted(budget.requests_before, 'request')}{cost}")
    for example in forecast.examples:
        typer.echo(f"\n── {printable(example.asked_by)}\n{printable(example.text, lines=True)}")
    typer.echo("\nNothing was asked.")


def run_counts(count: Count, tally: Tally, price: Price | None = None) -> str:
    """The counts of a run in one line."""
    parts = [
        f"{count.wanted:,} wanted",
        f"{count.asked:,} asked",
        f"{count.from_journal:,} from the journal",
        f"{count.refused:,} refused",
        f"{count.empty:,} empty",
        f"{count.unanswered:,} unanswered",
    ]
    if count.not_asked:
        parts += [f"{count.not_asked:,} not asked"]
    tokens, *cost = charged(tally, price)
    if tally.requests:
        failed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(tally.failures.items()))
        sent = counted(tally.requests, "request") + (f" (of which failed: {failed})" if failed else "")
        parts += [sent, tokens]
    return ", ".join([*parts, *cost])


def charged(tally: Tally, price: Price | None) -> list[str]:
    """The tokens of all requests, and what they cost where the price is known."""
    tokens = f"{tally.prompt_tokens:,} + {counted(tally.completion_tokens, 'token')}"
    cost = "" if price is None else f"cost {price.of(tally.prompt_tokens, tally.completion_tokens):,.4f}"
    return [tokens, cost] if cost else [tokens]


def print_failures(tally: Tally) -> None:
    """The first reason of each kind of failure, on standard error."""
    from fairbrief.reports.plain import printable

    for kind, reason in sorted(tally.first_reasons.items()):
        typer.echo(f"  {tally.failures[kind]:,} × {kind}, the first: {printable(reason) or '–'}", err=True)


def end_unfinished(count: Count, failures: Mapping[str, int]) -> None:
    """Say what to do about what has no answer, and end with the code of an incomplete run; nothing where all was answered."""
    if count.stopped:
        typer.echo(f"{count.stopped} What there is can be audited.", err=True)
    elif count.unanswered and set(failures) <= set(REJECTED):
        typer.echo(
            f"{counted(count.unanswered, 'question')} found no answer since the server rejects them: shorten them, or "
            "change the prompt or the model.",
            err=True,
        )
    elif count.unanswered:
        typer.echo("Some were not answered: run the same command again to ask for those alone.", err=True)
    if count.missing or count.stopped:
        raise typer.Exit(INCOMPLETE)


def end_with(
    out: Path, count: Count, spending: Spending, reading: Reading, lines: Sequence[str] = ()
) -> None:
    """Print what a run wrote and what it was charged, the ``lines``, what was left out and what failed; end with its code."""
    typer.echo(f"{out}: {run_counts(count, spending.tally, spending.budget.price)}")
    for line in lines:
        typer.echo(line)
    tell_left_out(reading)
    print_failures(spending.tally)
    end_unfinished(count, spending.tally.failures)


@contextmanager
def keeping(out: Path, kept: Path | None = None) -> Iterator[None]:
    """Say where the answers are, if the work on ``out`` is stopped or fails after some came."""
    from fairbrief.chat.journal import journal_of

    kept = journal_of(out) if kept is None else kept
    try:
        yield
    except (KeyboardInterrupt, FairbriefError):
        if kept.exists():
            again = "run the same command again to go on"
            typer.echo(f"fairbrief: what was answered is kept in {kept}: {again}.", err=True)
        raise


@contextmanager
def progress(
    spending: Spending, total: int | None = None, *, quiet: bool
) -> Iterator[Callable[[Count], None]]:
    """A line on standard error that tells how far a run is, where a person looks; ``total`` counts its calls."""
    with bar("asking", "{task.description}", quiet=quiet) as shown:
        if shown is None:
            yield lambda _: None
            return
        task = shown.add_task("", total=total)

        def watch(count: Count) -> None:
            shown.update(task, completed=count.asked, description=_so_far(count, total, spending))

        yield watch


def _so_far(count: Count, total: int | None, spending: Spending) -> str:
    tally, price = spending.tally, spending.budget.price
    of = "" if total is None else f" of {total:,}"
    parts = [
        f"{count.asked:,}{of} answered",
        f"{count.refused:,} refused",
        f"{count.unanswered:,} without an answer",
    ]
    return ", ".join([*parts, *(charged(tally, price) if tally.requests else ())])
