"""Split summaries into atomic statements with a chat model: the built-in instruction with demonstrations, or the user's."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from fairbrief.atomic_files import atomic_stream, locked
from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import UNANSWERED, Decoding, Endpoint, Question, Reply, Tally
from fairbrief.chat.journal import journal_of, open_journal
from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.serialization import line_of, summary_fields
from fairbrief.text.replies import items, json_items
from fairbrief.text.segmentation import recall
from fairbrief.types import Case, Claim, Summary
from fairbrief.workbench.summarizing import NOT_ASKED, Answer, Batches, Count, Forecast, gather

UNPARSED = "unparsed reply"
VERSION = 1
RESTATES = 0.5
"""Share of a text's words from which a reply without a list counts as a restatement and not as a comment."""
LISTED = 20
"""Maximum number of replies without a list that are stored as examples; all are counted."""
Task = tuple[str, str]
"""The key of a text, and the text."""


def instruction_in(path: Path | None = None) -> str:
    """An instruction with {summary} as placeholder: a user's file, or the built-in one with its demonstrations.

    Raises RequestError if the file does not exist, DataError if it lacks {summary}.
    """
    if path is None:
        return (resources.files("fairbrief.workbench") / "claims.txt").read_text(encoding="utf-8")
    if not path.is_file():
        raise RequestError(f"There is no file {path} with an instruction.")
    with reading_text(path):
        text = path.read_text(encoding="utf-8-sig")
    if "{summary}" not in text:
        raise DataError(f"{path}: the instruction has no {{summary}}, so no text would be sent.")
    return text


@dataclass(frozen=True, slots=True)
class Splitter:
    """A model, an instruction, and the decoding settings."""

    endpoint: Endpoint
    instruction: str = field(default_factory=instruction_in)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0))
    tally: Tally = field(default_factory=Tally)

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of the instruction."""
        return hashlib.sha256(self.prompt("").encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def prompt(self, summary: str) -> str:
        """The instruction with one summary filled in."""
        before, _, after = self.instruction.partition("{summary}")
        return before.lstrip() + summary + after.rstrip()

    def key(self, text: str) -> str:
        """A hash of everything that determines a text's statements."""
        parts = (VERSION, self.endpoint.model, self.endpoint.shown, self.prompt(text))
        inputs = repr((parts, sorted(self.decoding.sent().items())))
        return hashlib.sha256(inputs.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def question(self, text: str) -> Question:
        """The question for one text."""
        return Question((("user", self.prompt(text)),), tuple(self.decoding.sent().items()))

    def answers(self, texts: Iterator[Task]) -> Batches:
        """The statements of texts, as `read_claims` reads them; in batches, in any order."""
        asked = (((key, text), self.question(text)) for key, text in texts)
        for batch in replies(self.endpoint, asked, self.tally):
            yield [(key, read_claims(text, reply)) for (key, text), reply in batch]


def read_claims(text: str, reply: Reply) -> Answer:
    """The statements in a reply to the splitting of ``text``, under ``claims``.

    ``recall`` in [0, 1] is the share of the text's words that occur in some statement. Without statements, ``reason``
    explains why ("unparsed reply" for one without a list), and ``reply`` is the model's reply.
    """
    said, reason = reply.text, reply.reason
    claims = () if reason else tuple(dict.fromkeys(json_items(said) or items(said)))
    is_sentence = said.rstrip().endswith(".") and len(said.split()) <= 2 * len(text.split()) + 10
    if not claims and not reason and is_sentence and (recall(text, (said,)) or 0.0) >= RESTATES:
        claims = (said.strip(),)  # one sentence, one statement: some models omit the number
    if claims:
        known = recall(text, claims)
        return {"claims": list(claims), **({} if known is None else {"recall": known})}
    why = reason if reason in ("refused", UNANSWERED) else UNPARSED
    return {"claims": [], "reason": why, "reply": said or reply.detail}


# ---- From a file of summaries to the same file with each summary's atomic statements; interrupted runs resume


@dataclass(slots=True)
class Outcome:
    """The outcome of splitting. ``recalls`` are the shares of each summary's words that occur in its claims."""

    count: Count
    claims: int = 0
    split: int = 0
    recalls: list[float] = field(default_factory=list)
    unparsed: list[str] = field(default_factory=list)
    unparsed_count: int = 0

    @property
    def recall(self) -> float | None:
        """Mean claim recall in [0, 1] over the summaries that were split; None if there are none."""
        return math.fsum(self.recalls) / len(self.recalls) if self.recalls else None

    def add(self, case: Case, answer: Answer) -> None:
        """Count the claims of one summary, or its reply without a list."""
        if answer["claims"]:
            self.split += 1
            self.claims += len(answer["claims"])
            if "recall" in answer:  # a text without words has none
                self.recalls.append(answer["recall"])
        elif answer["reason"] == UNPARSED:
            self.unparsed_count += 1
            if len(self.unparsed) < LISTED:
                where = f"{case.record.where or 'input'} (id '{case.record.id}', {case.summary.system})"
                self.unparsed.append(f"{where}: {answer.get('reply', '')[:200]!r}")


def split_file(
    splitter: Splitter,
    cases: Callable[[], Iterable[Case]],
    out: Path,
    watch: Callable[[Count], None] = lambda _: None,
) -> Outcome:
    """Write all cases to ``out``, in order, each usable summary with its ``claims``; ``cases`` is called twice.

    Answers are stored in ``out``'s journal. Summaries without a text are copied unchanged. Replies without a list are
    counted, and the first ones listed. Equal texts are asked once. ``made`` records the model, the instruction's hash and
    the claim recall.
    """
    outcome, not_asked = Outcome(Count()), set[str]()
    with locked(out), open_journal(journal_of(out)) as journal:
        without = gather(_texts(splitter, cases()), splitter.answers, journal, outcome.count, watch)
        with atomic_stream(out) as stream:
            for case in cases():
                summary = case.summary
                if not summary.reason:
                    key = splitter.key(summary.text)
                    answer = journal[key] if key in journal else without.get(key)
                    if answer is None:
                        not_asked.add(key)
                        answer = {"claims": [], "reason": NOT_ASKED}
                    outcome.add(case, answer)
                    summary = _with_claims(splitter, summary, answer)
                stream.write(line_of(case.record, summary_fields(summary)))
    outcome.count.not_asked = len(not_asked)
    outcome.count.wanted = outcome.count.asked + outcome.count.from_journal + outcome.count.not_asked
    return outcome


def foresee_claims(splitter: Splitter, cases: Iterable[Case], known: Collection[str]) -> Forecast:
    """The requests of a splitting run."""
    found = Forecast()
    for key, text in _texts(splitter, cases):
        question = splitter.question(text)
        found.wanted += 1
        if not found.examples:
            found.show(splitter.endpoint.model, question)
        if key not in known:
            found.ask(question)
    return found


def _texts(splitter: Splitter, cases: Iterable[Case]) -> Iterator[Task]:
    """Each text once, under its key."""
    seen: set[str] = set()
    for case in cases:
        if case.summary.reason:
            continue
        key = splitter.key(case.summary.text)
        if key not in seen:
            seen.add(key)
            yield key, case.summary.text


def _with_claims(splitter: Splitter, summary: Summary, answer: Answer) -> Summary:
    made = {
        **summary.made,
        "claims_by": splitter.endpoint.model,
        "claims_prompt_sha": splitter.sha,
        **({"claim_recall": f"{answer['recall']:.4f}"} if "recall" in answer else {}),
        **({"claims_reason": answer["reason"]} if "reason" in answer else {}),
    }
    return replace(summary, claims=tuple(map(Claim, answer["claims"])) or None, made=made)
