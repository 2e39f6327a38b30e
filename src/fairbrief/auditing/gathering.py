"""Which cases make a unit of observation together, and where they wait until all of it was read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fairbrief.auditing.ledger import Origin
from fairbrief.auditing.observing import Unit
from fairbrief.nouns import Case, Cases, Observation

Scope = Literal["case", "block", "cluster"]
DESIGN = ("design", "genders")
"""Record attributes that name the design of built inputs: variants of different designs are no unit together."""


def design_of(case: Case) -> tuple[str, ...]:
    """How the inputs were built that the record is one of; empty texts where it does not say."""
    return tuple(case.record.attributes.get(name, "") for name in DESIGN)


def alone(observation: Observation, units: Sequence[Unit]) -> Sequence[Unit]:
    """Of single cases, those that an observation takes as units: one of a sample, too, if its record varies nothing."""
    if observation.scope == "block":
        return [unit for unit in units if unit[0][0].record.original is None]
    return units if observation.scope == "case" else ()


def shared_by(case: Case, scope: Scope) -> tuple[str, ...] | None:
    """What the cases of its unit have in common; None where the case is a unit by itself."""
    record = case.record
    if scope == "case" or (scope == "block" and record.original is None):
        return None
    gathered = record.cluster if scope == "cluster" else record.block
    return (scope, case.summary.system, gathered, *design_of(case))


def units_of(cases: Cases, scope: Scope) -> list[Cases]:
    """The units that an audit makes of some cases."""
    found: dict[tuple[str, ...] | int, list[Case]] = {}
    for i, case in enumerate(cases):
        found.setdefault(shared_by(case, scope) or i, []).append(case)
    return list(found.values())


@dataclass(slots=True)
class Gathering:
    """Cases that wait until all variants of their originals were read, for the ``scopes`` that are asked for."""

    scopes: Collection[Scope]
    _waiting: dict[tuple[str, ...], tuple[list[Case], Origin]] = field(default_factory=dict)
    _designs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def put(self, case: Case, origin: Origin) -> None:
        """The case beside the others of its units."""
        for scope in self.scopes:
            shared = shared_by(case, scope)
            if shared is not None:
                self._wait(shared, case, self._named(case, origin) if scope == "cluster" else origin)

    def units(self, scope: Scope) -> Iterator[Unit]:
        """The units of a scope, in the order of their first cases."""
        return iter([unit for shared, unit in self._waiting.items() if shared[0] == scope])

    def clear(self) -> None:
        """Let all cases go."""
        self._waiting.clear()

    def _named(self, case: Case, origin: Origin) -> Origin:
        """Named after the original; a further design of the same original after both."""
        design = design_of(case)
        first = self._designs.setdefault(origin.cluster, design)
        name = origin.cluster if design == first else " ".join((origin.cluster, *design))
        return replace(origin, record=name)

    def _wait(self, shared: tuple[str, ...], case: Case, origin: Origin) -> None:
        """The unit is in the slices that all its cases are in."""
        cases, whole = self._waiting.setdefault(shared, ([], origin))
        cases.append(case)
        if whole.slices != origin.slices:
            common = tuple(part for part in whole.slices if part in origin.slices)
            self._waiting[shared] = (cases, replace(whole, slices=common))
