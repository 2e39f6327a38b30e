"""Summarize and audit over a grid of settings, as one experiment."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from fairbrief.auditing import HEAD, Plan, audit, check
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.measure_selection import scorer_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.system_runs import Pooled
from fairbrief.chat.journal import keys_in
from fairbrief.chat.spending import Budget, BudgetSpent
from fairbrief.errors import RequestError
from fairbrief.readers import read
from fairbrief.reports.result import LeftOut, Result
from fairbrief.saved.scorer_agreement import relative_changes
from fairbrief.scorers.chat_judge import ChatJudge, within
from fairbrief.types import Case, Measure, Scorer
from fairbrief.workbench.answers import Count
from fairbrief.workbench.grid import Cell
from fairbrief.workbench.summarizing import Forecast, Job, Records, Spending, Watch, summarize_all
from fairbrief.workbench.summarizing import foresee as foresee_answers
from fairbrief.workbench.sweep_tables import sweep_table

INSTRUCTION, PLAIN = "instruction", "none"
ANSWERS, JOURNAL, SPENT = "answers", "answers.journal", "answers.spent"
STOPPED = "stopped"
"""What of ``made`` says which limit ended the audit's judges, where one did."""
UNJUDGED = "the budget was spent before its judge had answered: the next run goes on"


def sweep(
    records: Records,
    cells: Sequence[Cell],
    folder: Path,
    plan: Plan,
    watch: Watch = lambda _: None,
    spending: Spending | None = None,
) -> Result:
    """Summarize the records at every cell, audit all answers as systems, and compare each with the baseline.

    ``records`` is called several times. ``plan.baseline`` names the cell that others are compared with; None:
    the first. All prompts are filled before anything is asked. Answers are kept under ``folder/answers``: what
    a former run left there is not asked for again. What a budget left over is missing from the result, which
    counts it. Judges behind a chat service count in the same budget; ``plan.wrap`` may keep what they said.
    """
    spending = spending or Spending()
    plan = replace(plan, wrap=charging(spending, {}, plan.wrap))
    foresee(records, cells, folder, plan, spending.budget)
    jobs = [job for cell in cells for job in cell.jobs(folder / ANSWERS)]
    ask(records, jobs, folder, watch, spending)
    return audited(cells, {job.system: job.out for job in jobs}, folder, plan)


def foresee(
    records: Records, cells: Sequence[Cell], folder: Path, plan: Plan, budget: Budget | None = None
) -> Forecast:
    """What a sweep would ask; raises what it would refuse: measures, a baseline, prompts, cells that ask the same."""
    baseline_of(cells, plan)
    budget = budget or Budget()
    for judge in judges(check(records(), plan), plan).values():
        budget.most(judge.question(("", "")))
    jobs = [job for cell in cells for job in cell.jobs(folder / ANSWERS)]
    return foresee_answers(jobs, records, keys_in(_journal(folder)), budget)


def judges(measures: Sequence[Measure], plan: Plan) -> dict[str, ChatJudge]:
    """The measures whose scorer asks a chat model, by their specs, with that scorer."""
    scorers = Scorers(plan.scorers)
    found = {repr(m): scorers[spec] for m in measures if (spec := scorer_of(m)) is not None}
    return {name: scorer for name, scorer in found.items() if isinstance(scorer, ChatJudge)}


def charging(
    spending: Spending, pace: Mapping[str, str], wrap: Callable[[Scorer], Scorer] | None
) -> Callable[[Scorer], Scorer]:
    """What is put before scorers so that what they ask of chat models counts with all else; ``wrap`` comes behind it."""
    return partial(within, spending.budget, spending.tally, pace, then=wrap)


def ask(records: Records, jobs: Sequence[Job], folder: Path, watch: Watch, spending: Spending) -> list[Count]:
    """Have all jobs' answers written; one count per job."""
    return summarize_all(jobs, records, _journal(folder), watch, spending)


def audited(cells: Sequence[Cell], answers: Mapping[str, Path], folder: Path, plan: Plan) -> Result:
    """The audit of the cells' answers, each cell a system, compared with the baseline in pairs.

    ``answers`` names each job's file. The result has one table of its own (n, values, paired differences, relative
    changes, spread of runs); the relative changes also stand among its differences, as ``relative_change``.
    """
    baseline = baseline_of(cells, plan)
    has_runs = any(cell.runs > 1 for cell in cells)
    plan = replace(plan, baseline=baseline, pools_runs=has_runs, is_pairwise=True)
    result = _audit(cases_of(cells, answers), plan)
    settings = Settings(plan.n_resamples, plan.seed, plan.confidence_level, plan.alpha, _signature(result))
    changes = relative_changes(result.rows, pairs_of(cells, baseline), settings)
    whole = replace(
        result,
        differences=(*result.differences, *changes),
        made={
            **result.made,
            "sweep": _made(cells, answers, folder, baseline),
        },
    )
    return replace(whole, tables=(sweep_table(whole, cells, baseline), *result.tables))


def cases_of(cells: Sequence[Cell], answers: Mapping[str, Path]) -> Pooled:
    """The cases in the cells' files, the runs of a cell pooled; they can be gone through again."""
    runs = {
        f"{cell.name}#{i}": (cell.name, str(i))
        for cell in cells
        if cell.runs > 1
        for i in range(1, cell.runs + 1)
    }
    return Pooled(_Cases(list(answers.values())), runs.get)


def baseline_of(cells: Sequence[Cell], plan: Plan) -> str:
    """The cell that others are compared with: the one that is named, or the first."""
    names = [cell.name for cell in cells]
    baseline = plan.baseline if plan.baseline is not None else names[0]
    if baseline not in names:
        raise RequestError(f"No cell is named '{baseline}'. Cells: {'; '.join(names)}.")
    return baseline


def pairs_of(cells: Sequence[Cell], baseline: str) -> list[tuple[str, str]]:
    """Which cell's relative change is taken from which.

    Where an instruction is swept and ``none`` is among its values: from the cell that is the same but for
    the instruction, which is plain. Else from the baseline.
    """
    plain = {_but_instruction(cell): cell.name for cell in cells if cell.settings.get(INSTRUCTION) == PLAIN}
    swept = [cell for cell in cells if cell.settings.get(INSTRUCTION, PLAIN) != PLAIN]
    if plain and swept:
        return [
            (cell.name, plain[_but_instruction(cell)]) for cell in swept if _but_instruction(cell) in plain
        ]
    return [(cell.name, baseline) for cell in cells if cell.name != baseline]


def _audit(cases: Pooled, plan: Plan) -> Result:
    """The audit; where the budget ends among judges, that of all measures without one, which says so."""
    try:
        return audit(cases, plan)
    except BudgetSpent as spent:
        head = [case.record for case in itertools.islice(cases, HEAD)]
        measures = check(head, plan)
        judged = judges(measures, plan)
        rest = [m for m in measures if repr(m) not in judged]
        if not rest or plan.protocol:
            raise
        result = audit(cases, replace(plan, measures=rest, ordered=False))
        left_out = (*result.left_out, *(LeftOut(spec, UNJUDGED) for spec in judged))
        return replace(result, left_out=left_out, made={**result.made, STOPPED: str(spent)})


class _Cases:
    """The cases of several files, which can be gone through again."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files

    def __iter__(self) -> Iterator[Case]:
        for path in self.files:
            yield from read(path)


def _made(
    cells: Sequence[Cell], answers: Mapping[str, Path], folder: Path, baseline: str
) -> dict[str, object]:
    return {
        "baseline": baseline,
        "cells": {cell.name: repr(cell.writers[0]) for cell in cells},
        "settings": {cell.name: dict(cell.settings) for cell in cells},
        "runs": {cell.name: cell.runs for cell in cells},
        "answers": {name: str(path.relative_to(folder)) for name, path in answers.items()},
    }


def _but_instruction(cell: Cell) -> tuple[tuple[str, str], ...]:
    return tuple((k, v) for k, v in cell.settings.items() if k != INSTRUCTION)


def _signature(result: Result) -> str:
    """What the estimates' signatures say of inputs and draws, without their measure and version."""
    signed = [e.signature for e in result.estimates if e.signature]
    return signed[0].split("|", 2)[2] if signed else ""


def _journal(folder: Path) -> Path:
    return folder / ANSWERS / JOURNAL
