"""Shared by commands that ask models: options of rate and cost, and the forecast."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from fairbrief.errors import RequestError
from fairbrief.reports.plain import printable
from fairbrief.settings import MODELS, setting

if TYPE_CHECKING:
    from fairbrief.workbench.summarizing import Forecast, Price


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


def print_forecast(forecast: Forecast, price: Price | None) -> None:
    """Print the planned requests, and one prompt of each kind."""
    for line in forecast.lines(price):
        typer.echo(line)
    for text, asked_by in forecast.examples.items():
        typer.echo(f"\n── {printable(asked_by)}\n{printable(text, lines=True)}")
    typer.echo("\nNothing was sent.")
