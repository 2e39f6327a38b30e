"""From a file of summaries to the same file with each summary's atomic statements; resumes where it was stopped."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from fairbrief.chat.unit_splitting import UNPARSED, Splitter
from fairbrief.kept_files import locked, replacing
from fairbrief.serialization import line_of, summary_fields
from fairbrief.types import Case, Unit
from fairbrief.workbench.requests.answering import NOT_ASKED, Answer, Batches, Count, gather
from fairbrief.workbench.requests.journal import Journal, journal_of, open_journal
from fairbrief.workbench.requests.preflight import Forecast

Task = tuple[str, str, str | None]
"""The key of a text, the text, and the answer to it that could not be read, if it was asked before."""
TRIES = 3
"""How often a text is asked for while the replies hold no list."""
LISTED = 20
"""Replies without a list that are kept to be shown; all are counted."""


@dataclass(slots=True)
class Outcome:
    """What became of the summaries. ``recall`` is the mean share of a summary's words that its units hold."""

    count: Count
    units: int = 0
    split: int = 0
    asked_again: int = 0
    unparsed: list[str] = field(default_factory=list)
    unparsed_count: int = 0
    _recalls: list[float] = field(default_factory=list)
    _not_asked: set[str] = field(default_factory=set)

    @property
    def recall(self) -> float | None:
        """Mean unit recall in [0, 1] over the summaries that were split; None if there are none."""
        return math.fsum(self._recalls) / len(self._recalls) if self._recalls else None

    def add(self, case: Case, answer: Answer) -> None:
        """Count the units of one summary, or that its reply held none."""
        if answer.get("units"):
            self.split += 1
            self.units += len(answer["units"])
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
    """Write all cases to ``out``, in order, each usable summary with its ``units``; ``cases`` is called twice or more.

    Answers go to the journal ``kept_in``, without one to ``out``'s own. Files that share one share the answers.

    Summaries without a text pass through. A reply that holds no list is answered by asking again, `TRIES` times
    in all; a summary that is then still without units is listed. Equal texts are asked for once. ``made`` tells
    the model, the instruction's hash and the unit recall.
    """
    outcome = Outcome(Count())
    with locked(out), open_journal(kept_in or journal_of(out)) as journal:
        without = gather(
            _texts(splitter, cases), partial(_answers, splitter, 1), journal, outcome.count, watch
        )
        for tries in range(2, TRIES + 1):
            _ask_again(splitter, tries, cases, journal, outcome)
        with replacing(out) as stream:
            for case in cases():
                stream.write(_line(splitter, case, journal, without, outcome))
    outcome.count.not_asked = len(outcome._not_asked)
    outcome.count.wanted = outcome.count.asked + outcome.count.from_journal + outcome.count.not_asked
    return outcome


def foresee_units(splitter: Splitter, cases: Iterable[Case], known: Collection[str]) -> Forecast:
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
                    "units": list(found.units),
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
    answer = journal[key] if key in journal else without.get(key, {"units": [], "reason": NOT_ASKED})
    if answer.get("reason") == NOT_ASKED:
        outcome._not_asked.add(key)
    outcome.add(case, answer)
    made = {
        **case.summary.made,
        "units_by": splitter.endpoint.model,
        "units_prompt_sha": splitter.splitting.sha,
        **({"unit_recall": f"{answer['recall']:.4f}"} if "recall" in answer else {}),
        **({"units_reason": answer["reason"]} if "reason" in answer else {}),
    }
    units = tuple(Unit(text) for text in answer["units"]) or None
    return line_of(case.record, summary_fields(replace(case.summary, units=units, made=made)))
