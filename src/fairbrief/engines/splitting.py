"""From a file of summaries to the same file with each summary's atomic statements; resumes where it was stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairbrief.chat.splitting import UNPARSED, Splitter
from fairbrief.engines.answering import Answer, Batches, Count, gather
from fairbrief.engines.journal import Journal, journal_of, locked, open_journal, replacing
from fairbrief.lines import line_of, summary_fields
from fairbrief.nouns import Case, Unit

LISTED = 20
"""Replies without a list that are kept to be shown; all are counted."""


@dataclass(slots=True)
class Outcome:
    """What became of the summaries. ``recall`` is the mean share of a summary's words that its units hold."""

    count: Count
    units: int = 0
    split: int = 0
    unparsed: list[str] = field(default_factory=list)
    unparsed_count: int = 0
    _recalls: list[float] = field(default_factory=list)

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
) -> Outcome:
    """Write all cases to ``out``, in order, each usable summary with its ``units``; ``cases`` is called twice.

    Summaries without a text pass through. One whose reply holds no list has no units, and is listed. Equal
    texts are asked for once. ``made`` tells the model, the instruction's hash and the unit recall.
    """
    count = Count()
    outcome = Outcome(count)
    with locked(out), open_journal(journal_of(out)) as journal:
        tasks = _texts(splitter, cases)
        without = gather(tasks, lambda missing: _answers(splitter, missing), journal, count, watch)
        with replacing(out) as stream:
            for case in cases():
                stream.write(_line(splitter, case, journal, without, outcome))
    return outcome


def _texts(splitter: Splitter, cases: Callable[[], Iterable[Case]]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for case in cases():
        if case.summary.reason:
            continue
        key = splitter.key(case.summary.text)
        if key not in seen:
            seen.add(key)
            yield key, case.summary.text


def _answers(splitter: Splitter, texts: Iterator[tuple[str, str]]) -> Batches:
    for batch in splitter.split(texts):
        yield [
            (
                key,
                {
                    "units": list(found.units),
                    **({"recall": found.recall} if found.recall is not None else {}),
                    **({"reason": found.reason, "reply": found.reply} if found.reason else {}),
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
    answer = without[key] if key in without else journal[key]
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
