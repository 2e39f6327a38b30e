"""Ask for what a journal lacks, and put each answer there before it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fairbrief.chat.replies import EMPTY, REFUSED, UNANSWERED
from fairbrief.engines.journal import Journal

Answer = Mapping[str, Any]
Task = TypeVar("Task", bound=tuple[Any, ...])
"""What is wanted; the first item is the key of its answer."""
Batches = Iterator[list[tuple[str, Answer]]]


@dataclass(slots=True)
class Count:
    """What became of what was wanted. ``refused`` and ``empty`` speak of this run's answers and older ones."""

    wanted: int = 0
    from_journal: int = 0
    asked: int = 0
    refused: int = 0
    empty: int = 0
    unanswered: int = 0

    def tell(self, answer: Answer) -> None:
        """Count an answer's reason, if it has one."""
        reason = answer.get("reason", "")
        self.refused += reason == REFUSED
        self.empty += reason == EMPTY
        self.unanswered += reason == UNANSWERED


def gather(
    tasks: Iterable[Task],
    ask: Callable[[Iterator[Task]], Batches],
    journal: Journal,
    count: Count,
    watch: Callable[[Count], None] = lambda _: None,
) -> dict[str, Answer]:
    """Get an answer to every task into the journal; return, by key, why some have none.

    ``ask`` is given the tasks that the journal lacks and yields answers in batches, in any order. A batch is
    on disk before it is counted and before the next is asked for. Answers with the reason "no answer" are
    not kept, so that the next run asks again. What ``ask`` raises comes through; what came before is kept.
    """
    without: dict[str, Answer] = {}

    def missing() -> Iterator[Task]:
        for task in tasks:
            count.wanted += 1
            if task[0] in journal:
                count.from_journal += 1
                count.tell(journal[task[0]])
            else:
                yield task

    for batch in ask(missing()):
        journal.append([(key, answer) for key, answer in batch if answer.get("reason") != UNANSWERED])
        for key, answer in batch:
            count.asked += 1
            count.tell(answer)
            if answer.get("reason") == UNANSWERED:
                without[key] = answer
        watch(count)
    return without
