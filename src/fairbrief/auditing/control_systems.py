"""Texts that are audited beside the systems, so that a score can be read against what it would be anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fairbrief.auditing.controls import WRITERS, Control, Exchange, control_name, random_sentences
from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.types import Case, Record

OF_SYSTEMS = ("exchanged", "random_sentences")
"""Controls made from a system's own summaries; the others from the record alone."""
CONTROLS = (*OF_SYSTEMS, *WRITERS, "largest_group")


@dataclass(frozen=True)
class Controls:
    """The controls of one audit. ``attributes`` are those whose largest group is taken.

    ``exchange`` knows the summaries of all records, from which ``exchanged`` borrows.
    """

    names: Sequence[str]
    attributes: Sequence[str]
    seed: int
    exchange: Exchange | None = None
    _met: set[int] = field(default_factory=set)
    """Hashes of the ids of records that have their controls: another system's line of one may come much later."""

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in CONTROLS:
                raise RequestError(
                    f"No control named '{name}'.{did_you_mean(name, CONTROLS)} Controls: {', '.join(CONTROLS)}."
                )

    def of(self, system: str) -> list[str]:
        """The names of the controls that a system is held beside: its own, and those made from the records alone.

        What was made from another system's summaries says nothing of this one's.
        """
        own = [control_name(name, system) for name in OF_SYSTEMS if name in self.names]
        return [*own, *(control.name for control in self._from_records())]

    def beside(self, batch: Sequence[Case]) -> Iterator[Case]:
        """The batch, then its controls: one per record, or one per record and system."""
        yield from batch
        answered = [case for case in batch if not case.summary.reason]
        for system in dict.fromkeys(case.summary.system for case in answered):
            own = [case for case in answered if case.summary.system == system]
            if "exchanged" in self.names and self.exchange is not None:
                yield from (dealt for case in own if (dealt := self.exchange.of(case)) is not None)
            if "random_sentences" in self.names:
                yield from (random_sentences(case, self.seed) for case in own)
        if controls := list(self._from_records()):
            records = self._new(batch)
            for control in controls:
                for record, summary in zip(records, control.summarize(records), strict=True):
                    yield Case(record, summary)

    def _new(self, batch: Sequence[Case]) -> list[Record]:
        """The records of a batch that were in none before it."""
        found = {hash(case.record.id): case.record for case in batch}
        new = [record for key, record in found.items() if key not in self._met]
        self._met.update(found)
        return new

    def _from_records(self) -> Iterator[Control]:
        for name in self.names:
            if name == "largest_group":
                yield from (Control(name, attribute, self.seed) for attribute in self.attributes)
            elif name not in OF_SYSTEMS:
                yield Control(name, seed=self.seed)
