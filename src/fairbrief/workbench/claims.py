"""Split summaries into atomic statements with a chat model: the built-in instruction with demonstrations, or the user's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from fairbrief.atomic_files import atomic_stream, locked
from fairbrief.chat.endpoint import UNANSWERED, Endpoint, Question, Reply, Tally
from fairbrief.chat.journal import journal_of, key_of, open_journal
from fairbrief.errors import DataError, text_of
from fairbrief.serialization import line_of, summary_fields
from fairbrief.text.replies import items, json_items
from fairbrief.text.segmentation import words_held
from fairbrief.types import Case, Claim
from fairbrief.workbench.summarizers.chat import Chat
from fairbrief.workbench.summarizing import NOT_ASKED, Answer, Count, Watch, gather

UNPARSED = "unparsed reply"
VERSION = 1
RESTATES = 0.5
"""Share of a text's words from which a reply without a list counts as a restatement and not as a comment."""
LISTED = 20
"""Maximum number of replies without a list that are printed; all are counted."""


def instruction_in(path: Path | None = None) -> str:
    """An instruction with {summary} as placeholder: a user's file, or the built-in one with its demonstrations.

    Raises RequestError if the file cannot be read, DataError if it lacks {summary}.
    """
    if path is None:
        return (resources.files("fairbrief.workbench") / "claims.txt").read_text(encoding="utf-8")
    text = text_of(path)
    if "{summary}" not in text:
        raise DataError(f"{path}: the instruction has no {{summary}}, so no text would be sent.")
    return text


@dataclass(frozen=True, slots=True)
class Splitter:
    """Asks a model for the statements of summaries, with an instruction; by default at temperature 0."""

    model: Chat
    instruction: str

    @property
    def sent(self) -> Mapping[str, Any]:
        """The decoding settings."""
        return {"temperature": 0.0, **self.model.sent()}

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of the instruction."""
        return hashlib.sha256(self.prompt("").encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def prompt(self, summary: str) -> str:
        """The instruction with one summary filled in."""
        before, _, after = self.instruction.partition("{summary}")
        return before.lstrip() + summary + after.rstrip()

    def keys(self, case: Case) -> Sequence[str]:
        """A hash of everything that determines the statements of a summary; none for a case without one."""
        if case.summary.reason:
            return ()
        prompt = self.prompt(case.summary.text)
        return (key_of(VERSION, self.model.model, self.model.shown, prompt, self.sent),)

    def endpoint(self) -> Endpoint:
        """The model's address and limits."""
        return self.model.endpoint()

    def question(self, case: Case, _: int = 0) -> Question:
        """The question for one summary."""
        return Question((("user", self.prompt(case.summary.text)),), tuple(self.sent.items()))

    def answer(self, case: Case, _: int, reply: Reply) -> Answer:
        """The statements in a reply: see `read_claims`."""
        return read_claims(case.summary.text, reply)


def read_claims(text: str, reply: Reply) -> Answer:
    """The statements in a reply to the splitting of ``text``, under ``claims``.

    Without statements, ``reason`` explains why ("unparsed reply" for one without a list), and ``reply`` is the model's reply.
    """
    said, reason = reply.text, reply.reason
    claims = () if reason else tuple(dict.fromkeys(json_items(said) or items(said)))
    is_sentence = said.rstrip().endswith(".") and len(said.split()) <= 2 * len(text.split()) + 10
    held, words = words_held(text, (said,))
    if not claims and not reason and is_sentence and held and held >= RESTATES * words:
        claims = (said.strip(),)  # one sentence, one statement: some models omit the number
    if claims:
        return {"claims": list(claims)}
    why = reason if reason in ("refused", UNANSWERED) else UNPARSED
    return {"claims": [], "reason": why, "reply": said or reply.detail}


# ---- From a file of summaries to the same file with each summary's atomic statements; interrupted runs resume


@dataclass(slots=True)
class Outcome:
    """The outcome of splitting; ``unparsed`` are the replies without a list."""

    count: Count
    claims: int = 0
    split: int = 0
    unparsed: list[str] = field(default_factory=list)

    def add(self, case: Case, answer: Answer) -> None:
        """Count the claims of one summary, or its reply without a list."""
        if answer["claims"]:
            self.split += 1
            self.claims += len(answer["claims"])
        elif answer["reason"] == UNPARSED:
            where = f"{case.record.where or 'input'} (id '{case.record.id}', {case.summary.system})"
            self.unparsed.append(f"{where}: {answer.get('reply', '')[:200]!r}")


def split_file(
    splitter: Splitter, cases: Callable[[], Iterable[Case]], out: Path, watch: Watch, tally: Tally
) -> Outcome:
    """Write all cases to ``out``, in order, each usable summary with its ``claims``; ``cases`` is called twice.

    Answers are stored in ``out``'s journal. Summaries without a text are copied unchanged. Replies without a list are
    counted, and the first ones listed. Equal texts are asked once. ``made`` records the model and the instruction's hash.
    """
    outcome = Outcome(Count())
    not_asked: Answer = {"claims": [], "reason": NOT_ASKED}
    with locked(out), open_journal(journal_of(out)) as journal:
        without = gather([splitter], cases, journal, outcome.count, tally, watch)
        with atomic_stream(out) as stream:
            for case in cases():
                summary = case.summary
                for key in splitter.keys(case):
                    answer = journal[key] if key in journal else without.get(key, not_asked)
                    outcome.add(case, answer)
                    made = {"claims_by": splitter.model.model, "claims_prompt_sha": splitter.sha}
                    if "reason" in answer:
                        made["claims_reason"] = answer["reason"]
                    claims = tuple(map(Claim, answer["claims"])) or None
                    summary = replace(summary, claims=claims, made={**summary.made, **made})
                stream.write(line_of(case.record, summary_fields(summary)))
    return outcome
