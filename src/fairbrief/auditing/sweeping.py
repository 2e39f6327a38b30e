"""Summarize and audit over a grid of settings, as one experiment."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairbrief import registry
from fairbrief.auditing import Plan, audit, check
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.relative import QUANTITY, relative_changes
from fairbrief.engines.answering import Count
from fairbrief.engines.summarizing import summarize
from fairbrief.errors import RequestError
from fairbrief.nouns import Case, Estimate, Record, Table
from fairbrief.readers import read
from fairbrief.reports import numerals, words
from fairbrief.reports.result import Result

INSTRUCTION, PLAIN = "instruction", "none"
ANSWERS = "answers"
Records = Callable[[], Iterable[Record]]
Watch = Callable[["Cell", Count], None]


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the grid: its name, ``temperature=0.3, sentences=3``, and the summarizer so set."""

    name: str
    summarizer: Any
    settings: Mapping[str, str]


def grid(summarizer: str, axes: Mapping[str, Sequence[str]]) -> tuple[Cell, ...]:
    """Every combination of the axes' values, the last axis fastest; without axes, the summarizer alone.

    Values are named as the summarizer reads them (``.3`` is 0.3). Raises RequestError for a setting that
    the summarizer does not have, or a point that is named twice.
    """
    cells = []
    for values in itertools.product(*axes.values()):
        built = registry.make("summarizer", summarizer, dict(zip(axes, values, strict=True)))
        settings = {name: str(getattr(built, name)) for name in axes}
        name = ", ".join(f"{key}={value}" for key, value in settings.items()) or repr(built)
        if getattr(built, "samples", 1) != 1:
            raise RequestError(
                f"'{built!r}' writes several summaries of each record; a sweep compares one. Sweep the seed instead: "
                "--set seed=0,1,2."
            )
        cells.append(Cell(name, built, settings))
    twice = [cell.name for i, cell in enumerate(cells) if cell.name in [c.name for c in cells[:i]]]
    if twice:
        raise RequestError(f"The grid holds '{twice[0]}' twice: give each value once.")
    return tuple(cells)


def sweep(
    records: Records,
    cells: Sequence[Cell],
    folder: Path,
    plan: Plan,
    watch: Watch = lambda _cell, _count: None,
) -> Result:
    """Summarize the records at every cell, audit all answers as systems, and compare each with the baseline.

    ``records`` is called again for every cell. ``plan.baseline`` names the cell that others are compared
    with; None: the first. Answers are kept under ``folder/answers``: what a former run left there is not
    asked for again. The result has one table of its own (values, paired differences, relative changes), and
    the relative changes also stand among its differences, as the quantity ``relative_change``.
    """
    names = [cell.name for cell in cells]
    baseline = plan.baseline if plan.baseline is not None else names[0]
    if baseline not in names:
        raise RequestError(f"No cell is named '{baseline}'. Cells: {'; '.join(names)}.")
    check(records(), plan)
    files = {}
    for cell in cells:
        files[cell.name] = folder / ANSWERS / _file_name(cell)
        watch(cell, summarize(cell.summarizer, records, files[cell.name], lambda _: None))
    result = audit(_cases(files), replace(plan, baseline=baseline))
    settings = Settings(plan.draws, plan.seed, plan.level, plan.alpha, _signature(result))
    changes = relative_changes(result.evidence, pairs_of(cells, baseline), settings)
    made = {
        **result.made,
        "sweep": {
            "baseline": baseline,
            "cells": {cell.name: repr(cell.summarizer) for cell in cells},
            "answers": {name: str(path.relative_to(folder)) for name, path in files.items()},
        },
    }
    whole = replace(result, differences=(*result.differences, *changes), made=made)
    return replace(whole, tables=(table(whole, baseline), *result.tables))


def pairs_of(cells: Sequence[Cell], baseline: str) -> list[tuple[str, str]]:
    """Which cell's relative change is taken from which.

    Where an instruction is swept and ``none`` is among its values: from the cell that is the same but for
    the instruction, which is plain. Else from the baseline.
    """
    plain = {_but_instruction(cell): cell.name for cell in cells if cell.settings.get(INSTRUCTION) == PLAIN}
    if plain:
        return [
            (cell.name, plain[_but_instruction(cell)])
            for cell in cells
            if cell.settings[INSTRUCTION] != PLAIN
        ]
    return [(cell.name, baseline) for cell in cells if cell.name != baseline]


def table(result: Result, baseline: str) -> Table:
    """Every headline of every cell: value, paired difference from the baseline, relative change."""
    gaps = {(e.measure, e.system): e for e in result.differences if words.is_headline(e) and not e.slice}
    changes = {(e.measure, e.system): e for e in result.differences if e.quantity == QUANTITY}
    cells = set(result.made["sweep"]["cells"])
    rows = []
    for measure in dict.fromkeys(e.measure for e in result.estimates):
        rows.append((measure, "", "", "", ""))
        for e in result.estimates:
            if e.measure == measure and e.system in cells and words.is_headline(e) and not e.slice:
                gap = gaps.get((measure, e.system)) if e.system != baseline else None
                p = (gap.p if gap.p_adjusted is None else gap.p_adjusted) if gap else None
                change = _cell(changes.get((measure, e.system)))
                rows.append((e.system, _cell(e), _cell(gap), numerals.probability(p), change))
    against = sorted({e.baseline for e in changes.values()})
    notes = (
        f"Difference: minus {baseline}, on the records that all answered; p from exchanging the two, after Holm.",
        f"Relative change: by which part the value falls from {' or '.join(against)}; undefined where that is 0."
        if len(against) == 1
        else "Relative change: by which part the value falls from the same setting without an instruction; "
        "undefined where that is 0.",
    )
    header = ("setting", "value", "difference", "p", "relative change")
    return Table("The sweep", header, tuple(rows), notes if against else notes[:1])


def _cell(e: Estimate | None) -> str:
    if e is None or e.value is None:
        return numerals.ABSENT
    return f"{numerals.value(e)} {numerals.interval(e)}".strip()


def _cases(files: Mapping[str, Path]) -> Iterator[Case]:
    for name, path in files.items():
        for case in read(path):
            yield Case(case.record, replace(case.summary, system=name))


def _but_instruction(cell: Cell) -> tuple[tuple[str, str], ...]:
    return tuple((k, v) for k, v in cell.settings.items() if k != INSTRUCTION)


def _signature(result: Result) -> str:
    """What the estimates' signatures say of inputs and draws, without their measure and version."""
    signed = [e.signature for e in result.estimates if e.signature]
    return signed[0].split("|", 2)[2] if signed else ""


def _file_name(cell: Cell) -> str:
    """A plain name; the digest keeps apart what differs in characters that a name cannot have."""
    stem = re.sub(r"[^A-Za-z0-9.=-]+", "_", cell.name)[:80].strip("_.")
    return f"{stem}-{hashlib.sha256(repr(cell.summarizer).encode()).hexdigest()[:8]}.jsonl"
