"""Texts that are audited beside the systems, so that a score can be read against what it would be anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairbrief.nouns import Case

CONTROL = "control:"


def with_controls(batch: Sequence[Case], controls: Sequence[str], seed: int) -> Iterator[Case]:
    """The batch, and one case more per record and control; ``exchanged`` makes one per system."""
    yield from batch
    if controls:
        raise NotImplementedError(f"{controls} {seed}")
