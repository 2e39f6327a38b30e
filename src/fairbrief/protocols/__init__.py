"""What a paper measured and how it laid out its tables: spellings in, estimates out, nothing computed.

A protocol is an object of the shape of `PaperProtocol`, declared under the entry-point group
``fairbrief.protocols``. It departs from the defaults through the settings of measures and scorers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import pyarrow as pa

from fairbrief.nouns import Estimate, Table


@runtime_checkable
class PaperProtocol(Protocol):
    """A paper's whole protocol: which measures, in which reading, and the tables that it printed.

    An attribute ``reads``, if there is one, says whose attributes it is taken over where the user names
    none: ``document`` (unless it says otherwise), ``record`` or ``entity``. An attribute ``slices``, if there is one,
    names groupings by record attributes that its tables are divided by; the audit takes them where records
    have these attributes.
    """

    name: str
    paper: str
    """Who, what, where, when: the reference as a reader would cite it."""

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """The spellings of what the paper measured, over each of ``attributes``."""
        ...

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables, filled from ``estimates``; those of other measures are passed over."""
        ...


@runtime_checkable
class EvidenceProtocol(PaperProtocol, Protocol):
    """A protocol some of whose tables are made of rows, not of estimates: a distribution, a regression."""

    def evidence_tables(self, evidence: pa.Table) -> tuple[Table, ...]:
        """The tables that need single rows; they stand after those of `tables`."""
        ...
