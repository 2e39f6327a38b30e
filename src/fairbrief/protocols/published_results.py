"""A paper's experiments, tables and figures, under its own numbers and titles; and what the built-in protocols share.

Each protocol declares them in ``results/NAME.toml``: what the paper printed, which commands print it, which inputs
they need, what was obtained on released outputs, and what cannot be obtained. The pages under docs/reference/papers,
the command ``fairbrief protocol`` and the titles of printed tables are made only from these declarations.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from math import isinf, isnan
from typing import Any, ClassVar

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.specs import spell
from fairbrief.types import Estimate, Table

ABSENT = "–"
VERSIONS = {
    "published": "Version: published, the release's arithmetic.",
    "text": "Version: text, as the paper words it.",
}
"""What a protocol's setting ``version`` may be, and what its tables say of it."""


@dataclass(frozen=True)
class ObtainedFigure:
    """One published number and the number obtained from released outputs.

    ``cell`` names it by the headings of its row and column; ``reason`` explains a difference, and is empty
    where the two agree to the printed digit. ``input`` is the released file, ``command`` was run on it.
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
    neither; ``title`` is the paper's, shortened to its first clause. ``commands`` run unchanged in a checkout,
    on files of ``examples/``; ``inputs`` are the files for the paper's own figures.
    ``prints`` is text in the last command's output. ``absent`` is what cannot be obtained, and why.
    ``header`` and ``rows`` are the figures that the paper prints. ``columns`` and ``remarks`` are the headings and the
    notes of the table that an audit prints in its place.
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
    columns: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
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


def printed(
    name: str,
    number: str,
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    place: str = "",
    columns: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Table:
    """The paper's table or figure of this number, filled with rows.

    The headings are the declared ones where none are given, notes follow the declared ones, ``title`` is another title, and ``place`` ends it.
    """
    result = next(r for r in published_results(name) if r.number == number)
    cells = tuple(tuple(row) for row in rows)
    return Table(
        f"{title or result.heading}{place}",
        tuple(columns) or result.columns,
        cells,
        (*result.remarks, *notes),
    )


@cache
def published_results(name: str) -> tuple[PublishedResult, ...]:
    """The results that the built-in protocol ``name`` declares, in the paper's order.

    Raises ValueError naming the file, the result and the field where the declaration is not well-formed.
    """
    return tuple(parse_result(entry, f"{name}.toml") for entry in _declared(name)["result"])


def released(name: str) -> str:
    """What the authors of a built-in protocol's paper released, in one sentence."""
    return str(_declared(name)["released"])


@cache
def _declared(name: str) -> Mapping[str, Any]:
    source = files("fairbrief.protocols") / "results" / f"{name}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


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
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    result = PublishedResult(**{**given, **lists}, header=header, rows=rows, obtained=obtained)
    if not result.commands and not result.absent:
        raise ValueError(f"{place}: has neither a command nor 'absent', the reason why there is none")
    if result.commands and not result.prints:
        raise ValueError(f"{place}: 'prints' is needed with commands: text that the last of them prints")
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


# ------------------------------------------------------------------ what the built-in protocols share


class Reproduced:
    """A protocol whose results are declared in ``results/NAME.toml``."""

    name: ClassVar[str]
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()

    __repr__ = spell

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    @property
    def released(self) -> str:
        """What the paper's authors released, in one sentence."""
        return released(self.name)


def check_version(version: str) -> None:
    """Raise ValueError unless a protocol's ``version`` is one of `VERSIONS`."""
    if version not in VERSIONS:
        raise ValueError(f"version is published or text, not '{version}'")


def with_version(tables: Iterable[Table], version: str) -> tuple[Table, ...]:
    """The tables, each with a note that says which version it prints."""
    return tuple(replace(table, notes=(*table.notes, VERSIONS[version])) for table in tables)


def find(estimates: Iterable[Estimate], system: str, quantity: str, measure: str = "") -> Estimate | None:
    """The first estimate of a system's quantity, of a measure whose spec begins so; None where there is none."""
    return next(
        (
            e
            for e in estimates
            if e.system == system and e.quantity == quantity and e.measure.startswith(measure)
        ),
        None,
    )


def systems_of(estimates: Iterable[Estimate]) -> list[str]:
    """The systems in the order in which they are met."""
    return list(dict.fromkeys(e.system for e in estimates))


def decimal(number: float | None, digits: int = 3) -> str:
    """So many decimals with a true minus sign; what rounds to zero has none, what is undefined is a dash, ∞ is infinite.

    >>> decimal(-0.25, 2), decimal(-0.001, 2), decimal(None), decimal(float("inf"))
    ('−0.25', '0.00', '–', '∞')
    """
    if number is None or isnan(number):
        return ABSENT
    if isinf(number):
        return "∞" if number > 0 else "−∞"
    return f"{round(number, digits) + 0.0:.{digits}f}".replace("-", "−")


def number_of(estimate: Estimate | None, digits: int = 3) -> str:
    """The value of an estimate as a cell."""
    return decimal(None if estimate is None else estimate.value, digits)
