"""Shared by commands that ask models: options of rate and cost, the forecast, progress, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairbrief.cli import command_line, input_options
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.reports.plain import printable
from fairbrief.settings import MODELS, setting
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.workbench.summarizing import Count, Forecast, Price


asking = partial(setting, panel=MODELS)


def price_of(text: Any) -> Price:
    """The price in ``IN,OUT``."""
    from fairbrief.workbench.summarizing import Price

    try:
        prompt, answer = (float(part) for part in text.split(","))
    except ValueError:
        prompt = answer = -1.0
    if not (prompt >= 0 and answer >= 0):
        raise RequestError(f"--price {text}: give the price per million tokens of prompt,answer: 0.15,0.6.")
    return Price(prompt, answer)


@dataclass(frozen=True, slots=True)
class SpendingOptions:
    """The rate and limits of requests, by default those of the model. Each field is an option; ``price`` is a `Price` or None."""

    # fmt: off
    concurrency: int | None = asking(None, "Most requests at the same time.", "N", least=1)
    per_minute: int | None = asking(None, "Most requests per minute.", "N", least=1)
    timeout: float | None = asking(None, "Seconds until a request times out.", "X", least=0)
    retries: int | None = asking(None, "Retries of a failed request.", "N", least=0)
    max_requests: int | None = asking(None, "Most requests of this run, counting retries.", "N", least=1)
    price: Any = asking(None, "Price of a million prompt and answer tokens, e.g. 0.15,0.6.", "IN,OUT", parse=price_of)
    max_tokens: int | None = asking(None, "Most tokens per answer.", "N", least=1)
    base_url: str | None = asking(None, "Address of the server; by default $OPENAI_BASE_URL.", "URL")
    key: str | None = asking(None, "Environment variable with the key; by default OPENAI_API_KEY.", "NAME")
    dry_run: bool = asking(False, "Show the prompts, calls, tokens and cost; send nothing.")
    # fmt: on

    def of_model(self) -> dict[str, str]:
        """The given options that are settings of the model."""
        names = ("concurrency", "per_minute", "timeout", "retries", "max_tokens", "base_url", "key")
        return {name: str(value) for name in names if (value := getattr(self, name)) is not None}


REJECTED = ("400", "413", "422")
"""Kinds of failure that repeat if the same question is sent again."""


def print_forecast(forecast: Forecast, price: Price | None) -> None:
    """Print the planned requests, and one prompt of each kind."""
    for line in forecast.lines(price):
        typer.echo(line)
    for text, asked_by in forecast.examples.items():
        typer.echo(f"\n── {printable(asked_by)}\n{printable(text, lines=True)}")
    typer.echo("\nNothing was sent.")


def counts(count: Count) -> str:
    """The outcome of requests in one line."""
    from fairbrief.chat.endpoint import EMPTY, REFUSED, UNANSWERED
    from fairbrief.workbench.summarizing import NOT_ASKED

    reasons = count.reasons
    named = {
        "wanted": count.wanted, "asked": count.asked, "from the journal": count.from_journal,
        "refused": reasons[REFUSED], "empty": reasons[EMPTY], "unanswered": reasons[UNANSWERED],
    }  # fmt: skip
    named |= {NOT_ASKED: reasons[NOT_ASKED]} if reasons[NOT_ASKED] else {}
    return ", ".join(f"{n:,} {what}" for what, n in named.items())


class Run:
    """A run that asks models: its requests, and the journal (a file, or a folder with it) that stores the answers."""

    def __init__(self, asking: SpendingOptions, journal: Path, *, quiet: bool) -> None:
        from fairbrief.chat.endpoint import Tally

        self.price, self.is_dry, self.journal, self.quiet = asking.price, asking.dry_run, journal, quiet
        self.tally = Tally(asking.max_requests)

    @contextmanager
    def asking(self, forecast: Forecast) -> Iterator[Callable[[Count], None]]:
        """While models are asked, a line of progress on a terminal's standard error; yields a function of the counts so far.

        With ``--dry-run``, print the forecast and end the command. If the work is interrupted or fails, print where the answers
        are stored.
        """
        from fairbrief.chat.endpoint import LimitReached

        if self.is_dry:
            print_forecast(forecast, self.price)
            raise typer.Exit
        try:
            with input_options.bar("asking", forecast.calls, quiet=self.quiet) as update:

                def watch(count: Count) -> None:
                    update(completed=count.asked, description=", ".join([counts(count), *self._charged()]))

                yield watch
        except (KeyboardInterrupt, FairbriefError) as error:
            journal = self.journal
            has_answers = any(journal.iterdir()) if journal.is_dir() else journal.exists()
            if has_answers and not isinstance(error, LimitReached):  # whose message says so
                again = "run the same command to continue"
                typer.echo(f"fairbrief: the answers so far are stored in {journal}: {again}.", err=True)
            raise

    def _charged(self) -> list[str]:
        """The tokens of all requests, and their cost if the price is known."""
        prompt, answer = self.tally.prompt_tokens, self.tally.completion_tokens
        tokens = f"{prompt:,} + {counted(answer, 'token')}"
        return [tokens] if self.price is None else [tokens, f"cost {self.price.of(prompt, answer):,.4f}"]

    def requests(self) -> list[str]:
        """The number of requests, why some failed, their tokens and cost; nothing without a request."""
        failed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(self.tally.failures.items()))
        sent = counted(self.tally.requests, "request") + (f" (of which failed: {failed})" if failed else "")
        return [sent, *self._charged()] if self.tally.requests else []

    def end(self, out: Path, count: Count, reading: Reading, lines: Sequence[str] = ()) -> None:
        """Print the output and cost, the ``lines``, excluded rows and failures; exit with the run's code."""
        typer.echo(f"{out}: {', '.join([counts(count), *self.requests()])}")
        for line in lines:
            typer.echo(line)
        input_options.print_excluded(reading)
        self.print_failures()
        self.end_unfinished([count])

    def print_failures(self) -> None:
        """Print the first reason of each kind of failure to standard error."""
        for kind, reason in sorted(self.tally.first_reasons.items()):
            many = f"{self.tally.failures[kind]:,} × {kind}"
            typer.echo(f"  {many}, the first: {printable(reason) or '–'}", err=True)

    def end_unfinished(self, counts: Sequence[Count]) -> None:
        """Print what to do about unanswered questions, and exit with the code of an incomplete run if there are any."""
        from fairbrief.chat.endpoint import UNANSWERED

        unanswered = sum(count.reasons[UNANSWERED] for count in counts)
        stopped = next((count.stopped for count in counts if count.stopped), "")
        if not (unanswered or stopped):
            return
        if stopped:
            advice = f"{stopped} The answers so far can be audited."
        elif set(self.tally.failures) <= set(REJECTED):
            many = counted(unanswered, "question")
            advice = f"The server rejected {many}: shorten the documents, or change the prompt or the model."
        else:
            advice = "Some questions have no answer: run the same command again to ask only those."
        typer.echo(advice, err=True)
        raise typer.Exit(command_line.INCOMPLETE)
