"""A paper's experiments, tables and figures, under its own numbers and titles.

Each protocol declares them in ``results/NAME.toml``: what the paper printed, which command obtains it, what
that needs, what was obtained on released outputs, and what cannot be had. The reproduction page, the command
``fairbrief protocol`` and the titles of printed tables are made from these declarations alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from fairbrief.types import Table


@dataclass(frozen=True)
class ObtainedFigure:
    """One published figure beside what was obtained from released outputs.

    ``cell`` names it by its row's and its column's headings; ``reason`` says why the two differ, and is empty
    where they agree to the printed digit. ``input`` is the released file, ``command`` what was run on it.
    """

    cell: str
    published: str
    obtained: str
    input: str
    command: str
    reason: str = ""


@dataclass(frozen=True)
class PublishedResult:
    """An experiment, table or figure of a paper.

    ``number`` is the paper's ("Table 2", "Figure 6"), or the section's ("Section 5.3") where an experiment has
    neither; ``title`` is the paper's, shortened to its first clause. ``commands`` run as they stand in a checkout,
    on files of ``examples/``; ``inputs`` says which files take their place for the paper's own figures.
    ``prints`` is text that the last command's output holds. ``absent`` says what cannot be had, and why.
    ``header`` and ``rows`` are the figures that the paper prints.
    """

    number: str
    title: str
    section: str
    inputs: str = ""
    commands: tuple[str, ...] = ()
    prints: str = ""
    absent: str = ""
    note: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    obtained: tuple[ObtainedFigure, ...] = ()

    @property
    def heading(self) -> str:
        """Number and title, as a printed table carries them."""
        return f"{self.number}: {self.title}"

    @property
    def table(self) -> Table:
        """The published figures."""
        return Table(f"{self.heading} (as published)", self.header, self.rows)


def heading(results: Sequence[PublishedResult], number: str) -> str:
    """The heading of the result with this number. Raises KeyError where the paper has none."""
    known = {result.number: result.heading for result in results}
    return known[number]


@cache
def published_results(name: str) -> tuple[PublishedResult, ...]:
    """The results that the built-in protocol ``name`` declares, in the paper's order.

    Raises ValueError naming the file, the result and the field where the declaration is not well-formed.
    """
    source = files("fairbrief.protocols") / "results" / f"{name}.toml"
    declared = tomllib.loads(source.read_text(encoding="utf-8"))
    return tuple(parse_result(entry, f"{name}.toml") for entry in declared["result"])


def parse_result(entry: Mapping[str, Any], where: str) -> PublishedResult:
    """One entry of a declaration. ``figures`` is a text table: a line a row, bars between cells, headings first."""
    place = f"{where}, {entry.get('number', 'a result without number')}"
    given = dict(entry)
    header, rows = _cells(given.pop("figures", ""), place)
    obtained = tuple(ObtainedFigure(**figure) for figure in given.pop("obtained", ()))
    known = {f.name for f in fields(PublishedResult)} - {"header", "rows", "obtained"}
    if unknown := sorted(set(given) - known):
        raise ValueError(
            f"{place}: unknown {', '.join(unknown)}; known are figures, obtained, {', '.join(sorted(known))}"
        )
    result = PublishedResult(
        **{**given, "commands": tuple(given.get("commands", ()))}, header=header, rows=rows, obtained=obtained
    )
    if not result.commands and not result.absent:
        raise ValueError(f"{place}: neither a command nor what is absent is said")
    if result.commands and not result.prints:
        raise ValueError(f"{place}: 'prints' is needed beside commands: text that the last of them prints")
    return result


def _cells(text: str, place: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    lines = [tuple(cell.strip() for cell in line.split("|")) for line in text.strip().splitlines()]
    if not lines:
        return (), ()
    for line in lines:
        if len(line) != len(lines[0]):
            raise ValueError(
                f"{place}: {len(lines[0])} headings, but {len(line)} cells in {' | '.join(line)}"
            )
    return lines[0], tuple(lines[1:])
