"""What may be spent on chat models for one output: requests, and money at a price per token."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fairbrief.chat.endpoint import Question, Reply
from fairbrief.chat.journal import Journal, entries_in
from fairbrief.errors import RequestError
from fairbrief.settings import MODELS, setting
from fairbrief.text.counted import counted

Tokens = tuple[int, int]
"""Tokens of a prompt and of its answer."""
PER_MESSAGE = 16
"""Tokens that a server may add to a message for its role and its ends; known templates add fewer than ten."""
AGAIN = "Run the same command again to go on: what was answered is kept."
RAISE = "All runs for one output share the limit: raise it to go on; what was answered is kept."


class BudgetSpent(RequestError):
    """All that the user allowed was sent or paid for, and questions are left."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens of the prompt and of the answer."""

    prompt: float
    answer: float

    def __post_init__(self) -> None:
        if not (self.prompt >= 0 and self.answer >= 0):
            raise RequestError("A price per million tokens is not negative.")

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is kept free for a request while it is open: its number, and its tokens at most."""

    number: int
    tokens: Tokens


@dataclass(slots=True)
class Budget:
    """What may be sent and paid for one output, whatever is asked; shared by all who ask in it.

    A request is sent only while ``requests`` is below ``max_requests``, and while what is paid, what open
    requests could cost at most, and what this one could cost at most stay within ``max_cost`` together. So
    neither limit is ever passed, however many requests are open at once. What a request could cost at most is
    known from its text (a token holds at least one byte) and from the longest answer that it allows.

    ``log`` is a journal of the requests: the tokens of each at most when it is sent, and those that were charged
    when it has come back. So what earlier runs sent counts from the start, however they ended. A line is handed to
    the system before its request is sent, and no kill loses it; a power cut may, since it is not synchronised.
    """

    max_requests: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    log: Path | None = None
    requests: int = field(default=0, init=False)
    cost: float = field(default=0.0, init=False)
    """What was paid at ``price``; requests whose charge is unknown (a lost connection, say) count as the most they could be."""
    requests_before: int = field(default=0, init=False)
    """How many of the requests earlier runs sent."""
    reserved: float = field(default=0.0, init=False)
    open_requests: int = field(default=0, init=False)
    _journal: Journal | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.max_requests is not None and self.max_requests < 1:
            raise RequestError(f"--max-requests is 1 or more, not {self.max_requests}.")
        if self.max_cost is not None:
            if self.price is None:
                raise RequestError(
                    "--max-cost is money: say what tokens cost, with --price IN,OUT per million."
                )
            if not self.max_cost > 0:
                raise RequestError(f"--max-cost is more than 0, not {self.max_cost:g}.")
        for value in {} if self.log is None else dict(entries_in(self.log)).values():
            self.requests += 1
            self.cost += self._money(value["tokens"])
        self.requests_before = self.requests

    def most(self, question: Question) -> Tokens:
        """The tokens that a question can be charged for at most, of the prompt and of the answer.

        Raises RequestError for a question that allows answers of any length where a limit of cost is set: it
        could not be kept. Without one such answers count nothing.
        """
        prompt = sum(PER_MESSAGE + len(text.encode("utf-8", "replace")) for _, text in question.messages)
        decoding = dict(question.decoding)
        answer = decoding.get("max_completion_tokens", decoding.get("max_tokens"))
        if answer is None and self.max_cost is not None:
            raise RequestError(
                "--max-cost cannot be kept where answers may have any length: give --max-tokens N, or max_tokens=N "
                "as a setting of the model that is asked."
            )
        return prompt, int(answer or 0)

    def has_room(self, most: Tokens) -> bool:
        """Whether a request of so many tokens at most may be sent now."""
        if self.max_requests is not None and self.requests >= self.max_requests:
            return False
        return self.max_cost is None or self.cost + self.reserved + self._money(most) <= self.max_cost

    def is_waiting(self) -> bool:
        """Whether open requests may leave room when they come back, since they cost less than they could."""
        return self.open_requests > 0 and (self.max_requests is None or self.requests < self.max_requests)

    def reserve(self, most: Tokens) -> Reservation:
        """Count a request that is about to be sent."""
        self.requests += 1
        self.open_requests += 1
        self.reserved += self._money(most)
        self._log(self.requests, most)
        return Reservation(self.requests, most)

    def settle(self, held: Reservation, charged: Tokens) -> None:
        """Exchange what a request could have cost for what it did."""
        self.open_requests -= 1
        self.reserved = self.reserved - self._money(held.tokens) if self.open_requests else 0.0
        self.cost += self._money(charged)
        self._log(held.number, charged)

    def spent(self) -> BudgetSpent:
        """The error that ends a run whose budget is spent."""
        if self.max_requests is not None and self.requests >= self.max_requests:
            return spent(self.max_requests, RAISE if self.log is not None else AGAIN)
        return BudgetSpent(
            f"What max_cost allows is spent ({self.cost:,.4f} of {self.max_cost:,.4f}; the next request could pass it), "
            f"and questions are left. {RAISE if self.log is not None else AGAIN}"
        )

    def _log(self, number: int, tokens: Tokens) -> None:
        if self.log is not None:
            self._journal = self._journal or Journal.at(self.log, is_indexed=False)
            self._journal.append([(str(number), {"tokens": tokens})], is_synced=False)

    def _money(self, tokens: Tokens) -> float:
        return 0.0 if self.price is None else self.price.of(*tokens)


asking = partial(setting, panel=MODELS)


@dataclass(frozen=True, slots=True)
class Limits:
    """What all runs for one output may spend, and how hard models are asked meanwhile: options of the commands that
    ask models, and the keys of ``[budget]`` of an experiment. None leaves a model's own setting, or no limit.
    """

    # fmt: off
    concurrency: int | None = asking(None, "Most requests at the same time.", "N", least=1)
    per_minute: int | None = asking(None, "Most requests per minute.", "N", least=1)
    timeout: float | None = asking(None, "Seconds until a request times out.", "X", least=0)
    retries: int | None = asking(None, "Retries of a failed request.", "N", least=0)
    max_requests: int | None = asking(
        None, "Most requests, counting retries and earlier runs for the same output.", "N", least=1,
    )
    max_cost: float | None = asking(
        None, "Most money to spend at --price, counting earlier runs for the same output.",
        "X",
    )
    price: str | None = asking(
        None, "Price of a million prompt and answer tokens, e.g. 0.15,0.6.", "IN,OUT",
    )
    # fmt: on

    @property
    def pace(self) -> dict[str, str]:
        """What was told of how hard a model is asked, as its settings."""
        names = ("concurrency", "per_minute", "timeout", "retries")
        return {name: str(value) for name in names if (value := getattr(self, name)) is not None}

    def budget(self, log: Path) -> Budget:
        """The budget of all runs whose requests are stored in a file."""
        return Budget(self.max_requests, self.max_cost, price_of(self.price), log)


def charged(reply: Reply, held: Reservation) -> Tokens:
    """The tokens of a reply that are paid: none where the server rejected the request, the most where it does not say."""
    if reply.finish == "rejected":
        return 0, 0
    return (
        (reply.prompt_tokens, reply.completion_tokens)
        if reply.prompt_tokens or reply.completion_tokens
        else held.tokens
    )


def spent(max_requests: int, advice: str = AGAIN) -> BudgetSpent:
    """The error that ends a run which has sent all the requests that it may."""
    return BudgetSpent(
        f"What max_requests allows ({counted(max_requests, 'request')}) is spent, and questions are left. {advice}"
    )


def price_of(text: str | None) -> Price | None:
    """The price in ``IN,OUT``; None without one.

    >>> price_of("0.15,0.6")
    Price(prompt=0.15, answer=0.6)
    """
    if text is None:
        return None
    try:
        prompt, answer = (float(part) for part in text.split(","))
    except ValueError:
        raise RequestError(
            f"--price {text}: write the price per million tokens of the prompt and of the answer, e.g. 0.15,0.6."
        ) from None
    return Price(prompt, answer)
