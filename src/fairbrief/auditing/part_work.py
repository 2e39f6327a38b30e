"""Audits an input in parts: each part is read, checked, scored and observed independently, on any engine.

The parts depend only on the input and are merged in their order, so the result is the same
on every engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fairbrief.auditing.examples import TopCases
from fairbrief.auditing.run import Run
from fairbrief.auditing.sanity_baselines import OF_SYSTEMS, Exchange
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.shards import Observed
from fairbrief.auditing.watchers import Watchers
from fairbrief.engines import Engine, ThisProcess
from fairbrief.plan import Plan
from fairbrief.readers import Reading
from fairbrief.readers.input_parts import PartTally
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
        """What the part's cases add to the audit."""
        reading = self.reading.part(*part)
        watchers = self.watchers.empty()
        run = Run(
            self.plan, self.measures, part_scorers=self.scorers, exchange=self.exchange, top_cases=self.top_cases
        )  # fmt: skip
        return run.walk_part(watchers.watch(reading)), reading.tally, watchers


def parts_of(cases: Iterable[Case], plan: Plan) -> list[Part]:
    """The parts of an input; none if it is read in one pass.

    Sanity baselines made from records must see all systems of a record, so they need one pass.
    """
    if not isinstance(cases, Reading) or any(name not in OF_SYSTEMS for name in plan.sanity_baselines):
        return []
    parts = cases.ranges
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
    for number, (_, (observed, told, seen)) in enumerate(engine.map(work, parts), 1):
        reading.reach(number / len(parts))
        run.take(observed)
        tally.add(told)
        watchers.merge(seen)
    is_sound = reading.finish(tally)
    if is_sound:
        run.finish(engine)  # what waited for other parts is observed only now
    return is_sound
