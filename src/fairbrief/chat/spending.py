"""The budget of one output for chat models: requests, and money at a price per token."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fairbrief.chat.endpoint import Question, Reply
from fairbrief.chat.journal import Journal, entries_in
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

Tokens = tuple[int, int]
"""Tokens of a prompt and of its answer."""
PER_MESSAGE = 16
"""Tokens that a server may add per message for its role; known templates add fewer than ten."""
AGAIN = "Run the same command to continue: the answers so far are stored."
RAISE = "All runs for one output share the limit: raise it to continue; the answers so far are stored."


class BudgetSpent(RequestError):
    """The budget is spent, and questions remain."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens of the prompt and of the answer."""

    prompt: float
    answer: float

    def __post_init__(self) -> None:
        if not (self.prompt >= 0 and self.answer >= 0):
            raise RequestError(
                "--price must not be negative: give the price per million tokens of prompts and of answers, e.g. 0.15,0.6."
            )

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        """The cost of these tokens."""
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reservation of an open request: its number and its most tokens."""

    number: int
    tokens: Tokens


@dataclass(slots=True)
class Budget:
    """The limits of requests and cost for one output, shared by all questions for it.

    A request is sent only if ``requests`` is less than ``max_requests``, and if the cost so far, the most that open requests
    can cost and the most that this one can cost are together at most ``max_cost``. So neither limit is ever exceeded. The
    most that a request can cost follows from its text (a token has at least one byte) and its longest answer.

    ``log`` is a journal of requests: the most tokens of each before it is sent, and the charged tokens afterwards. So
    requests of earlier runs count, however these ended. A line survives a kill, but perhaps not a power cut, since it is
    not synchronised.
    """

    max_requests: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    log: Path | None = None
    requests: int = field(default=0, init=False)
    cost: float = field(default=0.0, init=False)
    """The cost at ``price``; a request with unknown charge (e.g. a lost connection) counts with its most."""
    requests_before: int = field(default=0, init=False)
    """Requests of earlier runs."""
    reserved: float = field(default=0.0, init=False)
    open_requests: int = field(default=0, init=False)
    _journal: Journal | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.max_requests is not None and self.max_requests < 1:
            raise RequestError(f"--max-requests {self.max_requests}: give 1 or more.")
        if self.max_cost is not None:
            if self.price is None:
                raise RequestError(
                    "--max-cost needs --price IN,OUT, the price per million tokens of prompts and of answers."
                )
            if not self.max_cost > 0:
                raise RequestError(f"--max-cost {self.max_cost:g}: give more than 0.")
        for value in {} if self.log is None else dict(entries_in(self.log)).values():
            self.requests += 1
            self.cost += self._money(value["tokens"])
        self.requests_before = self.requests

    def most(self, question: Question) -> Tokens:
        """The most tokens of a question, of prompt and answer.

        Raises RequestError if a question with a limit of cost allows answers of any length. Without a limit of cost, such
        answers count as 0.
        """
        prompt = sum(PER_MESSAGE + len(text.encode("utf-8", "replace")) for _, text in question.messages)
        decoding = dict(question.decoding)
        answer = decoding.get("max_completion_tokens", decoding.get("max_tokens"))
        if answer is None and self.max_cost is not None:
            raise RequestError(
                "--max-cost needs a limit of the answer's length: give --max-tokens N, or the model's setting max_tokens=N."
            )
        return prompt, int(answer or 0)

    def has_room(self, most: Tokens) -> bool:
        """Whether a request of at most these tokens may be sent now."""
        if self.max_requests is not None and self.requests >= self.max_requests:
            return False
        return self.max_cost is None or self.cost + self.reserved + self._money(most) <= self.max_cost

    def is_waiting(self) -> bool:
        """Whether open requests may free some budget, since they may cost less than their most."""
        return self.open_requests > 0 and (self.max_requests is None or self.requests < self.max_requests)

    def reserve(self, most: Tokens) -> Reservation:
        """Count a request that is about to be sent."""
        self.requests += 1
        self.open_requests += 1
        self.reserved += self._money(most)
        self._log(self.requests, most)
        return Reservation(self.requests, most)

    def settle(self, held: Reservation, charged: Tokens) -> None:
        """Replace the reservation of a request by its charge."""
        self.open_requests -= 1
        self.reserved = self.reserved - self._money(held.tokens) if self.open_requests else 0.0
        self.cost += self._money(charged)
        self._log(held.number, charged)

    def spent(self) -> BudgetSpent:
        """The error of a run whose budget is spent."""
        if self.max_requests is not None and self.requests >= self.max_requests:
            return spent(self.max_requests, RAISE if self.log is not None else AGAIN)
        return BudgetSpent(
            f"The budget max_cost is spent ({self.cost:,.4f} of {self.max_cost:,.4f}; the next request could exceed it), "
            f"and questions remain. {RAISE if self.log is not None else AGAIN}"
        )

    def _log(self, number: int, tokens: Tokens) -> None:
        if self.log is not None:
            self._journal = self._journal or Journal.at(self.log)
            self._journal.append([(str(number), {"tokens": tokens})], is_synced=False)

    def _money(self, tokens: Tokens) -> float:
        return 0.0 if self.price is None else self.price.of(*tokens)


def charged(reply: Reply, held: Reservation) -> Tokens:
    """The charged tokens of a reply: none if the server rejected the request, the most if it does not report them."""
    if reply.finish == "rejected":
        return 0, 0
    return (
        (reply.prompt_tokens, reply.completion_tokens)
        if reply.prompt_tokens or reply.completion_tokens
        else held.tokens
    )


def spent(max_requests: int, advice: str = AGAIN) -> BudgetSpent:
    """The error of a run that has sent all allowed requests."""
    return BudgetSpent(
        f"The budget max_requests ({counted(max_requests, 'request')}) is spent, and questions remain. {advice}"
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
            f"--price {text}: give the price per million tokens of prompts and of answers, e.g. 0.15,0.6."
        ) from None
    return Price(prompt, answer)
