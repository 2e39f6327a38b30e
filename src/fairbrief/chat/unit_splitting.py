"""Summaries to atomic statements through a chat model: our instruction and demonstrations, or the user's."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import Decoding, Endpoint
from fairbrief.chat.replies import UNANSWERED, Question, Tally
from fairbrief.chat.spending import Budget
from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.text.replies import items, json_items
from fairbrief.text.segmentation import recall

UNPARSED = "unparsed reply"
AGAIN = "I found no list in your answer. Write the statements again: one a line, numbered, and nothing else."
VERSION = 1
RESTATES = 0.5
"""Share of a text's words from which a reply without a list restates it, and is no remark about it."""


@dataclass(frozen=True, slots=True)
class Split:
    """The statements of one text; ``reason`` says why there are none, ``reply`` is then what the model wrote.

    ``recall`` in [0, 1]: the share of the text's words that some statement holds; None without statements.
    """

    units: tuple[str, ...]
    reason: str = ""
    reply: str = ""
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class Splitting:
    """An instruction with demonstrations. ``{summary}`` stands for the text, ``{demonstrations}`` for the examples."""

    template: str
    demonstrations: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of the instruction and its demonstrations."""
        return hashlib.sha256(self.fill("").encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def fill(self, summary: str) -> str:
        """The prompt for one summary."""
        shown = "".join(
            f"Summary: {text}\nStatements:\n"
            + "\n".join(f"{i}. {unit}" for i, unit in enumerate(units, 1))
            + "\n\n"
            for text, units in self.demonstrations
        )
        before, _, after = self.template.partition("{summary}")
        return before.replace("{demonstrations}", shown).lstrip() + summary + after.rstrip()


def shipped() -> Splitting:
    """Our own instruction and demonstrations."""
    text = (resources.files("fairbrief.chat") / "units.toml").read_text(encoding="utf-8")
    return _read(text, "units.toml")


def from_file(path: Path) -> Splitting:
    """A user's: plain text with {summary} in it, or TOML in the form of ours."""
    if not path.is_file():
        raise RequestError(f"There is no file {path} with an instruction.")
    with reading_text(path):
        text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".toml":
        return _read(text, str(path))
    return _checked(Splitting(text), str(path))


@dataclass(frozen=True, slots=True)
class Splitter:
    """A model, an instruction and how the model draws its words."""

    endpoint: Endpoint
    splitting: Splitting = field(default_factory=shipped)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0))
    tally: Tally = field(default_factory=Tally)
    budget: Budget = field(default_factory=Budget)

    def key(self, text: str) -> str:
        """A hash of all that decides a text's statements."""
        parts = (VERSION, self.endpoint.model, self.endpoint.shown, self.splitting.fill(text))
        told = repr((parts, sorted(self.decoding.sent().items())))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def question(self, text: str, unread: str | None = None) -> Question:
        """What is asked for one text; where an answer could not be read, again, with that answer in between."""
        messages = [("user", self.splitting.fill(text))]
        if unread:
            messages += [("assistant", unread), ("user", AGAIN)]
        return Question(tuple(messages), tuple(self.decoding.sent().items()))

    def split(self, texts: Iterable[tuple[str, str, str | None]]) -> Iterator[list[tuple[str, Split]]]:
        """The statements of texts; in batches, in any order.

        Each text stands between its key and the answer that could not be read, None where it was not asked yet.
        """
        asked = (((key, text), self.question(text, unread)) for key, text, unread in texts)
        for batch in replies(self.endpoint, asked, self.tally, self.budget):
            yield [
                (key, read_split(text, reply.text, reply.reason, reply.detail))
                for (key, text), reply in batch
            ]


def read_split(text: str, reply: str, reason: str = "", detail: str = "") -> Split:
    """The statements in a reply to the splitting of ``text``; a reply without a list has the reason "unparsed reply"."""
    if reason:
        return Split((), reason if reason in ("refused", UNANSWERED) else UNPARSED, reply or detail)
    units = tuple(dict.fromkeys(json_items(reply) or items(reply)))
    if not units and len(reply.split()) <= 2 * len(text.split()) + 10 and reply.rstrip().endswith("."):
        alone = (reply.strip(),)  # one sentence, one statement: some models leave the number away
        units = alone if (recall(text, alone) or 0.0) >= RESTATES else ()
    if not units:
        return Split((), UNPARSED, reply)
    return Split(units, recall=recall(text, units))


def _read(text: str, where: str) -> Splitting:
    try:
        table = tomllib.loads(text)
        shown: Sequence[dict[str, object]] = table.get("demonstrations", [])
        pairs = tuple((str(d["summary"]), tuple(map(str, d["units"]))) for d in shown)  # type: ignore[call-overload]  # an entry that is no list raises
        return _checked(Splitting(table["instruction"]["template"], pairs), where)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{where}: found {error}; wanted [instruction] with a template, and [[demonstrations]] with a summary and "
            "a list of units each."
        ) from None


def _checked(splitting: Splitting, where: str) -> Splitting:
    if "{summary}" not in splitting.template:
        raise DataError(f"{where}: the instruction has no {{summary}}: nothing would be split.")
    return splitting
