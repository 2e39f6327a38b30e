"""Summarize and audit over a grid of settings."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairbrief import registry
from fairbrief.auditing import HEAD, Plan, audit, check
from fairbrief.auditing.differences import UNSIGNED
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.measure_selection import scorer_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.system_runs import Pooled, RunSpread, run_spreads
from fairbrief.chat.journal import keys_in
from fairbrief.chat.spending import Budget, BudgetSpent
from fairbrief.errors import RequestError
from fairbrief.readers import read
from fairbrief.reports import exports, number_format, wording
from fairbrief.reports.audit_folder import place
from fairbrief.reports.result import NotMeasured, Result
from fairbrief.saved.scorer_agreement import QUANTITY, relative_changes
from fairbrief.scorers.chat_judge import ChatJudge, within
from fairbrief.text.addresses import sealed
from fairbrief.types import Case, Estimate, Measure, Scorer, Table
from fairbrief.workbench.summarizing import (
    Count,
    Drafting,
    Forecast,
    Job,
    Records,
    Spending,
    Watch,
    summarize_all,
)
from fairbrief.workbench.summarizing import foresee as foresee_answers

RUNS = ("seed",)
"""Settings that do not make separate cells: their values are runs of one cell."""
SUMMARIZER = "summarizer"
"""Name of the axis of the summarizers."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the grid: its name (``temperature=0.3, sentences=3``), its settings, and the summarizers of its runs.

    ``settings`` have the summarizer's spec (or its label) under "summarizer". ``writers`` are one summarizer, which
    may write several samples of a record, or one per seed.
    """

    name: str
    writers: tuple[Any, ...]
    settings: Mapping[str, str]

    @property
    def samples(self) -> int:
        """The number of summaries that each writer makes of a record."""
        return int(getattr(self.writers[0], "samples", 1))

    @property
    def runs(self) -> int:
        """The number of summaries of each record in the cell."""
        return len(self.writers) * self.samples

    def jobs(self, folder: Path) -> list[Job]:
        """The cell's files of answers in a folder, with their writers and system names."""
        names = (
            [f"{self.name}#{i}" for i in range(1, self.runs + 1)] if len(self.writers) > 1 else [self.name]
        )
        return [
            Job(writer, folder / _file_name(name, writer), name)
            for name, writer in zip(names, self.writers, strict=True)
        ]


def grid(
    summarizer: str,
    axes: Mapping[str, Sequence[str]],
    *,
    fixed: Mapping[str, str] | None = None,
    label: str = "",
) -> tuple[Cell, ...]:
    """Every combination of the axes' values, the last axis fastest; without axes, only the summarizer.

    ``fixed`` are settings of all cells, which are not part of names. Several values of ``seed`` are runs of each
    cell. Values in names have the summarizer's form (``.3`` is 0.3), after ``label``. Raises RequestError for a
    setting that the summarizer does not have, or a repeated point.
    """
    summarizer = sealed(summarizer)  # its spec becomes the name of a system
    across = {name: values for name, values in axes.items() if name not in RUNS or len(values) < 2}
    seeds = {name: values for name, values in axes.items() if name not in across}
    cells = []
    for values in itertools.product(*across.values()):
        point = dict(zip(across, values, strict=True))
        writers = tuple(
            registry.make(
                "summarizer", summarizer, {**(fixed or {}), **point, **dict(zip(seeds, run, strict=True))}
            )
            for run in itertools.product(*seeds.values())
        )
        settings = {name: _setting(writers[0], name, text) for name, text in point.items()}
        point_name = ", ".join(f"{key}={value}" for key, value in settings.items())
        name = ", ".join(part for part in (label, point_name) if part) or summarizer
        cells.append(Cell(name, writers, {SUMMARIZER: label or summarizer, **settings}))
        _check_runs(cells[-1])
    refuse_twice(cells)
    return tuple(cells)


def refuse_twice(cells: Iterable[Cell]) -> None:
    """Raise RequestError if two cells have one name, or a cell has two runs with the same spec."""
    seen: set[str] = set()
    for cell in cells:
        if cell.name in seen or len({repr(w) for w in cell.writers}) < len(cell.writers):
            raise RequestError(f"The grid has '{cell.name}' twice: give each value once.")
        seen.add(cell.name)


def axes_of(summarizer_axes: Iterable[Cell]) -> list[str]:
    """The names of all axes of some cells, in order of first occurrence."""
    return list(dict.fromkeys(name for cell in summarizer_axes for name in cell.settings))


def _setting(writer: Any, name: str, text: str) -> str:
    if name == "prompt":
        return Path(text).stem if Path(text).suffix else text
    return str(getattr(writer, name))


def _check_runs(cell: Cell) -> None:
    if cell.samples == 1:
        return
    if not isinstance(cell.writers[0], Drafting):
        raise RequestError(
            f"'{cell.writers[0]!r}' writes several summaries of each record without names for them: sweep the seed "
            "instead, --set seed=0,1,2."
        )
    if len(cell.writers) > 1:
        raise RequestError("Give several seeds or several samples of a setting, not both.")


def _file_name(name: str, writer: Any) -> str:
    """A plain name; the digest distinguishes names that differ only in replaced characters."""
    stem = re.sub(r"[^A-Za-z0-9.=-]+", "_", name)[:80].strip("_.")
    return f"{stem}-{hashlib.sha256(repr(writer).encode()).hexdigest()[:8]}.jsonl"


INSTRUCTION, PLAIN = "instruction", "none"
ANSWERS, JOURNAL, SPENT = "answers", "answers.journal", "answers.spent"
STOPPED = "stopped"
"""The key of ``made`` with the limit that stopped the audit's judges, if one did."""
UNJUDGED = "the budget was spent before its judge had answered: the next run continues"


def sweep(
    records: Records,
    cells: Sequence[Cell],
    folder: Path,
    plan: Plan,
    watch: Watch = lambda _: None,
    spending: Spending | None = None,
) -> Result:
    """Summarize the records at every cell, audit all answers as systems, and compare each with the baseline.

    ``records`` is called several times. ``plan.baseline`` is the name of the cell for comparison; None: the first.
    All prompts are filled before the first request. Answers are stored under ``folder/answers`` and reused by later
    runs. Answers beyond the budget are missing from the result, which counts them. Judges behind a chat service use
    the same budget; ``plan.wrap`` may store their answers.
    """
    spending = spending or Spending()
    plan = replace(plan, wrap=charging(spending, plan.wrap))
    foresee(records, cells, folder, plan, spending.budget)
    jobs = [job for cell in cells for job in cell.jobs(folder / ANSWERS)]
    ask(records, jobs, folder, watch, spending)
    return audited(cells, {job.system: job.out for job in jobs}, folder, plan)


def foresee(
    records: Records, cells: Sequence[Cell], folder: Path, plan: Plan, budget: Budget | None = None
) -> Forecast:
    """The requests of a sweep. Raises the errors of measures, the baseline and prompts, and of cells with the same requests."""
    baseline_of(cells, plan)
    budget = budget or Budget()
    for judge in judges(check(records(), plan), plan).values():
        budget.most(judge.question(("", "")))
    jobs = [job for cell in cells for job in cell.jobs(folder / ANSWERS)]
    return foresee_answers(jobs, records, keys_in(_journal(folder)), budget)


def judges(measures: Sequence[Measure], plan: Plan) -> dict[str, ChatJudge]:
    """The measures with a chat model as scorer, by their specs, with that scorer."""
    scorers = Scorers(plan.scorers)
    found = {repr(m): scorers[spec] for m in measures if (spec := scorer_of(m)) is not None}
    return {name: scorer for name, scorer in found.items() if isinstance(scorer, ChatJudge)}


def charging(spending: Spending, wrap: Callable[[Scorer], Scorer] | None) -> Callable[[Scorer], Scorer]:
    """A wrapper for scorers that counts their chat requests in the common budget; ``wrap`` is applied after it."""
    return partial(within, spending.budget, spending.tally, then=wrap)


def ask(records: Records, jobs: Sequence[Job], folder: Path, watch: Watch, spending: Spending) -> list[Count]:
    """Write all jobs' answers; return one count per job."""
    return summarize_all(jobs, records, _journal(folder), watch, spending)


def audited(cells: Sequence[Cell], answers: Mapping[str, Path], folder: Path, plan: Plan) -> Result:
    """The audit of the cells' answers, each cell a system, with paired comparisons with the baseline.

    ``answers`` has each job's file. The result has an additional table (n, values, paired differences, relative
    changes, spread of runs); the relative changes are also among its differences, as ``relative_change``.
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
    """The cases in the cells' files, with the runs of a cell pooled; repeatedly iterable."""
    runs = {
        f"{cell.name}#{i}": (cell.name, str(i))
        for cell in cells
        if cell.runs > 1
        for i in range(1, cell.runs + 1)
    }
    return Pooled(_Cases(list(answers.values())), runs.get)


def baseline_of(cells: Sequence[Cell], plan: Plan) -> str:
    """The cell for comparison: the named one, or the first."""
    names = [cell.name for cell in cells]
    baseline = plan.baseline if plan.baseline is not None else names[0]
    if baseline not in names:
        raise RequestError(f"No cell is named '{baseline}'. Cells: {'; '.join(names)}.")
    return baseline


def pairs_of(cells: Sequence[Cell], baseline: str) -> list[tuple[str, str]]:
    """Pairs of a cell and the cell to which its relative change refers.

    If an instruction is swept and ``none`` is among its values, the reference is the cell that differs only in having
    no instruction; otherwise it is the baseline.
    """
    plain = {_but_instruction(cell): cell.name for cell in cells if cell.settings.get(INSTRUCTION) == PLAIN}
    swept = [cell for cell in cells if cell.settings.get(INSTRUCTION, PLAIN) != PLAIN]
    if plain and swept:
        return [
            (cell.name, plain[_but_instruction(cell)]) for cell in swept if _but_instruction(cell) in plain
        ]
    return [(cell.name, baseline) for cell in cells if cell.name != baseline]


def _audit(cases: Pooled, plan: Plan) -> Result:
    """The audit. If the budget ends among judges, an audit of all measures without a judge, with a note."""
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
        left_out = (*result.not_measured, *(NotMeasured(spec, UNJUDGED) for spec in judged))
        return replace(result, not_measured=left_out, made={**result.made, STOPPED: str(spent)})


class _Cases:
    """The cases of several files; repeatedly iterable."""

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
    """The part of the estimates' signatures about inputs and draws, without measure and version."""
    signed = [e.signature for e in result.estimates if e.signature]
    return signed[0].split("|", 2)[2] if signed else ""


def _journal(folder: Path) -> Path:
    return folder / ANSWERS / JOURNAL


# ---- A sweep's numbers: one printed table of every main value, and one tidy table of everything.


NOT_TESTABLE = "not testable"
BY_OTHERS = (
    "Unsigned scores also differ if only the length of the summaries differs. The name after p is the group difference with the "
    "smallest p, minus its random-sentence baseline in both settings if it has one; – if the measure has none."
)
COLUMNS = ("setting", "n", "value", "difference", "n of both", "p", "relative change")


def sweep_table(result: Result, cells: Sequence[Cell], baseline: str) -> Table:
    """Value, paired difference from the baseline and relative change of each main value, each with its n."""
    whole = [e for e in result.differences if not e.subgroup]
    gaps = {(e.measure, e.system): e for e in whole if wording.is_main_value(e)}
    leading: dict[tuple[str, str], list[Estimate]] = {}
    for e in map(wording.from_random, whole):
        if e.is_primary:
            leading.setdefault((e.measure, e.system), []).append(e)
    changes = {(e.measure, e.system): e for e in result.differences if e.quantity == QUANTITY}
    spreads = run_spreads(result.estimates) if any(cell.runs > 1 for cell in cells) else {}
    order = {cell.name: i for i, cell in enumerate(cells)}
    rows: list[tuple[str, ...]] = []
    by_others = any(e.notes == UNSIGNED for e in gaps.values())
    shown = [e for e in result.estimates if e.system in order and wording.is_main_value(e) and not e.subgroup]
    for measure in dict.fromkeys(e.measure for e in shown):
        rows.append((measure, *[""] * (len(COLUMNS) - 1 + bool(spreads))))
        for e in sorted((e for e in shown if e.measure == measure), key=lambda e: order[e.system]):
            gap = gaps.get((measure, e.system)) if e.system != baseline else None
            spread = spreads.get((measure, e.quantity, e.system))
            between = number_format.number(spread.deviation if spread else None)
            rows.append(
                (
                    e.system, number_format.count(e.clusters), _cell(e),
                    *_difference(gap, leading.get((measure, e.system), ()), is_baseline=e.system == baseline),
                    _cell(changes.get((measure, e.system))), *((between,) if spreads else ()),
                )
            )  # fmt: skip
    header = (*COLUMNS, *(("SD of runs",) if spreads else ()))
    notes = _notes(list(changes.values()), baseline, has_runs=bool(spreads))
    return Table("The sweep", header, tuple(rows), (*notes, *((BY_OTHERS,) if by_others else ())))


def _difference(
    gap: Estimate | None, leading: Sequence[Estimate], *, is_baseline: bool
) -> tuple[str, str, str]:
    """Difference, n and p of a pair; a word for the baseline and for failed comparisons."""
    if is_baseline:
        return ("baseline", "", "")
    if gap is None:
        return ("fewer than two records in common", "", "")
    if gap.value is None:
        return number_format.UNDEFINED, number_format.count(gap.clusters), ""
    return _cell(gap), number_format.count(gap.clusters), _tested(gap, leading)


def _tested(gap: Estimate, leading: Sequence[Estimate]) -> str:
    """P of a difference. For an unsigned score the p of the group difference with the smallest p, with its name."""
    tested = [e for e in leading if e.p is not None]
    if not tested:
        if any(e.testable is False for e in (gap, *leading)):
            return NOT_TESTABLE
        return number_format.probability(None if gap.p is None else _adjusted(gap))
    least = min(tested, key=lambda e: (_adjusted(e), e.quantity))
    if wording.is_main_value(least):
        return number_format.probability(_adjusted(least))
    return f"{number_format.probability(_adjusted(least))} {least.quantity}"


def _adjusted(e: Estimate) -> float:
    return (e.p if e.p_adjusted is None else e.p_adjusted) or 0.0


def _notes(changes: Sequence[Estimate], baseline: str, *, has_runs: bool) -> tuple[str, ...]:
    against = sorted({e.baseline for e in changes})
    notes = [
        f"Difference: minus {baseline}, on the records that both answered; p from permuting the two, after Holm."
    ]
    if len(against) == 1:
        notes.append(
            f"Relative change: the share by which the value falls from {against[0]}; undefined if that is 0."
        )
    elif against:
        notes.append(
            "Relative change: the share by which the value falls from the same setting without an instruction; "
            "undefined if that is 0."
        )
    if has_runs:
        notes.append(
            "The runs of a setting are pooled: the interval is over records; SD of runs is the standard deviation "
            "of the values of single runs."
        )
    return tuple(notes)


def _cell(e: Estimate | None) -> str:
    if e is None:
        return ""
    return (
        number_format.value(e) if e.low is None else f"{number_format.value(e)} {number_format.interval(e)}"
    )


# ---- A sweep's numbers as one tidy table: a row per number, a column per axis


NUMBERS = ("value", "low", "high", "n", "clusters", "chance", "p", "p_holm", "testable")
"""Columns of each number; n counts summaries, clusters counts their records (or seed documents)."""


def tidy_rows(result: Result, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Every estimate and paired difference of every cell and sanity baseline, as rows with the same columns.

    Columns: ``cell``, ``system_kind`` (`SystemKind`), one per axis (None for a sanity baseline), ``kind`` (estimate,
    difference, relative change), ``minus`` (the subtracted cell), measure, quantity, ``is_main_value``, over, one per
    subgroup attribute (``subgroup.NAME``), `NUMBERS`, ``runs`` and ``sd_of_runs`` (None if a cell has one run).
    """
    axes = axes_of(cells)
    subgroups = list(
        dict.fromkeys(name for e in (*result.estimates, *result.differences) for name in e.subgroup)
    )
    by_name = {cell.name: cell for cell in cells}
    spreads = run_spreads(result.estimates)
    return [
        _row(e, by_name.get(e.system), axes, subgroups, spreads)
        for e in (*result.estimates, *result.differences)
    ]


def write_tidy(result: Result, cells: Sequence[Cell], path: Path) -> None:
    """The rows as CSV, at full precision; spreadsheets evaluate no cell as a formula."""
    rows = tidy_rows(result, cells)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0] if rows else ("cell",))
    writer.writerows([exports.csv_cell(value) for value in row.values()] for row in rows)
    place(path, lambda part: part.write_text(out.getvalue(), encoding="utf-8", newline="\n"))


def _row(
    e: Estimate,
    cell: Cell | None,
    axes: Sequence[str],
    subgroups: Sequence[str],
    spreads: Mapping[tuple[str, str, str], RunSpread],
) -> dict[str, Any]:
    spread = None if e.subgroup or e.baseline else spreads.get((e.measure, e.quantity, e.system))
    numbers = (e.value, e.low, e.high, e.n, e.clusters, e.permutation_mean, e.p, e.p_adjusted, e.testable)
    return {
        "cell": e.system,
        "system_kind": e.system_kind,
        **{axis: None if cell is None else cell.settings.get(axis) for axis in axes},
        "kind": _kind(e),
        "minus": e.baseline or None,
        "measure": e.measure,
        "quantity": e.quantity,
        "is_main_value": wording.is_main_value(e),
        "over": e.over or None,
        **{f"slice.{name}": e.subgroup.get(name) for name in subgroups},
        **dict(zip(NUMBERS, numbers, strict=True)),
        "runs": None if cell is None else cell.runs,
        "sd_of_runs": None if spread is None else spread.deviation,
    }


def _kind(e: Estimate) -> str:
    if e.quantity == QUANTITY:
        return "relative change"
    return "difference" if e.baseline else "estimate"
