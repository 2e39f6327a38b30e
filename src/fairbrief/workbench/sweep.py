"""Summarize and audit over a grid of settings."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairbrief import registry
from fairbrief.auditing import Plan, audit, check
from fairbrief.chat.endpoint import Tally
from fairbrief.chat.journal import keys_in
from fairbrief.errors import RequestError
from fairbrief.readers import Reading, read
from fairbrief.reports.result import Result
from fairbrief.workbench.summarizing import (
    Count,
    Forecast,
    Job,
    Records,
    Watch,
    summarize_all,
)
from fairbrief.workbench.summarizing import foresee as foresee_answers


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the grid: its name (``temperature=0.3, sentences=3``) and the summarizers of its runs.

    ``writers`` are one summarizer, which may write several samples of a record, or one per seed.
    """

    name: str
    writers: tuple[Any, ...]

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
        jobs = []
        for i, writer in enumerate(self.writers, 1):
            name = f"{self.name}#{i}" if len(self.writers) > 1 else self.name
            stem = re.sub(r"[^A-Za-z0-9.=-]+", "_", name)[:80].strip("_.")
            # The digest distinguishes names that differ only in replaced characters.
            digest = hashlib.sha256(repr(writer).encode()).hexdigest()[:8]
            jobs.append(Job(writer, folder / f"{stem}-{digest}.jsonl", name))
        return jobs


def grid(
    summarizer: str, axes: Mapping[str, Sequence[str]], *, fixed: Mapping[str, str] | None = None
) -> tuple[Cell, ...]:
    """Every combination of the axes' values, the last axis fastest; without axes, only the summarizer.

    ``fixed`` are settings of all cells, which are not part of names. Several values of ``seed`` are runs of each
    cell. Values in names have the summarizer's form (``.3`` is 0.3). Raises RequestError for a setting that the
    summarizer does not have, or a repeated point.
    """
    seeds = axes.get("seed", ())
    across = {name: values for name, values in axes.items() if name != "seed" or len(seeds) < 2}
    runs = [{"seed": seed} for seed in seeds] if len(seeds) > 1 else [{}]
    cells: dict[str, Cell] = {}
    for values in itertools.product(*across.values()):
        point = dict(zip(across, values, strict=True))
        settings = {**(fixed or {}), **point}
        writers = tuple(registry.make("summarizer", summarizer, {**settings, **run}) for run in runs)
        named = (f"{name}={_setting(writers[0], name, text)}" for name, text in point.items())
        cell = Cell(", ".join(named) or summarizer, writers)
        if cell.name in cells or len(set(map(repr, writers))) < len(writers):
            raise RequestError(f"The grid has '{cell.name}' twice: give each value once.")
        if len(writers) > 1 and getattr(writers[0], "temperature", None) == 0:
            raise RequestError(
                f"'{cell.name}' has several seeds at temperature 0, which give one text, paid several times: "
                "give a temperature above 0, or one seed."
            )
        if len(writers) > 1 and cell.samples > 1:
            raise RequestError("Give several seeds or several samples of a setting, not both.")
        cells[cell.name] = cell
    return tuple(cells.values())


def _setting(writer: Any, name: str, text: str) -> str:
    if name == "prompt":
        return Path(text).stem if Path(text).suffix else text
    return str(getattr(writer, name))


ANSWERS, JOURNAL = "answers", "answers.journal"


def foresee(records: Records, cells: Sequence[Cell], folder: Path, plan: Plan) -> Forecast:
    """The requests of a sweep. Raises the errors of measures, the baseline and prompts."""
    baseline_of(cells, plan)
    check(records(), plan)
    writers = [(job.system, job.summarizer) for job in jobs_of(cells, folder)]
    return foresee_answers(writers, records, keys_in(folder / ANSWERS / JOURNAL))


def ask(
    records: Records, cells: Sequence[Cell], folder: Path, watch: Watch, tally: Tally | None = None
) -> list[Count]:
    """Write the answers of all cells under ``folder/answers``, where later runs find them; one count per job."""
    return summarize_all(jobs_of(cells, folder), records, folder / ANSWERS / JOURNAL, watch, tally)


def jobs_of(cells: Sequence[Cell], folder: Path) -> list[Job]:
    """The files of answers of all cells, with their writers and system names."""
    return [job for cell in cells for job in cell.jobs(folder / ANSWERS)]


def audited(cells: Sequence[Cell], folder: Path, plan: Plan) -> Result:
    """The audit of the answers in ``folder``: each cell is a system, compared with the baseline by record.

    The runs of a cell are pooled. Answers beyond the most requests are missing, and counted.
    """
    plan = replace(
        plan, baseline=baseline_of(cells, plan), is_pairwise=True, pools_runs=any(cell.runs > 1 for cell in cells)
    )  # fmt: skip
    return audit(answers_of(cells, folder), plan)


def answers_of(cells: Sequence[Cell], folder: Path) -> Reading:
    """The cases in the cells' files."""
    return read([job.out for job in jobs_of(cells, folder)])


def baseline_of(cells: Sequence[Cell], plan: Plan) -> str:
    """The cell for comparison: the named one, or the first."""
    names = [cell.name for cell in cells]
    baseline = plan.baseline if plan.baseline is not None else names[0]
    if baseline not in names:
        raise RequestError(f"No cell is named '{baseline}'. Cells: {'; '.join(names)}.")
    return baseline
