"""Ask for what a journal lacks, and put each answer there before it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from fairbrief.chat.journal import Journal
from fairbrief.chat.replies import EMPTY, REFUSED, UNANSWERED
from fairbrief.chat.spending import BudgetSpent

Answer = Mapping[str, Any]
Task = TypeVar("Task", bound=tuple[Any, ...])
"""What is wanted; the first item is the key of its answer."""
Batches = Iterator[list[tuple[str, Answer]]]


NOT_ASKED = "not asked"
"""Reason of what is wanted and was not asked for, since the budget was spent: the next run asks for it."""


@dataclass(slots=True)
class Count:
    """What became of what was wanted. ``refused`` and ``empty`` speak of this run's answers and older ones.

    ``not_asked`` is what the budget left over; ``stopped`` then says which limit was reached.
    """

    wanted: int = 0
    from_journal: int = 0
    asked: int = 0
    refused: int = 0
    empty: int = 0
    unanswered: int = 0
    not_asked: int = 0
    stopped: str = ""

    @property
    def missing(self) -> int:
        """How many have no answer yet: the same command again asks for those alone."""
        return self.unanswered + self.not_asked

    @classmethod
    def of_all(cls, counts: Iterable[Count]) -> Count:
        """Several counts as one; stopped as the first that was."""
        told = [asdict(count) for count in counts]
        sums = {f.name: sum(one[f.name] for one in told) for f in fields(cls) if f.name != "stopped"}
        return cls(**sums, stopped=next((one["stopped"] for one in told if one["stopped"]), ""))

    def tell(self, answer: Answer) -> None:
        """Count an answer's reason, if it has one."""
        reason = answer.get("reason", "")
        self.refused += reason == REFUSED
        self.empty += reason == EMPTY
        self.unanswered += reason == UNANSWERED
        self.not_asked += reason == NOT_ASKED


def gather(
    tasks: Iterable[Task],
    ask: Callable[[Iterator[Task]], Batches],
    journal: Journal,
    count: Count,
    watch: Callable[[Count], None] = lambda _: None,
    has: Callable[[str], bool] | None = None,
) -> dict[str, Answer]:
    """Get an answer to every task into the journal; return, by key, why some have none.

    ``ask`` is given the tasks that the journal lacks and yields answers in batches, in any order. A batch is
    on disk before it is counted and before the next is asked for. Answers with the reason "no answer" are
    not kept, so that the next run asks again. Where the budget ends, ``count.stopped`` says so. Whatever else
    ``ask`` raises comes through; what came before is kept. ``has`` tells whether the journal's answer under a
    key will do, where not every answer does; the last answer under a key holds.
    """
    without: dict[str, Answer] = {}

    def missing() -> Iterator[Task]:
        for task in tasks:
            count.wanted += 1
            if task[0] in journal and (has is None or has(task[0])):
                count.from_journal += 1
                count.tell(journal[task[0]])
            else:
                yield task

    try:
        for batch in ask(missing()):
            journal.append([(key, answer) for key, answer in batch if answer.get("reason") != UNANSWERED])
            for key, answer in batch:
                count.asked += 1
                count.tell(answer)
                if answer.get("reason") == UNANSWERED:
                    without[key] = answer
            watch(count)
    except BudgetSpent as spent:
        count.stopped = str(spent)
    return without
