"""Audits an input in parts: each part is read, checked, scored and observed independently, on any engine.

The parts depend only on the input and are merged in their order, so the result is the same
on every engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fairbrief.auditing.examples import TopCases
from fairbrief.auditing.run import Run
from fairbrief.auditing.sanity_baselines import OF_SYSTEMS, Exchange
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.shards import Observed
from fairbrief.auditing.watchers import Watchers
from fairbrief.engines import Engine, ThisProcess
from fairbrief.errors import DataError
from fairbrief.plan import Plan
from fairbrief.readers import Reading
from fairbrief.readers.input_parts import PartTally, with_line_numbers
from fairbrief.readers.json_lines import Range
from fairbrief.types import Case, Measure

Part = tuple[int, Range]
"""Number of a source, and a range of it."""
PartDone = tuple[Observed, PartTally, Watchers]


@dataclass(frozen=True, slots=True)
class PartWork:
    """Audits one part. Equal parts give equal results in every process."""

    reading: Reading
    plan: Plan
    measures: Sequence[Measure]
    scorers: Scorers
    watchers: Watchers
    exchange: Exchange | None = None
    """The summaries of all parts, where some are exchanged."""
    top_cases: TopCases | None = None
    """The top cases of the run, if the part runs in the same process."""

    def __call__(self, part: Part) -> PartDone:
        """What the part's cases add to the audit; errors name the lines of the file."""
        reading = self.reading.part(*part)
        watchers = self.watchers.empty()
        with _placing(reading):
            run = Run(
                self.plan, self.measures, part_scorers=self.scorers, exchange=self.exchange, top_cases=self.top_cases
            )  # fmt: skip
            result = run.walk_part(watchers.watch(reading))
        tally = reading.tally
        tally.skipped = [with_line_numbers(said, reading.files) for said in tally.skipped]
        return result, tally, watchers


@contextmanager
def _placing(reading: Reading) -> Iterator[None]:
    """Errors that name a place in a part name the line of the file instead."""
    try:
        yield
    except DataError as error:
        raise DataError(with_line_numbers(str(error), reading.files)) from None


def parts_of(cases: Iterable[Case], plan: Plan) -> list[Part]:
    """The parts of an input; none if it is read in one pass.

    Sanity baselines made from records must see all systems of a record, so they need one pass.
    """
    if not isinstance(cases, Reading) or any(name not in OF_SYSTEMS for name in plan.sanity_baselines):
        return []
    parts = cases.ranges or []
    return parts if len(parts) > 1 else []


def walk_parts(run: Run, reading: Reading, parts: Sequence[Part], watchers: Watchers, engine: Engine) -> bool:
    """Merge all parts into the run. Returns whether the input is valid; otherwise the run must be discarded."""
    is_here = isinstance(engine, ThisProcess)
    work = PartWork(
        reading,
        replace(run.plan, progress=None, scorers={}, wrap=None),
        run.measures,
        run.scorers if is_here else run.work_elsewhere().scorers,
        watchers.empty(),
        exchange=run.exchange,
        top_cases=run.top_cases if is_here else None,
    )
    reading.look()
    tally = PartTally()
    lines: dict[Part, int] = {}
    for number, (part, (observed, told, seen)) in enumerate(engine.map(work, parts), 1):
        reading.reach(number / len(parts))
        with _placing(reading):
            run.take(observed)
        tally.add(told)
        lines[part] = told.lines
        watchers.merge(seen)
    is_sound = reading.finish(tally)
    if is_sound:
        with _placing(reading):  # what waited for other parts is observed only now
            run.finish(engine)
        run.top_cases.place(reading.in_files(lines))
    return is_sound
