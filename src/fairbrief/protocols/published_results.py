"""A paper's experiments, tables and figures, under its own numbers and titles; and what the built-in protocols share.

Each protocol declares them in ``results/NAME.toml``: what the paper printed, which commands print it, which inputs
they need, what was obtained on released outputs, and what cannot be obtained. The pages under docs/reference/papers,
the command ``fairbrief protocol`` and the titles of printed tables are made only from these declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isinf, isnan
from typing import Any, ClassVar, Literal

import msgspec

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.specs import CheckedSettings
from fairbrief.text.vocabulary import packaged
from fairbrief.types import Estimate, Table

ABSENT = "–"
Version = Literal["published", "text"]
VERSIONS: Mapping[Version, str] = {
    "published": "Version: published, the release's arithmetic.",
    "text": "Version: text, as the paper words it.",
}
"""What tables say of a protocol's setting ``version``."""


class ObtainedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class PublishedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment, table or figure of a paper.

    ``number`` is the paper's ("Table 2", "Figure 6"), or the section's ("Section 5.3") where an experiment has
    neither; ``title`` is the paper's, shortened to its first clause. ``commands`` run unchanged in a checkout,
    on files of ``examples/``; ``inputs`` are the files for the paper's own figures.
    ``prints`` is text in the last command's output. ``absent`` is what cannot be obtained, and why.
    ``figures`` are those that the paper prints: a line per row, bars between cells, headings first. ``columns`` and
    ``remarks`` are the headings and the notes of the table that an audit prints in its place, and ``cells`` its estimates
    (see `PublishedResult.filled`).
    """

    number: str
    title: str
    section: str
    inputs: str = ""
    commands: tuple[str, ...] = ()
    prints: str = ""
    absent: str = ""
    note: str = ""
    figures: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    obtained: tuple[ObtainedFigure, ...] = ()

    @property
    def heading(self) -> str:
        """Number and title, as a printed table carries them."""
        return f"{self.number}: {self.title}"

    @property
    def table(self) -> Table:
        """The published figures; without headings and rows where there are none."""
        lines = self.figures.strip().splitlines()
        header, *rows = (tuple(map(str.strip, line.split("|"))) for line in lines) if lines else [()]
        return Table(f"{self.heading} (as published)", header, tuple(rows))

    def printed(
        self,
        rows: Iterable[Sequence[str]],
        place: str = "",
        columns: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> Table:
        """The table that an audit prints in its place, with these rows.

        The headings are the declared ones where none are given, notes follow the declared ones, and ``place`` ends the title.
        """
        header = tuple(columns) or self.columns
        return Table(f"{self.heading}{place}", header, tuple(map(tuple, rows)), (*self.remarks, *notes))

    def filled(self, estimates: Sequence[Estimate], digits: int = 3, **words: Any) -> Table:
        """`printed`, with a row per system and the declared cells; no rows if all are undefined."""
        rows = [(system, *cells(estimates, system, self.cells, digits)) for system in systems_of(estimates)]
        is_empty = all(cell == ABSENT for _, *own in rows for cell in own)
        return self.printed(() if is_empty else rows, **words)


@cache
def published_results(name: str) -> tuple[PublishedResult, ...]:
    """The results that the built-in protocol ``name`` declares, in the paper's order."""
    return msgspec.convert(_declared(name)["result"], tuple[PublishedResult, ...])


@cache
def _declared(name: str) -> Mapping[str, Any]:
    return packaged("fairbrief.protocols", "results", f"{name}.toml")


def cells(estimates: Sequence[Estimate], system: str, asked: Iterable[str], digits: int = 3) -> Iterator[str]:
    """The estimates of a system as cells: ``quantity``, ``measure:quantity`` or ``quantity.field`` (``equal_coverage.n``)."""
    for which in asked:
        measure, _, rest = which.rpartition(":")
        quantity, _, field = rest.partition(".")
        estimate = find(estimates, system, quantity, measure)
        value = None if estimate is None else getattr(estimate, field or "value")
        yield str(value) if field == "n" and value is not None else decimal(value, digits)


# ------------------------------------------------------------------ what the built-in protocols share


class Reproduced(CheckedSettings):
    """A protocol whose results are declared in ``results/NAME.toml``."""

    name: ClassVar[str]
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()

    def check_effect(self, setting: str, has_effect: bool, advice: str) -> None:
        """ValueError for a setting without effect whose value is not the default."""
        if not has_effect and (value := getattr(self, setting)) != getattr(type(self), setting):
            raise ValueError(f"{setting}={value} has no effect {advice}")

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    @classmethod
    def published(cls, number: str) -> PublishedResult:
        """The result with this number."""
        return next(result for result in published_results(cls.name) if result.number == number)

    def with_version(self, tables: Iterable[Table], version: Version) -> tuple[Table, ...]:
        """The tables that have rows, each with a note that says which version it prints."""
        note = VERSIONS[version]
        return tuple(replace(table, notes=(*table.notes, note)) for table in tables if table.rows)

    @property
    def paper(self) -> str:
        """The reference to the paper."""
        return str(_declared(self.name)["paper"])

    @property
    def released(self) -> str:
        """What the paper's authors released, in one sentence."""
        return str(_declared(self.name)["released"])


def find(
    estimates: Iterable[Estimate], system: str, quantity: str, measure: str = "", over: str | None = None
) -> Estimate | None:
    """The first estimate of a system's quantity, of a measure whose spec begins so; a defined one, if any is.

    Over any attribute if none is named. None where there is none.
    """
    own = (e for e in estimates if e.system == system and e.quantity == quantity)
    found = [e for e in own if e.measure.startswith(measure) and (over is None or e.over in (over, ""))]
    return next((e for e in found if e.value is not None), found[0] if found else None)


def group_in(quantity: str) -> str:
    """What is between the brackets of a quantity: ``left`` of ``difference[left]``."""
    return quantity.partition("[")[2].removesuffix("]")


def systems_of(estimates: Iterable[Estimate], measure: str = "") -> list[str]:
    """The systems in the order in which they are met; of measures whose spec begins so."""
    return list(dict.fromkeys(e.system for e in estimates if e.measure.startswith(measure)))


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
