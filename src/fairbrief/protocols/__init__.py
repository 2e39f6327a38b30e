"""A paper's measures and tables: specs and layouts; nothing is computed.

A protocol is an object of the shape of `PaperProtocol`, declared under the entry-point group
``fairbrief.protocols``. It departs from the defaults through the settings of measures and scorers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from fairbrief.types import Estimate, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolDeclaration:
    """How an audit under a protocol differs from one without.

    ``attribute_of`` is whose attributes it is taken over where the user names none. ``sets_apart`` names the record
    attributes by which its sets of inputs differ: the audit subgroups by those of them that records have. ``intervals``
    are the paper's (``bootstrap``), or the package's own.
    """

    attribute_of: Literal["document", "record", "entity"] = "document"
    sets_apart: tuple[str, ...] = ()
    intervals: Literal["jackknife", "bootstrap"] = "jackknife"


@runtime_checkable
class PaperProtocol(Protocol):
    """A paper's whole protocol: which measures, in which reading, and the tables that it printed.

    A method ``results``, if there is one, returns what the paper shows under its own
    numbers and titles (see `published_results`): the built-in protocols declare it in ``results/NAME.toml``. A method
    ``per_record_tables``, if there is one, gets the rows behind the estimates (an Arrow table), and returns the tables
    that need single rows: a distribution, a regression. They follow those of ``tables``.
    """

    name: str
    declaration: ClassVar[ProtocolDeclaration]
    paper: str
    """Who, what, where, when: the reference as a reader would cite it."""

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """The specs of what the paper measured, over each of ``attributes``."""

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables, filled from ``estimates``; those of other measures are passed over."""
