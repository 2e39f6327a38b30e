"""What a run over a part of the input found, on its way into the run over all of it."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass

from fairbrief.auditing.examples import Exhibits
from fairbrief.auditing.ledger import Sheet
from fairbrief.auditing.origins import Origin, OriginTable, Places
from fairbrief.auditing.shards import Shard
from fairbrief.types import Case


@dataclass(frozen=True, slots=True)
class PartResult:
    """Rows and sums of a part, and all else that its cases add to an audit.

    ``places`` are those of each sheet's units in ``placed``. ``aside`` are cases that are observed together with others, maybe
    of other parts; ``unscored`` the shards of observations (by number) that need a model, which the receiver has.
    """

    sheets: tuple[Sheet, ...]
    places: tuple[Places, ...]
    exhibits: Exhibits
    placed: OriginTable
    """Where all units come from that were there to be observed."""
    aside: tuple[tuple[Case, Origin], ...]
    unscored: tuple[tuple[int, Shard], ...]
    cases: int
    summaries: Counter[str]
    without_text: dict[str, Counter[str]]
    ids: array[int]
    digest: int
    scorers: tuple[str, ...]
