"""Summaries to atomic statements through a chat model: our instruction and demonstrations, or the user's."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from pathlib import Path

from fairbrief.atomic_files import atomic_stream, locked
from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import UNANSWERED, Decoding, Endpoint, Question, Tally
from fairbrief.chat.journal import Journal, journal_of, open_journal
from fairbrief.chat.spending import Budget
from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.serialization import line_of, summary_fields
from fairbrief.text.replies import items, json_items
from fairbrief.text.segmentation import recall
from fairbrief.types import Case, Claim
from fairbrief.workbench.summarizing import NOT_ASKED, Answer, Batches, Count, Forecast, gather

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

    claims: tuple[str, ...]
    reason: str = ""
    reply: str = ""
    recall: float | None = None


def instruction_in(path: Path | None = None) -> str:
    """A text with {summary} where the summary is to stand: a user's file, or our own instruction with its demonstrations.

    Raises RequestError where there is no such file, DataError where it has no {summary}.
    """
    if path is None:
        return (resources.files("fairbrief.workbench") / "claims.txt").read_text(encoding="utf-8")
    if not path.is_file():
        raise RequestError(f"There is no file {path} with an instruction.")
    with reading_text(path):
        text = path.read_text(encoding="utf-8-sig")
    if "{summary}" not in text:
        raise DataError(f"{path}: the instruction has no {{summary}}: nothing would be split.")
    return text


@dataclass(frozen=True, slots=True)
class Splitter:
    """A model, an instruction and how the model draws its words."""

    endpoint: Endpoint
    instruction: str = field(default_factory=instruction_in)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0))
    tally: Tally = field(default_factory=Tally)
    budget: Budget = field(default_factory=Budget)

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of the instruction."""
        return hashlib.sha256(self.prompt("").encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def prompt(self, summary: str) -> str:
        """The instruction with one summary in it."""
        before, _, after = self.instruction.partition("{summary}")
        return before.lstrip() + summary + after.rstrip()

    def key(self, text: str) -> str:
        """A hash of all that decides a text's statements."""
        parts = (VERSION, self.endpoint.model, self.endpoint.shown, self.prompt(text))
        told = repr((parts, sorted(self.decoding.sent().items())))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def question(self, text: str, unread: str | None = None) -> Question:
        """What is asked for one text; where an answer could not be read, again, with that answer in between."""
        messages = [("user", self.prompt(text))]
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
    claims = tuple(dict.fromkeys(json_items(reply) or items(reply)))
    if not claims and len(reply.split()) <= 2 * len(text.split()) + 10 and reply.rstrip().endswith("."):
        alone = (reply.strip(),)  # one sentence, one statement: some models leave the number away
        claims = alone if (recall(text, alone) or 0.0) >= RESTATES else ()
    if not claims:
        return Split((), UNPARSED, reply)
    return Split(claims, recall=recall(text, claims))


# ---- From a file of summaries to the same file with each summary's atomic statements; resumes where it was stopped


Task = tuple[str, str, str | None]
"""The key of a text, the text, and the answer to it that could not be read, if it was asked before."""
TRIES = 3
"""How often a text is asked for while the replies hold no list."""
LISTED = 20
"""Replies without a list that are kept to be shown; all are counted."""


@dataclass(slots=True)
class Outcome:
    """What became of the summaries. ``recall`` is the mean share of a summary's words that its claims hold."""

    count: Count
    claims: int = 0
    split: int = 0
    asked_again: int = 0
    unparsed: list[str] = field(default_factory=list)
    unparsed_count: int = 0
    _recalls: list[float] = field(default_factory=list)
    _not_asked: set[str] = field(default_factory=set)

    @property
    def recall(self) -> float | None:
        """Mea claim recall in [0, 1] over the summaries that were split; None if there are none."""
        return math.fsum(self._recalls) / len(self._recalls) if self._recalls else None

    def add(self, case: Case, answer: Answer) -> None:
        """Count the claims of one summary, or that its reply held none."""
        if answer.get("claims"):
            self.split += 1
            self.claims += len(answer["claims"])
            self._recalls.append(answer["recall"])
        elif answer.get("reason") == UNPARSED:
            self.unparsed_count += 1
            if len(self.unparsed) < LISTED:
                where = f"{case.record.where or 'input'} (id '{case.record.id}', {case.summary.system})"
                self.unparsed.append(f"{where}: {answer.get('reply', '')[:200]!r}")


def split_file(
    splitter: Splitter,
    cases: Callable[[], Iterable[Case]],
    out: Path,
    watch: Callable[[Count], None] = lambda _: None,
    kept_in: Path | None = None,
) -> Outcome:
    """Write all cases to ``out``, in order, each usable summary with its ``claims``; ``cases`` is called twice or more.

    Answers go to the journal ``kept_in``, without one to ``out``'s own. Files that share one share the answers.

    Summaries without a text pass through. A reply that holds no list is answered by asking again, `TRIES` times
    in all; a summary that is then still without claims is listed. Equal texts are asked for once. ``made`` tells
    the model, the instruction's hash and the claim recall.
    """
    outcome = Outcome(Count())
    with locked(out), open_journal(kept_in or journal_of(out)) as journal:
        without = gather(
            _texts(splitter, cases), partial(_answers, splitter, 1), journal, outcome.count, watch
        )
        for tries in range(2, TRIES + 1):
            _ask_again(splitter, tries, cases, journal, outcome)
        with atomic_stream(out) as stream:
            for case in cases():
                stream.write(_line(splitter, case, journal, without, outcome))
    outcome.count.not_asked = len(outcome._not_asked)
    outcome.count.wanted = outcome.count.asked + outcome.count.from_journal + outcome.count.not_asked
    return outcome


def foresee_claims(splitter: Splitter, cases: Iterable[Case], known: Collection[str]) -> Forecast:
    """What splitting would ask at first, retries of unreadable replies aside; RequestError as for `foresee`."""
    found = Forecast()
    for key, text, _ in _texts(splitter, lambda: cases):
        question = splitter.question(text)
        found.wanted += 1
        if not found.examples:
            found.show(splitter.endpoint.model, question)
        if key not in known:
            found.ask(question)
            splitter.budget.most(question)
    return found


def _texts(splitter: Splitter, cases: Callable[[], Iterable[Case]]) -> Iterator[Task]:
    seen: set[str] = set()
    for case in cases():
        if case.summary.reason:
            continue
        key = splitter.key(case.summary.text)
        if key not in seen:
            seen.add(key)
            yield key, case.summary.text, None


def _ask_again(
    splitter: Splitter, tries: int, cases: Callable[[], Iterable[Case]], journal: Journal, outcome: Outcome
) -> None:
    """Ask once more for what was asked ``tries - 1`` times and could not be read."""

    def is_done(key: str) -> bool:
        answer = journal[key]
        return answer.get("reason") != UNPARSED or int(answer.get("tries", 1)) >= tries

    unread = (
        (key, text, str(journal[key].get("reply", "")))
        for key, text, _ in _texts(splitter, cases)
        if key in journal and not is_done(key)
    )
    if outcome.count.stopped or (first := next(unread, None)) is None:
        return
    count = Count()
    ask = partial(_answers, splitter, tries)
    gather(itertools.chain([first], unread), ask, journal, count, has=is_done)
    outcome.asked_again += count.asked
    outcome.count.stopped = count.stopped


def _answers(splitter: Splitter, tries: int, texts: Iterator[Task]) -> Batches:
    for batch in splitter.split(texts):
        yield [
            (
                key,
                {
                    "claims": list(found.claims),
                    **({"recall": found.recall} if found.recall is not None else {}),
                    **({"reason": found.reason, "reply": found.reply} if found.reason else {}),
                    **({"tries": tries} if tries > 1 else {}),
                },
            )
            for key, found in batch
        ]


def _line(
    splitter: Splitter, case: Case, journal: Journal, without: dict[str, Answer], outcome: Outcome
) -> bytes:
    if case.summary.reason:
        return line_of(case.record, summary_fields(case.summary))
    key = splitter.key(case.summary.text)
    answer = journal[key] if key in journal else without.get(key, {"claims": [], "reason": NOT_ASKED})
    if answer.get("reason") == NOT_ASKED:
        outcome._not_asked.add(key)
    outcome.add(case, answer)
    made = {
        **case.summary.made,
        "claims_by": splitter.endpoint.model,
        "claims_prompt_sha": splitter.sha,
        **({"claim_recall": f"{answer['recall']:.4f}"} if "recall" in answer else {}),
        **({"claims_reason": answer["reason"]} if "reason" in answer else {}),
    }
    claims = tuple(Claim(text) for text in answer["claims"]) or None
    return line_of(case.record, summary_fields(replace(case.summary, claims=claims, made=made)))
