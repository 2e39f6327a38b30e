"""The cells of an experiment: summarizers with their settings, each with one run or several."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.text.redaction import sealed
from fairbrief.workbench.summarizing import Drafting, Job

RUNS = ("seed",)
"""Settings that make no other setting: their values are runs of one cell."""
SUMMARIZER = "summarizer"
"""Name of the axis along which the summarizers themselves stand."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the grid: its name, ``temperature=0.3, sentences=3``, its settings, and who writes its runs.

    ``settings`` hold the summarizer's spec (or what it is called) under "summarizer". ``writers`` are one summarizer, which may write
    several samples of a record, or one per seed.
    """

    name: str
    writers: tuple[Any, ...]
    settings: Mapping[str, str]

    @property
    def samples(self) -> int:
        """How many summaries each writer makes of a record."""
        return int(getattr(self.writers[0], "samples", 1))

    @property
    def runs(self) -> int:
        """How many summaries of each record the cell has."""
        return len(self.writers) * self.samples

    def jobs(self, folder: Path) -> list[Job]:
        """The files of the cell's answers in a folder, and who writes them under which name."""
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
    """Every combination of the axes' values, the last axis fastest; without axes, the summarizer alone.

    ``fixed`` are settings of all cells, which no name tells. Several values of ``seed`` are runs of each cell. Values are named as the summarizer reads them (``.3`` is
    0.3); ``label`` stands before them. Raises RequestError for a setting that the
    summarizer does not have, or a point that is named twice.
    """
    summarizer = sealed(summarizer)  # its spec is the name of a system
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
        told = ", ".join(f"{key}={value}" for key, value in settings.items())
        name = ", ".join(part for part in (label, told) if part) or summarizer
        cells.append(Cell(name, writers, {SUMMARIZER: label or summarizer, **settings}))
        _check_runs(cells[-1])
    refuse_twice(cells)
    return tuple(cells)


def refuse_twice(cells: Iterable[Cell]) -> None:
    """RequestError where two cells have one name, or a cell two runs of one spec."""
    seen: set[str] = set()
    for cell in cells:
        if cell.name in seen or len({repr(w) for w in cell.writers}) < len(cell.writers):
            raise RequestError(f"The grid holds '{cell.name}' twice: give each value once.")
        seen.add(cell.name)


def axes_of(summarizer_axes: Iterable[Cell]) -> list[str]:
    """The names of all axes of some cells, in the order in which they first occur."""
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
            f"'{cell.writers[0]!r}' writes several summaries of each record, which it does not name: sweep the seed "
            "instead, --set seed=0,1,2."
        )
    if len(cell.writers) > 1:
        raise RequestError("Give several seeds or several samples of a setting, not both.")


def _file_name(name: str, writer: Any) -> str:
    """A plain name; the digest keeps apart what differs in characters that a name cannot have."""
    stem = re.sub(r"[^A-Za-z0-9.=-]+", "_", name)[:80].strip("_.")
    return f"{stem}-{hashlib.sha256(repr(writer).encode()).hexdigest()[:8]}.jsonl"
